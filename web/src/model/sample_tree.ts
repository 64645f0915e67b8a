// SPDX-License-Identifier: Apache-2.0
// Small trees for unit tests, written as nested literals, and their bytes on the wire.

import { buildTree, kind, type FlameNames, type FlameParts, type FlameTree } from './flame_tree.ts';

/** [function, value, callees]; a function is `name`, `name@module`, `name@module#kind`, or
 * `name@module#kind!file:line`. The kind `inlined` is a native function that was inlined there. */
export type Sample = readonly [text: string, value: number, children?: readonly Sample[]];

interface SampleName {
	text: string;
	module: string;
	kind: number;
	file: string;
	line: number;
}

const INLINED = /#inlined(?:!|$)/;

function parseName(text: string): SampleName {
	const match = /^(.*?)(?:@(.*?))?(?:#(\w+))?(?:!(.*):(\d+))?$/s.exec(text)!;
	const word = match[3] === 'inlined' ? 'native' : match[3] ?? 'native';
	return {
		text: match[1], module: match[2] ?? '', kind: kind[word as keyof typeof kind],
		file: match[4] ?? '', line: Number(match[5] ?? 0),
	};
}

export function partsOf(root: Sample): FlameParts {
	const nodes: Sample[] = [];
	for (let level: Sample[] = [root]; level.length > 0; level = level.flatMap(([, , children]) => [...(children ?? [])]))
		nodes.push(...level);
	const texts = [...new Set(nodes.map(([text]) => text))];
	const found = texts.map(parseName);
	const distinct = (values: string[]): string[] => [...new Set(values.filter((value) => value !== ''))];
	const modules = distinct(found.map(({ module }) => module));
	const files = distinct(found.map(({ file }) => file));
	const names: FlameNames = {
		text: found.map(({ text }) => text),
		module: Uint32Array.from(found, ({ module }) => modules.indexOf(module) + 1),
		kind: Uint8Array.from(found, (name) => name.kind),
		modules,
		file: Uint32Array.from(found, ({ file }) => files.indexOf(file) + 1),
		line: Uint32Array.from(found, ({ line }) => line),
		files,
	};
	return {
		unit: 'nanoseconds',
		period: 10,
		sampleCount: Math.ceil(root[1] / 10),
		fromMs: 1000,
		untilMs: 2000,
		trimmed: false,
		partialSymbols: false,
		names,
		childCount: Uint32Array.from(nodes, ([, , children]) => children?.length ?? 0),
		total: Float64Array.from(nodes, ([, value]) => value),
		nameId: Uint32Array.from(nodes, ([text]) => texts.indexOf(text)),
		trimmedNodes: new Map(),
		inlined: Uint8Array.from(nodes, ([text]) => (INLINED.test(text) ? 1 : 0)),
	};
}

export function treeOf(root: Sample): FlameTree {
	return buildTree(partsOf(root));
}

function leb128(values: ArrayLike<number>): number[] {
	const out: number[] = [];
	for (let value of Array.from(values)) {
		for (; value >= 128; value = Math.floor(value / 128))
			out.push((value % 128) + 128);
		out.push(value);
	}
	return out;
}

function texts(strings: string[]): { lengths: number[]; bytes: number[] } {
	const blobs = strings.map((text) => [...new TextEncoder().encode(text)]);
	return { lengths: leb128(blobs.map((blob) => blob.length)), bytes: blobs.flat() };
}

export function bytesOf(parts: FlameParts, scale = 0, divisor = 0): Uint8Array<ArrayBuffer> {
	const names = texts(parts.names.text);
	const modules = texts(parts.names.modules);
	const pairs: number[] = [];
	let before = 0;
	for (const [node, count] of parts.trimmedNodes) {
		pairs.push(node - before, count);
		before = node;
	}
	const files = texts(parts.names.files);
	const inlined = [...parts.inlined.keys()].filter((node) => parts.inlined[node]);
	const totals = parts.total.map((value) => value / 2 ** scale / (divisor || 1));
	const sections: [id: number, encoding: number, bytes: number[]][] = [
		[1, 1, leb128(parts.childCount)],
		divisor ? [2, 2, leb128([divisor, ...totals])] : [2, 1, leb128(totals)],
		[3, 1, leb128(parts.nameId)],
		[4, 1, names.lengths],
		[5, 0, names.bytes],
		[6, 1, leb128(parts.names.module)],
		[7, 0, [...parts.names.kind]],
		[8, 1, modules.lengths],
		[9, 0, modules.bytes],
		[10, 1, leb128(pairs)],
		[20, 1, leb128(inlined.map((node, i) => node - (inlined[i - 1] ?? 0)))],
		[21, 1, leb128(parts.names.file)],
		[22, 1, leb128(parts.names.line)],
		[23, 1, files.lengths],
		[24, 0, files.bytes],
		[77, 3, [1, 2, 3]],
	];
	const headBytes = 72 + 24 * sections.length;
	const bytes = new Uint8Array(headBytes + sections.reduce((sum, [, , body]) => sum + body.length, 0));
	const view = new DataView(bytes.buffer);
	bytes.set([0x43, 0x52, 0x4e, 0x46]);
	view.setUint16(4, 1, true);
	view.setUint16(6, (parts.trimmed ? 2 : 0) | (parts.partialSymbols ? 4 : 0), true);
	view.setUint32(8, ['count', 'nanoseconds', 'bytes'].indexOf(parts.unit), true);
	view.setUint32(12, scale, true);
	view.setUint32(16, parts.nameId.length, true);
	view.setUint32(20, parts.names.text.length, true);
	view.setBigUint64(24, BigInt(parts.period), true);
	view.setBigUint64(32, BigInt(parts.sampleCount), true);
	view.setBigUint64(40, BigInt(parts.fromMs) * 1000000n, true);
	view.setBigUint64(48, BigInt(parts.untilMs) * 1000000n, true);
	view.setBigUint64(56, BigInt(parts.total[0] ?? 0), true);
	view.setUint32(64, sections.length, true);
	let offset = headBytes;
	sections.forEach(([id, encoding, body], i) => {
		const at = 72 + 24 * i;
		view.setUint32(at, id, true);
		view.setUint32(at + 4, encoding, true);
		view.setBigUint64(at + 8, BigInt(offset), true);
		view.setBigUint64(at + 16, BigInt(body.length), true);
		bytes.set(body, offset);
		offset += body.length;
	});
	return bytes;
}

/** Random numbers with a seed: a failing test fails again. */
export function seeded(seed: number): () => number {
	let state = seed >>> 0;
	return () => {
		state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
		return state / 4294967296;
	};
}

/** A random tree of about NODES nodes whose siblings fall in value. */
export function randomTree(nodes: number, seed: number): FlameTree {
	const random = seeded(seed);
	const childCount: number[] = [];
	const total = [1e9];
	const nameId = [0];
	for (let i = 0; i < total.length; i++) {
		const wanted = total.length < nodes ? Math.floor(random() * 5) + (total.length - i < 4 ? 1 : 0) : 0;
		const parts = Array.from({ length: wanted }, () => random());
		const sum = parts.reduce((all, part) => all + part, 0.1 + random());
		const values = parts.map((part) => Math.floor((total[i] * part) / sum)).filter((value) => value > 0).sort((a, b) => b - a);
		childCount.push(values.length);
		for (const value of values) {
			total.push(value);
			nameId.push(1 + Math.floor(random() * 30));
		}
	}
	const parts = partsOf(['total#root', 1e9]);
	return buildTree({
		...parts,
		names: {
			text: Array.from({ length: 31 }, (_, i) => `f${i}`),
			module: Uint32Array.from({ length: 31 }, (_, i) => i % 3),
			kind: Uint8Array.from({ length: 31 }, (_, i) => (i === 0 ? kind.root : kind.native)),
			modules: ['a.so', 'b.so'],
			file: new Uint32Array(31),
			line: new Uint32Array(31),
			files: [],
		},
		inlined: new Uint8Array(total.length),
		childCount: Uint32Array.from(childCount),
		total: Float64Array.from(total),
		nameId: Uint32Array.from(nameId),
	});
}
