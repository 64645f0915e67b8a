// SPDX-License-Identifier: Apache-2.0
// Two sides of one call tree: how much each frame has of both, by which measure they are compared, and
// whether they differ by more than noise.

import { buildTree, type FlameParts, type FlameTree, type PartialAnswer, type Unit } from './flame_tree.ts';
import { formatPercent, formatSigned, formatValue } from './format.ts';

/** What values are divided by before they are compared: their side's total, its time, or its CPU time. */
export const norms = ['share', 'second', 'core'] as const;
export type Norm = (typeof norms)[number];

export const changeKeys = ['name', 'left', 'right', 'change', 'ratio', 'sureness'] as const;
export type ChangeKey = (typeof changeKeys)[number];
export interface ChangeSort {
	key: ChangeKey;
	ascending: boolean;
}

export interface Side {
	total: number;
	sampleCount: number;
	/** Value of one sample, 0 if it varies. */
	period: number;
	/** Covered by profiles. */
	fromMs: number;
	untilMs: number;
	/** CPU time that the hosts had meanwhile. */
	coreNs: number;
	/** Groups of time that the spread was taken from; one tells nothing of it. */
	groups: number;
	partial: PartialAnswer | null;
}

/** The columns that a tree of two sides has beyond those of one. */
export interface Comparison {
	left: Side;
	right: Side;
	leftTotals: Float64Array;
	rightTotals: Float64Array;
	/** Chance that the shares of an unchanged program lie as far apart. */
	p: Float64Array;
	norm: Norm;
}

export type ChangeTree = FlameTree & { comparison: Comparison };

export type ChangeParts = Omit<FlameParts, 'total' | 'period' | 'sampleCount' | 'fromMs' | 'untilMs' | 'comparison'> & {
	comparison: Omit<Comparison, 'norm'>;
};

export type Sureness = 'noise' | 'likely' | 'sure';

/* As the server's `changed`, and the looser mark that people know. */
const SURE_P = 0.01;
const LIKELY_P = 0.05;

/* The width of the root: fine enough for any frame, far from where whole numbers end. */
const WHOLE = 2 ** 40;

/* Fewer samples than this say little, however clear their difference looks. */
export const SAMPLES_MIN = 100;

export function surenessOf(p: number): Sureness {
	if (p < SURE_P)
		return 'sure';
	return p < LIKELY_P ? 'likely' : 'noise';
}

export function isEmptySide(side: Side): boolean {
	return side.total <= 0;
}

/** What a value of SIDE is divided by; 0 if there is nothing to divide by. */
function divisor(side: Side, norm: Norm): number {
	if (norm === 'share')
		return side.total;
	return norm === 'second' ? (side.untilMs - side.fromMs) / 1e3 : side.coreNs / 1e9;
}

export function normalised(side: Side, value: number, norm: Norm): number {
	const by = divisor(side, norm);
	return by > 0 ? value / by : 0;
}

/** How many samples a value of SIDE stands for. */
function samplesIn(side: Side, value: number): number {
	if (side.period > 0)
		return value / side.period;
	return side.total > 0 ? (value * side.sampleCount) / side.total : 0;
}

/** Both tails of the normal distribution beyond Z; a known rational form, right to 1e-7. */
function tails(z: number): number {
	const x = Math.abs(z) / Math.SQRT2;
	const t = 1 / (1 + 0.3275911 * x);
	const series = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))));
	return Math.min(1, series * Math.exp(-x * x));
}

/** Chance that equal rates give samples as unequal as these: counting is the only error that is known here. */
export function rateChance(left: Side, right: Side, leftValue: number, rightValue: number, norm: Norm): number {
	if (isEmptySide(left) || isEmptySide(right))
		return 1;
	const variance = (side: Side, value: number): number => {
		const count = Math.max(1, samplesIn(side, value));
		const one = normalised(side, side.total, norm) / Math.max(1, samplesIn(side, side.total));
		return count * one * one;
	};
	const error = Math.sqrt(variance(left, leftValue) + variance(right, rightValue));
	const distance = normalised(right, rightValue, norm) - normalised(left, leftValue, norm);
	return error > 0 ? tails(distance / error) : 1;
}

