// SPDX-License-Identifier: Apache-2.0
// What a profile does not know: time in frames without a name, and stacks that are not whole.

import { kind, nameModule, selfOf, type FlameTree } from './flame_tree.ts';

export interface Quality {
	/** Value whose leaf is an address without a name. */
	unnamed: number;
	/** The same by binary, largest first; '' = an address outside every known binary. */
	unnamedByModule: { module: string; value: number }[];
	/** Value of stacks with a marker in them (cut short, lost, unwinding stopped). */
	incomplete: number;
	incompleteByMarker: { marker: string; value: number }[];
	/** Value inside trimmed nodes. */
	trimmed: number;
	trimmedNodeCount: number;
}

function largestFirst(sums: Map<string, number>): [string, number][] {
	return [...sums].filter(([, value]) => value > 0).sort((a, b) => b[1] - a[1]);
}

function add(sums: Map<string, number>, key: string, value: number): void {
	sums.set(key, (sums.get(key) ?? 0) + value);
}

export function qualityOf(tree: FlameTree): Quality {
	const modules = new Map<string, number>();
	const markers = new Map<string, number>();
	const marked = new Uint8Array(tree.nodeCount);
	let unnamed = 0;
	let incomplete = 0;
	let trimmed = 0;
	for (let node = 0; node < tree.nodeCount; node++) {
		const name = tree.nameId[node];
		const nodeKind = tree.names.kind[name];
		marked[node] = marked[tree.parent[node]];
		if (nodeKind === kind.unknown) {
			const self = selfOf(tree, node);
			unnamed += self;
			add(modules, nameModule(tree.names, name), self);
		} else if (nodeKind === kind.marker && !marked[node]) {
			marked[node] = 1;
			incomplete += tree.total[node];
			add(markers, tree.names.text[name], tree.total[node]);
		} else if (nodeKind === kind.trimmed) {
			trimmed += tree.total[node];
		}
	}
	let trimmedNodeCount = 0;
	for (const count of tree.trimmedNodes.values())
		trimmedNodeCount += count;
	return {
		unnamed,
		unnamedByModule: largestFirst(modules).map(([module, value]) => ({ module, value })),
		incomplete,
		incompleteByMarker: largestFirst(markers).map(([marker, value]) => ({ marker, value })),
		trimmed,
		trimmedNodeCount,
	};
}
