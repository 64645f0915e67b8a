// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WrongJson } from './json.ts';
import { readHeat, readSeries } from './series_service.ts';

const series = {
	unit: 'nanoseconds', from: 1e15, until: 1e15 + 2e9, start: 1e15, step: 1e9, step_count: 2, sample_count: 3, total: 30,
	values: [10, 20], covered: [1e9, 0], core_ns: [4e9, 0], by: ['host'], group_count: 3, partial: null,
	series: [{ labels: { host: 'a' }, total: 20, values: [8, 12] }, { labels: {}, total: 6, values: [1, 5] }],
	other: { group_count: 1, total: 4, values: [1, 3] },
};

test('groups come in their order, the rest last, and one without the label is named', () => {
	const read = readSeries(series, 'host');
	assert.deepEqual(read.groups.map(({ label, total }) => [label, total]), [['a', 20], ['no host', 6], ['', 4]]);
	assert.deepEqual([read.startMs, read.stepMs, read.restCount], [1e9, 1000, 1]);
	assert.deepEqual([...read.values], [10, 20]);
	assert.deepEqual(readSeries({ ...series, series: [], other: null }, '').groups, []);
});

test('columns of other lengths, and numbers that are none, are refused', () => {
	for (const wrong of [
		{ values: [1] }, { values: [1, -1] }, { values: [1, '2'] }, { covered: null }, { step: 0 }, { step_count: 1e9 }, { step_count: 1.5 },
		{ series: [{ labels: { host: 'a' }, total: 1, values: [1] }] },
	])
		assert.throws(() => readSeries({ ...series, ...wrong }, 'host'), WrongJson);
	assert.throws(() => readSeries([], ''), WrongJson);
});

const heat = {
	unit: 'nanoseconds', start: 5e15, column: 1e9, column_count: 2, row: 5e8, row_count: 2, sample_count: 4, total: 40, count_max: 3, value_max: 30,
	counts: [1, 0, 3, 0], values: [10, 0, 30, 0], covered: [1e9, 1e9], spread_count: 1, spread_until: 5e15, message: 'old', partial: null,
};

test('a heat map is read, an empty one too, and a wrong one is refused', () => {
	const read = readHeat(heat);
	assert.deepEqual([read.columnMs, read.rowMs, read.spreadCount, read.spreadUntilMs], [1000, 500, 1, 5e9]);
	assert.deepEqual([...read.counts], [1, 0, 3, 0]);
	assert.equal(readHeat({ ...heat, column_count: 0, row_count: 0, counts: [], covered: [] }).columnCount, 0);
	for (const wrong of [{ counts: [1, 2, 3] }, { covered: [1] }, { column_count: 4097 }, { column_count: 4096, row_count: 4096 }, { row: 0 }])
		assert.throws(() => readHeat({ ...heat, ...wrong }), WrongJson);
});
