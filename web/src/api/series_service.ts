// SPDX-License-Identifier: Apache-2.0
// Values over time, and samples by the part of the second.

import { partialOf } from '../model/flame_json.ts';
import type { Unit } from '../model/flame_tree.ts';
import type { Heat } from '../model/heat.ts';
import type { Group, Series } from '../model/series.ts';
import { requestJson, type RequestOptions } from './client.ts';
import { isObject, list, numberOr, textOr, WrongJson, type Json } from './json.ts';

type Options = Pick<RequestOptions, 'signal'>;

function unitOf(json: Json): Unit {
	const word = textOr(json, 'unit', 'count');
	return word === 'nanoseconds' || word === 'bytes' ? word : 'count';
}

function object(json: unknown): Json {
	if (!isObject(json))
		throw new WrongJson('It is no object.');
	return json;
}

/** COUNT numbers, none below 0. */
function column(json: Json, key: string, count: number): Float64Array {
	const found = json[key];
	if (!Array.isArray(found) || found.length !== count || !found.every((value) => typeof value === 'number' && value >= 0))
		throw new WrongJson(`"${key}" is not ${count} numbers.`);
	return Float64Array.from(found);
}

/** How many steps or cells there are: what the answer says is believed up to what the server promises. */
function countOf(json: Json, key: string, max: number): number {
	const count = numberOr(json, key, -1);
	if (!Number.isInteger(count) || count < 0 || count > max)
		throw new WrongJson(`"${key}" is no number of them.`);
	return count;
}

function length(json: Json, key: string, count: number): number {
	const ms = numberOr(json, key, 0) / 1e6;
	if (count > 0 && !(ms > 0))
		throw new WrongJson(`"${key}" is no length of time.`);
	return ms;
}

const STEPS_MAX = 4096;
const CELLS_MAX = 500_000;

function toGroup(json: Json, by: string, steps: number): Group {
	const labels = isObject(json['labels']) ? json['labels'] : {};
	return { label: textOr(labels, by, ''), total: numberOr(json, 'total', 0), values: column(json, 'values', steps) };
}

export interface SeriesRequest {
	query: string;
	from: string;
	until: string;
	/** A label, '' = none. */
	by: string;
	/** How many groups, beside the one of the rest. */
	limit: number;
}

/** BY is the label that was asked for. */
export function readSeries(answer: unknown, by: string): Series {
	const json = object(answer);
	const steps = countOf(json, 'step_count', STEPS_MAX);
	const groups = by === '' ? [] : list(json, 'series').map((group) => toGroup(group, by, steps))
		.map((group) => (group.label === '' ? { ...group, label: `no ${by}` } : group));
	const rest = isObject(json['other']) ? json['other'] : null;
	if (rest)
		groups.push({ ...toGroup(rest, '', steps), label: '' });
	return {
		unit: unitOf(json),
		startMs: numberOr(json, 'start', 0) / 1e6,
		stepMs: length(json, 'step', steps),
		fromMs: numberOr(json, 'from', 0) / 1e6,
		untilMs: numberOr(json, 'until', 0) / 1e6,
		values: column(json, 'values', steps),
		coveredNs: column(json, 'covered', steps),
		coreNs: column(json, 'core_ns', steps),
		groups,
		restCount: rest ? numberOr(rest, 'group_count', 0) : 0,
		partial: partialOf(json),
	};
}

export function fetchSeries({ by, ...wanted }: SeriesRequest, options: Options): Promise<Series> {
	return requestJson('series', { ...wanted, by }, options, (answer) => readSeries(answer, by));
}

export interface HeatRequest {
	query: string;
	from: string;
	until: string;
}

export function readHeat(answer: unknown): Heat {
	const json = object(answer);
	const columns = countOf(json, 'column_count', STEPS_MAX);
	const rows = countOf(json, 'row_count', CELLS_MAX);
	if (columns * rows > CELLS_MAX)
		throw new WrongJson(`It has ${columns * rows} cells.`);
	return {
		unit: unitOf(json),
		startMs: numberOr(json, 'start', 0) / 1e6,
		columnMs: length(json, 'column', columns),
		columnCount: columns,
		rowMs: length(json, 'row', rows),
		rowCount: rows,
		sampleCount: numberOr(json, 'sample_count', 0),
		total: numberOr(json, 'total', 0),
		counts: Uint32Array.from(column(json, 'counts', columns * rows)),
		countMax: numberOr(json, 'count_max', 0),
		coveredNs: column(json, 'covered', columns),
		spreadCount: numberOr(json, 'spread_count', 0),
		spreadUntilMs: numberOr(json, 'spread_until', 0) / 1e6,
		partial: partialOf(json),
	};
}

export function fetchHeat(wanted: HeatRequest, id: string, options: Options): Promise<Heat> {
	return requestJson('heatmap', { ...wanted, id }, options, readHeat);
}

export interface ProgressAnswer {
	running: boolean;
	stage: string;
	/** The part of the range that is read. */
	done: number;
}

export function fetchProgress(id: string, options: Options): Promise<ProgressAnswer> {
	return requestJson('progress', { id }, options, (answer) => {
		const json = object(answer);
		return { running: json['running'] === true, stage: textOr(json, 'stage', ''), done: numberOr(json, 'done', 0) };
	});
}
