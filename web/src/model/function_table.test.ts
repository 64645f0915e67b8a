// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sortedRows, tabulate } from './function_table.ts';
import { randomTree, treeOf } from './sample_tree.ts';

test('recursion counts once in the total, its own time wherever it is', () => {
	const tree = treeOf(['t#root', 100, [['f', 100, [['g', 80, [['f', 50, [['f', 20]]]]]]]]]);
	const table = tabulate(tree, 0);
	const f = tree.names.text.indexOf('f');
	const g = tree.names.text.indexOf('g');
	assert.equal(table.total[f], 100);
	assert.equal(table.self[f], 20 + 30 + 20);
	assert.equal(table.total[g], 80);
	assert.equal(table.self[g], 30);
});

test('a table below a frame holds that frame and what it calls', () => {
	const tree = treeOf(['t#root', 100, [['a', 60, [['b', 40]]], ['b', 30]]]);
	const table = tabulate(tree, 1);
	const b = tree.names.text.indexOf('b');
	assert.equal(table.total[b], 40);
	assert.deepEqual([...table.rows].map((row) => tree.names.text[row]).sort(), ['a', 'b']);
});

test('trimmed frames are no row, their value is told apart', () => {
	const tree = treeOf(['t#root', 100, [['a', 60, [['(small)#trimmed', 25]]], ['(small)#trimmed', 15]]]);
	const table = tabulate(tree, 0);
	assert.equal(table.trimmedValue, 40);
	assert.deepEqual([...table.rows].map((row) => tree.names.text[row]), ['a']);
});

test('self values of all rows add up to the total of any tree', () => {
	for (let seed = 1; seed <= 10; seed++) {
		const tree = randomTree(3000, seed);
		const { self } = tabulate(tree, 0);
		assert.equal(self.reduce((sum, value) => sum + value, 0), tree.total[0]);
	}
});

test('rows are sorted by any column', () => {
	const tree = treeOf(['t#root', 100, [['b', 50, [['a', 45]]], ['c', 30]]]);
	const table = tabulate(tree, 0);
	const names = (key: 'self' | 'total' | 'name', ascending: boolean) =>
		[...sortedRows(tree, table, { key, ascending })].map((row) => tree.names.text[row]);
	assert.deepEqual(names('self', false), ['a', 'c', 'b']);
	assert.deepEqual(names('total', false), ['b', 'a', 'c']);
	assert.deepEqual(names('name', true), ['a', 'b', 'c']);
});
