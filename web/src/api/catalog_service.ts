// SPDX-License-Identifier: Apache-2.0
// What exists in a range: hosts, processes, profile types.

import type { Unit } from '../model/flame_tree.ts';
import { requestJson, type RequestOptions } from './client.ts';
import { list, numberOr, text, textOr, type Json } from './json.ts';

export interface Host {
	host: string;
	/** Where its first window of the range begins, and its last one ends. */
	firstSeenMs: number;
	lastSeenMs: number; // by its own clock
	heardMs: number; // when its last batch came, by the server's clock
	samples: number;
	value: number;
	kernel: string;
	collector: string;
}

export interface Process {
	process: string;
	serviceName: string;
	host: string;
	samples: number;
	value: number;
}

export interface ProfileType {
	id: string;
	samples: number;
	value: number;
	unit: Unit;
}

type Options = Pick<RequestOptions, 'signal'>;

function toHost(json: Json): Host {
	return {
		host: text(json, 'host'),
		firstSeenMs: numberOr(json, 'first_seen', 0) / 1e6,
		lastSeenMs: numberOr(json, 'last_seen', 0) / 1e6,
		heardMs: numberOr(json, 'last_received', numberOr(json, 'last_seen', 0)) / 1e6,
		samples: numberOr(json, 'samples', 0),
		value: numberOr(json, 'value', 0),
		kernel: textOr(json, 'kernel', ''),
		collector: textOr(json, 'collector', ''),
	};
}

function toProcess(json: Json): Process {
	return {
		process: text(json, 'process'),
		serviceName: textOr(json, 'service_name', ''),
		host: textOr(json, 'host', ''),
		samples: numberOr(json, 'samples', 0),
		value: numberOr(json, 'value', 0),
	};
}

function toUnit(word: string): Unit {
	return word === 'nanoseconds' || word === 'bytes' ? word : 'count';
}

function toType(json: Json): ProfileType {
	return {
		id: text(json, 'id'),
		samples: numberOr(json, 'samples', 0),
		value: numberOr(json, 'value', 0),
		unit: toUnit(textOr(json, 'unit', 'count')),
	};
}

/** Hosts with samples in the range, of QUERY if one is given, the busiest first. */
export function fetchHosts(from: string, until: string, options: Options, query = ''): Promise<Host[]> {
	return requestJson('hosts', { from, until, query }, options, (json) =>
		list(json, 'hosts').map(toHost).sort((a, b) => b.value - a.value || (a.host < b.host ? -1 : 1)));
}

/** HOST '' = every host; equal names of different hosts are then one row. */
export async function fetchProcesses(host: string, from: string, until: string, options: Options): Promise<Process[]> {
	const found = await requestJson('processes', { host, from, until }, options, (json) =>
		list(json, 'processes').map(toProcess));
	const byName = new Map<string, Process>();
	for (const process of found) {
		const known = byName.get(process.process);
		byName.set(process.process, known
			? { ...known, samples: known.samples + process.samples, value: known.value + process.value }
			: process);
	}
	return [...byName.values()].sort((a, b) => b.value - a.value || (a.process < b.process ? -1 : 1));
}

/** Only types that have samples in the range. */
export function fetchTypes(query: string, from: string, until: string, options: Options): Promise<ProfileType[]> {
	return requestJson('types', { query, from, until }, options, (json) =>
		list(json, 'types').map(toType).filter((type) => type.samples > 0));
}
