// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { columnUnit, formatAge, formatAmount, formatCount, formatPercent, formatSigned, formatValue, plural } from './format.ts';

function plain(text: string): string {
	return text.replaceAll('\u2009', ' ').replaceAll('\u202f', ',');
}

test('values have three digits and a unit that fits', () => {
	const times: [number, string][] = [
		[0, '0'], [7, '7 ns'], [1500, '1.50 µs'], [12345678, '12.3 ms'], [1e9, '1.00 s'], [119e9, '119 s'], [120e9, '2.00 min'],
		[3600e9, '60.0 min'], [7200e9, '2.00 h'],
	];
	for (const [value, text] of times)
		assert.equal(plain(formatValue(value, 'nanoseconds')), text);
	assert.equal(plain(formatValue(1536, 'bytes')), '1.50 KiB');
	assert.equal(plain(formatValue(1234567, 'count')), '1,234,567');
	assert.equal(plain(formatAmount(12, 'count', 'samples')), '12 samples');
});

test('a column has one unit', () => {
	const column = columnUnit(848e9, 'nanoseconds');
	assert.equal(column.label, 's');
	assert.deepEqual([848e9, 12.34e9, 2e7, 1e6, 1e5, 0].map((value) => plain(column.format(value))), ['848', '12.3', '0.02', '0.001', '<0.001', '0']);
	assert.equal(columnUnit(100 * 3600e9, 'nanoseconds').label, 'h');
	assert.equal(columnUnit(5e6, 'nanoseconds').label, 'ms');
	assert.equal(columnUnit(5000, 'bytes').label, 'KiB');
	assert.equal(columnUnit(5000, 'count').label, '');
});

test('a share is whole only if it is', () => {
	const shares: [number, number, string][] = [
		[0, 10, '0 %'], [10, 10, '100 %'], [9.999, 10, '>99.9 %'], [1, 3, '33.3 %'], [1, 100, '1.00 %'], [1, 2000, '0.050 %'],
		[1, 1e7, '<0.001 %'], [1, 0, '–'],
	];
	for (const [part, whole, text] of shares)
		assert.equal(plain(formatPercent(part, whole)), text);
});

test('counts and ages read as words', () => {
	assert.equal(plain(formatCount(999)), '999');
	assert.equal(plain(plural(1, 'frame')), '1 frame');
	assert.equal(plain(plural(2, 'binary', 'binaries')), '2 binaries');
	assert.equal(formatAge(500), 'now');
	assert.equal(plain(formatAge(90e3)), '90 s ago');
	assert.equal(plain(formatAge(3 * 86400e3)), '3 days ago');
});

test('a change has its sign, and none where it rounds to nothing', () => {
	assert.deepEqual([20.12, -0.5, 0.034, -0.0004, 0, 10].map(formatSigned), ['+20.1', '−0.50', '+0.034', '0', '0', '+10.0']);
});
