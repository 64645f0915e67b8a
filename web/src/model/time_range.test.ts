// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
	absolute, before, earlier, formatLength, formatSpan, formatTime, isRange, parseTime, rangeLabel, resolveTime, shifted, widened, zoneLabel,
} from './time_range.ts';

const now = Date.UTC(2026, 2, 29, 12, 0, 0);

test('times relative and absolute are resolved', () => {
	assert.equal(resolveTime('now', now), now);
	assert.equal(resolveTime('now-15m', now), now - 900e3);
	assert.equal(resolveTime('now-1h30m', now), now - 5400e3);
	for (const same of ['1774785600', '1774785600000', '1774785600000000'])
		assert.equal(resolveTime(same, now), 1774785600000);
	for (const wrong of ['', 'now-', 'now-5', 'now+5m', 'yesterday', '-5', '1e3', 'now-5x'])
		assert(Number.isNaN(resolveTime(wrong, now)), wrong);
});

test('a range ends after it begins', () => {
	assert(isRange({ from: 'now-15m', until: 'now' }));
	assert(!isRange({ from: 'now', until: 'now-15m' }));
	assert(!isRange({ from: '5', until: '5' }));
	assert(!isRange({ from: 'x', until: 'now' }));
});

test('a range moves by its own length and widens around its middle', () => {
	assert.deepEqual(shifted({ from: 'now-1h', until: 'now' }, -1, now), { from: String(now - 7200e3), until: String(now - 3600e3) });
	const wide = widened({ from: String(now - 7200e3), until: String(now - 3600e3) }, 4, now);
	assert.equal(Number(wide.until) - Number(wide.from), 4 * 3600e3);
	assert(Number(wide.until) <= now);
	assert.deepEqual(absolute(1000.2, 1000.7), { from: '1000', until: '1001' });
});

test('times in UTC are written and read back', () => {
	assert.equal(formatTime(now, 'utc'), '2026-03-29 12:00:00');
	assert.equal(parseTime('2026-03-29 12:00:00', 'utc'), String(now));
	assert.equal(parseTime('2026-03-29 12:00', 'utc'), String(now));
	assert.equal(parseTime('2026-03-29', 'utc'), String(now - 12 * 3600e3));
	assert.equal(parseTime('1774785600', 'utc'), '1774785600000');
	assert.equal(parseTime(' now-2h ', 'utc'), 'now-2h');
	for (const wrong of ['2026-02-30', '2026-13-01', '2026-01-01 25:00', '12:00', 'soon', ''])
		assert.equal(parseTime(wrong, 'utc'), null, wrong);
});

test('local times around a change of the clocks are written and read back', () => {
	for (let hour = -36; hour <= 36; hour++) {
		const at = now + hour * 3600e3;
		const back = Number(parseTime(formatTime(at, 'local'), 'local'));
		/* The hour that the clocks repeat in autumn has two meanings; nothing else may differ. */
		assert(back === at || Math.abs(back - at) === 3600e3, formatTime(at, 'local'));
	}
	assert.equal(zoneLabel(now, 'utc'), 'UTC');
});

test('spans and lengths in words', () => {
	assert.equal(formatSpan(now - 3600e3, now, 'utc'), '2026-03-29 11:00:00 – 12:00:00');
	assert.equal(formatSpan(now - 86400e3, now, 'utc'), '2026-03-28 12:00:00 – 2026-03-29 12:00:00');
	assert.equal(formatLength(900e3), '15 min');
	assert.equal(formatLength(5400e3), '1 h 30 min');
	assert.equal(formatLength(400), '0 s');
	assert.equal(rangeLabel({ from: 'now-15m', until: 'now' }, 'utc', now), 'Last 15 minutes');
	assert.equal(rangeLabel({ from: 'now-25m', until: 'now' }, 'utc', now), 'Last 25 min');
	assert.equal(rangeLabel({ from: String(now - 60e3), until: String(now) }, 'utc', now), '2026-03-29 11:59:00 – 12:00:00');
});

test('what was before stays relative where it was, and is as long', () => {
	assert.deepEqual(before({ from: 'now-15m', until: 'now' }, now), { from: 'now-1800s', until: 'now-900s' });
	assert.deepEqual(before({ from: 'now-1h30m', until: 'now-30m' }, now), { from: 'now-9000s', until: 'now-5400s' });
	assert.deepEqual(before({ from: String(now - 60e3), until: String(now) }, now), { from: String(now - 120e3), until: String(now - 60e3) });
	assert(isRange(before({ from: 'now-15m', until: 'now' }, now)));
	assert.deepEqual(earlier({ from: 'now-5m', until: 'now' }, 86400e3), { from: 'now-86700s', until: 'now-86400s' });
	assert.deepEqual(earlier({ from: '1774785600', until: '1774785660' }, 1000), { from: '1774785599000', until: '1774785659000' });
});
