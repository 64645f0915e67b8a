// SPDX-License-Identifier: Apache-2.0
// Where marks stand on an axis of time, and what they say. Steps are round in the zone that is shown: a mark
// at midnight is at midnight of that place, also on days that have 23 or 25 hours.

import type { Span, Zone } from './time_range.ts';

const SECOND = 1e3;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const steps = [
	1, 2, 5, 10, 20, 50, 100, 200, 500, SECOND, 2 * SECOND, 5 * SECOND, 10 * SECOND, 15 * SECOND, 30 * SECOND,
	MINUTE, 2 * MINUTE, 5 * MINUTE, 10 * MINUTE, 15 * MINUTE, 30 * MINUTE,
	HOUR, 2 * HOUR, 3 * HOUR, 6 * HOUR, 12 * HOUR, DAY, 2 * DAY, 7 * DAY, 14 * DAY, 28 * DAY, 91 * DAY, 365 * DAY,
];

export interface Tick {
	ms: number;
	label: string;
	/** Begins a day where steps are shorter than that. */
	isDay: boolean;
}

function offsetMs(ms: number, zone: Zone): number {
	return zone === 'utc' ? 0 : -new Date(ms).getTimezoneOffset() * MINUTE;
}

/** The moment whose clock in ZONE shows WALL, milliseconds as if that zone were UTC. */
function momentOf(wall: number, zone: Zone): number {
	const guess = wall - offsetMs(wall, zone);
	return wall - offsetMs(guess, zone);
}

function pad(value: number, digits = 2): string {
	return String(value).padStart(digits, '0');
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

function label(wall: number, step: number): { text: string; isDay: boolean } {
	const at = new Date(wall);
	const isDay = wall % DAY === 0;
	if (isDay || step >= DAY)
		return { text: `${at.getUTCDate()} ${months[at.getUTCMonth()]}`, isDay: isDay && step < DAY };
	const clock = `${pad(at.getUTCHours())}:${pad(at.getUTCMinutes())}`;
	if (step >= MINUTE)
		return { text: clock, isDay: false };
	const seconds = `${clock}:${pad(at.getUTCSeconds())}`;
	return { text: step >= SECOND ? seconds : `${seconds}.${pad(at.getUTCMilliseconds(), 3)}`, isDay: false };
}

/** At most COUNT marks, at least one where the span is not empty. */
export function ticks([fromMs, untilMs]: Span, zone: Zone, count: number): Tick[] {
	const wanted = (untilMs - fromMs) / Math.max(1, count);
	const step = steps.find((size) => size >= wanted) ?? steps[steps.length - 1];
	const first = Math.ceil((fromMs + offsetMs(fromMs, zone)) / step) * step;
	const found: Tick[] = [];
	for (let wall = first; ; wall += step) {
		const ms = momentOf(wall, zone);
		if (ms >= untilMs)
			return found;
		/* An hour that the clock leaves out, or comes to twice, must not make a mark twice. */
		if (ms < fromMs || (found.length > 0 && ms <= found[found.length - 1].ms))
			continue;
		const { text, isDay } = label(wall, step);
		found.push({ ms, label: text, isDay });
	}
}

export function xOf(ms: number, [fromMs, untilMs]: Span, width: number): number {
	return ((ms - fromMs) / (untilMs - fromMs)) * width;
}

export function timeAt(x: number, [fromMs, untilMs]: Span, width: number): number {
	return fromMs + (x / width) * (untilMs - fromMs);
}

/** SPAN zoomed by FACTOR around AT_MS; FACTOR above 1 shows more. Not beyond LATEST_MS, not below a second. */
export function zoomedSpan([fromMs, untilMs]: Span, factor: number, atMs: number, latestMs: number): Span {
	const length = Math.max(SECOND, (untilMs - fromMs) * factor);
	const share = (atMs - fromMs) / (untilMs - fromMs);
	const until = Math.min(atMs + length * (1 - share), Math.max(latestMs, untilMs));
	return [Math.round(until - length), Math.round(until)];
}
