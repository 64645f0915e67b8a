// SPDX-License-Identifier: Apache-2.0
// Numbers as people read them: three significant digits, a unit, a thin space between.

import type { Unit } from './flame_tree.ts';

const THIN = '\u2009';
const GROUP = '\u202f';

type Step = readonly [factor: number, unit: string];
const time: readonly Step[] = [
	[3600e9, 'h'],
	[60e9, 'min'],
	[1e9, 's'],
	[1e6, 'ms'],
	[1e3, 'µs'],
	[1, 'ns'],
];
const bytes: readonly Step[] = [
	[2 ** 40, 'TiB'],
	[2 ** 30, 'GiB'],
	[2 ** 20, 'MiB'],
	[2 ** 10, 'KiB'],
	[1, 'B'],
];

/** Two minutes read better as 120 s, two hours better as 120 min. */
const UNIT_STARTS_AT: Record<string, number> = { h: 2, min: 2 };

/** Three digits, but never fewer than stand before the point. */
function digits3(value: number): string {
	if (value >= 100 || value === 0)
		return String(Math.round(value));
	return value >= 10 ? value.toFixed(1) : value.toFixed(2);
}

export function formatCount(value: number): string {
	return String(Math.round(value)).replace(/\B(?=(\d{3})+(?!\d))/g, GROUP);
}

function stepped(value: number, steps: readonly Step[]): string {
	for (const [factor, unit] of steps) {
		if (value >= factor * (UNIT_STARTS_AT[unit] ?? 1))
			return factor === 1 ? `${formatCount(value)}${THIN}${unit}` : `${digits3(value / factor)}${THIN}${unit}`;
	}
	return value === 0 ? '0' : `${digits3(value)}${THIN}${steps[steps.length - 1][1]}`;
}

export function formatValue(value: number, unit: Unit): string {
	if (unit === 'nanoseconds')
		return stepped(value, time);
	return unit === 'bytes' ? stepped(value, bytes) : formatCount(value);
}

/** One unit for a whole column, fit for its largest value: numbers of a column are then compared by eye. */
export interface ColumnUnit {
	/** '' where the values are counts. */
	label: string;
	format: (value: number) => string;
}

/** Times read best in seconds until they are hours, sizes in the unit that leaves up to four digits. */
export function columnUnit(max: number, unit: Unit): ColumnUnit {
	if (unit === 'count')
		return { label: '', format: formatCount };
	const steps = (unit === 'bytes' ? bytes : time).filter(([, word]) => word !== 'min');
	const [factor, label] = steps.find(([size, word]) => max >= size * (word === 'h' ? 10 : 1)) ?? steps[steps.length - 1];
	return { label, format: (value) => formatScaled(value / factor) };
}

function formatScaled(value: number): string {
	if (value === 0)
		return '0';
	if (value >= 1000)
		return formatCount(value);
	if (value >= 0.01)
		return digits3(value);
	return value >= 0.001 ? value.toFixed(3) : '<0.001';
}

/** A value with its name: a bare number would not say what it counts. */
export function formatAmount(value: number, unit: Unit, noun: string): string {
	return unit === 'count' ? `${formatCount(value)} ${noun}`.trim() : formatValue(value, unit);
}

export function formatPercent(part: number, whole: number): string {
	if (!(whole > 0))
		return '–';
	const percent = (part / whole) * 100;
	if (percent === 0)
		return `0${THIN}%`;
	if (percent >= 99.95)
		return part < whole ? `>99.9${THIN}%` : `100${THIN}%`;
	if (percent >= 10)
		return `${percent.toFixed(1)}${THIN}%`;
	if (percent >= 0.1)
		return `${percent.toFixed(2)}${THIN}%`;
	return percent >= 0.001 ? `${percent.toFixed(3)}${THIN}%` : `<0.001${THIN}%`;
}

/** With a sign, as fine as its size allows: `+20.1`, `−0.034`, `0`. */
export function formatSigned(value: number): string {
	const size = Math.abs(value);
	const digits = size >= 10 ? 1 : size >= 0.1 ? 2 : 3;
	const text = size.toFixed(digits);
	return Number(text) === 0 ? '0' : `${value < 0 ? '−' : '+'}${text}`;
}

/** "3 s ago", for a time before now. */
export function formatAge(milliseconds: number): string {
	const seconds = Math.max(0, Math.round(milliseconds / 1000));
	if (seconds < 2)
		return 'now';
	if (seconds < 120)
		return `${seconds}${THIN}s ago`;
	if (seconds < 7200)
		return `${Math.round(seconds / 60)}${THIN}min ago`;
	if (seconds < 172800)
		return `${Math.round(seconds / 3600)}${THIN}h ago`;
	return `${Math.round(seconds / 86400)} days ago`;
}

export function plural(count: number, one: string, many = `${one}s`): string {
	return `${formatCount(count)} ${count === 1 ? one : many}`;
}
