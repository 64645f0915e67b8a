// SPDX-License-Identifier: Apache-2.0
// Which binaries of a range have no names, why, and what helps; and files given by hand.

import type { Unit } from '../model/flame_tree.ts';
import { requestJson, sendFile, type RequestOptions } from './client.ts';
import { isObject, list, numberOr, textOr, WrongJson, type Json } from './json.ts';

type Options = Pick<RequestOptions, 'signal'>;

export interface ModuleSymbols {
	/** '' = addresses in no file. */
	module: string;
	buildId: string;
	total: number;
	unnamedTotal: number;
	unnamedSelf: number;
	addresses: number;
	unnamedAddresses: number;
	/** What its names come from. */
	quality: string;
	functionCount: number;
	pending: boolean;
	/** What was tried, and how it ended. */
	state: string;
	remedy: string;
	command: string;
	/** A file given by hand would help. */
	upload: boolean;
}

export interface SymbolCoverage {
	unit: Unit;
	total: number;
	unnamedTotal: number;
	unnamedSelf: number;
	sampleCount: number;
	modules: ModuleSymbols[];
}

function toModule(json: Json): ModuleSymbols {
	return {
		module: textOr(json, 'module', ''),
		buildId: textOr(json, 'build_id', ''),
		total: numberOr(json, 'total', 0),
		unnamedTotal: numberOr(json, 'unnamed_total', 0),
		unnamedSelf: numberOr(json, 'unnamed_self', 0),
		addresses: numberOr(json, 'addresses', 0),
		unnamedAddresses: numberOr(json, 'unnamed_addresses', 0),
		quality: textOr(json, 'quality', ''),
		functionCount: numberOr(json, 'function_count', 0),
		pending: json['pending'] === true,
		state: textOr(json, 'state', ''),
		remedy: textOr(json, 'remedy', ''),
		command: textOr(json, 'command', ''),
		upload: json['upload'] === true,
	};
}

const units: readonly Unit[] = ['count', 'nanoseconds', 'bytes'];

export function fetchSymbols(query: string, from: string, until: string, options: Options): Promise<SymbolCoverage> {
	return requestJson('symbols', { query, from, until }, options, (json) => {
		if (!isObject(json))
			throw new WrongJson('The list of symbols is not an object.');
		return {
			unit: units.find((known) => known === json['unit']) ?? 'count',
			total: numberOr(json, 'total', 0),
			unnamedTotal: numberOr(json, 'unnamed_total', 0),
			unnamedSelf: numberOr(json, 'unnamed_self', 0),
			sampleCount: numberOr(json, 'sample_count', 0),
			modules: list(json, 'modules').map(toModule),
		};
	});
}

export interface ModuleState {
	pending: boolean;
	/** What its names come from; '' = it has none. */
	namedBy: string;
	functionCount: number;
	text: string;
}

export function fetchModule(buildId: string, options: Options): Promise<ModuleState> {
	return requestJson(`symbols/${buildId}`, {}, options, (json) => {
		const state = isObject(json) ? json : {};
		return {
			pending: state['pending'] === true,
			namedBy: textOr(state, 'named_by', ''),
			functionCount: numberOr(state, 'functions', 0),
			text: textOr(state, 'text', ''),
		};
	});
}

/** Hands FILE to the server as that of BUILD-ID; PROGRESS hears the share that has left. */
export function sendSymbols(buildId: string, file: File, progress: (share: number) => void, options: Options): Promise<void> {
	return sendFile(`symbols/${buildId}`, { name: file.name }, file, progress, options);
}
