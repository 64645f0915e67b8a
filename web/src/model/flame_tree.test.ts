// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { contains, deepestLevel, levelOf, pathTo, selfOf } from './flame_tree.ts';
import { randomTree, treeOf } from './sample_tree.ts';

test('levels, parents and starts follow from child counts and totals', () => {
	const tree = treeOf(['t#root', 100, [['a', 60, [['b', 40], ['c', 10]]], ['d', 30, [['e', 30]]]]]);
	assert.deepEqual([...tree.levelOffset], [0, 1, 3, 6]);
	assert.deepEqual([...tree.parent], [0, 0, 0, 1, 1, 2]);
	assert.deepEqual([...tree.start], [0, 0, 60, 0, 40, 60]);
	assert.deepEqual([0, 1, 2, 3, 4, 5].map((node) => selfOf(tree, node)), [10, 10, 0, 40, 10, 30]);
	assert.deepEqual([0, 1, 2, 3, 5].map((node) => levelOf(tree, node)), [0, 1, 1, 2, 2]);
	assert.deepEqual(pathTo(tree, 5), [0, 2, 5]);
	assert.equal(deepestLevel(tree, 3), 2);
	assert(contains(tree, 1, 4));
	assert(!contains(tree, 2, 4));
});

test('self values of any tree add up to its total, and starts never fall within a level', () => {
	for (let seed = 1; seed <= 20; seed++) {
		const tree = randomTree(2000, seed);
		let sum = 0;
		for (let node = 0; node < tree.nodeCount; node++) {
			assert(selfOf(tree, node) >= 0);
			sum += selfOf(tree, node);
		}
		assert.equal(sum, tree.total[0]);
		for (let level = 0; level < tree.levelCount; level++) {
			for (let node = tree.levelOffset[level] + 1; node < tree.levelOffset[level + 1]; node++)
				assert(tree.start[node] >= tree.start[node - 1] + tree.total[node - 1]);
		}
	}
});
