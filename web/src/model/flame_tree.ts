// SPDX-License-Identifier: Apache-2.0
// The call tree of one range as flat arrays in level order: every other part of the page reads these.
//
//   level 0   [0]                     node i's children are firstChild[i] .. firstChild[i + 1] - 1,
//   level 1   [1 2 3]                 level k is levelOffset[k] .. levelOffset[k + 1] - 1,
//   level 2   [4 5 | 6]               and within a level `start` never falls.
//
// Only child counts, totals and names travel; the rest is derived here, and checked while it is derived.

import type { Comparison } from './change.ts';

export const kind = {
	unknown: 0,
	kernel: 1,
	native: 2,
	python: 3,
	jvm: 4,
	lua: 5,
	marker: 7,
	trimmed: 8,
	root: 9,
	/** The value of a label, above the functions. */
	label: 10,
} as const;

export const kindWords = [
	'unnamed', 'kernel', 'native', 'Python', 'JVM', 'Lua', 'inlined', 'marker', 'trimmed', 'everything', 'label',
] as const;

export type Unit = 'count' | 'nanoseconds' | 'bytes';

export interface FlameNames {
	text: string[];
	/** 0 = none, else index into `modules` + 1. */
	module: Uint32Array;
	kind: Uint8Array;
	modules: string[];
	/** Source file: 0 = unknown, else index into `files` + 1. */
	file: Uint32Array;
	/** 0 = all lines of it. */
	line: Uint32Array;
	files: string[];
}

/** What arrives, whichever encoding it came in. */
export interface FlameParts {
	unit: Unit;
	/** Value of one sample, 0 if it varies. */
	period: number;
	sampleCount: number;
	fromMs: number;
	untilMs: number;
	trimmed: boolean;
	partialSymbols: boolean;
	names: FlameNames;
	childCount: Uint32Array;
	total: Float64Array;
	nameId: Uint32Array;
	/** Trimmed node -> how many nodes it stands for. */
	trimmedNodes: Map<number, number>;
	/** 1: all that the node stands for was inlined into the node above it. */
	inlined: Uint8Array;
	/** Where a limit ended the query before all of the range was read. */
	partial?: PartialAnswer;
	/** What a tree of two sides has of each: `total` is then only how wide frames are. */
	comparison?: Comparison;
}

/** A query that ended early: what it holds lies in [from, until) of the asked range, whole. */
export interface PartialAnswer {
	reason: 'time' | 'memory' | 'damage' | '';
	fromMs: number;
	untilMs: number;
	/** Blocks of the store that could not be read. */
	unreadableCount: number;
}

export interface FlameTree extends Omit<FlameParts, 'childCount'> {
	nodeCount: number;
	levelCount: number;
	firstChild: Uint32Array;
	parent: Uint32Array;
	start: Float64Array;
	levelOffset: Uint32Array;
}

/** Bytes or text that are not a flame graph; the message says in which way. */
export class BrokenFlame extends Error {
	override name = 'BrokenFlame';
}

function checkNames(names: FlameNames, nameId: Uint32Array): void {
	const count = names.text.length;
	for (const id of nameId) {
		if (id >= count)
			throw new BrokenFlame(`a node has name ${id} of ${count}`);
	}
	for (const module of names.module) {
		if (module > names.modules.length)
			throw new BrokenFlame(`a name has module ${module} of ${names.modules.length}`);
	}
	for (const file of names.file) {
		if (file > names.files.length)
			throw new BrokenFlame(`a name has file ${file} of ${names.files.length}`);
	}
}

/** Children's places in the arrays; refuses counts that do not make one tree. */
function placeChildren(childCount: Uint32Array): { firstChild: Uint32Array; parent: Uint32Array } {
	const count = childCount.length;
	const firstChild = new Uint32Array(count + 1);
	const parent = new Uint32Array(count);
	let next = 1;
	for (let i = 0; i < count; i++) {
		firstChild[i] = next;
		const end = next + childCount[i];
		if (next <= i || end > count)
			throw new BrokenFlame(`child counts do not make one tree (node ${i} of ${count})`);
		for (; next < end; next++)
			parent[next] = i;
	}
	if (next !== count)
		throw new BrokenFlame(`child counts reach ${next} of ${count} nodes`);
	firstChild[count] = count;
	return { firstChild, parent };
}

