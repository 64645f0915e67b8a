// SPDX-License-Identifier: Apache-2.0
// `GET api/v1/flame` to a tree, from its binary columns; flame_json.ts reads the same as JSON.
// The bytes are foreign: every offset, count and length is checked, and no loop is longer than its input.

import { BrokenFlame, buildTree, type FlameNames, type FlameTree, type Unit } from './flame_tree.ts';

export const flameContentType = 'application/x-flame';

const HEADER_BYTES = 72;
const SECTION_BYTES = 24;
/* The format defines some twenty sections; a few more may come. A header that claims thousands is garbage. */
const SECTIONS_MAX = 256;
export const units: readonly Unit[] = ['count', 'nanoseconds', 'bytes'];
const flag = { trimmed: 2, partialSymbols: 4, partial: 16 };
const section = {
	childCount: 1,
	total: 2,
	nameId: 3,
	nameLength: 4,
	nameText: 5,
	nameModule: 6,
	nameKind: 7,
	moduleLength: 8,
	moduleText: 9,
	trimmed: 10,
	inlined: 20,
	nameFile: 21,
	nameLine: 22,
	fileLength: 23,
	fileText: 24,
};
const encoding = { raw: 0, leb128: 1, multiples: 2 };

type Sections = Map<number, { encoding: number; bytes: Uint8Array }>;

function readSections(bytes: Uint8Array, view: DataView, count: number): Sections {
	const found: Sections = new Map();
	if (count > SECTIONS_MAX || HEADER_BYTES + count * SECTION_BYTES > bytes.length)
		throw new BrokenFlame(`${count} sections do not fit into ${bytes.length} bytes`);
	for (let i = 0; i < count; i++) {
		const at = HEADER_BYTES + i * SECTION_BYTES;
		const offset = Number(view.getBigUint64(at + 8, true));
		const length = Number(view.getBigUint64(at + 16, true));
		if (offset + length > bytes.length)
			throw new BrokenFlame(`section ${view.getUint32(at, true)} is cut off: the answer ended early`);
		found.set(view.getUint32(at, true), {
			encoding: view.getUint32(at + 4, true),
			bytes: bytes.subarray(offset, offset + length),
		});
	}
	return found;
}

function sectionBytes(sections: Sections, id: number, wanted: number): Uint8Array {
	const found = sections.get(id);
	if (!found)
		throw new BrokenFlame(`section ${id} is missing`);
	if (found.encoding !== wanted)
		throw new BrokenFlame(`section ${id} has encoding ${found.encoding}, not ${wanted}: is the page older than its server?`);
	return found.bytes;
}

/** Fills OUT, as long as it is, with LEB128 numbers; BYTES must hold exactly so many. */
function readColumn(bytes: Uint8Array, out: Uint32Array | Float64Array, what: string): void {
	const max = out instanceof Uint32Array ? 0xffffffff : Number.MAX_SAFE_INTEGER;
	let at = 0;
	for (let i = 0; i < out.length; i++) {
		let byte = bytes[at++];
		let value = byte & 0x7f;
		let weight = 128;
		while (byte >= 0x80) {
			byte = bytes[at++];
			value += (byte & 0x7f) * weight;
			weight *= 128;
			if (!(value <= max))
				break;
		}
		/* A byte past the end is undefined, and what is computed with it is not a number or 0. */
		if (at > bytes.length || !(value <= max))
			throw new BrokenFlame(`column ${what}: bad number at row ${i}`);
		out[i] = value;
	}
	if (at !== bytes.length)
		throw new BrokenFlame(`column ${what} is longer than its ${out.length} rows`);
}

function columnU32(sections: Sections, id: number, count: number, what: string): Uint32Array {
	const bytes = sectionBytes(sections, id, encoding.leb128);
	if (count > bytes.length)
		throw new BrokenFlame(`column ${what}: ${count} rows in ${bytes.length} bytes`);
	const out = new Uint32Array(count);
	readColumn(bytes, out, what);
	return out;
}

/** Totals: of 2 ** SCALE, and mostly of one number that stands in front of them, too. */
function readTotals(sections: Sections, count: number, scale: number): Float64Array {
	const isMultiple = sections.get(section.total)?.encoding === encoding.multiples;
	const bytes = sectionBytes(sections, section.total, isMultiple ? encoding.multiples : encoding.leb128);
	const before = isMultiple ? 1 : 0;
	if (count + before > bytes.length)
		throw new BrokenFlame(`column totals: ${count} rows in ${bytes.length} bytes`);
	const column = new Float64Array(count + before);
	readColumn(bytes, column, 'totals');
	const unit = isMultiple ? column[0] : 1;
	const factor = unit * 2 ** scale;
	const out = column.subarray(before);
	for (let i = 0; i < count && factor !== 1; i++) {
		if (!(out[i] * unit <= Number.MAX_SAFE_INTEGER))
			throw new BrokenFlame(`column totals: bad number at row ${i}`);
		out[i] *= factor;
	}
	return out;
}

/** All of a section without knowing how many numbers it holds. */
function columnAll(bytes: Uint8Array, what: string): Float64Array {
	let count = 0;
	for (const byte of bytes)
		count += byte < 0x80 ? 1 : 0;
	const out = new Float64Array(count);
	readColumn(bytes, out, what);
	return out;
}

