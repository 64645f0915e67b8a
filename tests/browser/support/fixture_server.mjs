// SPDX-License-Identifier: Apache-2.0
// Serves the built page with the headers of the real server, and canned answers to its requests. What it
// answers can be changed while it runs: that is how a test makes a server fail.

import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { diffAnswer, heatAnswer, seriesAnswer } from './charts.mjs';
import { columnsOf, encodeBinary, encodeJson } from './encode.mjs';
import * as trees from './trees.mjs';

export const CPU = 'process_cpu:cpu:nanoseconds:cpu:nanoseconds';
const CSP = "default-src 'self'; object-src 'none'; frame-ancestors 'self'";

const makers = {
	busy: () => columnsOf(trees.busyHost()),
	python: () => columnsOf(trees.busyHost({ seed: 3, samples: 30000 })),
	trimmed: () => columnsOf(trees.busyHost({ trimBelow: 30 })),
	deep: () => columnsOf(trees.deepStack()),
	needles: () => columnsOf(trees.needles()),
	hostile: () => columnsOf(trees.hostile()),
	empty: () => columnsOf(trees.nothing()),
	'10k': () => trees.large(10000),
	'100k': () => trees.large(100000),
	'500k': () => trees.large(500000),
	combs: () => trees.combs(),
};

const made = new Map();
function columns(profile) {
	if (!made.has(profile))
		made.set(profile, makers[profile]());
	return made.get(profile);
}

function head(profile, fromMs, untilMs, partial = null) {
	const total = columns(profile).totals[0];
	return {
		unit: profile === 'needles' ? 'count' : 'nanoseconds',
		period: profile === 'needles' ? 1 : trees.PERIOD_NS,
		sampleCount: profile === 'needles' ? total : Math.round(total / trees.PERIOD_NS),
		fromMs,
		untilMs,
		partialSymbols: profile === 'busy',
		partial,
	};
}

const bodies = new Map();
function flameBody(profile, accept, fromMs, untilMs, partial) {
	const binary = accept.includes('application/x-flame');
	/* Gzip of the large ones takes seconds: it must not be part of what is measured. */
	const key = `${profile} ${binary} ${partial ? partial.reason : ''}`;
	if (!bodies.has(key)) {
		const about = head(profile, fromMs, untilMs, partial);
		const body = binary ? encodeBinary(columns(profile), about) : Buffer.from(encodeJson(columns(profile), about));
		bodies.set(key, { type: binary ? 'application/x-flame' : 'application/json', body, gzip: gzipSync(body, { level: 6 }) });
	}
	return bodies.get(key);
}

function timeOf(text, nowMs) {
	const relative = /^now(?:-(\d+)([smhd]))?$/.exec(text ?? 'now');
	if (!relative)
		return Number(text);
	const unit = { s: 1e3, m: 60e3, h: 3600e3, d: 86400e3 }[relative[2]] ?? 0;
	return nowMs - Number(relative[1] ?? 0) * unit;
}

const processTable = [
	['python3', 'web', 0.46], ['postgres', 'postgresql', 0.16], ['redis-server', 'redis', 0.15], ['java', 'billing', 0.12],
	['[kworker]', '[kworker]', 0.05], ['[ksoftirqd]', '[ksoftirqd]', 0.02], ['ffmpeg', 'transcode', 0.024],
	['<img src=x onerror=alert(9)>', 'hostile', 0.004], ['sshd', 'sshd', 0.0009],
];

/* Less than the page shows at first: what hosts used is told of the time that they were watched. */
const FIRST_SEEN_MS = 840e3;

function hostRows(state, nowMs) {
	const row = (host, value, kernel, agoMs) => ({
		host, first_seen: (nowMs - FIRST_SEEN_MS) * 1e6, last_seen: (nowMs - agoMs) * 1e6, samples: Math.round(value / trees.PERIOD_NS), value, kernel, collector: '0.1.0',
	});
	const total = columns(state.profile).totals[0];
	return state.hosts ?? [
		row('web-1', total, '6.1.0-28-amd64', 2400),
		row('web-2', Math.round(total * 0.62), '6.1.0-28-amd64', 4100),
		row('db-primary', Math.round(total * 0.41), '6.12.9+bpo-amd64', 6800),
		row('batch-07', Math.round(total * 0.05), '5.10.0-33-amd64', 640000),
	];
}