function placeLevels(firstChild: Uint32Array, count: number): Uint32Array {
	const offsets = [0];
	let from = 0;
	let until = 1;
	while (from < until) {
		offsets.push(until);
		from = until;
		until = firstChild[until] ?? count;
	}
	return Uint32Array.from(offsets);
}

/** Children are packed from the left of their parent; what remains on the right is its self value. */
function placeStarts(firstChild: Uint32Array, total: Float64Array): Float64Array {
	const start = new Float64Array(total.length);
	for (let i = 0; i < total.length; i++) {
		let at = start[i];
		for (let child = firstChild[i]; child < firstChild[i + 1]; child++) {
			start[child] = at;
			at += total[child];
		}
		if (at > start[i] + total[i])
			throw new BrokenFlame(`the children of node ${i} are worth more than it`);
	}
	return start;
}

export function buildTree(parts: FlameParts): FlameTree {
	const count = parts.nameId.length;
	if (count === 0)
		throw new BrokenFlame('not even a root');
	if (parts.childCount.length !== count || parts.total.length !== count || parts.inlined.length !== count)
		throw new BrokenFlame('columns of different lengths');
	checkNames(parts.names, parts.nameId);
	const { firstChild, parent } = placeChildren(parts.childCount);
	const levelOffset = placeLevels(firstChild, count);
	const { childCount: _, ...kept } = parts;
	return {
		...kept,
		nodeCount: count,
		levelCount: levelOffset.length - 1,
		firstChild,
		parent,
		start: placeStarts(firstChild, parts.total),
		levelOffset,
	};
}

export function selfOf(tree: FlameTree, node: number): number {
	const last = tree.firstChild[node + 1] - 1;
	if (last < tree.firstChild[node])
		return tree.total[node];
	return tree.start[node] + tree.total[node] - (tree.start[last] + tree.total[last]);
}

/** The level of NODE: a binary search, because levels are few and nodes are many. */
export function levelOf(tree: FlameTree, node: number): number {
	let low = 0;
	let high = tree.levelCount - 1;
	while (low < high) {
		const middle = (low + high + 1) >> 1;
		if (tree.levelOffset[middle] <= node)
			low = middle;
		else
			high = middle - 1;
	}
	return low;
}

/** The deepest level that a descendant of NODE stands on. */
export function deepestLevel(tree: FlameTree, node: number): number {
	let level = levelOf(tree, node);
	let from = node;
	let until = node + 1;
	for (;;) {
		const below = tree.firstChild[from];
		const belowEnd = tree.firstChild[until];
		if (below >= belowEnd)
			return level;
		from = below;
		until = belowEnd;
		level++;
	}
}

export function nodeName(tree: FlameTree, node: number): string {
	if (kindOf(tree, node) === kind.trimmed) {
		const count = tree.trimmedNodes.get(node) ?? 0;
		return count ? `(${count} small)` : '(small)';
	}
	return tree.names.text[tree.nameId[node]];
}

export function kindOf(tree: FlameTree, node: number): number {
	return tree.names.kind[tree.nameId[node]];
}

export function moduleOf(tree: FlameTree, node: number): string {
	return nameModule(tree.names, tree.nameId[node]);
}

export function nameModule(names: FlameNames, nameId: number): string {
	const module = names.module[nameId];
	return module ? names.modules[module - 1] : '';
}

/** Where a name stands in the source: `file.c:12`, or the file alone; '' = not known. */
export function placeOf(names: FlameNames, nameId: number): string {
	const file = names.file[nameId];
	if (!file)
		return '';
	const line = names.line[nameId];
	return line ? `${names.files[file - 1]}:${line}` : names.files[file - 1];
}

/** Root first, NODE last. */
export function pathTo(tree: FlameTree, node: number): number[] {
	const path = [node];
	while (node !== 0) {
		node = tree.parent[node];
		path.push(node);
	}
	return path.reverse();
}

export function contains(tree: FlameTree, ancestor: number, node: number): boolean {
	while (node > ancestor)
		node = tree.parent[node];
	return node === ancestor;
}

/** How many samples VALUE stands for; null where the samples differ in weight. */
export function samplesOf(tree: FlameTree, value: number): number | null {
	if (!(tree.period > 0))
		return null;
	return Math.round(value / tree.period);
}
