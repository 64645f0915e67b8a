// SPDX-License-Identifier: Apache-2.0
// Holds the page against its budget: node size.mjs DIST
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

/* What a cold visit loads before it shows anything; the aim is what this page had when it was new. */
const AIM_BYTES = 60_000;
const LIMIT_BYTES = 80_000;

const [dist] = process.argv.slice(2);
const sizes = readdirSync(dist).filter((file) => /\.(js|css)$/.test(file)).map((file) => {
	const bytes = gzipSync(readFileSync(join(dist, file)), { level: 9 }).length;
	console.log(`${file}: ${bytes} bytes compressed`);
	return bytes;
});
const sum = sizes.reduce((all, bytes) => all + bytes, 0);
console.log(`${sum} bytes of scripts and styles, aim ${AIM_BYTES}, limit ${LIMIT_BYTES}`);
process.exit(sizes.length > 0 && sum <= LIMIT_BYTES ? 0 : 1);