/** What a frame is drawn as; `noise` is also what is likely, but not sure. */
export type Kind = 'noise' | 'more' | 'less' | 'new' | 'gone';

/** One frame, or one function, on both sides. */
export interface Change {
	left: number;
	right: number;
	/** By the norm in use. */
	leftAmount: number;
	rightAmount: number;
	/** Of the larger side's total, in points: what colours say. */
	points: number;
	p: number;
	sureness: Sureness;
	kind: Kind;
	/** Whether both sides have samples at all. */
	comparable: boolean;
}

/** SHARE_P is the server's word on the share; rates have their own. */
export function changeOf(sides: Pick<Comparison, 'left' | 'right' | 'norm'>, left: number, right: number, shareP: number): Change {
	const { norm } = sides;
	const leftAmount = normalised(sides.left, left, norm);
	const rightAmount = normalised(sides.right, right, norm);
	const whole = Math.max(normalised(sides.left, sides.left.total, norm), normalised(sides.right, sides.right.total, norm));
	const p = norm === 'share' ? shareP : rateChance(sides.left, sides.right, left, right, norm);
	const sureness = surenessOf(p);
	/* Of every hundred frames that did not change, five are likely to have: only what is sure is called a change. */
	let kind: Kind = 'noise';
	if (sureness === 'sure' && left === 0)
		kind = 'new';
	else if (sureness === 'sure' && right === 0)
		kind = 'gone';
	else if (sureness === 'sure' && leftAmount !== rightAmount)
		kind = rightAmount > leftAmount ? 'more' : 'less';
	return {
		left, right, leftAmount, rightAmount, p, sureness, kind,
		comparable: !isEmptySide(sides.left) && !isEmptySide(sides.right),
		points: whole > 0 ? (100 * (rightAmount - leftAmount)) / whole : 0,
	};
}

export function nodeChange(tree: ChangeTree, node: number): Change {
	const { comparison } = tree;
	return changeOf(comparison, comparison.leftTotals[node], comparison.rightTotals[node], comparison.p[node]);
}

/** Frames are as wide as both sides together have of them: what is gone keeps its place. */
function widths(parts: ChangeParts, norm: Norm): Float64Array {
	const { left, right, leftTotals, rightTotals } = parts.comparison;
	const sum = normalised(left, left.total, norm) + normalised(right, right.total, norm);
	const factor = (side: Side): number => (sum > 0 ? (normalised(side, 1, norm) * WHOLE) / sum : 0);
	const [ofLeft, ofRight] = [factor(left), factor(right)];
	const total = new Float64Array(leftTotals.length);
	total[0] = sum > 0 ? WHOLE : 0;
	let child = 1;
	for (let node = 0; node < total.length; node++) {
		/* Rounding must not make children wider than their parent. */
		let room = total[node];
		const end = Math.min(total.length, child + parts.childCount[node]);
		for (; child < end; child++) {
			total[child] = Math.min(room, Math.floor(leftTotals[child] * ofLeft + rightTotals[child] * ofRight));
			room -= total[child];
		}
	}
	return total;
}

export function changeTree(parts: ChangeParts, norm: Norm): ChangeTree {
	const { comparison, ...kept } = parts;
	const { left, right } = comparison;
	const whole: FlameParts = {
		...kept,
		period: 0,
		sampleCount: left.sampleCount + right.sampleCount,
		fromMs: right.fromMs,
		untilMs: right.untilMs,
		total: widths(parts, norm),
		comparison: { ...comparison, norm },
	};
	return buildTree(whole) as ChangeTree;
}

export function hasSides(tree: FlameTree): tree is ChangeTree {
	return tree.comparison !== undefined;
}

/** A function of both sides, as the server's table has it. */
export interface ChangedFunction {
	name: string;
	module: string;
	leftSelf: number;
	rightSelf: number;
	selfP: number;
	leftTotal: number;
	rightTotal: number;
	p: number;
}

export interface ChangeRow {
	fn: ChangedFunction;
	change: Change;
}

export function changeRows(
	sides: Pick<Comparison, 'left' | 'right' | 'norm'>, functions: readonly ChangedFunction[], own: boolean,
): ChangeRow[] {
	return functions
		.map((fn) => ({
			fn,
			change: own ? changeOf(sides, fn.leftSelf, fn.rightSelf, fn.selfP) : changeOf(sides, fn.leftTotal, fn.rightTotal, fn.p),
		}))
		.filter(({ change }) => change.left > 0 || change.right > 0);
}

