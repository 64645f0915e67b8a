// SPDX-License-Identifier: Apache-2.0
// The chain of stages from kernel to disk and from disk to answer, as rows of tables: what came into a
// stage, went out, waits there, and is lost, with the reasons that are not zero.

import { isObject, numberOr, textOr, type Json } from './json.ts';

export interface Reason {
	words: string;
	value: number;
	remedy: string;
	kind: 'unaccounted' | 'lost' | 'aside' | 'note';
}

export interface Stage {
	name: string;
	unit: string;
	meaning: string;
	in: number;
	out: number;
	waiting: number;
	lost: number;
	unaccounted: number;
	reasons: Reason[];
}

export interface StageGroup {
	title: string;
	stages: Stage[];
}

/* Where a table of its own begins. A stage that this page does not know goes on in the one before. */
const titles: Record<string, string> = {
	kernel: 'From the kernel to the network',
	receive: 'From the network to the disk',
	want: 'Names',
	query: 'Answers',
};

function reasonsOf(stage: Json, key: string, kind: Reason['kind']): Reason[] {
	const listed = stage[key];
	if (!Array.isArray(listed))
		return [];
	return listed.filter(isObject).map((reason): Reason => ({
		words: textOr(reason, 'reason', ''),
		value: numberOr(reason, 'value', 0),
		remedy: textOr(reason, 'remedy', ''),
		kind,
	})).filter((reason) => reason.value > 0);
}

function readStage(json: Json): Stage {
	const unaccounted = numberOr(json, 'unaccounted', 0);
	const fault: Reason[] = unaccounted > 0 ? [{
		words: 'unaccounted for',
		value: unaccounted,
		remedy: "A fault of Cairn's own: report it.",
		kind: 'unaccounted',
	}] : [];
	return {
		name: textOr(json, 'stage', '?'),
		unit: textOr(json, 'unit', ''),
		meaning: textOr(json, 'meaning', ''),
		in: numberOr(json, 'in', 0),
		out: numberOr(json, 'out', 0),
		waiting: numberOr(json, 'waiting', 0),
		lost: numberOr(json, 'lost', 0),
		unaccounted,
		reasons: [
			...fault,
			...reasonsOf(json, 'lost_reasons', 'lost'),
			...reasonsOf(json, 'aside_reasons', 'aside'),
			...reasonsOf(json, 'notes', 'note'),
		],
	};
}

/** CHAIN is what status says; what is no list gives no group. */
export function readChain(chain: unknown): StageGroup[] {
	const groups: StageGroup[] = [];
	for (const json of Array.isArray(chain) ? chain.filter(isObject) : []) {
		const stage = readStage(json);
		const title = titles[stage.name];
		if (title !== undefined || groups.length === 0)
			groups.push({ title: title ?? 'Stages', stages: [] });
		groups[groups.length - 1]?.stages.push(stage);
	}
	return groups;
}

export interface Warning {
	isError: boolean;
	host: string;
	text: string;
	remedy: string;
}

export function readWarnings(warnings: unknown): Warning[] {
	return (Array.isArray(warnings) ? warnings.filter(isObject) : []).map((warning) => ({
		isError: warning['level'] === 'error',
		host: textOr(warning, 'host', ''),
		text: textOr(warning, 'text', ''),
		remedy: textOr(warning, 'remedy', ''),
	}));
}
