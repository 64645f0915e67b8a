// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
	changeOf, changeRows, changeTree, formatChange, formatRatio, nodeChange, norms, sortedChanges, surenessOf, weaknesses,
	type ChangedFunction, type ChangeParts, type Side,
} from './change.ts';
import { partsOf, seeded, type Sample } from './sample_tree.ts';

function side(total: number, more: Partial<Side> = {}): Side {
	return { total, sampleCount: total / 10, period: 10, fromMs: 0, untilMs: 60_000, coreNs: 240e9, groups: 6, partial: null, ...more };
}

/** LEFT and RIGHT are values in level order. */
function partsFor(sample: Sample, left: number[], right: number[], p: number[], more: { left?: Partial<Side>; right?: Partial<Side> } = {}): ChangeParts {
	const { total: _t, period: _p, sampleCount: _s, fromMs: _f, untilMs: _u, ...parts } = partsOf(sample);
	return {
		...parts,
		comparison: {
			left: side(left[0], more.left), right: side(right[0], more.right),
			leftTotals: Float64Array.from(left), rightTotals: Float64Array.from(right), p: Float64Array.from(p),
		},
	};
}

/* Case of two builds: slow 10 -> 30 %, `before` gone, `after` new, the rest as it was. */
const builds: Sample = ['total#root', 0, [['steady', 0], ['slow', 0], ['before', 0], ['after', 0]]];
const leftValues = [1000, 600, 100, 300, 0];
const rightValues = [2000, 1200, 600, 0, 200];
const chances = [1, 1, 1e-6, 1e-6, 1e-6];

test('shares tell change whatever the sides are worth', () => {
	const tree = changeTree(partsFor(builds, leftValues, rightValues, chances), 'share');
	const kinds = [1, 2, 3, 4].map((node) => nodeChange(tree, node));
	assert.deepEqual(kinds.map(({ kind }) => kind), ['noise', 'more', 'gone', 'new']);
	assert.deepEqual(kinds.map(({ points }) => Math.round(points)), [0, 20, -30, 10]);
	assert.equal(formatChange(kinds[1], 'share', 'nanoseconds'), '+20.0 points');
	assert.deepEqual(kinds.map(formatRatio), ['×1.00', '×3.00', 'gone', 'new']);
});

test('frames are as wide as both sides have of them, and children never wider than their parent', () => {
	const tree = changeTree(partsFor(builds, leftValues, rightValues, chances), 'share');
	const share = (node: number): number => tree.total[node] / tree.total[0];
	assert(Math.abs(share(1) - 0.6) < 1e-9 && Math.abs(share(3) - 0.15) < 1e-9 && Math.abs(share(4) - 0.05) < 1e-9);
	const random = seeded(3);
	for (let round = 0; round < 50; round++) {
		const values = (whole: number): number[] => {
			const first = Math.floor(random() * whole);
			return [whole, first, whole - first];
		};
		const [left, right] = [values(1 + Math.floor(random() * 1e15)), values(1 + Math.floor(random() * 1e12))];
		for (const norm of norms)
			changeTree(partsFor(['t#root', 0, [['a', 0], ['b', 0]]], left, right, [1, 1, 1]), norm);
	}
});

test('equal programs are all noise, and the sides swapped mirror each other', () => {
	const same = changeTree(partsFor(builds, leftValues, leftValues, [1, 1, 1, 1, 1]), 'share');
	for (let node = 0; node < 5; node++)
		assert.equal(nodeChange(same, node).kind, 'noise');
	const there = changeTree(partsFor(builds, leftValues, rightValues, chances), 'share');
	const back = changeTree(partsFor(builds, rightValues, leftValues, chances), 'share');
	const mirrored = { noise: 'noise', more: 'less', less: 'more', new: 'gone', gone: 'new' } as const;
	for (let node = 1; node < 5; node++) {
		const [one, other] = [nodeChange(there, node), nodeChange(back, node)];
		assert.equal(one.points + other.points, 0);
		assert.equal(mirrored[one.kind], other.kind);
	}
});