function statusAnswer(nowMs) {
	const ns = (agoMs) => (nowMs - agoMs) * 1e6;
	const host = (name, sampled, busy) => ({
		host: name, kernel: '6.1.0-28-amd64', collector: '0.1.0', last_seen: ns(2400), clock_skew_ns: -8596028, online_cpus: 8,
		chain: [], features: [{ name: 'kernel_symbols', state: 'off', reason: 'CAP_SYSLOG is missing', remedy: 'grant it' }],
		coverage: sampled / busy, busy_ns: busy, sampled_ns: sampled, idle_ns: 6e12, steal_ns: 1e7,
		counters: [{ name: 'collector_samples_counted', value: 84000 }, { name: 'collector_samples_dropped', value: 0 }],
	});
	const reasons = (listed) => Object.entries(listed).map(([reason, value]) => ({ counter: reason, reason, value, remedy: 'look at the host' }));
	const stage = (name, unit, numbers, lost = {}, aside = {}, notes = {}) => ({
		stage: name, unit, place: 'host', meaning: `what ${name} does`, in: numbers[0], out: numbers[1], waiting: numbers[2] ?? 0,
		set_aside: 0, lost: Object.values(lost).reduce((sum, value) => sum + value, 0), unaccounted: numbers[3] ?? 0,
		lost_reasons: reasons(lost), aside_reasons: reasons(aside), notes: reasons(notes),
	});
	const chain = [
		stage('kernel', 'ticks', [9120433, 4120031], { 'ring full': 20402 }, { idle: 4980000 }, { missed: 204 }),
		stage('rings', 'samples', [4120031, 4120019, 12]),
		stage('queue', 'samples', [4120019, 4118001, 2018]),
		stage('wire', 'batches', [4821, 4818, 0, 3]),
		stage('receive', 'batches', [4821, 4821]),
		stage('log', 'batches', [4821, 4818], {}, { again: 3 }),
		stage('sandbox', 'files', [71, 55], { 'no names': 16 }),
		stage('http', 'requests', [982, 970, 1], { '5xx': 1 }, { '4xx': 10 }),
	];
	const counter = (part, name, value, meaning) => ({ part, name, kind: 'counter', value, meaning });
	return {
		version: '0.1.0', now: ns(0), started_at: ns(18233e3),
		warning_count: 2,
		warnings: [
			{ level: 'error', host: 'web-2', text: '3 batches unaccounted for at `wire`', remedy: 'report it' },
			{ level: 'warning', host: 'web-1', text: '0.49 % of all ticks lost at `kernel`: ring full', remedy: 'look at the host' },
		],
		chain,
		store: { oldest: ns(6 * 86400e3), newest: ns(2400), bytes: 18233344, files: 31, full: false },
		hosts: [host('web-1', 848.4e9, 851.2e9), host('web-2', 526e9, 527.9e9)],
		counters: [
			counter('ingest', 'ingest_batches_stored', 4821, 'batches acknowledged as durable'),
			counter('ingest', 'ingest_batches_again', 3, 'batches that came twice and were counted once'),
			counter('symbols', 'symbol_uploads', 71, 'executables that collectors sent'),
			counter('store', 'store_bytes_written', 18233344, 'bytes written to files'),
			counter('http', 'http_requests_refused', 0, 'requests that could not be read'),
		],
		unnamed_modules: [{ module: 'dash', build_id: 'be6397ddffc3e384c505d7deab3bed190c884df9', pending: false, state: 'no names; stripped' }],
	};
}

/* Hexadecimal text that only looks like a build-ID. */
const ids = { codec: '5d41402abc4b2a76b9719d911017c592aabbccdd', crypt: '7d793037a0760186574b0282f2f435e7deadbeef', own: 'abcd0102030405060708090a0b0c0d0e0f1011ef' };

function moduleRow(module, buildId, total, unnamed, more) {
	return {
		module, build_id: buildId, total, self: total / 2, unnamed_total: unnamed, unnamed_self: unnamed / 2,
		addresses: 40, unnamed_addresses: unnamed > 0 ? 12 : 0, quality: 'nothing', function_count: 0, pending: false, state: '',
		remedy: '', command: '', upload: false, ...more,
	};
}

const giveFile = {
	remedy: 'Give its debug file, or the program before it was stripped: on the page, by the command, in a folder that --symbols-folder names, or on a debuginfod server that --debuginfod-urls names.',
	command: 'cairn symbols upload FILE', upload: true,
};

