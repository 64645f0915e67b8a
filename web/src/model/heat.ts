// SPDX-License-Identifier: Apache-2.0
// Samples by the second and by the part of the second: columns of time, rows within each.

import type { PartialAnswer, Unit } from './flame_tree.ts';
import type { Span } from './time_range.ts';

export interface Heat {
	unit: Unit;
	startMs: number;
	columnMs: number;
	columnCount: number;
	rowMs: number;
	rowCount: number;
	sampleCount: number;
	total: number;
	/** Column by column. */
	counts: Uint32Array;
	countMax: number;
	/** Of each column; 0 = a gap. */
	coveredNs: Float64Array;
	/** Samples that are known only to within a window: they are spread evenly over it. */
	spreadCount: number;
	spreadUntilMs: number;
	partial: PartialAnswer | null;
}

/** A cell by its number: cells follow each other in time, column after column. */
export function cellAt(heat: Heat, column: number, row: number): number {
	return column * heat.rowCount + row;
}

export function cellCount(heat: Heat): number {
	return heat.columnCount * heat.rowCount;
}

export function cellStart(heat: Heat, cell: number): number {
	return heat.startMs + Math.floor(cell / heat.rowCount) * heat.columnMs + (cell % heat.rowCount) * heat.rowMs;
}

/** The cell that MS lies in; it may be outside. */
export function cellOf(heat: Heat, ms: number): number {
	const column = Math.floor((ms - heat.startMs) / heat.columnMs);
	const row = Math.floor((ms - heat.startMs - column * heat.columnMs) / heat.rowMs);
	return cellAt(heat, column, Math.min(heat.rowCount - 1, row));
}

/** From the begin of the earlier of two cells to the end of the later one. */
export function spanOfCells(heat: Heat, a: number, b: number): Span {
	return [cellStart(heat, Math.min(a, b)), cellStart(heat, Math.max(a, b)) + heat.rowMs];
}

/** The cells of SPAN, [first, last]; null where it lies outside of the map. */
export function cellsOfSpan(heat: Heat, [fromMs, untilMs]: Span): readonly [number, number] | null {
	const first = Math.max(0, cellOf(heat, fromMs));
	const last = Math.min(cellCount(heat) - 1, cellOf(heat, untilMs - 1));
	return first <= last ? [first, last] : null;
}

export const HEAT_STEPS = 16;

/** The step of the ramp for a count: 0 = none at all; a root tells few samples apart from very few. */
export function heatStep(count: number, max: number): number {
	if (count <= 0 || max <= 0)
		return 0;
	return Math.max(1, Math.min(HEAT_STEPS, Math.ceil(Math.sqrt(count / max) * HEAT_STEPS)));
}

/** How many samples lie in cells [FIRST, LAST]. */
export function countIn(heat: Heat, first: number, last: number): number {
	let sum = 0;
	for (let cell = first; cell <= last; cell++)
		sum += heat.counts[cell];
	return sum;
}
