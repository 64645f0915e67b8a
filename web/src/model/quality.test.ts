// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { qualityOf } from './quality.ts';
import { treeOf } from './sample_tree.ts';

test('unnamed time is the own time of frames without a name, by binary', () => {
	const tree = treeOf(['t#root', 100, [
		['lib+0x1@lib#unknown', 50, [['f@app', 20]]],
		['lib+0x2@lib#unknown', 10],
		['0x7f#unknown', 35],
	]]);
	const quality = qualityOf(tree);
	assert.equal(quality.unnamed, 75);
	assert.deepEqual(quality.unnamedByModule, [{ module: 'lib', value: 40 }, { module: '', value: 35 }]);
	assert.equal(quality.incomplete, 0);
});

test('a stack with two markers is incomplete once', () => {
	const tree = treeOf(['t#root', 100, [['[truncated]#marker', 60, [['f', 30, [['[lost]#marker', 10]]]]], ['g', 40, [['[lost]#marker', 5]]]]]);
	const quality = qualityOf(tree);
	assert.equal(quality.incomplete, 65);
	assert.deepEqual(quality.incompleteByMarker, [{ marker: '[truncated]', value: 60 }, { marker: '[lost]', value: 5 }]);
});
