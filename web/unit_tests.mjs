// SPDX-License-Identifier: Apache-2.0
// Bundles the unit tests and runs them: node unit_tests.mjs SCRATCH-DIR
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const web = dirname(fileURLToPath(import.meta.url));
const [scratch] = process.argv.slice(2);
if (!scratch) {
	console.error('usage: node unit_tests.mjs SCRATCH-DIR');
	process.exit(2);
}

function run(...args) {
	const { status } = spawnSync(process.execPath, args, { stdio: 'inherit' });
	if (status !== 0)
		process.exit(1);
}

function bundles(directory) {
	return readdirSync(directory, { withFileTypes: true }).flatMap((entry) =>
		(entry.isDirectory() ? bundles(join(directory, entry.name)) : [join(directory, entry.name)]));
}

const out = resolve(scratch);
run(join(web, 'build.mjs'), '--tests', '--out', out);
run('--test', ...bundles(out));
