// SPDX-License-Identifier: Apache-2.0
// Two ranges compared: the tree of both, and the functions that changed most.

import type { ChangedFunction, ChangeParts, Side } from '../model/change.ts';
import { decodeChange, decodeSide } from '../model/flame_json.ts';
import type { Unit } from '../model/flame_tree.ts';
import type { Range } from '../model/time_range.ts';
import { requestJson, type RequestOptions } from './client.ts';
import { groupingParams } from './flame_service.ts';
import { isObject, list, numberOr, text, textOr, WrongJson, type Json } from './json.ts';

export interface ChangeRequest {
	leftQuery: string;
	rightQuery: string;
	left: Range;
	right: Range;
	group: string;
	showsInlined: boolean;
	showsBuilds: boolean;
}

export interface ChangedFunctions {
	unit: Unit;
	left: Side;
	right: Side;
	/** The most changed first. */
	functions: ChangedFunction[];
	/** Of which `functions` may be the first only. */
	functionCount: number;
}

/* More rows than anyone reads; what changed least is left out. */
const FUNCTIONS_MAX = 2000;

type Options = Pick<RequestOptions, 'signal'>;

function sidesOf(wanted: ChangeRequest): Record<string, string> {
	return {
		left_query: wanted.leftQuery, left_from: wanted.left.from, left_until: wanted.left.until,
		right_query: wanted.rightQuery, right_from: wanted.right.from, right_until: wanted.right.until,
		...groupingParams(wanted.group, wanted.showsInlined, wanted.showsBuilds),
	};
}

export function fetchChange(wanted: ChangeRequest, maxNodes: number, id: string, options: Options): Promise<ChangeParts> {
	return requestJson('diff', { ...sidesOf(wanted), view: 'tree', max_nodes: maxNodes, id }, options, decodeChange);
}

function toFunction(json: Json): ChangedFunction {
	return {
		name: text(json, 'name'),
		module: textOr(json, 'module', ''),
		leftSelf: numberOr(json, 'left_self', 0),
		rightSelf: numberOr(json, 'right_self', 0),
		selfP: numberOr(json, 'self_p', 1),
		leftTotal: numberOr(json, 'left_total', 0),
		rightTotal: numberOr(json, 'right_total', 0),
		p: numberOr(json, 'p', 1),
	};
}

export function readFunctions(json: unknown): ChangedFunctions {
	if (!isObject(json))
		throw new WrongJson('It is no object.');
	const unit = textOr(json, 'unit', 'count');
	return {
		unit: unit === 'nanoseconds' || unit === 'bytes' ? unit : 'count',
		left: decodeSide(json['left']),
		right: decodeSide(json['right']),
		functions: list(json, 'functions').map(toFunction),
		functionCount: numberOr(json, 'function_count', 0),
	};
}

export function fetchChangedFunctions(wanted: ChangeRequest, options: Options): Promise<ChangedFunctions> {
	return requestJson('diff', { ...sidesOf(wanted), view: 'functions', limit: FUNCTIONS_MAX }, options, readFunctions);
}
