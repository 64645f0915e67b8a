// SPDX-License-Identifier: Apache-2.0
import { useLayoutEffect, useRef } from 'preact/hooks';
import { hasSides, type ChangeTree } from '../model/change.ts';
import type { FlameTree } from '../model/flame_tree.ts';
import { focus, hover, tree } from '../state/profile.ts';
import { changeFacts } from './change_words.ts';
import { factsOf } from './frame_facts.ts';
import { frameMenu } from './frame_menu.tsx';

const AWAY_PX = 14;
const EDGE_PX = 6;

function OfFrame({ tree: held, node }: { tree: FlameTree; node: number }) {
	const facts = factsOf(held, node, focus.value);
	return (
		<>
			<div class="tip-name">{facts.name}</div>
			<div class="tip-module">
				{facts.module && <span>{facts.module}</span>}
				<span class="quiet">{facts.kindWord}</span>
			</div>
			{facts.place && <div class="tip-place">{facts.place}</div>}
			<dl class="tip-facts">
				<dt>Total</dt>
				<dd>{facts.total}</dd>
				<dd>{facts.totalPercent}</dd>
				<dt>Self</dt>
				<dd>{facts.self}</dd>
				<dd>{facts.selfPercent}</dd>
				{facts.focusPercent && (
					<>
						<dt>Of focus</dt>
						<dd />
						<dd>{facts.focusPercent}</dd>
					</>
				)}
				{facts.samples && (
					<>
						<dt>Samples</dt>
						<dd>{facts.samples}</dd>
						<dd />
					</>
				)}
			</dl>
			{facts.remark && <p class="tip-remark">{facts.remark}</p>}
		</>
	);
}

function OfChange({ tree: held, node }: { tree: ChangeTree; node: number }) {
	const facts = changeFacts(held, node);
	return (
		<>
			<div class="tip-name">{facts.name}</div>
			{facts.module && <div class="tip-module"><span>{facts.module}</span></div>}
			<dl class="tip-facts">
				<dt>Left</dt>
				<dd>{facts.left.value}</dd>
				<dd>{facts.left.amount}</dd>
				<dt>Right</dt>
				<dd>{facts.right.value}</dd>
				<dd>{facts.right.amount}</dd>
				<dt>Change</dt>
				<dd>{facts.ratio}</dd>
				<dd>{facts.change}</dd>
				{facts.sureness && (
					<>
						<dt>Sure?</dt>
						<dd class="tip-wide">{facts.sureness}</dd>
					</>
				)}
			</dl>
			{facts.remark && <p class="tip-remark">{facts.remark}</p>}
		</>
	);
}

export function FrameTip() {
	const box = useRef<HTMLDivElement>(null);
	const at = hover.value;
	const held = tree.value;

	useLayoutEffect(() => {
		const element = box.current;
		if (!element || !at)
			return;
		const { width, height } = element.getBoundingClientRect();
		const right = at.x + AWAY_PX + width + EDGE_PX <= innerWidth;
		const below = at.y + AWAY_PX + height + EDGE_PX <= innerHeight;
		const left = right ? at.x + AWAY_PX : Math.max(EDGE_PX, at.x - AWAY_PX - width);
		const top = below ? at.y + AWAY_PX : Math.max(EDGE_PX, at.y - AWAY_PX - height);
		element.style.transform = `translate(${Math.round(left)}px, ${Math.round(top)}px)`;
	});

	if (!at || !held || at.node >= held.nodeCount || frameMenu.value)
		return null;
	return (
		<div class="tip" ref={box} role="presentation">
			{hasSides(held) ? <OfChange tree={held} node={at.node} /> : <OfFrame tree={held} node={at.node} />}
		</div>
	);
}
