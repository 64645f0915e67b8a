// SPDX-License-Identifier: Apache-2.0
// Values over time: steps of equal length, what covers each of them, and the groups that values are of.

import type { PartialAnswer, Unit } from './flame_tree.ts';
import type { Span } from './time_range.ts';

export interface Group {
	/** '' = the rest of the groups. */
	label: string;
	total: number;
	values: Float64Array;
}

export interface Series {
	unit: Unit;
	/** Where step 0 begins. */
	startMs: number;
	stepMs: number;
	/** What the answer is about: the first and last step may lie in it in part. */
	fromMs: number;
	untilMs: number;
	values: Float64Array;
	/** How many nanoseconds of each step profiles cover; 0 = a gap. */
	coveredNs: Float64Array;
	/** CPU time that there was in each step. */
	coreNs: Float64Array;
	/** The largest first; the rest last. Empty if nothing was split. */
	groups: Group[];
	/** How many groups stand behind the one of the rest. */
	restCount: number;
	partial: PartialAnswer | null;
}

/** The same as rates: value by covered second. NaN is a gap. */
export function rates(series: Series, values: Float64Array): Float64Array {
	return values.map((value, i) => (series.coveredNs[i] > 0 ? (value * 1e9) / series.coveredNs[i] : NaN));
}

export function stepAt(series: Series, ms: number): number {
	return Math.floor((ms - series.startMs) / series.stepMs);
}

/** What lies in step I, clipped to the range. */
export function stepSpan(series: Series, i: number): Span {
	const from = series.startMs + i * series.stepMs;
	return [Math.max(from, series.fromMs), Math.min(from + series.stepMs, series.untilMs)];
}

/** The largest of VALUES, gaps left out; 0 if there is none. */
export function peak(values: Float64Array): number {
	let max = 0;
	for (const value of values) {
		if (value > max)
			max = value;
	}
	return max;
}

/** A round number that is at least VALUE, and not much more: 1, 2, 2.5, 5 or 10 of some power of ten. */
export function roundUp(value: number): number {
	if (!(value > 0))
		return 1;
	const power = 10 ** Math.floor(Math.log10(value));
	const step = [1, 2, 2.5, 5, 10].find((factor) => factor * power >= value * (1 - 1e-9));
	return step! * power;
}

/** Sorted so that FROM comes first, and clipped to LIMITS; null if nothing is left. */
export function clippedSpan(a: number, b: number, [low, high]: Span): Span | null {
	const from = Math.max(low, Math.round(Math.min(a, b)));
	const until = Math.min(high, Math.round(Math.max(a, b)));
	return from < until ? [from, until] : null;
}
