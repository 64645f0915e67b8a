// SPDX-License-Identifier: Apache-2.0
// Builds the page: one JS, one CSS, an icon, licence texts, index.html, and a manifest that lists them.
//
//   node build.mjs --out DIR            the page
//   node build.mjs --out DIR --tests    the unit tests, bundled so that Node 18 can run them
//
// Equal sources give equal bytes: nothing here depends on time, place or machine.
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const web = dirname(fileURLToPath(import.meta.url));
// The oldest browsers that people are likely to have on a jump host.
const browsers = ['chrome100', 'firefox100', 'safari15.4'];

function usage(message) {
	console.error(`build.mjs: ${message}\nusage: node build.mjs --out DIR [--tests]`);
	process.exit(2);
}

function options(argv) {
	const found = { out: '', tests: false };
	for (let i = 0; i < argv.length; i++) {
		if (argv[i] === '--out' && argv[i + 1])
			found.out = resolve(argv[++i]);
		else if (argv[i] === '--tests')
			found.tests = true;
		else
			usage(`unknown option ${argv[i]}`);
	}
	if (!found.out)
		usage('--out is missing');
	return found;
}

function emptied(directory) {
	rmSync(directory, { recursive: true, force: true });
	mkdirSync(directory, { recursive: true });
}

function hashed(name, bytes) {
	const hash = createHash('sha256').update(bytes).digest('hex').slice(0, 10);
	return name.replace(/(\.[a-z]+)$/, `-${hash}$1`);
}

/* The licences of what is bundled ask that their text travels with it. */
function licenceTexts() {
	const lock = JSON.parse(readFileSync(join(web, 'package-lock.json'), 'utf8'));
	const bundled = Object.entries(lock.packages).filter(([path, entry]) => path && !entry.dev && !entry.optional);
	return bundled.map(([path, entry]) => {
		const text = readFileSync(join(web, path, 'LICENSE'), 'utf8').trim();
		return `${path.replace('node_modules/', '')} ${entry.version}\n\n${text}\n`;
	}).join(`\n${'-'.repeat(72)}\n\n`);
}

async function bundle() {
	const result = await build({
		absWorkingDir: web,
		entryPoints: { app: 'src/main.tsx', style: 'src/style/app.css' },
		bundle: true,
		minify: true,
		write: false,
		outdir: 'out',
		format: 'esm',
		target: browsers,
		jsx: 'automatic',
		jsxImportSource: 'preact',
		legalComments: 'none',
		charset: 'utf8',
		define: { 'process.env.NODE_ENV': '"production"' },
		logLevel: 'warning',
	});
	return Object.fromEntries(result.outputFiles.map((file) => [file.path.replace(/^.*[\\/]/, ''), file.contents]));
}

async function buildPage(out) {
	const made = await bundle();
	const files = [
		{ name: 'app.js', type: 'text/javascript; charset=utf-8', bytes: made['app.js'] },
		{ name: 'style.css', type: 'text/css; charset=utf-8', bytes: made['style.css'] },
		{ name: 'icon.svg', type: 'image/svg+xml', bytes: readFileSync(join(web, 'src/style/icon.svg')) },
		{ name: 'licences.txt', type: 'text/plain; charset=utf-8', bytes: Buffer.from(licenceTexts()) },
	].map((file) => ({ ...file, file: hashed(file.name, file.bytes), immutable: true }));

	let page = readFileSync(join(web, 'index.html'), 'utf8');
	for (const { name, file } of files)
		page = page.replaceAll(`{{${name}}}`, file);
	files.push({ file: 'index.html', type: 'text/html; charset=utf-8', bytes: Buffer.from(page), immutable: false });

	emptied(out);
	for (const { file, bytes } of files)
		writeFileSync(join(out, file), bytes);
	const manifest = files.map(({ file, type, immutable }) => ({ file, type, immutable }));
	writeFileSync(join(out, 'manifest.json'), `${JSON.stringify(manifest, null, 2)}\n`);
}

function testFiles(directory) {
	return readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
		const path = join(directory, entry.name);
		if (entry.isDirectory())
			return testFiles(path);
		return /\.test\.tsx?$/.test(entry.name) ? [path] : [];
	}).sort();
}

async function buildTests(out) {
	emptied(out);
	await build({
		absWorkingDir: web,
		entryPoints: testFiles(join(web, 'src')).map((path) => relative(web, path)),
		bundle: true,
		outdir: out,
		outbase: 'src',
		outExtension: { '.js': '.mjs' },
		format: 'esm',
		platform: 'node',
		target: 'node18',
		jsx: 'automatic',
		jsxImportSource: 'preact',
		sourcemap: 'inline',
		logLevel: 'warning',
	});
}

const chosen = options(process.argv.slice(2));
await (chosen.tests ? buildTests(chosen.out) : buildPage(chosen.out));
