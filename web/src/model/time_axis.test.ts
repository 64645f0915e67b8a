// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ticks, timeAt, xOf, zoomedSpan } from './time_axis.ts';

const noon = Date.UTC(2026, 2, 29, 12, 0, 0);

test('marks are round, few, and inside', () => {
	for (const length of [40, 900, 12e3, 900e3, 6 * 3600e3, 86400e3, 30 * 86400e3, 900 * 86400e3]) {
		for (const count of [1, 4, 12]) {
			const found = ticks([noon + 7, noon + 7 + length], 'utc', count);
			assert(found.length <= count + 1, `${found.length} marks of ${count}`);
			assert(found.every(({ ms }) => ms >= noon + 7 && ms < noon + 7 + length));
			assert(found.every(({ ms }, i) => i === 0 || ms > found[i - 1].ms));
		}
	}
	assert.deepEqual(ticks([noon, noon + 600e3], 'utc', 5).map(({ label }) => label), ['12:00', '12:02', '12:04', '12:06', '12:08']);
	assert.equal(ticks([noon, noon + 400], 'utc', 4)[1].label, '12:00:00.100');
});

test('a day that begins is marked by its date', () => {
	const midnight = Date.UTC(2026, 2, 30);
	const marks = ticks([midnight - 7200e3, midnight + 7200e3], 'utc', 4);
	assert.deepEqual(marks.filter(({ isDay }) => isDay).map(({ label }) => label), ['30 Mar']);
});

test('marks are round by the local clock, also where it jumps', () => {
	const before = process.env['TZ'];
	try {
		for (const zone of ['Europe/Berlin', 'America/Sao_Paulo', 'Asia/Kolkata', 'Australia/Lord_Howe']) {
			process.env['TZ'] = zone;
			for (const day of [Date.UTC(2026, 2, 29), Date.UTC(2026, 9, 25), Date.UTC(2026, 3, 4), Date.UTC(2026, 9, 3)]) {
				const found = ticks([day - 20 * 3600e3, day + 30 * 3600e3], 'local', 10);
				for (const { ms } of found)
					assert(new Date(ms).getMinutes() % 30 === 0 && new Date(ms).getSeconds() === 0, `${zone}: ${new Date(ms).toString()}`);
				assert(found.every(({ ms }, i) => i === 0 || ms > found[i - 1].ms));
			}
		}
	} finally {
		if (before === undefined)
			delete process.env['TZ'];
		else
			process.env['TZ'] = before;
	}
});

test('pixels and moments are the same thing twice', () => {
	const span = [1000, 3000] as const;
	assert.equal(xOf(1500, span, 800), 200);
	assert.equal(timeAt(200, span, 800), 1500);
});

test('zooming keeps the moment under the pointer, and stays before now', () => {
	assert.deepEqual(zoomedSpan([0, 100e3], 0.5, 25e3, 1e9), [12500, 62500]);
	const wide = zoomedSpan([0, 100e3], 4, 50e3, 120e3);
	assert.equal(wide[1], 120e3);
	assert.equal(wide[1] - wide[0], 400e3);
	const least = zoomedSpan([0, 2e3], 1e-6, 1e3, 1e9);
	assert.equal(least[1] - least[0], 1000);
});
