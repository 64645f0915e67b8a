// SPDX-License-Identifier: Apache-2.0
// The graph for readers: the frame under the cursor, its caller, its siblings and its widest callees, as
// items of the tree that the canvas is drawn for. Hidden from sight, not from the accessibility tree.

import { deepestLevel, levelOf, type FlameTree } from '../model/flame_tree.ts';
import { spokenNode } from './frame_facts.ts';

const CHILDREN_MAX = 20;
const SIBLINGS_AROUND = 10;

export function itemId(node: number): string {
	return `frame-${node}`;
}

function siblingsAround(tree: FlameTree, node: number): number[] {
	if (node === 0)
		return [0];
	const parent = tree.parent[node];
	const first = Math.max(tree.firstChild[parent], node - SIBLINGS_AROUND);
	const end = Math.min(tree.firstChild[parent + 1], node + SIBLINGS_AROUND + 1);
	return Array.from({ length: end - first }, (_, i) => first + i);
}

function mirrored(tree: FlameTree, cursor: number): number[] {
	const nodes = cursor === 0 ? [] : [tree.parent[cursor]];
	nodes.push(...siblingsAround(tree, cursor));
	const first = tree.firstChild[cursor];
	const end = Math.min(tree.firstChild[cursor + 1], first + CHILDREN_MAX);
	for (let child = first; child < end; child++)
		nodes.push(child);
	return nodes;
}

function Item({ tree, node, cursor, focus }: { tree: FlameTree; node: number; cursor: number; focus: number }) {
	const parent = tree.parent[node];
	const siblings = node === 0 ? 1 : tree.firstChild[parent + 1] - tree.firstChild[parent];
	const position = node === 0 ? 1 : node - tree.firstChild[parent] + 1;
	const hasChildren = tree.firstChild[node + 1] > tree.firstChild[node];
	return (
		<div
			id={itemId(node)}
			role="treeitem"
			aria-level={levelOf(tree, node) + 1}
			aria-posinset={position}
			aria-setsize={siblings}
			aria-selected={node === cursor}
			aria-expanded={hasChildren ? true : undefined}
			aria-current={node === focus ? 'true' : undefined}
		>
			{spokenNode(tree, node, focus)}
		</div>
	);
}

export function FlameMirror({ tree, cursor, focus }: { tree: FlameTree; cursor: number; focus: number }) {
	return (
		<div class="hidden-visually" role="group" aria-label={`${deepestLevel(tree, focus) + 1} levels`}>
			{mirrored(tree, cursor).map((node) => (
				<Item key={node} tree={tree} node={node} cursor={cursor} focus={focus} />
			))}
		</div>
	);
}
