// SPDX-License-Identifier: Apache-2.0
// Times as the page holds them: `now`, `now-15m`, or milliseconds since the epoch as digits; a link that people
// write may have seconds or microseconds. The server resolves the relative ones with its own clock; here they are
// only read, moved and shown.

const unitMs: Record<string, number> = { s: 1e3, m: 60e3, h: 3600e3, d: 86400e3, w: 7 * 86400e3 };

/** `now`, `now-15m`, `now-1h30m`. */
const RELATIVE = /^now(?:-((?:\d{1,9}[smhdw])+))?$/;

export type Zone = 'local' | 'utc';

export interface Range {
	from: string;
	until: string;
}

/** Two moments in milliseconds since the epoch, the first before the second. */
export type Span = readonly [fromMs: number, untilMs: number];

export interface Preset extends Range {
	label: string;
}

export const presets: readonly Preset[] = [
	{ from: 'now-1m', until: 'now', label: 'Last minute' },
	{ from: 'now-5m', until: 'now', label: 'Last 5 minutes' },
	{ from: 'now-15m', until: 'now', label: 'Last 15 minutes' },
	{ from: 'now-1h', until: 'now', label: 'Last hour' },
	{ from: 'now-6h', until: 'now', label: 'Last 6 hours' },
	{ from: 'now-24h', until: 'now', label: 'Last 24 hours' },
	{ from: 'now-7d', until: 'now', label: 'Last 7 days' },
];

export const defaultRange: Range = { from: 'now-15m', until: 'now' };

/** Milliseconds since the epoch, NaN if TEXT is no time. */
export function resolveTime(text: string, nowMs: number): number {
	if (/^\d{1,16}$/.test(text)) {
		/* Told apart by their size, as the server does. */
		const number = Number(text);
		return number < 1e11 ? number * 1e3 : number < 1e14 ? number : number / 1e3;
	}
	const relative = RELATIVE.exec(text);
	if (!relative)
		return NaN;
	let at = nowMs;
	for (const [, count, unit] of (relative[1] ?? '').matchAll(/(\d+)([a-z])/g))
		at -= Number(count) * unitMs[unit];
	return at;
}

export function isRelative(range: Range): boolean {
	return range.from.startsWith('now') || range.until.startsWith('now');
}

export function isRange(range: Range): boolean {
	const now = 4e12;
	return resolveTime(range.from, now) < resolveTime(range.until, now);
}

/** The same length, moved by STEPS lengths; absolute, because "now" does not move. */
export function shifted(range: Range, steps: number, nowMs: number): Range {
	const from = resolveTime(range.from, nowMs);
	const until = resolveTime(range.until, nowMs);
	const by = steps * (until - from);
	return absolute(from + by, until + by);
}

/** TEXT, BY_MS earlier. What is relative stays so: its clock is the server's. */
function earlierTime(text: string, byMs: number): string {
	const at = resolveTime(text, 0);
	return text.startsWith('now') ? `now-${Math.round((byMs - at) / 1000)}s` : String(Math.max(0, Math.round(at - byMs)));
}

export function earlier(range: Range, byMs: number): Range {
	return { from: earlierTime(range.from, byMs), until: earlierTime(range.until, byMs) };
}

export function lengthOf(range: Range, nowMs: number): number {
	return resolveTime(range.until, nowMs) - resolveTime(range.from, nowMs);
}

/** As long as RANGE and right before it. */
export function before(range: Range, nowMs: number): Range {
	return earlier(range, lengthOf(range, nowMs));
}

export function spanOf(range: Range, nowMs: number): Span {
	return [resolveTime(range.from, nowMs), resolveTime(range.until, nowMs)];
}

/** FACTOR times as long around the same middle, but not beyond now. */
export function widened(range: Range, factor: number, nowMs: number): Range {
	const from = resolveTime(range.from, nowMs);
	const until = resolveTime(range.until, nowMs);
	const more = ((until - from) * (factor - 1)) / 2;
	const end = Math.min(until + more, Math.max(nowMs, until));
	return absolute(end - (until - from) * factor, end);
}

