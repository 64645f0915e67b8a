// SPDX-License-Identifier: Apache-2.0
// All there is to say about the frame under the cursor, as text that can be selected.

import { hasSides, type ChangeTree } from '../model/change.ts';
import type { FlameTree } from '../model/flame_tree.ts';
import { cursor, focus, tree } from '../state/profile.ts';
import { actionsOf } from './frame_actions.ts';
import { changeFacts } from './change_words.ts';
import { factsOf } from './frame_facts.ts';

function Fact({ label, value, percent }: { label: string; value: string; percent: string }) {
	return (
		<div class="fact">
			<dt>{label}</dt>
			<dd>
				{value && <span class="fact-value">{value}</span>}
				{percent && <span class="fact-percent">{percent}</span>}
			</dd>
		</div>
	);
}

function OfFrame({ tree: held }: { tree: FlameTree }) {
	const facts = factsOf(held, cursor.value, focus.value);
	return (
		<>
			<div class="details-what">
				<p class="details-name">{facts.name}</p>
				<p class="details-where">
					{facts.module && <span>{facts.module}</span>}
					<span class="quiet">{facts.kindWord}</span>
					{facts.place && <span class="details-place">{facts.place}</span>}
					{facts.remark && <span class="quiet">{facts.remark}</span>}
				</p>
			</div>
			<dl class="details-facts">
				<Fact label="Self" value={facts.self} percent={facts.selfPercent} />
				<Fact label="Total" value={facts.total} percent={facts.totalPercent} />
				{facts.focusPercent && <Fact label="Of focus" value="" percent={facts.focusPercent} />}
				{facts.samples && <Fact label="Samples" value={facts.samples} percent="" />}
			</dl>
		</>
	);
}

function OfChange({ tree: held }: { tree: ChangeTree }) {
	const facts = changeFacts(held, cursor.value);
	return (
		<>
			<div class="details-what">
				<p class="details-name">{facts.name}</p>
				<p class="details-where">
					{facts.module && <span>{facts.module}</span>}
					{facts.remark && <span class="quiet">{facts.remark}</span>}
				</p>
			</div>
			<dl class="details-facts">
				<Fact label="Left" value={facts.left.amount} percent={facts.left.value} />
				<Fact label="Right" value={facts.right.amount} percent={facts.right.value} />
				<Fact label="Change" value={facts.change} percent={facts.ratio} />
				{facts.sureness && <Fact label="Sure?" value={facts.sureness} percent="" />}
			</dl>
		</>
	);
}

export function Details() {
	const held = tree.value;
	if (!held)
		return null;
	return (
		<section class="details" aria-label="Frame details">
			{hasSides(held) ? <OfChange tree={held} /> : <OfFrame tree={held} />}
			<div class="details-actions">
				{actionsOf(held, cursor.value).filter(({ id }) => id !== 'up' && id !== 'reset').map((action) => (
					<button type="button" key={action.id} class="button button-small" title={`Key: ${action.key}`} onClick={action.run}>
						{action.label}
					</button>
				))}
			</div>
		</section>
	);
}
