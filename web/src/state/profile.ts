// SPDX-License-Identifier: Apache-2.0
// What follows from the tree that is held and from what the person chose: nothing here asks the server.

import { computed, effect, signal } from '@preact/signals';
import { colourChanges, colourFrames, swatchesOf } from '../flame/palette.ts';
import { hasSides } from '../model/change.ts';
import { sortedRows, tabulate } from '../model/function_table.ts';
import { contains, nameModule, type FlameTree } from '../model/flame_tree.ts';
import { findPathHash, followPath, pathHash, pathKeys } from '../model/frame_path.ts';
import { qualityOf } from '../model/quality.ts';
import { byValue, findName, occurrences, parseQuery, search, widest } from '../model/search.ts';
import { flame } from './data.ts';
import * as at from './navigation.ts';
import { theme } from './settings.ts';
import { changedTree } from './sides.ts';

/** The tree of the screen that is shown. */
export const tree = computed((): FlameTree | null => (at.screen.value === 'compare' ? changedTree.value : flame.data.value));
export const isEmpty = computed(() => tree.value !== null && tree.value.total[0] === 0);

/* The path of the focused frame, for profiles in which it does not end: then its nearest ancestor serves. */
let known: { hash: string; keys: string[] } = { hash: '', keys: [] };

/* The frame that was focused last: it need not be looked for. */
let latest: { tree: FlameTree; hash: string; node: number } | null = null;

function findFocus(held: FlameTree, hash: string): number {
	return latest?.tree === held && latest.hash === hash ? latest.node : findPathHash(held, hash);
}

const focusFound = computed((): { node: number; exact: boolean } => {
	const hash = at.focusHash.value;
	const held = tree.value;
	if (!held || hash === '')
		return { node: 0, exact: true };
	const node = findFocus(held, hash);
	if (node >= 0) {
		known = { hash, keys: pathKeys(held, node) };
		return { node, exact: true };
	}
	return { node: known.hash === hash ? followPath(held, known.keys) : 0, exact: false };
});

/** The frame that fills the width. */
export const focus = computed(() => focusFound.value.node);
/** The link names a frame that this profile does not have. */
export const focusIsLost = computed(() => !focusFound.value.exact);

/** The shown part of the value axis. */
export const shown = computed((): { start: number; end: number } => {
	const held = tree.value;
	if (!held)
		return { start: 0, end: 0 };
	const low = held.start[focus.value];
	const high = low + held.total[focus.value];
	const part = at.shownWindow.value;
	if (!part)
		return { start: low, end: high };
	const start = Math.max(low, part[0] * held.total[0]);
	const end = Math.min(high, part[1] * held.total[0]);
	return start < end ? { start, end } : { start: low, end: high };
});

export function focusOn(node: number): void {
	const held = tree.value;
	if (!held || (node === focus.value && !at.shownWindow.value))
		return;
	latest = { tree: held, hash: pathHash(held, node), node };
	at.go({ focus: latest.hash, window: null });
}

/** Called while a person zooms or pans: no history entry each time. */
export function showWindow(start: number, end: number): void {
	const held = tree.value;
	if (!held)
		return;
	const low = held.start[focus.value];
	const whole = start <= low && end >= low + held.total[focus.value];
	at.adjust({ window: whole ? null : [start / held.total[0], end / held.total[0]] });
}

export const query = computed(() => parseQuery(at.searchText.value));

/** Why the search text is no regular expression; '' if it is one. */
export const searchError = computed(() => (typeof query.value === 'string' ? query.value : ''));

export const found = computed(() => {
	const held = tree.value;
	const asked = query.value;
	return held && asked && typeof asked !== 'string' ? search(held, asked) : null;
});

const orderedMatches = computed(() => (tree.value && found.value ? byValue(tree.value, found.value.nodes) : new Uint32Array()));

/* The graph glides for 120 ms and is then at rest; a table that is filled meanwhile would make it stumble. */
const TABLE_AFTER_FOCUS_MS = 150;
/* Typing goes on, or rests for as long as this. */
const TABLE_AFTER_SEARCH_MS = 40;

interface TableSubject {
	tree: FlameTree;
	/** The focused frame. */
	node: number;
	/** By name id: 1 = has a row; null = every function has. */
	matches: Uint8Array | null;
}

/** What the table is about: what the graph shows, a little later, so that the graph moves first. */
const settled = signal<TableSubject | null>(null);
effect(() => {
	const held = tree.value;
	const node = focus.value;
	const matches = found.value?.nameMatches ?? null;
	if (!held)
		return;
	const before = settled.peek();
	const settle = (): void => { settled.value = { tree: held, node, matches }; };
	if (before?.tree !== held) {
		settle();
		return;
	}
	if (before.node === node && before.matches === matches)
		return;
	const timer = setTimeout(settle, before.node !== node ? TABLE_AFTER_FOCUS_MS : TABLE_AFTER_SEARCH_MS);
	return () => clearTimeout(timer);
});

