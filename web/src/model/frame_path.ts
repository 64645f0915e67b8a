// SPDX-License-Identifier: Apache-2.0
// A name for one frame that outlives its node number: a hash over the names on its path. A link carries
// it, and the same frame is found again in other data. It is 64 bits wide, so that two frames of one
// profile never meet in practice.

import { nameModule, pathTo, type FlameNames, type FlameTree } from './flame_tree.ts';

const SEED_A = 0x811c9dc5;
const SEED_B = 0x9747b28c;

function scramble(hash: number): number {
	hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
	hash = Math.imul(hash ^ (hash >>> 13), 0x297a2d39);
	return (hash ^ (hash >>> 16)) >>> 0;
}

function hashText(text: string, seed: number): number {
	let hash = seed;
	for (let i = 0; i < text.length; i++)
		hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
	return scramble(hash);
}

function join(parent: number, name: number): number {
	return scramble(Math.imul(parent, 0x9e3779b1) + name);
}

function hex(a: number, b: number): string {
	return a.toString(16).padStart(8, '0') + b.toString(16).padStart(8, '0');
}

function key(names: FlameNames, nameId: number): string {
	return `${names.text[nameId]}\0${nameModule(names, nameId)}`;
}

/** The hash of NODE. The root's is empty: it is there in every profile. */
export function pathHash(tree: FlameTree, node: number): string {
	if (node === 0)
		return '';
	let a = SEED_A;
	let b = SEED_B;
	for (const step of pathTo(tree, node).slice(1)) {
		const text = key(tree.names, tree.nameId[step]);
		a = join(a, hashText(text, SEED_A));
		b = join(b, hashText(text, SEED_B));
	}
	return hex(a, b);
}

/** The node with this hash, -1 if this profile has none. */
export function findPathHash(tree: FlameTree, hash: string): number {
	if (hash === '')
		return 0;
	if (!/^[0-9a-f]{16}$/.test(hash))
		return -1;
	const wantedA = parseInt(hash.slice(0, 8), 16);
	const wantedB = parseInt(hash.slice(8), 16);
	const { names, nodeCount, nameId, parent } = tree;
	const nameA = new Uint32Array(names.text.length);
	const nameB = new Uint32Array(names.text.length);
	for (let id = 0; id < nameA.length; id++) {
		const text = key(names, id);
		nameA[id] = hashText(text, SEED_A);
		nameB[id] = hashText(text, SEED_B);
	}
	const a = new Uint32Array(nodeCount);
	const b = new Uint32Array(nodeCount);
	a[0] = SEED_A;
	b[0] = SEED_B;
	for (let node = 1; node < nodeCount; node++) {
		a[node] = join(a[parent[node]], nameA[nameId[node]]);
		b[node] = join(b[parent[node]], nameB[nameId[node]]);
		if (a[node] === wantedA && b[node] === wantedB)
			return node;
	}
	return -1;
}

/** The names on the way to NODE, to look for it in the next profile. */
export function pathKeys(tree: FlameTree, node: number): string[] {
	return pathTo(tree, node).slice(1).map((step) => key(tree.names, tree.nameId[step]));
}

/** The deepest node that PATH still leads to. */
export function followPath(tree: FlameTree, path: readonly string[]): number {
	let node = 0;
	for (const wanted of path) {
		let child = tree.firstChild[node];
		const end = tree.firstChild[node + 1];
		while (child < end && key(tree.names, tree.nameId[child]) !== wanted)
			child++;
		if (child === end)
			return node;
		node = child;
	}
	return node;
}