test('rates tell what shares hide: twice the load is twice of everything', () => {
	const parts = partsFor(builds, leftValues.map((v) => v * 1e4), leftValues.map((v) => v * 2e4), [1, 1, 1, 1, 1]);
	assert.equal(nodeChange(changeTree(parts, 'share'), 1).kind, 'noise');
	for (const norm of ['second', 'core'] as const) {
		const change = nodeChange(changeTree(parts, norm), 1);
		assert.equal(change.kind, 'more');
		assert.equal(change.sureness, 'sure');
		assert.equal(change.rightAmount, 2 * change.leftAmount);
		assert.equal(Math.round(change.points), 30);
	}
	const perSecond = nodeChange(changeTree(parts, 'second'), 1);
	assert.equal(perSecond.leftAmount, 600e4 / 60);
});

test('a side twice as long has no higher rate', () => {
	const parts = partsFor(builds, leftValues.map((v) => v * 1e4), leftValues.map((v) => v * 2e4), [1, 1, 1, 1, 1],
		{ right: { untilMs: 120_000, coreNs: 480e9 } });
	for (const norm of norms)
		assert.equal(nodeChange(changeTree(parts, norm), 1).kind, 'noise');
});

test('few samples are noise by rate, and samples are told of sides whose period varies', () => {
	const sides = { left: side(100), right: side(130), norm: 'second' as const };
	assert.equal(changeOf(sides, 50, 70, 1).sureness, 'noise');
	const varying = { left: side(1e6, { period: 0, sampleCount: 1e5 }), right: side(2e6, { period: 0, sampleCount: 2e5 }), norm: 'second' as const };
	assert.equal(changeOf(varying, 5e5, 1e6, 1).sureness, 'sure');
});

test('an empty side changes nothing, and nothing is divided by zero', () => {
	const zeros = [0, 0, 0, 0, 0];
	for (const norm of norms) {
		const tree = changeTree(partsFor(builds, zeros, rightValues, [1, 1, 1, 1, 1]), norm);
		for (let node = 0; node < 5; node++) {
			const change = nodeChange(tree, node);
			assert.equal(change.kind, 'noise');
			assert(Number.isFinite(change.points) && Number.isFinite(tree.total[node]));
			assert.deepEqual([formatChange(change, norm, 'nanoseconds'), formatRatio(change)], ['–', '']);
		}
		assert.equal(changeTree(partsFor(builds, zeros, zeros, [1, 1, 1, 1, 1]), norm).total[0], 0);
	}
});

test('chances have words', () => {
	assert.deepEqual([0, 0.0099, 0.01, 0.049, 0.05, 1].map(surenessOf), ['sure', 'sure', 'likely', 'likely', 'noise', 'noise']);
});

test('rows are sorted by every column, by change either way first', () => {
	const fn = (name: string, left: number, right: number, p: number): ChangedFunction => ({
		name, module: '', leftSelf: 0, rightSelf: name === 'b' ? 5 : 0, selfP: 1, leftTotal: left, rightTotal: right, p,
	});
	const functions = [fn('a', 100, 110, 0.5), fn('b', 500, 100, 0), fn('c', 0, 300, 0.02), fn('d', 0, 0, 1)];
	const rows = changeRows({ left: side(1000), right: side(1000), norm: 'share' }, functions, false);
	const names = (key: Parameters<typeof sortedChanges>[1]['key'], ascending: boolean): string =>
		sortedChanges(rows, { key, ascending }).map((row) => row.fn.name).join('');
	assert.equal(names('change', false), 'bca');
	assert.equal(names('change', true), 'bac');
	assert.equal(names('ratio', false), 'cab');
	assert.equal(names('left', false), 'bac');
	assert.equal(names('right', true), 'bac');
	assert.equal(names('sureness', false), 'bca');
	assert.equal(names('name', true), 'abc');
	assert.deepEqual(changeRows({ left: side(1000), right: side(1000), norm: 'share' }, functions, true).map((row) => row.fn.name), ['b']);
});

test('what makes a comparison weak is said', () => {
	assert.deepEqual(weaknesses({ left: side(10000), right: side(10000) }), []);
	assert.match(weaknesses({ left: side(100), right: side(10000) }).join(), /left side has only 10 samples/);
	assert.match(weaknesses({ left: side(10000), right: side(10000, { groups: 1 }) }).join(), /too short/);
	assert.match(weaknesses({ left: side(10000), right: side(10000, { period: 20 }) }).join(), /different rates/);
	assert.deepEqual(weaknesses({ left: side(0), right: side(10000, { groups: 1 }) }), []);
});
