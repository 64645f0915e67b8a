// SPDX-License-Identifier: Apache-2.0
// Self and total of every function below a node. Recursion counts once: a function's total takes only
// the outermost of its frames on each path.

import { kind, selfOf, type FlameTree } from './flame_tree.ts';

export interface FunctionTable {
	/** Indexed by name id. */
	self: Float64Array;
	total: Float64Array;
	/** Name ids of the functions that have a value, in no promised order. */
	rows: Uint32Array;
	/** What trimmed nodes hold: it belongs to functions, but nobody here knows to which. */
	trimmedValue: number;
}

export type SortKey = 'self' | 'total' | 'name';
export interface Sort {
	key: SortKey;
	ascending: boolean;
}

/** Walks the tree below ROOT parent first; `enter` before a node's children, `leave` after them. */
function walk(tree: FlameTree, root: number, enter: (node: number) => void, leave: (node: number) => void): void {
	const { firstChild, parent } = tree;
	let node = root;
	for (;;) {
		enter(node);
		if (firstChild[node] < firstChild[node + 1]) {
			node = firstChild[node];
			continue;
		}
		while (node !== root && node + 1 >= firstChild[parent[node] + 1]) {
			leave(node);
			node = parent[node];
		}
		leave(node);
		if (node === root)
			return;
		node++;
	}
}

function isFunction(nameKind: number): boolean {
	return nameKind !== kind.root && nameKind !== kind.trimmed;
}

export function tabulate(tree: FlameTree, root: number): FunctionTable {
	const nameCount = tree.names.text.length;
	const self = new Float64Array(nameCount);
	const total = new Float64Array(nameCount);
	const open = new Uint32Array(nameCount);
	const { nameId } = tree;
	walk(
		tree,
		root,
		(node) => {
			const name = nameId[node];
			self[name] += selfOf(tree, node);
			if (open[name]++ === 0)
				total[name] += tree.total[node];
		},
		(node) => {
			open[nameId[node]]--;
		},
	);
	const rows: number[] = [];
	let trimmedValue = 0;
	for (let name = 0; name < nameCount; name++) {
		if (tree.names.kind[name] === kind.trimmed)
			trimmedValue += total[name];
		if (total[name] > 0 && isFunction(tree.names.kind[name]))
			rows.push(name);
	}
	return { self, total, rows: Uint32Array.from(rows), trimmedValue };
}

/** The rows sorted; equal ones stay in the order of their names' frequency. */
export function sortedRows(tree: FlameTree, table: FunctionTable, sort: Sort): Uint32Array {
	const rows = table.rows.slice();
	const { text } = tree.names;
	const sign = sort.ascending ? 1 : -1;
	if (sort.key === 'name')
		return rows.sort((a, b) => sign * (text[a] < text[b] ? -1 : text[a] > text[b] ? 1 : 0) || a - b);
	const first = sort.key === 'self' ? table.self : table.total;
	const second = sort.key === 'self' ? table.total : table.self;
	return rows.sort((a, b) => sign * (first[a] - first[b] || second[a] - second[b]) || a - b);
}
