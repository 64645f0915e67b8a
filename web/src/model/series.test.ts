// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { peak, rates, roundUp, stepAt, stepSpan, type Series } from './series.ts';

const series: Series = {
	unit: 'nanoseconds', startMs: 1000, stepMs: 500, fromMs: 1200, untilMs: 2300,
	values: Float64Array.from([3e8, 1e9, 0]), coveredNs: Float64Array.from([3e8, 5e8, 0]), coreNs: new Float64Array(3),
	groups: [], restCount: 0, partial: null,
};

test('a rate is by what is covered, and a gap is no zero', () => {
	assert.deepEqual([...rates(series, series.values)], [1e9, 2e9, NaN]);
	assert.equal(peak(rates(series, series.values)), 2e9);
});

test('the first and the last step lie in the range in part', () => {
	assert.deepEqual([0, 1, 2].map((i) => stepSpan(series, i)), [[1200, 1500], [1500, 2000], [2000, 2300]]);
	assert.equal(stepAt(series, 1999), 1);
});

test('scales are round and not much larger than what they hold', () => {
	for (const [value, wanted] of [[0, 1], [0.9, 1], [1, 1], [1.1, 2], [2.1, 2.5], [26, 50], [51, 100], [0.07, 0.1]])
		assert(Math.abs(roundUp(value) - wanted) < 1e-9, `${value}: ${roundUp(value)}`);
});
