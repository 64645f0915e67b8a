// SPDX-License-Identifier: Apache-2.0
// What can be done with a frame, once for keys, menu and details.

import { hasSides } from '../model/change.ts';
import { kind, kindOf, moduleOf, nodeName, pathTo, type FlameTree } from '../model/flame_tree.ts';
import { queryFor } from '../model/search.ts';
import * as at from '../state/navigation.ts';
import { chooseFunction, focus, focusOn, moveCursor } from '../state/profile.ts';
import { NODES_MAX, OPENED_CHARS_MAX } from '../state/url.ts';
import { copyText } from './clipboard.ts';

export interface FrameAction {
	id: 'focus' | 'up' | 'reset' | 'copy' | 'search' | 'choose' | 'source' | 'load';
	label: string;
	/** The key that does the same. */
	key: string;
	run: () => void;
}

/* Each step asks for so many times more nodes. */
const MORE_NODES = 10;

export function loadMore(): void {
	at.go({ nodes: Math.min(NODES_MAX, at.maxNodes.value * MORE_NODES) });
}

export function canLoadMore(): boolean {
	return at.maxNodes.value < NODES_MAX;
}

/** Asks for the small callees of NODE's caller alone, where its path fits into an address; else for more of everything. */
function openSmall(tree: FlameTree, node: number): void {
	const parent = tree.parent[node];
	const path = pathTo(tree, parent).slice(1);
	const names = path.map((step) => tree.names.text[tree.nameId[step]]);
	const modules = path.map((step) => moduleOf(tree, step));
	const length = [...names, ...modules].reduce((sum, text) => sum + text.length + 1, 0);
	const isOpen = at.opened.value !== null && at.opened.value.names.join('\0') === names.join('\0');
	if (path.length === 0 || length > OPENED_CHARS_MAX || hasSides(tree) || isOpen) {
		loadMore();
		return;
	}
	moveCursor(parent);
	focusOn(parent);
	at.go({ opened: { names, modules } });
}

function focusAction(tree: FlameTree, node: number): FrameAction | null {
	if (kindOf(tree, node) === kind.trimmed)
		return canLoadMore() ? { id: 'load', label: 'Load the small frames', key: 'Enter', run: () => openSmall(tree, node) } : null;
	if (node === focus.value)
		return null;
	return {
		id: 'focus',
		label: 'Focus',
		key: 'Enter',
		run: () => {
			moveCursor(node);
			focusOn(node);
		},
	};
}

/** Lines are of functions that some file was compiled to. */
function hasLines(tree: FlameTree, node: number): boolean {
	const nodeKind = kindOf(tree, node);
	return at.group.value === 'function' && !hasSides(tree) && (nodeKind === kind.native || nodeKind === kind.kernel);
}

function openSource(tree: FlameTree, node: number): void {
	at.go({ source: `${nodeName(tree, node)}\0${moduleOf(tree, node)}` });
}

export function actionsOf(tree: FlameTree, node: number): FrameAction[] {
	const actions: FrameAction[] = [];
	const first = focusAction(tree, node);
	if (first)
		actions.push(first);
	if (focus.value !== 0) {
		actions.push({ id: 'up', label: 'Focus one caller up', key: 'Backspace', run: () => focusOn(tree.parent[focus.value]) });
		actions.push({ id: 'reset', label: 'Show everything', key: 'Esc', run: () => focusOn(0) });
	}
	const isFunction = kindOf(tree, node) !== kind.trimmed && kindOf(tree, node) !== kind.label && node !== 0;
	if (isFunction) {
		const name = nodeName(tree, node);
		if (hasLines(tree, node))
			actions.push({ id: 'source', label: 'Lines and source', key: 'o', run: () => openSource(tree, node) });
		actions.push({ id: 'copy', label: 'Copy name', key: 'c', run: () => { copyText(name); } });
		actions.push({ id: 'search', label: 'Search for this function', key: 'e', run: () => at.go({ search: queryFor(name) }) });
		actions.push({ id: 'choose', label: 'Mark every occurrence', key: 'x', run: () => chooseFunction(tree.nameId[node]) });
	}
	return actions;
}

/** What a click on NODE, or Enter, does. */
export function enter(tree: FlameTree, node: number): void {
	moveCursor(node);
	focusAction(tree, node)?.run();
}
