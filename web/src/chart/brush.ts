// SPDX-License-Identifier: Apache-2.0
// How a drag over an axis of time becomes a range: a new one, one of its ends moved, or all of it moved.

import type { Span } from '../model/time_range.ts';

export type Grip = 'new' | 'from' | 'until' | 'move';

export interface Drag {
	grip: Grip;
	/** Where it began. */
	atMs: number;
	/** What was selected then. */
	before: Span | null;
}

/** What a press at MS takes hold of: an end within REACH_MS, the inside of what is selected, or nothing yet. */
export function gripAt(ms: number, selected: Span | null, reachMs: number): Grip {
	if (!selected)
		return 'new';
	const [from, until] = selected;
	const toFrom = Math.abs(ms - from);
	const toUntil = Math.abs(ms - until);
	if (Math.min(toFrom, toUntil) <= reachMs)
		return toFrom < toUntil ? 'from' : 'until';
	return ms > from && ms < until ? 'move' : 'new';
}

function ordered(a: number, b: number): Span {
	return a < b ? [a, b] : [b, a];
}

/** What is selected with the pointer at MS, before it is rounded to steps. */
export function dragged({ grip, atMs, before }: Drag, ms: number, [low, high]: Span): Span {
	const inside = Math.min(high, Math.max(low, ms));
	if (grip === 'new' || !before)
		return ordered(Math.min(high, Math.max(low, atMs)), inside);
	if (grip === 'from')
		return ordered(inside, before[1]);
	if (grip === 'until')
		return ordered(before[0], inside);
	const length = before[1] - before[0];
	const from = Math.min(Math.max(before[0] + ms - atMs, low), Math.max(low, high - length));
	return [from, from + length];
}

/** SPAN grown to whole steps, clipped to LIMITS: what is selected is then what steps show. */
export function snapped([from, until]: Span, startMs: number, stepMs: number, [low, high]: Span): Span {
	const down = startMs + Math.floor((from - startMs) / stepMs) * stepMs;
	const up = startMs + Math.ceil((until - startMs) / stepMs) * stepMs;
	const first = Math.max(low, down);
	return [Math.round(first), Math.round(Math.max(first + 1, Math.min(high, Math.max(up, down + stepMs))))];
}
