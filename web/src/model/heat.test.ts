// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cellOf, cellsOfSpan, cellStart, countIn, heatStep, HEAT_STEPS, spanOfCells, type Heat } from './heat.ts';

const map: Heat = {
	unit: 'nanoseconds', startMs: 5000, columnMs: 1000, columnCount: 4, rowMs: 20, rowCount: 50, sampleCount: 200, total: 2000,
	counts: Uint32Array.from({ length: 200 }, () => 1), countMax: 1, coveredNs: new Float64Array(4).fill(1e9),
	spreadCount: 0, spreadUntilMs: 0, partial: null,
};

test('cells and moments lead to each other', () => {
	for (const cell of [0, 1, 49, 50, 199])
		assert.equal(cellOf(map, cellStart(map, cell)), cell);
	assert.equal(cellStart(map, 51), 6020);
	assert.equal(cellOf(map, 6039.9), 51);
});

test('a selection follows time, whichever cell was pressed first', () => {
	assert.deepEqual(spanOfCells(map, 3, 3), [5060, 5080]);
	assert.deepEqual(spanOfCells(map, 120, 48), spanOfCells(map, 48, 120));
	assert.deepEqual(spanOfCells(map, 48, 120), [5960, 7420]);
	assert.deepEqual(cellsOfSpan(map, [5960, 7420]), [48, 120]);
	assert.deepEqual(cellsOfSpan(map, [0, 5020]), [0, 0]);
	assert.deepEqual(cellsOfSpan(map, [0, 1e9]), [0, 199]);
	assert.equal(cellsOfSpan(map, [1e6, 1e9]), null);
	assert.equal(countIn(map, 48, 120), 73);
});

test('none is no colour, one sample already is, and the most has the strongest', () => {
	assert.equal(heatStep(0, 100), 0);
	assert.equal(heatStep(1, 1e6), 1);
	assert.equal(heatStep(100, 100), HEAT_STEPS);
	assert.equal(heatStep(200, 100), HEAT_STEPS);
	for (let count = 1; count < 100; count++)
		assert(heatStep(count + 1, 100) >= heatStep(count, 100));
});
