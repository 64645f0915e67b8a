// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rowsInSight, scrollToRow } from './rows.ts';

test('only rows in sight are made, and all of those', () => {
	for (const scrollTop of [0, 13, 5000, 1e7]) {
		const { first, end } = rowsInSight(scrollTop, 500, 20, 10000);
		assert(first <= Math.floor(scrollTop / 20) || first === 10000);
		assert(end >= Math.min(10000, Math.ceil((scrollTop + 500) / 20)));
		assert(end - first <= 50);
		assert(first >= 0 && first <= end && end <= 10000);
	}
	assert.deepEqual(rowsInSight(0, 500, 20, 0), { first: 0, end: 0 });
});

test('scrolling to a row moves as little as it can', () => {
	assert.equal(scrollToRow(5, 0, 200, 20), 0);
	assert.equal(scrollToRow(20, 0, 200, 20), 220);
	assert.equal(scrollToRow(3, 200, 200, 20), 60);
});
