// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildTree, type FlameTree } from '../model/flame_tree.ts';
import { partsOf, randomTree, seeded, treeOf } from '../model/sample_tree.ts';
import { clamped, layoutLevel, newLevelLayout, NO_NODE, nodeAt, RECT_PX, visitMarked, zoomed, type View } from './layout.ts';

/** A root with COUNT children of these values. */
function comb(values: number[]): FlameTree {
	const total = values.reduce((sum, value) => sum + value, 0);
	const parts = partsOf(['t#root', total, [['f', 1]]]);
	return buildTree({
		...parts,
		childCount: Uint32Array.from([values.length, ...values.map(() => 0)]),
		total: Float64Array.from([total, ...values]),
		nameId: Uint32Array.from([0, ...values.map(() => 1)]),
		inlined: new Uint8Array(values.length + 1),
	});
}

function whole(tree: FlameTree, width: number): View {
	return { start: 0, end: tree.total[0], width };
}

test('the root fills the width, children stand side by side', () => {
	const tree = treeOf(['t#root', 100, [['a', 60], ['b', 30]]]);
	const out = newLevelLayout(1000);
	layoutLevel(tree, 0, whole(tree, 1000), out);
	assert.deepEqual([out.rectCount, out.rectX[0], out.rectWidth[0]], [1, 0, 1000]);
	layoutLevel(tree, 1, whole(tree, 1000), out);
	assert.deepEqual([...out.rectX.slice(0, 2)], [0, 600]);
	assert.deepEqual([...out.rectWidth.slice(0, 2)], [600, 300]);
});

test('frames that reach over the edges are clipped, those outside are not looked at', () => {
	const tree = comb(Array.from({ length: 1000 }, () => 10));
	const out = newLevelLayout(100);
	layoutLevel(tree, 1, { start: 5005, end: 5045, width: 100 }, out);
	assert.equal(out.rectX[0], 0);
	assert.equal(out.rectX[out.rectCount - 1] + out.rectWidth[out.rectCount - 1], 100);
	assert(out.touched <= 6, String(out.touched));
});

test('work and drawing are bounded by pixels whatever the profile', () => {
	const random = seeded(1);
	const shapes: number[][] = [
		Array.from({ length: 500000 }, () => 1),
		Array.from({ length: 50000 }, () => 1 + Math.floor(random() * 1000)).sort((a, b) => b - a),
		Array.from({ length: 400 }, () => 4),
		Array.from({ length: 200000 }, (_, i) => (i % 100 === 0 ? 10000 : 1)),
	];
	for (const values of shapes) {
		const tree = comb(values);
		for (const width of [1, 7, 400, 1600, 5120]) {
			const out = newLevelLayout(width);
			for (const zoom of [1, 3, 50, 1000]) {
				const length = tree.total[0] / zoom;
				for (const at of [0, 0.37, 1]) {
					const start = (tree.total[0] - length) * at;
					layoutLevel(tree, 1, { start, end: start + length, width }, out);
					assert(out.touched <= 2 * width + 2, `${out.touched} frames touched for ${width} px`);
					assert(out.rectCount <= Math.ceil(width / RECT_PX), `${out.rectCount} rectangles on ${width} px`);
				}
			}
		}
	}
});

test('every column under a frame has an owner, frames of less than a pixel included', () => {
	const tree = comb(Array.from({ length: 100000 }, () => 1));
	const out = newLevelLayout(640);
	layoutLevel(tree, 1, whole(tree, 640), out);
	assert.equal(out.rectCount, 0);
	assert(out.column.every((node) => node !== NO_NODE));
});

test('a single frame thinner than a pixel is drawn', () => {
	const tree = comb([1e6, 1]);
	const out = newLevelLayout(640);
	layoutLevel(tree, 1, whole(tree, 640), out);
	assert(out.column.includes(2));
});

test('what is hit is what is drawn', () => {
	const random = seeded(9);
	for (let seed = 1; seed <= 5; seed++) {
		const tree = randomTree(5000, seed);
		const out = newLevelLayout(800);
		for (let round = 0; round < 40; round++) {
			const start = random() * tree.total[0] * 0.9;
			const view = { start, end: start + random() * (tree.total[0] - start), width: 800 };
			const level = Math.floor(random() * tree.levelCount);
			layoutLevel(tree, level, view, out);
			for (let i = 0; i < out.rectCount; i++) {
				const middle = out.rectX[i] + Math.floor(out.rectWidth[i] / 2);
				assert.equal(nodeAt(tree, level, view, middle), out.rectNode[i]);
			}
			for (let x = 0; x < 800; x++) {
				if (nodeAt(tree, level, view, x) >= 0)
					continue;
				const inside = out.rectX.subarray(0, out.rectCount).some((left, i) => x > left && x < left + out.rectWidth[i] - 1);
				assert(!inside, `nothing is hit inside a rectangle at ${x}`);
			}
		}
	}
});

test('nothing is hit outside', () => {
	const tree = treeOf(['t#root', 100, [['a', 60]]]);
	const view = whole(tree, 100);
	assert.equal(nodeAt(tree, 1, view, 59), 1);
	assert.equal(nodeAt(tree, 1, view, 60), -1);
	assert.equal(nodeAt(tree, 2, view, 0), -1);
	assert.equal(nodeAt(tree, -1, view, 0), -1);
	assert.equal(nodeAt(tree, 0, view, -1), -1);
	assert.equal(nodeAt(tree, 0, view, 100), -1);
});

test('marked frames are visited once a column at most, and none that shows is left out', () => {
	const tree = comb(Array.from({ length: 100000 }, () => 1));
	const marked = Uint32Array.from({ length: 20000 }, (_, i) => 1 + i * 5);
	const columns = new Set<number>();
	let visits = 0;
	visitMarked(tree, marked, 1, whole(tree, 500), (_node, x) => {
		columns.add(x);
		visits++;
	});
	assert.equal(columns.size, 500);
	assert(visits <= 500);
});

test('zooming keeps the value under the pointer and stays inside', () => {
	const view = { start: 0, end: 1000, width: 100 };
	const near = zoomed(view, 0.5, 25, 0, 1000);
	assert.deepEqual(near, { start: 125, end: 625, width: 100 });
	assert.deepEqual(zoomed(near, 100, 50, 0, 1000), view);
	assert.equal(zoomed(view, 1e-12, 50, 0, 1000).end - zoomed(view, 1e-12, 50, 0, 1000).start, 1);
	assert.deepEqual(clamped({ start: 900, end: 1400, width: 10 }, 0, 1000), { start: 500, end: 1000, width: 10 });
});
