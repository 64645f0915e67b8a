// SPDX-License-Identifier: Apache-2.0
// `GET api/v1/flame` and `GET api/v1/diff` to trees, from JSON: every field is checked.

import type { ChangeParts, Side } from './change.ts';
import { markInlined, units } from './flame_decode.ts';
import { BrokenFlame, buildTree, type FlameNames, type FlameTree, type PartialAnswer } from './flame_tree.ts';

type Json = Record<string, unknown>;

const reasons = ['time', 'memory', 'damage'] as const;

/** What an answer says of its own gaps; null = it is whole. */
export function partialOf(json: Json): PartialAnswer | null {
	const found = json['partial'];
	if (typeof found !== 'object' || found === null)
		return null;
	const said = found as Json;
	const milliseconds = (key: string): number => (typeof said[key] === 'number' ? (said[key] as number) / 1e6 : 0);
	return {
		reason: reasons.find((known) => known === said['reason']) ?? '',
		fromMs: milliseconds('from'),
		untilMs: milliseconds('until'),
		unreadableCount: typeof said['unreadable_count'] === 'number' ? said['unreadable_count'] : 0,
	};
}

function number(json: Json, key: string): number {
	const value = json[key];
	if (typeof value !== 'number' || !(value >= 0))
		throw new BrokenFlame(`"${key}" is not a number`);
	return value;
}

function list(json: Json, key: string): unknown[] {
	const value = json[key];
	if (!Array.isArray(value))
		throw new BrokenFlame(`"${key}" is not a list`);
	return value;
}

function numbers(json: Json, key: string, max: number): number[] {
	const found = list(json, key);
	for (const value of found) {
		if (typeof value !== 'number' || !Number.isInteger(value) || value < 0 || value > max)
			throw new BrokenFlame(`"${key}" holds something that is no whole number`);
	}
	return found as number[];
}

/** As numbers, for what servers may leave out: then COUNT zeros. */
function numbersIfThere(json: Json, key: string, count: number): number[] {
	return json[key] === undefined ? new Array<number>(count).fill(0) : numbers(json, key, 0xffffffff);
}

function texts(json: Json, key: string): string[] {
	const found = list(json, key);
	if (!found.every((value) => typeof value === 'string'))
		throw new BrokenFlame(`"${key}" holds something that is no text`);
	return found as string[];
}

function trimmedPairs(json: Json): Map<number, number> {
	const pairs = json['trimmed_nodes'] === undefined ? [] : list(json, 'trimmed_nodes');
	return new Map(pairs.map((pair) => {
		if (!Array.isArray(pair) || pair.length !== 2 || !pair.every(Number.isInteger))
			throw new BrokenFlame('"trimmed_nodes" holds something that is no pair');
		return [pair[0] as number, pair[1] as number];
	}));
}

function asObject(value: unknown, what: string): Json {
	if (typeof value !== 'object' || value === null)
		throw new BrokenFlame(`${what} is missing`);
	return value as Json;
}

function versioned(value: unknown): Json {
	const json = asObject(value, 'the graph');
	if (json['version'] !== 1)
		throw new BrokenFlame(`version ${String(json['version'])} is unknown: reload the page`);
	return json;
}

function unitOf(json: Json) {
	const unit = units.find((known) => known === json['unit']);
	if (!unit)
		throw new BrokenFlame(`unit ${String(json['unit'])} is unknown: reload the page`);
	return unit;
}

function namesOf(json: Json): FlameNames {
	const text = texts(json, 'names');
	const count = text.length;
	const names: FlameNames = {
		text,
		module: Uint32Array.from(numbers(json, 'name_module', 0xffffffff)),
		kind: Uint8Array.from(numbers(json, 'name_kind', 255)),
		modules: texts(json, 'modules'),
		file: Uint32Array.from(numbersIfThere(json, 'name_file', count)),
		line: Uint32Array.from(numbersIfThere(json, 'name_line', count)),
		files: json['files'] === undefined ? [] : texts(json, 'files'),
	};
	if (names.file.length !== count || names.line.length !== count || names.module.length !== count || names.kind.length !== count)
		throw new BrokenFlame('names, their modules, kinds and files differ in number');
	return names;
}

/** What trees of one and of two sides have alike. */
function shapeOf(json: Json) {
	const nameId = Uint32Array.from(numbers(json, 'name', 0xffffffff));
	const partial = partialOf(json);
	return {
		unit: unitOf(json),
		trimmed: json['trimmed'] === true,
		partialSymbols: json['partial_symbols'] === true,
		names: namesOf(json),
		childCount: Uint32Array.from(numbers(json, 'child_count', 0xffffffff)),
		nameId,
		trimmedNodes: trimmedPairs(json),
		inlined: markInlined(json['inlined'] === undefined ? [] : numbers(json, 'inlined', 0xffffffff), nameId.length),
		...(partial ? { partial } : {}),
	};
}

export function decodeFlameJson(value: unknown): FlameTree {
	const json = versioned(value);
	const scale = number(json, 'scale');
	if (scale > 32)
		throw new BrokenFlame(`scale ${scale} is unknown`);
	return buildTree({
		...shapeOf(json),
		period: number(json, 'period'),
		sampleCount: number(json, 'sample_count'),
		fromMs: number(json, 'from') / 1e6,
		untilMs: number(json, 'until') / 1e6,
		total: Float64Array.from(numbers(json, 'totals', Number.MAX_SAFE_INTEGER), (total) => total * 2 ** scale),
	});
}

export function decodeSide(value: unknown): Side {
	const json = asObject(value, 'a side');
	return {
		total: number(json, 'total'),
		sampleCount: number(json, 'sample_count'),
		period: number(json, 'period'),
		fromMs: number(json, 'from') / 1e6,
		untilMs: number(json, 'until') / 1e6,
		coreNs: number(json, 'core_ns'),
		groups: number(json, 'groups'),
		partial: partialOf(json),
	};
}

function chances(json: Json): Float64Array {
	const found = list(json, 'p');
	if (!found.every((p) => typeof p === 'number' && p >= 0 && p <= 1))
		throw new BrokenFlame('"p" holds something that is no chance');
	return Float64Array.from(found as number[]);
}

export function decodeChange(value: unknown): ChangeParts {
	const json = versioned(value);
	const comparison = {
		left: decodeSide(json['left']),
		right: decodeSide(json['right']),
		leftTotals: Float64Array.from(numbers(json, 'left_totals', Number.MAX_SAFE_INTEGER)),
		rightTotals: Float64Array.from(numbers(json, 'right_totals', Number.MAX_SAFE_INTEGER)),
		p: chances(json),
	};
	const shape = shapeOf(json);
	const count = shape.nameId.length;
	if ([comparison.leftTotals, comparison.rightTotals, comparison.p].some(({ length }) => length !== count))
		throw new BrokenFlame('the columns of the two sides differ in length');
	return { ...shape, comparison };
}
