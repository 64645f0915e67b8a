// SPDX-License-Identifier: Apache-2.0
// The build-ID of an ELF file, read in pieces: a debug file has gigabytes, its build-ID twenty bytes.
//
//   header -> program headers -> notes of PT_NOTE, then section headers -> notes of SHT_NOTE
//
// In a debug file the program headers still speak of the program that it was taken from, so what they point
// to may be anything: only a note of the right form counts. Every number is foreign and checked.

export interface Pieces {
	size: number;
	/** As many bytes from AT on as there are, at most COUNT. */
	read: (at: number, count: number) => Promise<Uint8Array>;
}

/** Not an ELF file, or one without a build-ID; the message says which. */
export class NoBuildId extends Error {
	override name = 'NoBuildId';
}

const PT_NOTE = 4;
const SHT_NOTE = 7;
const NT_GNU_BUILD_ID = 3;
/* A table of a million sections is no program. */
const TABLE_BYTES_MAX = 64 << 20;
const ENTRY_BYTES_MAX = 256;
const NOTE_BYTES_MAX = 64 << 10;
const ID_BYTES_MAX = 64;

interface Layout {
	/** Of an offset or a size. */
	wide: boolean;
	little: boolean;
}

class Fields {
	private readonly view: DataView;

	constructor(bytes: Uint8Array, private readonly layout: Layout) {
		this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
	}

	half(at: number): number {
		return this.view.getUint16(at, this.layout.little);
	}

	word(at: number): number {
		return this.view.getUint32(at, this.layout.little);
	}

	/** At NARROW or at WIDE, by the file's class. */
	size(narrow: number, wide: number): number {
		return this.layout.wide ? Number(this.view.getBigUint64(wide, this.layout.little)) : this.word(narrow);
	}
}

interface Span {
	at: number;
	count: number;
	align: number;
}

interface Table {
	at: number;
	entryBytes: number;
	count: number;
	read: (fields: Fields) => Span | null;
}

async function readWhole(file: Pieces, at: number, count: number): Promise<Uint8Array | null> {
	if (!(at >= 0 && at + count <= file.size))
		return null;
	const bytes = await file.read(at, count);
	return bytes.length === count ? bytes : null;
}

function noteSegment(layout: Layout, fields: Fields): Span | null {
	if (fields.word(0) !== PT_NOTE)
		return null;
	return { at: fields.size(4, 8), count: fields.size(16, 32), align: layout.wide ? fields.size(0, 48) : fields.word(28) };
}

function noteSection(layout: Layout, fields: Fields): Span | null {
	if (fields.word(4) !== SHT_NOTE)
		return null;
	return { at: fields.size(16, 24), count: fields.size(20, 32), align: layout.wide ? fields.size(0, 48) : fields.word(32) };
}

async function spansOf(file: Pieces, layout: Layout, table: Table, leastBytes: number): Promise<Span[]> {
	const { at, entryBytes, count } = table;
	if (at === 0 || entryBytes < leastBytes || entryBytes > ENTRY_BYTES_MAX || entryBytes * count > TABLE_BYTES_MAX)
		return [];
	const bytes = await readWhole(file, at, entryBytes * count);
	const spans: Span[] = [];
	for (let i = 0; bytes && i < count; i++) {
		const span = table.read(new Fields(bytes.subarray(i * entryBytes, (i + 1) * entryBytes), layout));
		if (span)
			spans.push(span);
	}
	return spans;
}

function hex(bytes: Uint8Array): string {
	return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Walks the notes in BYTES; '' = none of them is a build-ID. */
function idInNotes(bytes: Uint8Array, layout: Layout, align: number): string {
	const fields = new Fields(bytes, layout);
	const padded = (size: number): number => Math.ceil(size / align) * align;
	for (let at = 0; at + 12 <= bytes.length;) {
		const [nameBytes, idBytes, type] = [fields.word(at), fields.word(at + 4), fields.word(at + 8)];
		const id = at + 12 + padded(nameBytes);
		if (id + idBytes > bytes.length)
			return '';
		const isGnu = nameBytes === 4 && hex(bytes.subarray(at + 12, at + 16)) === '474e5500';
		const found = bytes.subarray(id, id + idBytes);
		if (isGnu && type === NT_GNU_BUILD_ID && idBytes >= 1 && idBytes <= ID_BYTES_MAX && found.some((byte) => byte !== 0))
			return hex(found);
		at = id + padded(idBytes);
	}
	return '';
}

async function idInSpans(file: Pieces, layout: Layout, spans: readonly Span[]): Promise<string> {
	for (const { at, count, align } of spans) {
		const bytes = await readWhole(file, at, Math.min(count, NOTE_BYTES_MAX));
		const id = bytes ? idInNotes(bytes, layout, align === 8 ? 8 : 4) : '';
		if (id)
			return id;
	}
	return '';
}

async function readHeader(file: Pieces): Promise<{ head: Fields; layout: Layout }> {
	const bytes = await readWhole(file, 0, 64);
	if (!bytes || hex(bytes.subarray(0, 4)) !== '7f454c46')
		throw new NoBuildId('It is no ELF file: give a program, a library, or the debug file of one.');
	const layout = { wide: bytes[4] === 2, little: bytes[5] === 1 };
	if ((bytes[4] !== 1 && bytes[4] !== 2) || (bytes[5] !== 1 && bytes[5] !== 2))
		throw new NoBuildId('Its ELF header is broken.');
	return { head: new Fields(bytes, layout), layout };
}

/** Files with very many sections tell their number in the first one. */
async function sectionCount(file: Pieces, layout: Layout, at: number, entryBytes: number, told: number): Promise<number> {
	if (told !== 0 || at === 0 || entryBytes < (layout.wide ? 64 : 40))
		return told;
	const first = await readWhole(file, at, entryBytes);
	return first ? new Fields(first, layout).size(20, 32) : 0;
}

/** The GNU build-ID in lower-case hexadecimal. */
export async function readBuildId(file: Pieces): Promise<string> {
	const { head, layout } = await readHeader(file);
	const half = (narrow: number, wide: number): number => head.half(layout.wide ? wide : narrow);
	const segments: Table = {
		at: head.size(28, 32), entryBytes: half(42, 54), count: half(44, 56), read: (fields) => noteSegment(layout, fields),
	};
	const sectionsAt = head.size(32, 40);
	const sectionBytes = half(46, 58);
	const sections: Table = {
		at: sectionsAt, entryBytes: sectionBytes,
		count: await sectionCount(file, layout, sectionsAt, sectionBytes, half(48, 60)),
		read: (fields) => noteSection(layout, fields),
	};
	const id = await idInSpans(file, layout, await spansOf(file, layout, segments, layout.wide ? 56 : 32))
		|| await idInSpans(file, layout, await spansOf(file, layout, sections, layout.wide ? 64 : 40));
	if (!id)
		throw new NoBuildId('It has no GNU build-ID, by which it could be told whose it is: link with -Wl,--build-id, or use cairn symbols upload.');
	return id;
}

export function piecesOf(file: Blob): Pieces {
	return {
		size: file.size,
		read: async (at, count) => new Uint8Array(await file.slice(at, at + count).arrayBuffer()),
	};
}
