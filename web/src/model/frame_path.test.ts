// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findPathHash, followPath, pathHash, pathKeys } from './frame_path.ts';
import { randomTree, treeOf } from './sample_tree.ts';

test('a frame is found again in a tree with other values and other numbers', () => {
	const one = treeOf(['t#root', 100, [['a@x', 60, [['b@x', 40]]], ['c@y', 30, [['b@x', 10]]]]]);
	const two = treeOf(['t#root', 100, [['c@y', 80, [['b@x', 70], ['d@y', 5]]], ['a@x', 10, [['b@x', 3]]]]]);
	for (let node = 0; node < one.nodeCount; node++) {
		const there = findPathHash(two, pathHash(one, node));
		assert.deepEqual(pathKeys(two, there), pathKeys(one, node));
	}
});

test('the module is part of a frame', () => {
	const one = treeOf(['t#root', 10, [['f@a', 10]]]);
	const two = treeOf(['t#root', 10, [['f@b', 10]]]);
	assert.equal(findPathHash(two, pathHash(one, 1)), -1);
});

test('hashes of a large tree are all different', () => {
	const tree = randomTree(3000, 3);
	const paths = new Map<string, string>();
	for (let node = 1; node < tree.nodeCount; node++) {
		const hash = pathHash(tree, node);
		const path = pathKeys(tree, node).join('\n');
		assert.equal(paths.get(hash) ?? path, path);
		paths.set(hash, path);
	}
});

test('what is no hash finds nothing, the empty one finds the root', () => {
	const tree = treeOf(['t#root', 10, [['f', 10]]]);
	assert.equal(findPathHash(tree, ''), 0);
	assert.equal(findPathHash(tree, 'zz'), -1);
	assert.equal(findPathHash(tree, '0123456789abcdef'), -1);
});

test('a path that ends early leads to its last frame that exists', () => {
	const one = treeOf(['t#root', 10, [['a', 10, [['b', 10, [['c', 10]]]]]]]);
	const two = treeOf(['t#root', 10, [['a', 10, [['x', 10]]]]]);
	assert.equal(followPath(two, pathKeys(one, 3)), 1);
});
