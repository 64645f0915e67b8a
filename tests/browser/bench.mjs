// SPDX-License-Identifier: Apache-2.0
// Measures the page: node bench.mjs [--rounds N] DIST [PROFILE...]. A line of JSON for each profile, with what
// each round, a fresh context, gave. tests/bench holds the figures against their budgets.

import { startFixtureServer } from './support/fixture_server.mjs';
import { graphDrawn, launch, openPage } from './support/browser.mjs';

const PAN_FRAMES = 240;

const argv = process.argv.slice(2);
const roundCount = argv[0] === '--rounds' ? Number(argv.splice(0, 2)[1]) : 5;
const [dist, ...wanted] = argv;
if (!dist || !(roundCount >= 1)) {
	console.error('usage: node bench.mjs [--rounds N] DIST [10k|100k|500k|combs ...]');
	process.exit(2);
}
const profiles = wanted.length > 0 ? wanted : ['10k', '100k', '500k', 'combs'];

/* Milliseconds from navigation to the shell and to the first drawing that has data. */
function cold(page) {
	return page.evaluate(() => {
		const paint = performance.getEntriesByName('flame-paint').at(-1);
		return {
			shell: performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? NaN,
			painted: paint.startTime + paint.duration,
			decode: performance.getEntriesByName('flame-decoded')[0].startTime - performance.getEntriesByName('flame-bytes')[0].startTime,
			draw: paint.duration,
		};
	});
}

/* From the press on Refresh to the drawing of the new tree. */
function warm(page) {
	return page.evaluate(async () => {
		performance.clearMeasures('flame-paint');
		performance.clearMarks('flame-decoded');
		const began = performance.now();
		document.querySelector('[aria-label="Refresh"]').click();
		for (;;) {
			await new Promise((frame) => { requestAnimationFrame(frame); });
			const paint = performance.getEntriesByName('flame-paint').at(-1);
			const decoded = performance.getEntriesByName('flame-decoded').at(-1);
			if (paint && decoded && paint.startTime > decoded.startTime)
				return paint.startTime + paint.duration - began;
		}
	});
}

/* Times between frames while the view moves with every one of them. */
function pan(page, frames) {
	return page.evaluate(async (count) => {
		const scroller = document.querySelector('.flame-scroller');
		const box = scroller.getBoundingClientRect();
		const wheel = (more) => scroller.dispatchEvent(new WheelEvent('wheel', {
			bubbles: true, cancelable: true, clientX: box.left + box.width / 3, clientY: box.top + 50, ...more,
		}));
		wheel({ deltaY: -500, ctrlKey: true });
		const deltas = [];
		const draws = [];
		let before = await new Promise((frame) => { requestAnimationFrame(frame); });
		for (let i = 0; i < count; i++) {
			wheel(i % 3 === 2 ? { deltaY: i % 2 ? 20 : -20, ctrlKey: true } : { deltaX: i % 120 < 60 ? 12 : -12 });
			const now = await new Promise((frame) => { requestAnimationFrame(frame); });
			deltas.push(now - before);
			draws.push(performance.getEntriesByName('flame-paint').at(-1).duration);
			before = now;
		}
		deltas.sort((a, b) => a - b);
		draws.sort((a, b) => a - b);
		const at = (list, share) => list[Math.floor(list.length * share)];
		return { p50: at(deltas, 0.5), p95: at(deltas, 0.95), draw50: at(draws, 0.5), draw95: at(draws, 0.95) };
	}, frames);
}

/* From a keystroke in the search field to the end of the frame that shows it. */
function keystroke(page, text) {
	return page.evaluate(async (typed) => {
		const field = document.getElementById('search');
		const began = performance.now();
		field.value = typed;
		field.dispatchEvent(new InputEvent('input', { bubbles: true }));
		await window.frameDone();
		return performance.now() - began;
	}, text);
}

/* From a key in the graph to the end of the next frame. */
function key(page, name) {
	return page.evaluate(async (pressed) => {
		const tree = document.querySelector('[role=tree]');
		const began = performance.now();
		tree.dispatchEvent(new KeyboardEvent('keydown', { key: pressed, bubbles: true, cancelable: true }));
		await window.frameDone();
		return performance.now() - began;
	}, name);
}

/* Objects and array contents together: the tree lives in the latter. */
async function heapMegabytes(page) {
	const session = await page.context().newCDPSession(page);
	await session.send('HeapProfiler.collectGarbage');
	const { usedSize, backingStorageSize } = await session.send('Runtime.getHeapUsage');
	return (usedSize + backingStorageSize) / 2 ** 20;
}

async function round(browser, server, hash) {
	const { page, close } = await openPage(browser, `${server.url}${hash}`);
	await graphDrawn(page);
	await page.evaluate(() => {
		/* Resolves right after the frame: before what the page has put off until then. */
		window.frameDone = () => new Promise((done) => {
			const channel = new MessageChannel();
			channel.port1.onmessage = () => done();
			requestAnimationFrame(() => channel.port2.postMessage(0));
		});
	});
	const first = await cold(page);
	const refetch = await warm(page);
	const panned = await pan(page, PAN_FRAMES);
	const zoom = [];
	for (const name of ['ArrowDown', 'Enter', 'ArrowDown', 'Enter', 'Backspace', 'Escape']) {
		zoom.push(await key(page, name));
		await page.waitForTimeout(150);
	}
	const search = [];
	for (const text of ['p', 'pr', 'pro', 'process_item_7']) {
		search.push(await keystroke(page, text));
		await page.waitForTimeout(150);
	}
	const heap = await heapMegabytes(page);
	await close();
	return { ...first, refetch, ...panned, zoom: Math.max(...zoom), search: Math.max(...search), heap };
}

const browser = await launch();
for (const profile of profiles) {
	const server = await startFixtureServer({ dist, state: { profile } });
	const hash = '#/hot?host=web-1';
	/* The first answer of the fixture is made and compressed now, not while the clock runs. */
	const answer = await fetch(`${server.url}api/v1/flame?from=now-15m&until=now`, { headers: { accept: 'application/x-flame' } });
	await answer.arrayBuffer();
	const rounds = [];
	for (let i = 0; i < roundCount; i++)
		rounds.push(await round(browser, server, hash));
	console.log(JSON.stringify({ profile, rounds }));
	await server.close();
}
await browser.close();
