// SPDX-License-Identifier: Apache-2.0
// Writes trees in the two encodings of `GET /api/v1/flame`, independently of the page's decoder.

/* `inlined` is none that is sent: a native function that was inlined where it stands. */
export const kind = { unknown: 0, kernel: 1, native: 2, python: 3, jvm: 4, lua: 5, inlined: 6, marker: 7, trimmed: 8, root: 9 };

class Bytes {
	buffer = Buffer.alloc(1 << 16);
	length = 0;

	room(count) {
		if (this.length + count <= this.buffer.length)
			return;
		const larger = Buffer.alloc(Math.max(this.buffer.length * 2, this.length + count));
		this.buffer.copy(larger, 0, 0, this.length);
		this.buffer = larger;
	}

	byte(value) {
		this.room(1);
		this.buffer[this.length++] = value;
	}

	leb128(value) {
		while (value >= 128) {
			this.byte((value % 128) + 128);
			value = Math.floor(value / 128);
		}
		this.byte(value);
	}

	bytes(more) {
		this.room(more.length);
		more.copy(this.buffer, this.length);
		this.length += more.length;
	}

	done() {
		return this.buffer.subarray(0, this.length);
	}
}

function leb128Column(values) {
	const out = new Bytes();
	for (const value of values)
		out.leb128(value);
	return out.done();
}

function texts(strings) {
	const blobs = strings.map((text) => Buffer.from(text, 'utf8'));
	return { lengths: leb128Column(blobs.map((blob) => blob.length)), blob: Buffer.concat(blobs) };
}

/* {name, module, kind, value (total), children, smallNodes}: to columns, children by falling value. */
export function columnsOf(root) {
	const functions = new Map();
	const modules = new Map();
	const nodes = [];
	for (let level = [root]; level.length > 0;) {
		const next = [];
		for (const node of level) {
			const children = (node.children ?? []).slice().sort((a, b) => b.value - a.value);
			nodes.push({ node, childCount: children.length });
			next.push(...children);
		}
		level = next;
	}
	for (const { node } of nodes) {
		const key = `${node.name}\0${node.module ?? ''}`;
		const known = functions.get(key) ?? { name: node.name, module: node.module ?? '', kind: node.kind === kind.inlined ? kind.native : node.kind, file: node.file ?? '', count: 0 };
		known.count++;
		functions.set(key, known);
	}
	const byFrequency = [...functions.entries()].sort((a, b) => b[1].count - a[1].count);
	const ids = new Map(byFrequency.map(([key], id) => [key, id]));
	for (const [, { module }] of byFrequency) {
		if (module && !modules.has(module))
			modules.set(module, modules.size + 1);
	}
	const files = [...new Set(byFrequency.map(([, { file }]) => file).filter((file) => file !== ''))];
	return {
		childCount: nodes.map(({ childCount }) => childCount),
		totals: nodes.map(({ node }) => node.value),
		name: nodes.map(({ node }) => ids.get(`${node.name}\0${node.module ?? ''}`)),
		names: byFrequency.map(([, { name }]) => name),
		nameModule: byFrequency.map(([, { module }]) => modules.get(module) ?? 0),
		nameKind: byFrequency.map(([, found]) => found.kind),
		modules: [...modules.keys()],
		nameFile: byFrequency.map(([, { file }]) => (file ? files.indexOf(file) + 1 : 0)),
		files,
		inlined: nodes.flatMap(({ node }, i) => (node.kind === kind.inlined ? [i] : [])),
		trimmed: nodes.flatMap(({ node }, i) => (node.smallNodes ? [[i, node.smallNodes]] : [])),
	};
}

const units = { count: 0, nanoseconds: 1, bytes: 2 };

export function encodeBinary(columns, head) {
	const names = texts(columns.names);
	const modules = texts(columns.modules);
	let before = 0;
	const pairs = columns.trimmed.flatMap(([node, count]) => {
		const delta = node - before;
		before = node;
		return [delta, count];
	});
	const inlined = columns.inlined ?? [];
	const files = texts(columns.files ?? []);
	const zeros = columns.names.map(() => 0);
	const sections = [
		[1, 1, leb128Column(columns.childCount)],
		[2, 2, leb128Column([1, ...columns.totals])],
		[3, 1, leb128Column(columns.name)],
		[4, 1, names.lengths],
		[5, 0, names.blob],
		[6, 1, leb128Column(columns.nameModule)],
		[7, 0, Buffer.from(columns.nameKind)],
		[8, 1, modules.lengths],
		[9, 0, modules.blob],
		[10, 1, leb128Column(pairs)],
		[20, 1, leb128Column(inlined.map((node, i) => node - (inlined[i - 1] ?? 0)))],
		[21, 1, leb128Column(columns.nameFile ?? zeros)],
		[22, 1, leb128Column(columns.nameLine ?? zeros)],
		[23, 1, files.lengths],
		[24, 0, files.blob],
		[99, 7, Buffer.from('a section of tomorrow')],
	];
	const header = Buffer.alloc(72 + 24 * sections.length);
	header.write('CRNF', 0, 'latin1');
	header.writeUInt16LE(1, 4);
	header.writeUInt16LE((columns.trimmed.length ? 2 : 0) | (head.partialSymbols ? 4 : 0) | (head.partial ? 16 : 0), 6);
	header.writeUInt32LE(units[head.unit], 8);
	header.writeUInt32LE(0, 12);
	header.writeUInt32LE(columns.childCount.length, 16);
	header.writeUInt32LE(columns.names.length, 20);
	header.writeBigUInt64LE(BigInt(head.period), 24);
	header.writeBigUInt64LE(BigInt(head.sampleCount), 32);
	header.writeBigUInt64LE(BigInt(Math.round(head.fromMs)) * 1000000n, 40);
	header.writeBigUInt64LE(BigInt(Math.round(head.untilMs)) * 1000000n, 48);
	header.writeBigUInt64LE(BigInt(columns.totals[0]), 56);
	header.writeUInt32LE(sections.length, 64);
	let offset = header.length;
	sections.forEach(([id, encoding, bytes], i) => {
		const at = 72 + 24 * i;
		header.writeUInt32LE(id, at);
		header.writeUInt32LE(encoding, at + 4);
		header.writeBigUInt64LE(BigInt(offset), at + 8);
		header.writeBigUInt64LE(BigInt(bytes.length), at + 16);
		offset += bytes.length;
	});
	return Buffer.concat([header, ...sections.map(([, , bytes]) => bytes)]);
}

export function encodeJson(columns, head) {
	return JSON.stringify({
		version: 1,
		unit: head.unit,
		scale: 0,
		period: head.period,
		sample_count: head.sampleCount,
		from: head.fromMs * 1e6,
		until: head.untilMs * 1e6,
		total: columns.totals[0],
		trimmed: columns.trimmed.length > 0,
		partial_symbols: head.partialSymbols ?? false,
		partial: head.partial ?? null,
		names: columns.names,
		name_module: columns.nameModule,
		name_kind: columns.nameKind,
		modules: columns.modules,
		child_count: columns.childCount,
		totals: columns.totals,
		name: columns.name,
		trimmed_nodes: columns.trimmed,
		inlined: columns.inlined ?? [],
		name_file: columns.nameFile ?? columns.names.map(() => 0),
		name_line: columns.nameLine ?? columns.names.map(() => 0),
		files: columns.files ?? [],
	});
}
