// SPDX-License-Identifier: Apache-2.0
// Which frames of a level can be seen, and where. The work is bounded by pixels, never by the profile:
//
//   binary search  to the first frame that is not left of the view;
//   rectangles     for frames at least RECT_PX wide: at most width / RECT_PX of them;
//   pixel columns  for narrower ones: one owner per column, and of a run of frames thinner than a pixel
//                  only the first in each column; the rest are leapt over by galloping search.
//
// All x are device pixels, so that edges are sharp at any device pixel ratio.

import type { FlameTree } from '../model/flame_tree.ts';

/** Narrower frames are columns in the pixel buffer. */
export const RECT_PX = 4;

/** The part of the value axis that is shown, over WIDTH pixels. */
export interface View {
	start: number;
	end: number;
	width: number;
}

export interface LevelLayout {
	rectCount: number;
	rectNode: Uint32Array;
	rectX: Int32Array;
	rectWidth: Int32Array;
	/** The node that owns each column, NO_NODE where none does. */
	column: Uint32Array;
	columnUsed: boolean;
	/** Frames looked at one by one. */
	touched: number;
}

export const NO_NODE = 0xffffffff;

export function newLevelLayout(width: number): LevelLayout {
	const rects = Math.ceil(width / RECT_PX) + 1;
	return {
		rectCount: 0,
		rectNode: new Uint32Array(rects),
		rectX: new Int32Array(rects),
		rectWidth: new Int32Array(rects),
		column: new Uint32Array(width),
		columnUsed: false,
		touched: 0,
	};
}

/** The first of nodes [FROM, UNTIL) that ends right of VALUE. Ends never fall within a level. */
function firstEndingAfter(tree: FlameTree, from: number, until: number, value: number): number {
	const { start, total } = tree;
	while (from < until) {
		const middle = (from + until) >>> 1;
		if (start[middle] + total[middle] > value)
			until = middle;
		else
			from = middle + 1;
	}
	return from;
}

/** The same, for an answer that is probably near: the step doubles until it is past, then halves. */
function gallopEndingAfter(tree: FlameTree, from: number, until: number, value: number): number {
	const { start, total } = tree;
	let low = from;
	let step = 1;
	while (low + step < until && start[low + step] + total[low + step] <= value) {
		low += step;
		step *= 2;
	}
	return firstEndingAfter(tree, low, Math.min(until, low + step + 1), value);
}

/** Fills OUT with what LEVEL shows in VIEW. OUT is as wide as the view. */
export function layoutLevel(tree: FlameTree, level: number, view: View, out: LevelLayout): void {
	const { start, total } = tree;
	const until = tree.levelOffset[level + 1];
	const scale = view.width / (view.end - view.start);
	let node = firstEndingAfter(tree, tree.levelOffset[level], until, view.start);
	out.rectCount = 0;
	out.touched = 0;
	out.columnUsed = false;
	out.column.fill(NO_NODE);
	let freeColumn = 0;
	while (node < until && start[node] < view.end) {
		const exactX = (start[node] - view.start) * scale;
		const exactEnd = exactX + total[node] * scale;
		const x = Math.max(0, Math.round(exactX));
		const width = Math.min(view.width, Math.round(exactEnd)) - x;
		out.touched++;
		if (width >= RECT_PX) {
			const slot = out.rectCount++;
			out.rectNode[slot] = node;
			out.rectX[slot] = x;
			out.rectWidth[slot] = width;
			node++;
		} else if (width >= 1) {
			/* The last column of two or more stays free: neighbours remain apart. */
			const end = width > 1 ? x + width - 1 : x + 1;
			out.column.fill(node, x, end);
			out.columnUsed = true;
			node++;
		} else {
			/* A frame over the edge of two columns takes the second, if another one was first in the first. */
			const at = Math.min(view.width - 1, Math.max(freeColumn, Math.floor(exactX)));
			if (out.column[at] === NO_NODE)
				out.column[at] = node;
			out.columnUsed = true;
			freeColumn = at + 1;
			node = gallopEndingAfter(tree, node + 1, until, view.start + (at + 1) / scale);
		}
	}
}

