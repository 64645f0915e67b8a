// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readFunctions } from './change_service.ts';

const side = { total: 100, sample_count: 10, period: 10, from: 1e15, until: 2e15, core_ns: 5, groups: 3 };
const row = {
	name: 'slow', module: 'app', kind: 'native', left_self: 1, right_self: 2, self_p: 0.5, left_total: 3, right_total: 4,
	left_share: 0.03, right_share: 0.04, share_error: 0, p: 0.001, changed: true,
};

test('changed functions are read with their sides', () => {
	const read = readFunctions({ unit: 'bytes', left: side, right: side, function_count: 7, functions: [row] });
	assert.deepEqual([read.unit, read.functionCount, read.left.fromMs, read.right.groups], ['bytes', 7, 1e9, 3]);
	assert.deepEqual(read.functions, [{ name: 'slow', module: 'app', leftSelf: 1, rightSelf: 2, selfP: 0.5, leftTotal: 3, rightTotal: 4, p: 0.001 }]);
});

test('what is no comparison is refused', () => {
	for (const wrong of [null, [], { left: side, right: side }, { left: side, functions: [] }, { left: { ...side, total: 'x' }, right: side, functions: [] }])
		assert.throws(() => readFunctions(wrong));
});
