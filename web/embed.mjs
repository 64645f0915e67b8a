// SPDX-License-Identifier: Apache-2.0
// Turns a built page into the C table that web/assets.c searches.
//
//   node embed.mjs DIST OUT.c [OUT.d]
//
// gzip happens here, once: the server sends these bytes as they are.
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

const BYTES_PER_LINE = 24;

const [dist, out] = process.argv.slice(2);
if (!dist || !out) {
	console.error('usage: node embed.mjs DIST OUT.c');
	process.exit(2);
}

function byteArray(name, bytes) {
	const lines = [];
	for (let i = 0; i < bytes.length; i += BYTES_PER_LINE)
		lines.push(`\t${[...bytes.subarray(i, i + BYTES_PER_LINE)].join(',')},`);
	return `static const uint8_t ${name}[] = {\n${lines.join('\n')}\n};\n`;
}

function quoted(text) {
	return `"${text.replace(/[\\"]/g, '\\$&')}"`;
}

const manifest = JSON.parse(readFileSync(join(dist, 'manifest.json'), 'utf8'));
const arrays = [];
const rows = manifest.map(({ file, type, immutable }, i) => {
	const raw = readFileSync(join(dist, file));
	const etag = `"${createHash('sha256').update(raw).digest('hex').slice(0, 32)}"`;
	arrays.push(byteArray(`raw_${i}`, raw), byteArray(`gzip_${i}`, gzipSync(raw, { level: 9 })));
	return `\t{${quoted(`/${file}`)}, ${quoted(type)}, ${quoted(etag)}, ${immutable}, ` +
		`gzip_${i}, sizeof(gzip_${i}), raw_${i}, sizeof(raw_${i})},`;
});

writeFileSync(out, [
	'/* Made by web/embed.mjs. */',
	'#include "web/assets.h"',
	'',
	...arrays,
	'const struct web_asset web_asset_table[] = {',
	...rows,
	'\t{NULL, NULL, NULL, false, NULL, 0, NULL, 0},',
	'};',
	'',
].join('\n'));
