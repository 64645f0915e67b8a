// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toFunctionLines } from './source_service.ts';

const row = (line: number, self: number, file = '/src/a.c', buildId = 'aa') => ({ line, self, total: self, raw: 'f', file, buildId });

test('lines of the heaviest file and build are shown, the rest is told', () => {
	const held = toFunctionLines('nanoseconds', 1000, [
		row(12, 70), row(10, 30), row(3, 20, '/src/inline.h'), row(12, 50, '/src/a.c', 'bb'),
	]);
	assert.equal(held.file, '/src/a.c');
	assert.equal(held.buildId, 'aa');
	assert.equal(held.otherBuilds, 1);
	assert.deepEqual(held.lines.map(({ line, self }) => [line, self]), [[10, 30], [12, 70]]);
	assert.equal(held.elsewhere, 70);
	assert.equal(held.raw, 'f');
});

test('a function without lines is one row', () => {
	const held = toFunctionLines('count', 10, [row(0, 10, '', '')]);
	assert.deepEqual(held.lines, [{ line: 0, self: 10, total: 10 }]);
	assert.equal(held.file, '');
	assert.deepEqual(toFunctionLines('count', 10, []).lines, []);
});