/* What was given names the program `own-service`. */
function symbolsAnswer(state) {
	const whole = columns(state.profile).totals[0];
	const ownUnnamed = state.given ? 0 : whole * 0.081;
	const modules = [
		moduleRow('own-service', ids.own, whole * 0.083, ownUnnamed, state.given
			? { quality: 'DWARF', function_count: 5120, state: 'named by DWARF, 5120 functions' }
			: { ...giveFile, state: 'no names; debuginfod: not found, again in 10 min; upload: stripped: the file holds no function names' }),
		moduleRow('libnvcodec.so.550', ids.codec, whole * 0.021, whole * 0.016, {
			...giveFile, quality: '.dynsym', function_count: 212, pending: true,
			state: 'named by .dynsym, 212 functions; debuginfod is being asked',
			remedy: 'Symbols are being looked for: names appear in this range when they come. A file given by hand is taken at once.',
		}),
		moduleRow('', '', whole * 0.012, whole * 0.012, {
			remedy: 'These addresses lie in no file: code that a runtime made, or a mapping that was gone when it was looked for. There is nothing to upload.',
		}),
		moduleRow('<img src=x onerror=alert(4)>.so', ids.crypt, whole * 0.004, whole * 0.003, {
			quality: 'DWARF', function_count: 31, state: 'named by DWARF, 31 functions',
			remedy: 'The file with all there is to know was read; these addresses lie in no function that it tells of, such as hand-written assembler without symbols.',
		}),
		moduleRow('libc.so.6', '81daba31ee66dbd63efdc4252a872949d874d136', whole * 0.4, 0, { quality: 'DWARF', function_count: 3706 }),
		moduleRow('[kernel]', '0b2c3d4e5f', whole * 0.3, 0, { quality: 'kallsyms', function_count: 141873 }),
	];
	const shown = state.allNamed ? modules.filter((module) => module.unnamed_total === 0) : modules;
	shown.sort((a, b) => b.unnamed_total - a.unnamed_total);
	return {
		unit: 'nanoseconds', total: whole, self: whole, unnamed_total: shown.reduce((sum, module) => sum + module.unnamed_total, 0),
		unnamed_self: shown.reduce((sum, module) => sum + module.unnamed_self, 0), sample_count: whole > 0 ? 84000 : 0,
		from: 0, until: 1, module_count: shown.length, modules: shown,
	};
}

/* 70 and 30 of a function whose own time is 100. */
function linesAnswer(state, params) {
	const whole = columns(state.profile).totals[0];
	const row = (line, share) => ({
		name: `${params.get('function')} x.c:${line}`, module: params.get('module'), kind: 'native', self: whole * share, total: whole * share,
		function: params.get('function'), raw: `_Z${params.get('function')}v`, file: `/build/src/${params.get('function')}.c`, line, build_id: ids.own,
	});
	return { unit: 'nanoseconds', total: whole, functions: state.noLines ? [{ ...row(0, 0.1), file: '' }] : [row(14, 0.07), row(11, 0.03)] };
}

const sourceLines = Array.from({ length: 40 }, (_, i) => (i === 13 ? '\tfor (unsigned i = 0; i < 7 * turns; i++) /* <b>70</b> */'
	: i === 10 ? '\tfor (unsigned i = 0; i < 3 * turns; i++)' : `\t/* line ${i + 1} */`));

/* What a PUT of a file, and a look at its module, are answered with. */
function moduleAnswer(state, method, buildId) {
	if (method === 'PUT') {
		state.given = buildId;
		state.reading = 2;
		return { build_id: buildId, whole: true };
	}
	const pending = state.reading > 0;
	state.reading--;
	return { build_id: buildId, named_by: pending ? '' : 'DWARF', functions: 5120, pending, text: pending ? 'its upload is being read' : 'named by DWARF, 5120 functions' };
}

function apiAnswer(state, path, params, nowMs) {
	switch (path) {
	case 'hosts': return { hosts: params.get('from') === 'now-90d' && state.everSeen ? state.everSeen(nowMs) : hostRows(state, nowMs) };
	case 'processes': return {
		processes: processTable.map(([process, service, share]) => ({
			process, service_name: service, host: params.get('host') || 'web-1',
			samples: Math.round((columns(state.profile).totals[0] * share) / trees.PERIOD_NS),
			value: Math.round(columns(state.profile).totals[0] * share),
		})),
	};
	case 'types': return { types: state.types ?? [{ id: CPU, samples: 84000, value: columns(state.profile).totals[0], unit: 'nanoseconds' }] };
	case 'status': return statusAnswer(nowMs);
	case 'symbols': return symbolsAnswer(state);
	case 'top': return linesAnswer(state, params);
	case 'diff': return diffAnswer(state, params, timeOf, nowMs);
	case 'series': return seriesAnswer(state, params, timeOf, nowMs);
	case 'heatmap': return heatAnswer(state, params, timeOf, nowMs);
	case 'progress': return { running: true, stage: 'reading', done: 0.42, elapsed_ns: 1e9 };
	default: return null;
	}
}

