// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changeTree } from './change.ts';
import { decodeChange, partialOf } from './flame_json.ts';
import { BrokenFlame } from './flame_tree.ts';

const side = { total: 100, sample_count: 10, period: 10, from: 1e15, until: 2e15, core_ns: 5, groups: 3 };
const answer = {
	version: 1, unit: 'nanoseconds', left: side, right: { ...side, total: 50 }, partial_symbols: false, trimmed: true,
	names: ['total', 'f', '(small)'], name_module: [0, 1, 0], name_kind: [9, 2, 8], modules: ['app'],
	child_count: [2, 0, 0], name: [0, 1, 2], trimmed_nodes: [[2, 9]],
	left_totals: [100, 60, 10], right_totals: [50, 0, 10], p: [1, 0.001, 0.5],
};

test('a tree of two sides is read', () => {
	const tree = changeTree(decodeChange(answer), 'share');
	assert.equal(tree.nodeCount, 3);
	assert.deepEqual([...tree.comparison.leftTotals], [100, 60, 10]);
	assert.equal(tree.comparison.right.total, 50);
	assert.equal(tree.trimmedNodes.get(2), 9);
});

test('columns of different lengths and chances beyond 1 are refused', () => {
	for (const wrong of [
		{ p: [1, 0.5] }, { p: [1, 2, 0] }, { left_totals: [100] }, { right_totals: [50, -1, 0] }, { left: null }, { unit: 'cups' }, { version: 2 },
		{ name: [0, 1, 7] }, { child_count: [1, 0, 0] },
	])
		assert.throws(() => changeTree(decodeChange({ ...answer, ...wrong }), 'share'), BrokenFlame);
	assert.throws(() => decodeChange(null), BrokenFlame);
});

test('an answer that is not all says of what it is', () => {
	assert.equal(partialOf({}), null);
	assert.equal(partialOf({ partial: null }), null);
	assert.deepEqual(partialOf({ partial: { reason: 'damage', from: 1e6, until: 2e6, unreadable_count: 3 } }),
		{ reason: 'damage', fromMs: 1, untilMs: 2, unreadableCount: 3 });
	assert.equal(partialOf({ partial: { reason: 'whim' } })?.reason, '');
});
