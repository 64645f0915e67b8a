// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NoBuildId, readBuildId, type Pieces } from './elf_id.ts';
import { seeded } from './sample_tree.ts';

const ID = [0xab, 0xcd, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 0xef];
const ID_TEXT = 'abcd0102030405060708090a0b0c0d0e0f1011ef';

interface Made {
	wide?: boolean;
	little?: boolean;
	/** Where notes are told of. */
	by?: 'segment' | 'section' | 'both';
	/** What the program header points to is not the note. */
	strayed?: boolean;
	name?: string;
	type?: number;
	id?: number[];
	align?: number;
	/** The number of sections stands in the first of them. */
	many?: boolean;
}

/* header | program header | two section headers | a note of somebody else | the note */
function makeElf({ wide = true, little = true, by = 'both', strayed = false, name = 'GNU\0', type = 3, id = ID, align = 4, many = false }: Made = {}): Uint8Array {
	const bytes = new Uint8Array(1024);
	const view = new DataView(bytes.buffer);
	const half = (at: number, value: number): void => view.setUint16(at, value, little);
	const word = (at: number, value: number): void => view.setUint32(at, value, little);
	const size = (at: number, value: number): void => (wide ? view.setBigUint64(at, BigInt(value), little) : word(at, value));
	const [segmentsAt, sectionsAt, notesAt] = [128, 256, 512];
	bytes.set([0x7f, 0x45, 0x4c, 0x46, wide ? 2 : 1, little ? 1 : 2, 1]);
	size(wide ? 32 : 28, by === 'section' ? 0 : segmentsAt);
	size(wide ? 40 : 32, by === 'segment' ? 0 : sectionsAt);
	half(wide ? 54 : 42, wide ? 56 : 32);
	half(wide ? 56 : 44, by === 'section' ? 0 : 1);
	half(wide ? 58 : 46, wide ? 64 : 40);
	half(wide ? 60 : 48, by === 'segment' || many ? 0 : 2);
	const padded = (count: number): number => Math.ceil(count / align) * align;
	const notesBytes = 12 + padded(4) + padded(4) + 12 + padded(name.length) + padded(id.length);
	word(segmentsAt, 4);
	size(segmentsAt + (wide ? 8 : 4), strayed ? 900 : notesAt);
	size(segmentsAt + (wide ? 32 : 16), notesBytes);
	size(segmentsAt + (wide ? 48 : 28), align);
	const second = sectionsAt + (wide ? 64 : 40);
	size(sectionsAt + (wide ? 32 : 20), many ? 2 : 0);
	word(second + 4, 7);
	size(second + (wide ? 24 : 16), notesAt);
	size(second + (wide ? 32 : 20), notesBytes);
	size(second + (wide ? 48 : 32), align);
	let at = notesAt;
	for (const [noteName, noteType, desc] of [['XYZ\0', 3, [9, 9, 9, 9]], [name, type, id]] as const) {
		word(at, noteName.length);
		word(at + 4, desc.length);
		word(at + 8, noteType);
		bytes.set([...noteName].map((letter) => letter.charCodeAt(0)), at + 12);
		bytes.set(desc, at + 12 + padded(noteName.length));
		at += 12 + padded(noteName.length) + padded(desc.length);
	}
	return bytes;
}

function pieces(bytes: Uint8Array): Pieces & { readBytes: number } {
	const held = {
		size: bytes.length,
		readBytes: 0,
		read: async (at: number, count: number) => {
			held.readBytes += count;
			return bytes.slice(at, at + count);
		},
	};
	return held;
}

test('the build-ID is found in files of either width and byte order, by segments and by sections', async () => {
	for (const wide of [true, false]) {
		for (const little of [true, false]) {
			for (const by of ['segment', 'section', 'both'] as const)
				assert.equal(await readBuildId(pieces(makeElf({ wide, little, by }))), ID_TEXT, `${wide} ${little} ${by}`);
		}
	}
	assert.equal(await readBuildId(pieces(makeElf({ align: 8 }))), ID_TEXT);
	assert.equal(await readBuildId(pieces(makeElf({ by: 'section', many: true }))), ID_TEXT);
	assert.equal(await readBuildId(pieces(makeElf({ id: [7] }))), '07');
});

test('a debug file whose segments point elsewhere is found by its sections', async () => {
	assert.equal(await readBuildId(pieces(makeElf({ strayed: true }))), ID_TEXT);
});

test('little of a large file is read', async () => {
	const file = pieces(makeElf());
	file.size = 4e9;
	assert.equal(await readBuildId(file), ID_TEXT);
	assert(file.readBytes < 1000);
});

test('what has no build-ID says so', async () => {
	const refused = async (bytes: Uint8Array, words: RegExp): Promise<void> => {
		await assert.rejects(readBuildId(pieces(bytes)), (error) => error instanceof NoBuildId && words.test(error.message));
	};
	await refused(new Uint8Array(0), /no ELF/);
	await refused(new TextEncoder().encode('<html>not found</html>'.repeat(9)), /no ELF/);
	await refused(makeElf({ name: 'Go\0\0' }), /no GNU build-ID/);
	await refused(makeElf({ type: 4 }), /no GNU build-ID/);
	await refused(makeElf({ id: [0, 0, 0, 0] }), /no GNU build-ID/);
	await refused(makeElf({ id: new Array<number>(65).fill(1) }), /no GNU build-ID/);
	await refused(makeElf().fill(9, 4, 5), /broken/);
});

test('damaged files end in an answer', async () => {
	const random = seeded(5);
	const whole = makeElf();
	for (let round = 0; round < 3000; round++) {
		const bytes = whole.slice(0, round % 3 ? whole.length : Math.floor(random() * whole.length));
		for (let i = 0; i < 1 + random() * 8 && bytes.length > 0; i++)
			bytes[Math.floor(random() * Math.min(bytes.length, 640))] = Math.floor(random() * 256);
		await readBuildId(pieces(bytes)).catch((error: unknown) => assert(error instanceof NoBuildId, String(error)));
	}
});