/** Calls VISIT for those of NODES (ascending) on LEVEL that show in VIEW, at most once a column. */
export function visitMarked(
	tree: FlameTree,
	nodes: Uint32Array,
	level: number,
	view: View,
	visit: (node: number, x: number, width: number) => void,
): void {
	const scale = view.width / (view.end - view.start);
	const until = firstAtLeast(nodes, 0, nodes.length, tree.levelOffset[level + 1]);
	const { start, total } = tree;
	let i = firstAtLeast(nodes, 0, until, tree.levelOffset[level]);
	i = firstMarkedEndingAfter(tree, nodes, i, until, view.start);
	while (i < until && start[nodes[i]] < view.end) {
		const node = nodes[i];
		const exactX = (start[node] - view.start) * scale;
		const x = Math.max(0, Math.round(exactX));
		const width = Math.min(view.width, Math.round(exactX + total[node] * scale)) - x;
		if (width >= 1) {
			visit(node, x, width);
			i++;
			continue;
		}
		const at = Math.min(view.width - 1, Math.max(0, Math.floor(exactX)));
		visit(node, at, 1);
		i = firstMarkedEndingAfter(tree, nodes, i + 1, until, view.start + (at + 1) / scale);
	}
}

function firstAtLeast(nodes: Uint32Array, from: number, until: number, wanted: number): number {
	while (from < until) {
		const middle = (from + until) >>> 1;
		if (nodes[middle] >= wanted)
			until = middle;
		else
			from = middle + 1;
	}
	return from;
}

function firstMarkedEndingAfter(
	tree: FlameTree, nodes: Uint32Array, from: number, until: number, value: number,
): number {
	while (from < until) {
		const middle = (from + until) >>> 1;
		const node = nodes[middle];
		if (tree.start[node] + tree.total[node] > value)
			until = middle;
		else
			from = middle + 1;
	}
	return from;
}

/** The frame of LEVEL under the middle of column X; of those thinner than it, the first in it; else -1. */
export function nodeAt(tree: FlameTree, level: number, view: View, x: number): number {
	if (level < 0 || level >= tree.levelCount || x < 0 || x >= view.width)
		return -1;
	const perPixel = (view.end - view.start) / view.width;
	const from = tree.levelOffset[level];
	const until = tree.levelOffset[level + 1];
	const middle = view.start + (x + 0.5) * perPixel;
	const under = firstEndingAfter(tree, from, until, middle);
	if (under < until && tree.start[under] <= middle)
		return under;
	const left = view.start + x * perPixel;
	const touching = firstEndingAfter(tree, from, until, left);
	return touching < until && tree.start[touching] < left + perPixel ? touching : -1;
}

/** Where NODE is in VIEW, in pixels, not clipped. */
export function extentOf(tree: FlameTree, view: View, node: number): { x: number; width: number } {
	const scale = view.width / (view.end - view.start);
	return { x: (tree.start[node] - view.start) * scale, width: tree.total[node] * scale };
}

/** VIEW zoomed by FACTOR around column X, kept inside [LOW, HIGH]. */
export function zoomed(view: View, factor: number, x: number, low: number, high: number): View {
	const at = view.start + ((view.end - view.start) * x) / view.width;
	/* Below this the value axis has no more whole values to tell apart. */
	const smallest = Math.min(high - low, Math.max(1, (high - low) * 1e-9));
	const length = Math.min(high - low, Math.max(smallest, (view.end - view.start) * factor));
	return clamped({ ...view, start: at - (length * x) / view.width, end: at - (length * x) / view.width + length }, low, high);
}

/** VIEW moved back inside [LOW, HIGH]; never longer than it. */
export function clamped(view: View, low: number, high: number): View {
	const length = Math.min(view.end - view.start, high - low);
	const start = Math.min(Math.max(view.start, low), high - length);
	return { ...view, start, end: start + length };
}
