// SPDX-License-Identifier: Apache-2.0
// What there is to say about one frame, worded once for tip, details and readers.

import { hasSides } from '../model/change.ts';
import { formatAmount, formatCount, formatPercent } from '../model/format.ts';
import { kind, kindOf, kindWords, moduleOf, nodeName, placeOf, samplesOf, selfOf, type FlameTree } from '../model/flame_tree.ts';
import { changeFacts, spokenChange } from './change_words.ts';

export interface FrameFacts {
	name: string;
	/** '' = none. */
	module: string;
	kindWord: string;
	/** `path/file.c:12`, or the file alone; '' = not known. */
	place: string;
	self: string;
	selfPercent: string;
	total: string;
	totalPercent: string;
	/** Of the focused frame; '' if that is the root. */
	focusPercent: string;
	samples: string;
	/** What a marker or a trimmed frame means; '' for others. */
	remark: string;
}

function remarkOf(tree: FlameTree, node: number): string {
	switch (kindOf(tree, node)) {
	case kind.marker:
		return 'The stack could not be followed further: what called or was called here is not known.';
	case kind.label:
		return 'The value of a label: everything below ran there.';
	case kind.trimmed:
		return `${formatCount(tree.trimmedNodes.get(node) ?? 0)} frames too small to be sent. Focus this one to load them.`;
	case kind.unknown:
		return moduleOf(tree, node)
			? 'No symbols for this binary yet: they are looked for, and the name appears when they come.'
			: 'This address belongs to no known binary: generated code, or a mapping that is gone.';
	default:
		return tree.inlined[node] ? `Its code stands inside of ${nodeName(tree, tree.parent[node])}: the compiler made no call.` : '';
	}
}

export function factsOf(tree: FlameTree, node: number, focus: number): FrameFacts {
	const total = tree.total[node];
	const self = selfOf(tree, node);
	const whole = tree.total[0];
	const samples = samplesOf(tree, total);
	return {
		name: nodeName(tree, node),
		module: moduleOf(tree, node),
		kindWord: tree.inlined[node] ? 'inlined' : kindWords[kindOf(tree, node)] ?? 'other',
		place: placeOf(tree.names, tree.nameId[node]),
		self: formatAmount(self, tree.unit, 'samples'),
		selfPercent: formatPercent(self, whole),
		total: formatAmount(total, tree.unit, 'samples'),
		totalPercent: formatPercent(total, whole),
		focusPercent: focus === 0 || total > tree.total[focus] ? '' : formatPercent(total, tree.total[focus]),
		samples: tree.unit === 'count' || samples === null ? '' : formatCount(samples),
		remark: remarkOf(tree, node),
	};
}

/** One line for screen readers. */
export function spokenNode(tree: FlameTree, node: number, focus: number): string {
	if (hasSides(tree))
		return spokenChange(changeFacts(tree, node));
	const facts = factsOf(tree, node, focus);
	const inlined = facts.kindWord === 'inlined' ? 'inlined' : '';
	const parts = [facts.name, facts.module, inlined, `self ${facts.self} ${facts.selfPercent}`, `total ${facts.total} ${facts.totalPercent}`];
	return parts.filter((part) => part !== '').join(', ');
}
