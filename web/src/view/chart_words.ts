// SPDX-License-Identifier: Apache-2.0
// What charts over time say in words: the same for legends, tips and readers.

import { formatValue } from '../model/format.ts';
import type { Unit } from '../model/flame_tree.ts';
import { stepSpan, type Series } from '../model/series.ts';
import { formatTime, type Span, type Zone } from '../model/time_range.ts';

/** A rate: times a second are so many at once, anything else is so much a second. */
export function formatRate(perSecond: number, unit: Unit, noun: string): string {
	if (Number.isNaN(perSecond))
		return '–';
	if (unit !== 'nanoseconds')
		return `${formatValue(perSecond, unit)}/s`;
	const many = perSecond / 1e9;
	const text = many >= 100 ? many.toFixed(0) : many >= 10 ? many.toFixed(1) : many >= 0.01 || many === 0 ? many.toFixed(2) : many.toFixed(3);
	const short = text.replace(/\.0+$/, '');
	return `${short} ${short === '1' ? noun.replace(/s$/, '') : noun}`;
}

/** `14:05:10`, with thousandths where they are needed. */
export function clockOf(ms: number, zone: Zone, fine: boolean): string {
	const clock = formatTime(ms, zone).split(' ')[1] ?? '–';
	return fine ? `${clock}.${String(Math.floor(((ms % 1000) + 1000) % 1000)).padStart(3, '0')}` : clock;
}

/** Both ends by the clock; the day stands with the axis. */
export function spanWords([fromMs, untilMs]: Span, zone: Zone): string {
	const fine = fromMs % 1000 !== 0 || untilMs % 1000 !== 0;
	return `${clockOf(fromMs, zone, fine)} – ${clockOf(untilMs, zone, fine)}`;
}

export function lengthWords([fromMs, untilMs]: Span): string {
	const ms = untilMs - fromMs;
	return ms < 1000 ? `${Math.round(ms)} ms` : ms < 120e3 ? `${Number((ms / 1000).toFixed(2))} s` : formatValue(ms * 1e6, 'nanoseconds');
}

/** One line on step I, for readers. */
export function stepWords(series: Series, i: number, zone: Zone, noun: string): string {
	const [fromMs, untilMs] = stepSpan(series, i);
	const rate = series.coveredNs[i] > 0 ? (series.values[i] * 1e9) / series.coveredNs[i] : NaN;
	return `${spanWords([fromMs, untilMs], zone)}: ${Number.isNaN(rate) ? 'nothing is known' : formatRate(rate, series.unit, noun)}`;
}
