// SPDX-License-Identifier: Apache-2.0
// Search over functions: what a query means, which names match, and how much of the profile that is.

import { kind, nameModule, type FlameNames, type FlameTree } from './flame_tree.ts';

export interface Query {
	test: (text: string) => boolean;
	/** Whether the query asks for binaries (`in:libc`) and not for functions. */
	byModule: boolean;
}

export interface SearchResult {
	/** By name id: 1 = matches. */
	nameMatches: Uint8Array;
	functionCount: number;
	/** Matching nodes, ascending, so in each level from left to right. */
	nodes: Uint32Array;
	/** Sum of the outermost matching nodes: nothing is counted twice. */
	value: number;
}

function escaped(text: string): string {
	return text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
}

/** `text` is part of the name in any case; `/text/` is a regular expression; `in:` before either asks
 * for the binary. Null: nothing asked. A string: why it is no regular expression. */
export function parseQuery(text: string): Query | string | null {
	const byModule = text.startsWith('in:');
	const wanted = (byModule ? text.slice(3) : text).trim();
	if (!wanted)
		return null;
	const pattern = /^\/(.+)\/([imsu]*)$/s.exec(wanted);
	if (!pattern) {
		/* A pattern that ignores case finds a text without making a lower-case copy of every name. */
		const literal = new RegExp(escaped(wanted), 'iu');
		return { test: (name) => literal.test(name), byModule };
	}
	try {
		const regex = new RegExp(pattern[1], pattern[2] || 'i');
		return { test: (name) => regex.test(name), byModule };
	} catch (error) {
		return error instanceof Error ? error.message : String(error);
	}
}

/** The query that finds exactly this function. */
export function queryFor(name: string): string {
	return `/^${escaped(name).replaceAll('\n', '\\n')}$/s`;
}

export function matchNames(names: FlameNames, query: Query): Uint8Array {
	const matches = new Uint8Array(names.text.length);
	const moduleMatches = query.byModule ? names.modules.map(query.test) : [];
	for (let id = 0; id < matches.length; id++) {
		if (names.kind[id] === kind.root || names.kind[id] === kind.trimmed)
			continue;
		const module = names.module[id];
		const hit = query.byModule ? module !== 0 && moduleMatches[module - 1] : query.test(names.text[id]);
		matches[id] = hit ? 1 : 0;
	}
	return matches;
}

export function findNodes(tree: FlameTree, nameMatches: Uint8Array): SearchResult {
	const { nameId, parent, total, nodeCount } = tree;
	const covered = new Uint8Array(nodeCount);
	const nodes = new Uint32Array(nodeCount);
	let nodeMatches = 0;
	let value = 0;
	/* Without branches: which names match follows no order that a processor could learn. */
	for (let node = 0; node < nodeCount; node++) {
		const hit = nameMatches[nameId[node]];
		const above = covered[parent[node]];
		nodes[nodeMatches] = node;
		nodeMatches += hit;
		value += total[node] * (hit & (above ^ 1));
		covered[node] = hit | above;
	}
	let functionCount = 0;
	for (const hit of nameMatches)
		functionCount += hit;
	return { nameMatches, functionCount, nodes: nodes.slice(0, nodeMatches), value };
}

export function search(tree: FlameTree, query: Query): SearchResult {
	return findNodes(tree, matchNames(tree.names, query));
}

/** The nodes of one function, ascending. */
export function occurrences(tree: FlameTree, name: number): Uint32Array {
	const nodes: number[] = [];
	for (let node = 0; node < tree.nodeCount; node++) {
		if (tree.nameId[node] === name)
			nodes.push(node);
	}
	return Uint32Array.from(nodes);
}

/** The widest of NODES, the first of equals; -1 if there is none. */
export function widest(tree: FlameTree, nodes: Uint32Array): number {
	let best = -1;
	for (const node of nodes) {
		if (best < 0 || tree.total[node] > tree.total[best])
			best = node;
	}
	return best;
}

/** Matches from the widest to the narrowest: the order in which next and previous visit them. */
export function byValue(tree: FlameTree, nodes: Uint32Array): Uint32Array {
	const { total } = tree;
	return nodes.slice().sort((a, b) => total[b] - total[a] || a - b);
}

/** Ids by text and module, for whoever looks many of them up. */
export function nameIndex(names: FlameNames): Map<string, number> {
	return new Map(names.text.map((text, id) => [`${text}\0${nameModule(names, id)}`, id]));
}

/** The id of a function by its text and module, -1 if it is not there. */
export function findName(names: FlameNames, text: string, module: string): number {
	for (let id = 0; id < names.text.length; id++) {
		if (names.text[id] === text && nameModule(names, id) === module)
			return id;
	}
	return -1;
}
