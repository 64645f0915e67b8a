// SPDX-License-Identifier: Apache-2.0
// What there is to say about a change, worded once for tip, details, table and readers.

import {
	formatAmountOf, formatChange, formatP, formatRatio, nodeChange, type Change, type ChangeTree, type Norm, type Sureness,
} from '../model/change.ts';
import { formatAmount, formatCount } from '../model/format.ts';
import { kind, kindOf, moduleOf, nodeName, type Unit } from '../model/flame_tree.ts';

export const surenessWords: Record<Sureness, string> = {
	noise: 'noise',
	likely: 'likely',
	sure: 'sure',
};

export interface ChangeFacts {
	name: string;
	/** '' = none. */
	module: string;
	left: { value: string; amount: string };
	right: { value: string; amount: string };
	change: string;
	ratio: string;
	/** `sure, p < 0.001`. */
	sureness: string;
	remark: string;
}

function remarkOf(change: Change, isTrimmed: boolean, small: number): string {
	if (isTrimmed)
		return `${formatCount(small)} frames too small to be sent. Focus this one to load them.`;
	if (!change.comparable)
		return '';
	switch (change.kind) {
	case 'new': return 'Only the right side has this.';
	case 'gone': return 'Only the left side has this.';
	case 'noise': return change.sureness === 'likely'
		? 'Chance alone does as much in one of twenty comparisons of the same program.'
		: 'No more than what the same program shows from one time to the next.';
	default: return '';
	}
}

export function changeFacts(tree: ChangeTree, node: number): ChangeFacts {
	const change = nodeChange(tree, node);
	const { norm } = tree.comparison;
	return {
		name: nodeName(tree, node),
		module: moduleOf(tree, node),
		left: { value: formatAmount(change.left, tree.unit, 'samples'), amount: formatAmountOf(change.leftAmount, norm, tree.unit) },
		right: { value: formatAmount(change.right, tree.unit, 'samples'), amount: formatAmountOf(change.rightAmount, norm, tree.unit) },
		change: formatChange(change, norm, tree.unit),
		ratio: formatRatio(change),
		sureness: node === 0 || !change.comparable ? '' : `${surenessWords[change.sureness]}, ${formatP(change.p)}`,
		remark: node === 0 ? '' : remarkOf(change, kindOf(tree, node) === kind.trimmed, tree.trimmedNodes.get(node) ?? 0),
	};
}

/** One line for readers. */
export function spokenChange(facts: ChangeFacts): string {
	const parts = [facts.name, facts.module, `left ${facts.left.amount}`, `right ${facts.right.amount}`, facts.change, facts.ratio, facts.sureness];
	return parts.filter((part) => part !== '').join(', ');
}

export const normWords: Record<Norm, { label: string; title: string }> = {
	share: { label: 'Share', title: 'Of each side\'s total: what the program does, however busy it is' },
	second: { label: 'Per second', title: 'Of the time that profiles cover: how busy it is' },
	core: { label: 'Per core second', title: 'Of the CPU time that the hosts had meanwhile: how busy for their size' },
};

/** What the columns of a table are in. */
export function amountTitle(norm: Norm, unit: Unit): string {
	if (norm === 'share')
		return 'Share of the side\'s total';
	return norm === 'second' ? `${unit === 'nanoseconds' ? 'Time' : 'Value'} per second` : 'Per second of every core';
}
