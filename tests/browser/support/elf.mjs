// SPDX-License-Identifier: Apache-2.0
// The smallest ELF file that has a build-ID: a header, one program header, one note.

export function elfWithId(hex, padding = 0) {
	const id = Buffer.from(hex, 'hex');
	const bytes = Buffer.alloc(64 + 56 + 16 + id.length + padding);
	Buffer.from([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1]).copy(bytes);
	bytes.writeBigUInt64LE(64n, 32);
	bytes.writeUInt16LE(56, 54);
	bytes.writeUInt16LE(1, 56);
	bytes.writeUInt32LE(4, 64);
	bytes.writeBigUInt64LE(120n, 64 + 8);
	bytes.writeBigUInt64LE(BigInt(16 + id.length), 64 + 32);
	bytes.writeBigUInt64LE(4n, 64 + 48);
	bytes.writeUInt32LE(4, 120);
	bytes.writeUInt32LE(id.length, 124);
	bytes.writeUInt32LE(3, 128);
	bytes.write('GNU\0', 132, 'latin1');
	id.copy(bytes, 136);
	return bytes;
}
