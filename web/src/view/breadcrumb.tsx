// SPDX-License-Identifier: Apache-2.0
// The way from the root to the focused frame; each step goes back to it.

import { nodeName, pathTo } from '../model/flame_tree.ts';
import { ELLIPSIS, shorterForms } from '../model/name_shorten.ts';
import { focus, focusOn, moveCursor, shown, tree } from '../state/profile.ts';

/* More steps than fit in a line on any screen: the middle ones are left out. */
const HEAD_STEPS = 2;
const TAIL_STEPS = 5;

function shortName(name: string): string {
	const forms = shorterForms(name);
	return forms.find((form) => form.length <= 32) ?? forms[forms.length - 1];
}

/** Which part of the profile is shown: nothing where it is all of it. */
function PositionStrip() {
	const held = tree.value;
	if (!held || held.total[0] === 0)
		return <div class="position" />;
	const whole = held.total[0];
	const { start, end } = shown.value;
	return (
		<div class={`position ${start > 0 || end < whole ? 'is-part' : ''}`} aria-hidden="true">
			<span style={{ left: `${(start / whole) * 100}%`, width: `max(3px, ${((end - start) / whole) * 100}%)` }} />
		</div>
	);
}

export function Breadcrumb() {
	const held = tree.value;
	const path = held ? pathTo(held, focus.value) : [];
	const cut = path.length > HEAD_STEPS + TAIL_STEPS + 1;
	const steps = cut ? [...path.slice(0, HEAD_STEPS), -1, ...path.slice(-TAIL_STEPS)] : path;
	return (
		<div class="breadcrumb-slot">
			<nav class="breadcrumb" aria-label="Focus path">
				<ol>
					{held && steps.map((node) => (
						<li key={node}>
							{node < 0 ? (
								<span class="quiet" title={`${path.length - HEAD_STEPS - TAIL_STEPS} callers more`}>{ELLIPSIS}</span>
							) : (
								<button
									type="button"
									title={nodeName(held, node)}
									aria-current={node === focus.value ? 'location' : undefined}
									onClick={() => {
										moveCursor(node);
										focusOn(node);
									}}
								>
									{shortName(nodeName(held, node))}
								</button>
							)}
						</li>
					))}
				</ol>
			</nav>
			<PositionStrip />
		</div>
	);
}