function sendJson(response, status, value) {
	const body = JSON.stringify(value);
	response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' });
	response.end(body);
}

function sendBytes(request, response, headers, plain, gzip) {
	const zipped = /\bgzip\b/.test(request.headers['accept-encoding'] ?? '');
	response.writeHead(200, zipped ? { ...headers, 'content-encoding': 'gzip' } : headers);
	response.end(zipped ? gzip : plain);
}

function pageFiles(dist) {
	const manifest = JSON.parse(readFileSync(join(dist, 'manifest.json'), 'utf8'));
	const files = new Map();
	for (const { file, type, immutable } of manifest) {
		const bytes = readFileSync(join(dist, file));
		files.set(`/${file}`, { type, immutable, bytes, gzip: gzipSync(bytes) });
	}
	files.set('/', files.get('/index.html'));
	return files;
}

async function answerFlame(state, request, response, params, nowMs) {
	const fromMs = timeOf(params.get('from'), nowMs);
	const untilMs = timeOf(params.get('until'), nowMs);
	if (!(fromMs < untilMs))
		return sendJson(response, 400, { code: 'invalid_argument', message: 'The range must end after it begins.' });
	const byProcess = /process="([^"]*)"/.exec(params.get('query') ?? '');
	const profile = byProcess && state.profile === 'busy' ? 'python' : state.profile;
	const found = flameBody(profile, state.jsonOnly ? '' : request.headers.accept ?? '', fromMs, untilMs, state.partial);
	if (state.garbage)
		return sendBytes(request, response, { 'content-type': found.type }, found.body.subarray(0, state.garbage), gzipSync(found.body.subarray(0, state.garbage)));
	sendBytes(request, response, { 'content-type': found.type, 'cache-control': 'no-store' }, found.body, found.gzip);
}

/* STATE: {profile, fail: {path: status}, jsonOnly, delayMs, hosts, types, garbage, everSeen, requests, allNamed,
 * given, refusePut, noLines, noSource, emptySide, short, fewSamples, partial, noGaps, spread}. */
export async function startFixtureServer({ dist, prefix = '', port = 0, state = {} }) {
	const files = pageFiles(dist);
	state.profile ??= 'busy';
	state.fail ??= {};
	state.requests ??= [];
	const server = createServer(async (request, response) => {
		response.setHeader('content-security-policy', CSP);
		response.setHeader('x-content-type-options', 'nosniff');
		const url = new URL(request.url, 'http://localhost');
		if (!url.pathname.startsWith(prefix))
			return response.writeHead(404).end();
		const path = url.pathname.slice(prefix.length);
		state.requests.push(path + url.search);
		const file = files.get(path);
		if (file)
			return sendBytes(request, response, {
				'content-type': file.type, 'cache-control': file.immutable ? 'public, max-age=31536000, immutable' : 'no-cache',
			}, file.bytes, file.gzip);
		const [, api, id] = /^\/api\/v1\/(\w+)(?:\/([0-9a-f]+))?$/.exec(path) ?? [];
		if (!api)
			return sendJson(response, 404, { code: 'not_found', message: `There is nothing at ${path}.` });
		if (state.delayMs && api !== 'progress')
			await new Promise((done) => { setTimeout(done, state.delayMs); });
		if (state.fail[api])
			return sendJson(response, state.fail[api], state.failBody ?? { code: 'internal', message: 'The store could not be read: input/output error.' });
		if (id) {
			for await (const part of request)
				state.sentBytes = (state.sentBytes ?? 0) + part.length;
			if (request.method === 'PUT' && state.refusePut)
				return sendJson(response, 400, { code: 'invalid_argument', message: state.refusePut });
			return sendJson(response, 200, moduleAnswer(state, request.method, id));
		}
		if (api === 'source' && !state.noSource) {
			response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8' });
			return response.end(sourceLines.join('\n'));
		}
		if (api === 'source')
			return sendJson(response, 404, { code: 'not_found', message: 'no debuginfod server has it of this build' });
		if (api === 'flame')
			return answerFlame(state, request, response, url.searchParams, Date.now());
		const answer = apiAnswer(state, api, url.searchParams, Date.now());
		return answer ? sendJson(response, 200, answer) : sendJson(response, 404, { code: 'not_found', message: api });
	});
	await new Promise((listening) => { server.listen(port, '127.0.0.1', listening); });
	const close = () => new Promise((closed) => {
		server.close(closed);
		server.closeAllConnections();
	});
	return { url: `http://127.0.0.1:${server.address().port}${prefix}/`, port: server.address().port, state, close };
}
