// SPDX-License-Identifier: Apache-2.0
// The lines of one function with their weights, and the text that they stand in.

import type { Unit } from '../model/flame_tree.ts';
import { request, requestJson, type RequestOptions } from './client.ts';
import { list, numberOr, textOr, type Json } from './json.ts';

type Options = Pick<RequestOptions, 'signal'>;

export interface LinesRequest {
	query: string;
	from: string;
	until: string;
	name: string;
	module: string;
	showsInlined: boolean;
}

export interface SourceLine {
	/** 0 = the line is not known. */
	line: number;
	self: number;
	total: number;
}

export interface FunctionLines {
	unit: Unit;
	/** Of the whole range, for shares. */
	whole: number;
	/** As the linker knows it. */
	raw: string;
	/** The file with most of its time; '' = not known. */
	file: string;
	/** The build with most of its time, and how many others there are. */
	buildId: string;
	otherBuilds: number;
	/** By line; of that file and build alone. */
	lines: SourceLine[];
	/** What lies in other files and builds. */
	elsewhere: number;
}

interface Row extends SourceLine {
	raw: string;
	file: string;
	buildId: string;
}

function toRow(json: Json): Row {
	return {
		line: numberOr(json, 'line', 0),
		self: numberOr(json, 'self', 0),
		total: numberOr(json, 'total', 0),
		raw: textOr(json, 'raw', ''),
		file: textOr(json, 'file', ''),
		buildId: textOr(json, 'build_id', ''),
	};
}

/** The value of KEY that has most of the rows' time. */
function heaviest(rows: readonly Row[], key: 'file' | 'buildId'): string {
	const sums = new Map<string, number>();
	for (const row of rows)
		sums.set(row[key], (sums.get(row[key]) ?? 0) + row.total);
	return [...sums].sort((a, b) => b[1] - a[1])[0]?.[0] ?? '';
}

export function toFunctionLines(unit: Unit, whole: number, rows: readonly Row[]): FunctionLines {
	const buildId = heaviest(rows, 'buildId');
	const ofBuild = rows.filter((row) => row.buildId === buildId);
	const file = heaviest(ofBuild, 'file');
	const shown = ofBuild.filter((row) => row.file === file);
	const sum = (of: readonly Row[]): number => of.reduce((all, { total }) => all + total, 0);
	return {
		unit,
		whole,
		raw: shown[0]?.raw ?? '',
		file,
		buildId,
		otherBuilds: new Set(rows.map((row) => row.buildId)).size - 1,
		lines: shown.map(({ line, self, total }) => ({ line, self, total })).sort((a, b) => a.line - b.line),
		elsewhere: sum(rows) - sum(shown),
	};
}

const units: readonly Unit[] = ['count', 'nanoseconds', 'bytes'];
const LINES_MAX = 10_000;

export function fetchLines(wanted: LinesRequest, options: Options): Promise<FunctionLines> {
	const params = {
		query: wanted.query, from: wanted.from, until: wanted.until, group: 'line', builds: 'apart', limit: LINES_MAX,
		function: wanted.name, module: wanted.module, inlined: wanted.showsInlined ? '' : 'hide',
	};
	return requestJson('top', params, options, (json) => {
		const answer = json as Json;
		const unit = units.find((known) => known === answer['unit']) ?? 'count';
		return toFunctionLines(unit, numberOr(answer, 'total', 0), list(json, 'functions').map(toRow));
	});
}

/** Line by line. */
export function fetchSourceText(buildId: string, path: string, options: Options): Promise<string[]> {
	return request('source', { 'build-id': buildId, path }, { ...options, accept: 'text/plain' }, async (response) =>
		(await response.text()).split(/\r?\n/));
}