const tableSubject = computed(() => (settled.value && settled.value.tree === tree.value ? settled.value : null));
export const tableRoot = computed(() => tableSubject.value?.node ?? 0);

const wholeTable = computed(() => (tree.value && !hasSides(tree.value) ? tabulate(tree.value, 0) : null));
export const table = computed(() =>
	(tree.value && wholeTable.value && tableRoot.value !== 0 ? tabulate(tree.value, tableRoot.value) : wholeTable.value));
/* Kept while another frame is focused: coming back to everything is then a look-up. */
const wholeRows = computed(() => (tree.value && wholeTable.value ? sortedRows(tree.value, wholeTable.value, at.sort.value) : new Uint32Array()));
const allRows = computed(() => (tree.value && table.value && table.value !== wholeTable.value
	? sortedRows(tree.value, table.value, at.sort.value) : wholeRows.value));

export const tableRows = computed(() => {
	const matches = tableSubject.value?.matches;
	return matches ? allRows.value.filter((name) => matches[name] === 1) : allRows.value;
});

export const colours = computed(() => {
	const held = tree.value;
	if (!held)
		return null;
	return hasSides(held) ? colourChanges(held) : colourFrames(held, at.colourMode.value);
});
export const swatches = computed(() => swatchesOf(theme.value));
export const quality = computed(() => (tree.value && !hasSides(tree.value) ? qualityOf(tree.value) : null));

/** The frame that keys act on and that the details are about. */
const cursorNode = signal(0);
let cursorTree: FlameTree | null = null;

effect(() => {
	const held = tree.value;
	if (!held || held === cursorTree)
		return;
	const before = cursorTree;
	cursorTree = held;
	const node = cursorNode.peek();
	cursorNode.value = before && node > 0 ? followPath(held, pathKeys(before, node)) : focus.peek();
});

export const cursor = computed(() => (tree.value && cursorNode.value < tree.value.nodeCount ? cursorNode.value : 0));

/** Puts the cursor on NODE, and shows NODE if it is outside the focus. */
export function moveCursor(node: number): void {
	cursorNode.value = node;
}

export function reveal(node: number): void {
	const held = tree.value;
	if (!held)
		return;
	if (!contains(held, focus.value, node) && !contains(held, node, focus.value))
		focusOn(0);
	else if (at.shownWindow.value)
		at.adjust({ window: null });
	cursorNode.value = node;
}

/** The function chosen in the table; -1 = none. */
export const chosenName = computed(() => {
	const [text, module] = at.chosen.value.split('\0');
	return tree.value && at.chosen.value ? findName(tree.value.names, text, module ?? '') : -1;
});

export const chosenNodes = computed(() =>
	(tree.value && chosenName.value >= 0 ? occurrences(tree.value, chosenName.value) : new Uint32Array()));

export function chooseFunction(name: number): void {
	const held = tree.value;
	if (!held)
		return;
	if (name < 0) {
		at.adjust({ chosen: '' });
		return;
	}
	at.adjust({ chosen: `${held.names.text[name]}\0${nameModule(held.names, name)}` });
	const node = widestInFocus(held, occurrences(held, name));
	if (node >= 0)
		reveal(node);
}

/** The widest of NODES below the focus; anywhere, if the focus has none. */
function widestInFocus(held: FlameTree, nodes: Uint32Array): number {
	const inside = nodes.filter((node) => contains(held, focus.value, node));
	return widest(held, inside.length > 0 ? inside : nodes);
}

export function focusOnFunction(name: number): void {
	const held = tree.value;
	if (!held)
		return;
	const node = widestInFocus(held, occurrences(held, name));
	if (node >= 0) {
		focusOn(node);
		cursorNode.value = node;
	}
}

const matchIndex = signal(-1);
effect(() => {
	void found.value;
	matchIndex.value = -1;
});

/** Which match is visited, counted from 1; 0 = none yet. */
export const matchPosition = computed(() => matchIndex.value + 1);
export const matchCount = computed(() => found.value?.nodes.length ?? 0);

/** Visits matches from the widest to the narrowest. */
export function stepMatch(step: 1 | -1): void {
	const matches = orderedMatches.value;
	if (matches.length === 0)
		return;
	matchIndex.value = matchIndex.value < 0 && step < 0 ? matches.length - 1
		: (matchIndex.value + step + matches.length) % matches.length;
	reveal(matches[matchIndex.value]);
}

export interface Hover {
	node: number;
	/** Of the pointer, in the window. */
	x: number;
	y: number;
}
export const hover = signal<Hover | null>(null);