/** Cuts BLOB into texts. Plain ASCII, the usual case, is decoded once and cut as text. */
function cutTexts(blob: Uint8Array, lengths: Uint32Array | Float64Array, what: string): string[] {
	let sum = 0;
	for (const length of lengths)
		sum += length;
	if (sum !== blob.length)
		throw new BrokenFlame(`${what}: lengths add up to ${sum} of ${blob.length} bytes`);
	const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
	const all = decoder.decode(blob);
	const ascii = all.length === blob.length && !all.includes('\ufffd');
	const texts = new Array<string>(lengths.length);
	let at = 0;
	for (let i = 0; i < lengths.length; i++) {
		const end = at + lengths[i];
		texts[i] = ascii ? all.slice(at, end) : decoder.decode(blob.subarray(at, end));
		at = end;
	}
	return texts;
}

/** A column that servers may leave out: then every row is 0. */
function columnIfThere(sections: Sections, id: number, count: number, what: string): Uint32Array {
	return sections.has(id) ? columnU32(sections, id, count, what) : new Uint32Array(count);
}

function readFiles(sections: Sections): string[] {
	if (!sections.has(section.fileLength))
		return [];
	const lengths = columnAll(sectionBytes(sections, section.fileLength, encoding.leb128), 'file lengths');
	return cutTexts(sectionBytes(sections, section.fileText, encoding.raw), lengths, 'files');
}

function readNames(sections: Sections, count: number): FlameNames {
	const moduleLengths = columnAll(sectionBytes(sections, section.moduleLength, encoding.leb128), 'module lengths');
	const kinds = sectionBytes(sections, section.nameKind, encoding.raw);
	if (kinds.length !== count)
		throw new BrokenFlame(`${kinds.length} kinds for ${count} names`);
	return {
		text: cutTexts(
			sectionBytes(sections, section.nameText, encoding.raw),
			columnU32(sections, section.nameLength, count, 'name lengths'),
			'names',
		),
		module: columnU32(sections, section.nameModule, count, 'name modules'),
		kind: kinds.slice(),
		modules: cutTexts(sectionBytes(sections, section.moduleText, encoding.raw), moduleLengths, 'modules'),
		file: columnIfThere(sections, section.nameFile, count, 'name files'),
		line: columnIfThere(sections, section.nameLine, count, 'name lines'),
		files: readFiles(sections),
	};
}

function readTrimmed(sections: Sections): Map<number, number> {
	const trimmed = new Map<number, number>();
	if (!sections.has(section.trimmed))
		return trimmed;
	const pairs = columnAll(sectionBytes(sections, section.trimmed, encoding.leb128), 'trimmed');
	if (pairs.length % 2)
		throw new BrokenFlame('a trimmed node has no count');
	let node = 0;
	for (let i = 0; i < pairs.length; i += 2) {
		node += pairs[i];
		trimmed.set(node, pairs[i + 1]);
	}
	return trimmed;
}

export function markInlined(nodes: Iterable<number>, count: number): Uint8Array {
	const inlined = new Uint8Array(count);
	for (const node of nodes) {
		if (!(node < count))
			throw new BrokenFlame(`node ${node} of ${count} is said to be inlined`);
		inlined[node] = 1;
	}
	return inlined;
}

function readInlined(sections: Sections, count: number): Uint8Array {
	if (!sections.has(section.inlined))
		return new Uint8Array(count);
	const distances = columnAll(sectionBytes(sections, section.inlined, encoding.leb128), 'inlined');
	let node = 0;
	return markInlined(distances.map((distance) => (node += distance)), count);
}

function milliseconds(nanoseconds: bigint): number {
	return Number(nanoseconds / 1000n) / 1000;
}

export function decodeFlame(bytes: Uint8Array): FlameTree {
	const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
	if (bytes.length < HEADER_BYTES || view.getUint32(0, false) !== 0x43524e46)
		throw new BrokenFlame('the answer is not a flame graph');
	const version = view.getUint16(4, true);
	if (version !== 1)
		throw new BrokenFlame(`the server speaks version ${version} of the format, the page 1: reload the page`);
	const unit = units[view.getUint32(8, true)];
	const scale = view.getUint32(12, true);
	if (!unit || scale > 32)
		throw new BrokenFlame(`unit ${view.getUint32(8, true)} or scale ${scale} is unknown`);
	const flags = view.getUint16(6, true);
	const nodeCount = view.getUint32(16, true);
	const [fromMs, untilMs] = [milliseconds(view.getBigUint64(40, true)), milliseconds(view.getBigUint64(48, true))];
	const sections = readSections(bytes, view, view.getUint32(64, true));
	return buildTree({
		unit,
		period: Number(view.getBigUint64(24, true)),
		sampleCount: Number(view.getBigUint64(32, true)),
		fromMs,
		untilMs,
		trimmed: (flags & flag.trimmed) !== 0,
		partialSymbols: (flags & flag.partialSymbols) !== 0,
		names: readNames(sections, view.getUint32(20, true)),
		childCount: columnU32(sections, section.childCount, nodeCount, 'child counts'),
		total: readTotals(sections, nodeCount, scale),
		nameId: columnU32(sections, section.nameId, nodeCount, 'name ids'),
		trimmedNodes: readTrimmed(sections),
		inlined: readInlined(sections, nodeCount),
		/* Columns only say that it is so: what there is, is what profiles cover. */
		...(flags & flag.partial ? { partial: { reason: '', fromMs, untilMs, unreadableCount: 0 } } : {}),
	});
}