/** Right by left; what is new has grown beyond any factor. */
export function ratioOf(change: Change): number {
	return change.leftAmount > 0 ? change.rightAmount / change.leftAmount : Infinity;
}

const order: Record<Exclude<ChangeKey, 'name'>, (change: Change) => number> = {
	left: (change) => change.leftAmount,
	right: (change) => change.rightAmount,
	change: (change) => change.points,
	ratio: ratioOf,
	sureness: (change) => -change.p,
};

/** By falling change means by its size, either way: both ends of it are what one looks for. */
export function sortedChanges(rows: readonly ChangeRow[], { key, ascending }: ChangeSort): ChangeRow[] {
	const sign = ascending ? 1 : -1;
	const byName = (a: ChangeRow, b: ChangeRow): number => (a.fn.name < b.fn.name ? -1 : a.fn.name > b.fn.name ? 1 : 0);
	if (key === 'name')
		return [...rows].sort((a, b) => sign * byName(a, b));
	const value = order[key];
	const size = (row: ChangeRow): number => (key === 'change' && !ascending ? Math.abs(row.change.points) : value(row.change));
	return [...rows].sort((a, b) => {
		const [left, right] = [size(a), size(b)];
		return (left === right ? 0 : sign * (left - right)) || Math.abs(b.change.points) - Math.abs(a.change.points) || byName(a, b);
	});
}

export function formatAmountOf(amount: number, norm: Norm, unit: Unit): string {
	if (norm === 'share')
		return formatPercent(amount, 1);
	if (norm === 'second')
		return `${formatValue(amount, unit)}/s`;
	return unit === 'nanoseconds' ? formatPercent(amount / 1e9, 1) : `${formatValue(amount, unit)}/core s`;
}

/** With its sign: `+20.1 points`, `−340 ms/s`. */
export function formatChange(change: Change, norm: Norm, unit: Unit): string {
	if (!change.comparable)
		return '–';
	const by = change.rightAmount - change.leftAmount;
	if (norm === 'share' || (norm === 'core' && unit === 'nanoseconds'))
		return `${formatSigned(norm === 'share' ? 100 * by : by / 1e7)} points`;
	const size = formatAmountOf(Math.abs(by), norm, unit);
	return by === 0 ? size : `${by < 0 ? '−' : '+'}${size}`;
}

/** `×3.0`, `new`, `gone`; nothing where both sides have nothing. */
export function formatRatio(change: Change): string {
	if (!change.comparable)
		return '';
	if (change.left === 0)
		return change.right === 0 ? '' : 'new';
	if (change.right === 0)
		return 'gone';
	const ratio = ratioOf(change);
	return `×${ratio >= 100 ? ratio.toFixed(0) : ratio >= 10 ? ratio.toFixed(1) : ratio.toFixed(2)}`;
}

export function formatP(p: number): string {
	return p < 0.001 ? 'p < 0.001' : `p = ${p.toFixed(p < 0.1 ? 3 : 2)}`;
}

/** Why a comparison says less than it seems to; empty where it does not. */
export function weaknesses({ left, right }: Pick<Comparison, 'left' | 'right'>): string[] {
	const texts: string[] = [];
	for (const [name, side] of [['left', left], ['right', right]] as const) {
		if (!isEmptySide(side) && side.sampleCount < SAMPLES_MIN)
			texts.push(`The ${name} side has only ${side.sampleCount} samples: too few to tell more than the largest changes.`);
	}
	const filled = !isEmptySide(left) && !isEmptySide(right);
	if (filled && (left.groups < 2 || right.groups < 2))
		texts.push('A side is too short to see how steady it is: noise is judged by the number of samples alone. A minute or more on each side is better.');
	if (filled && left.period > 0 && right.period > 0 && left.period !== right.period)
		texts.push(`The sides were sampled at different rates, one sample every ${formatValue(left.period, 'nanoseconds')} and every ${formatValue(right.period, 'nanoseconds')}.`);
	return texts;
}