export function absolute(fromMs: number, untilMs: number): Range {
	return { from: String(Math.max(0, Math.floor(fromMs))), until: String(Math.max(0, Math.ceil(untilMs))) };
}

function pad(value: number, digits = 2): string {
	return String(value).padStart(digits, '0');
}

interface Fields {
	date: string;
	clock: string;
}

function fields(ms: number, zone: Zone): Fields {
	const at = new Date(ms);
	const parts = zone === 'utc'
		? [at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate(), at.getUTCHours(), at.getUTCMinutes(), at.getUTCSeconds()]
		: [at.getFullYear(), at.getMonth(), at.getDate(), at.getHours(), at.getMinutes(), at.getSeconds()];
	return {
		date: `${parts[0]}-${pad(parts[1] + 1)}-${pad(parts[2])}`,
		clock: `${pad(parts[3])}:${pad(parts[4])}:${pad(parts[5])}`,
	};
}

/** `2026-03-29 14:05:09`. */
export function formatTime(ms: number, zone: Zone): string {
	if (!Number.isFinite(ms))
		return '–';
	const { date, clock } = fields(ms, zone);
	return `${date} ${clock}`;
}

/** Both ends, the day said once if it is the same. */
export function formatSpan(fromMs: number, untilMs: number, zone: Zone): string {
	const from = fields(fromMs, zone);
	const until = fields(untilMs, zone);
	return `${from.date} ${from.clock} – ${until.date === from.date ? '' : `${until.date} `}${until.clock}`;
}

/** `UTC`, or the local offset at that moment: it differs between summer and winter. */
export function zoneLabel(ms: number, zone: Zone): string {
	const minutes = zone === 'utc' ? 0 : -new Date(ms).getTimezoneOffset();
	if (minutes === 0)
		return 'UTC';
	const size = Math.abs(minutes);
	return `UTC${minutes < 0 ? '−' : '+'}${pad(Math.floor(size / 60))}:${pad(size % 60)}`;
}

/** What a person typed: `2026-03-29 14:05[:09]`, `now-2h`, or epoch seconds or milliseconds; null if neither. */
export function parseTime(text: string, zone: Zone): string | null {
	const trimmed = text.trim();
	if (RELATIVE.test(trimmed))
		return trimmed;
	if (/^\d{9,10}$/.test(trimmed))
		return `${trimmed}000`;
	if (/^\d{12,13}$/.test(trimmed))
		return trimmed;
	const match = /^(\d{4})-(\d{1,2})-(\d{1,2})(?:[ T](\d{1,2}):(\d{2})(?::(\d{2}))?)?$/.exec(trimmed);
	if (!match)
		return null;
	const [year, month, day, hour, minute, second] = match.slice(1).map((part) => Number(part ?? 0));
	const daysInMonth = new Date(Date.UTC(year, month, 0)).getUTCDate();
	if (month < 1 || month > 12 || day < 1 || day > daysInMonth || hour > 23 || minute > 59 || second > 59)
		return null;
	const ms = zone === 'utc'
		? Date.UTC(year, month - 1, day, hour, minute, second)
		: new Date(year, month - 1, day, hour, minute, second).getTime();
	return ms >= 0 ? String(ms) : null;
}

function lengthWords(ms: number): string {
	const seconds = Math.round(ms / 1000);
	const steps: [number, string][] = [[86400, 'd'], [3600, 'h'], [60, 'min'], [1, 's']];
	const words: string[] = [];
	let rest = seconds;
	for (const [size, word] of steps) {
		const count = Math.floor(rest / size);
		rest -= count * size;
		if (count > 0 && words.length < 2)
			words.push(`${count} ${word}`);
	}
	return words.join(' ') || '0 s';
}

/** What the range button says. */
export function rangeLabel(range: Range, zone: Zone, nowMs: number): string {
	const preset = presets.find((known) => known.from === range.from && known.until === range.until);
	if (preset)
		return preset.label;
	const from = resolveTime(range.from, nowMs);
	const until = resolveTime(range.until, nowMs);
	if (range.until === 'now' && range.from.startsWith('now-'))
		return `Last ${lengthWords(until - from)}`;
	return formatSpan(from, until, zone);
}

export function formatLength(ms: number): string {
	return lengthWords(ms);
}
