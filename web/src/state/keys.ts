// SPDX-License-Identifier: Apache-2.0
// Keys that work wherever the focus is, except while typing. Those of the graph are with the graph.

import { shifted } from '../model/time_range.ts';
import { refresh } from './data.ts';
import * as at from './navigation.ts';
import { stepMatch } from './profile.ts';
import { toggleTheme } from './settings.ts';

/* The second key of a pair follows soon or not at all. */
const PAIR_MS = 1_000;

export interface PageKeys {
	openHelp: () => void;
	focusSearch: () => void;
}

function isTyping(target: EventTarget | null): boolean {
	return target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));
}

const pairs: Record<string, () => void> = {
	h: () => at.go({ screen: 'hot' }),
	e: () => at.go({ screen: 'heat' }),
	c: () => at.go({ screen: 'compare' }),
	o: () => at.go({ screen: 'hosts' }),
	y: () => at.go({ screen: 'symbols' }),
	s: () => at.go({ screen: 'status' }),
};

function singles(page: PageKeys): Record<string, () => void> {
	const shift = (steps: number): void =>
		at.go({ ...shifted({ from: at.from.value, until: at.until.value }, steps, Date.now()), span: null });
	return {
		'/': page.focusSearch,
		'?': page.openHelp,
		'1': () => at.go({ layout: 'flame' }),
		'2': () => at.go({ layout: 'table' }),
		'3': () => at.go({ layout: 'both' }),
		'[': () => shift(-1),
		']': () => shift(1),
		f: () => at.go({ flipped: !at.flipped.value }),
		i: () => at.go({ showsInlined: !at.showsInlined.value }),
		n: () => stepMatch(1),
		N: () => stepMatch(-1),
		r: refresh,
		t: toggleTheme,
	};
}

export function listenForKeys(page: PageKeys): void {
	const actions = singles(page);
	let gPressedAt = -Infinity;
	addEventListener('keydown', (event) => {
		if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target))
			return;
		if (document.querySelector('dialog[open]'))
			return;
		const second = performance.now() - gPressedAt < PAIR_MS;
		gPressedAt = event.key === 'g' ? performance.now() : -Infinity;
		const act = second ? pairs[event.key] : actions[event.key];
		if (!act)
			return;
		event.preventDefault();
		act();
	});
}
