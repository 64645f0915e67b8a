// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeFlame } from './flame_decode.ts';
import { decodeFlameJson } from './flame_json.ts';
import { BrokenFlame, nodeName, placeOf, selfOf } from './flame_tree.ts';
import { bytesOf, partsOf, seeded, type Sample } from './sample_tree.ts';

const sample: Sample = ['total#root', 1000, [
	['main@app!/src/main.c:0', 900, [['work@app#inlined!/src/work.c:7', 500, [['memcpy@libc.so.6', 200]]], ['größe@lib', 300]]],
	['idle@[kernel]#kernel', 60],
	['(small)#trimmed', 40],
]];

function samples() {
	const parts = partsOf(sample);
	parts.trimmed = true;
	parts.trimmedNodes.set(3, 17);
	return parts;
}

function toJson(parts: ReturnType<typeof samples>): Record<string, unknown> {
	return {
		version: 1, unit: parts.unit, scale: 0, period: parts.period, sample_count: parts.sampleCount,
		from: parts.fromMs * 1e6, until: parts.untilMs * 1e6, total: parts.total[0], trimmed: true, partial_symbols: false,
		names: parts.names.text, name_module: [...parts.names.module], name_kind: [...parts.names.kind], modules: parts.names.modules,
		child_count: [...parts.childCount], totals: [...parts.total], name: [...parts.nameId], trimmed_nodes: [...parts.trimmedNodes],
		name_file: [...parts.names.file], name_line: [...parts.names.line], files: parts.names.files,
		inlined: [...parts.inlined.keys()].filter((node) => parts.inlined[node]),
	};
}

test('binary and JSON of one profile give one tree', () => {
	const fromBytes = decodeFlame(bytesOf(samples()));
	const fromJson = decodeFlameJson(toJson(samples()));
	assert.deepEqual(fromBytes, fromJson);
	assert.equal(fromBytes.nodeCount, 7);
	assert.equal(fromBytes.levelCount, 4);
	assert.equal(fromBytes.names.text[fromBytes.nameId[5]], 'größe');
	assert.equal(nodeName(fromBytes, 3), '(17 small)');
	assert.equal(selfOf(fromBytes, 1), 100);
	assert.equal(fromBytes.fromMs, 1000);
	assert.deepEqual([...fromBytes.inlined], [0, 0, 0, 0, 1, 0, 0]);
	assert.deepEqual([1, 4, 6].map((node) => placeOf(fromBytes.names, fromBytes.nameId[node])), ['/src/main.c', '/src/work.c:7', '']);
});

test('a server without files and inlined nodes is understood', () => {
	const { name_file: _file, name_line: _line, files: _files, inlined: _inlined, ...older } = toJson(samples());
	const tree = decodeFlameJson(older);
	assert.equal(placeOf(tree.names, tree.nameId[1]), '');
	assert(tree.inlined.every((flag) => flag === 0));
	assert.throws(() => decodeFlameJson({ ...toJson(samples()), inlined: [7] }), BrokenFlame);
	assert.throws(() => decodeFlameJson({ ...toJson(samples()), name_file: [9, 9, 9, 9, 9, 9, 9] }), BrokenFlame);
});

test('scaled values come back in full', () => {
	const parts = partsOf(['total#root', 2 ** 52, [['f', 2 ** 51]]]);
	const tree = decodeFlame(bytesOf(parts, 12));
	assert.equal(tree.total[0], 2 ** 52);
	assert.equal(tree.total[1], 2 ** 51);
});

test('totals may stand as multiples', () => {
	const parts = partsOf(['total#root', 2100, [['f', 1400], ['g', 700]]]);
	assert.deepEqual([...decodeFlame(bytesOf(parts, 0, 700)).total], [2100, 1400, 700]);
	assert.deepEqual([...decodeFlame(bytesOf(parts, 2, 175)).total], [2100, 1400, 700]);
	assert.deepEqual([...decodeFlame(bytesOf(parts, 0, 1)).total], [2100, 1400, 700]);
	assert.throws(() => decodeFlame(bytesOf(partsOf(['total#root', 2 ** 60]), 0, 2 ** 30)), /bad number/);
	assert.throws(() => decodeFlame(bytesOf({ ...parts, total: new Float64Array(0) }, 0, 7)), BrokenFlame);
});

test('a tree of the root alone is a tree', () => {
	const tree = decodeFlame(bytesOf(partsOf(['total#root', 0])));
	assert.equal(tree.nodeCount, 1);
	assert.equal(tree.levelCount, 1);
});

test('bytes cut off anywhere are refused', () => {
	const bytes = bytesOf(samples());
	/* The last section is one that the page skips: without it, the rest would be whole. */
	for (let length = 0; length < bytes.length; length++)
		assert.throws(() => decodeFlame(bytes.slice(0, length)), BrokenFlame);
});

test('any one byte changed gives a tree or a refusal, soon', () => {
	const random = seeded(5);
	const good = [bytesOf(samples()), bytesOf(samples(), 0, 1)];
	for (let round = 0; round < 4000; round++) {
		const bytes = good[round % 2].slice();
		bytes[Math.floor(random() * bytes.length)] = Math.floor(random() * 256);
		try {
			decodeFlame(bytes);
		} catch (error) {
			assert(error instanceof BrokenFlame, String(error));
		}
	}
});

test('random bytes behind a good head are refused', () => {
	const random = seeded(6);
	const good = bytesOf(samples());
	for (let round = 0; round < 500; round++) {
		const bytes = good.slice();
		for (let i = 16 + Math.floor(random() * 300); i < bytes.length; i++)
			bytes[i] = Math.floor(random() * 256);
		assert.throws(() => decodeFlame(bytes), BrokenFlame);
	}
});

test('a head that promises billions of nodes allocates nothing', () => {
	const bytes = bytesOf(samples());
	new DataView(bytes.buffer).setUint32(16, 0xfffffff0, true);
	assert.throws(() => decodeFlame(bytes), /rows in/);
});

test('another version asks to reload the page', () => {
	const bytes = bytesOf(samples());
	new DataView(bytes.buffer).setUint16(4, 2, true);
	assert.throws(() => decodeFlame(bytes), /reload/);
});

test('a number longer than 53 bits is refused', () => {
	const parts = partsOf(['total#root', 1]);
	const bytes = bytesOf(parts);
	const endless = new Uint8Array(bytes.length + 12);
	endless.set(bytes);
	endless.fill(0xff, bytes.length);
	const view = new DataView(endless.buffer);
	view.setBigUint64(72 + 24 + 8, BigInt(bytes.length), true);
	view.setBigUint64(72 + 24 + 16, 12n, true);
	assert.throws(() => decodeFlame(endless), /bad number/);
});

test('children worth more than their parent are refused', () => {
	assert.throws(() => decodeFlame(bytesOf(partsOf(['total#root', 10, [['f', 6], ['g', 5]]]))), /worth more/);
});

test('JSON of another shape is refused by the name of what is wrong', () => {
	assert.throws(() => decodeFlameJson(null), BrokenFlame);
	assert.throws(() => decodeFlameJson([]), BrokenFlame);
	assert.throws(() => decodeFlameJson({ ...toJson(samples()), names: 'x' }), /"names"/);
	assert.throws(() => decodeFlameJson({ ...toJson(samples()), totals: [1, -1] }), /"totals"/);
	assert.throws(() => decodeFlameJson({ ...toJson(samples()), child_count: [9, 0, 0, 0, 0, 0, 0] }), /one tree/);
	assert.throws(() => decodeFlameJson({ ...toJson(samples()), name: [0, 0, 0, 0, 0, 0, 99] }), /name 99/);
});
