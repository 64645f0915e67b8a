// SPDX-License-Identifier: Apache-2.0
// Two builds of a program on a real server: what changed is found, focused and linked to, a part of the range
// is selected on the chart and on the heat map.
//
//   CAIRN_URL=http://127.0.0.1:4040/ CAIRN_PROCESS=two_builds CAIRN_LEFT=FROM..UNTIL CAIRN_RIGHT=FROM..UNTIL \
//   node compare_story.mjs '{"slow":"sure","before":"gone","after":"new"}'
//
// Times are milliseconds since 1970; the JSON says of each function what its row must hold. CAIRN_SHOTS is a folder for
// pictures. Exit status 0: the story holds, no error on the console, no request elsewhere.

import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { graphDrawn, launch, openPage } from './support/browser.mjs';

const { CAIRN_URL, CAIRN_PROCESS, CAIRN_LEFT, CAIRN_RIGHT, CAIRN_SHOTS } = process.env;
const wanted = JSON.parse(process.argv[2] ?? '{}');
if (!CAIRN_URL || !CAIRN_PROCESS || !CAIRN_LEFT || !CAIRN_RIGHT || Object.keys(wanted).length === 0) {
	console.error('compare_story.mjs: set CAIRN_URL, CAIRN_PROCESS, CAIRN_LEFT, CAIRN_RIGHT; give {function: word}');
	process.exit(2);
}
const [from, until] = CAIRN_RIGHT.split('..').map(Number);
const range = `proc=${encodeURIComponent(CAIRN_PROCESS)}&from=${from}&until=${until}`;

async function picture(page, name) {
	if (!CAIRN_SHOTS)
		return;
	mkdirSync(CAIRN_SHOTS, { recursive: true });
	await page.screenshot({ path: join(CAIRN_SHOTS, `${name}.png`) });
}

async function compare(browser) {
	const { page, close } = await openPage(browser, `${CAIRN_URL}#/compare?${range}&left=${CAIRN_LEFT}`);
	await graphDrawn(page);
	const row = (name) => page.getByRole('row', { name: new RegExp(`^${name}[, ]`) });
	for (const [name, word] of Object.entries(wanted)) {
		await row(name).waitFor();
		const text = await row(name).textContent();
		assert.ok(text.includes(word), `${name} is ${word}: ${text}`);
	}
	for (const side of ['Left', 'Right'])
		await page.getByRole('region', { name: `${side} side` }).getByText(/samples/).waitFor();
	await picture(page, 'compared');
	const [first] = Object.keys(wanted);
	await row(first).dblclick();
	await page.waitForFunction(() => /focus=[0-9a-f]{16}/.test(location.hash));
	const link = page.url();
	await page.reload();
	await graphDrawn(page);
	assert.equal(page.url(), link, 'the link is the same after a reload');
	const focused = page.getByRole('navigation', { name: 'Focus path' }).locator('[aria-current=location]');
	assert.equal(await focused.getAttribute('title'), first, 'the reloaded page shows the same frame');
	for (const norm of ['Per second', 'Per core second'])
		await page.getByRole('button', { name: norm, exact: true }).click();
	await picture(page, 'focused');
	await close();
}

/* Selects by keys on the slider NAME, and expects the graph to be about that alone. */
async function select(browser, screen, name, keys) {
	const { page, close } = await openPage(browser, `${CAIRN_URL}#/${screen}?${range}&host=*`);
	await graphDrawn(page);
	const slider = page.getByRole('slider', { name, exact: true });
	await slider.focus();
	const flame = page.waitForRequest((request) => /api\/v1\/flame/.test(request.url()) && !request.url().includes(`from=${from}&until=${until}`));
	for (const key of keys)
		await page.keyboard.press(key);
	await page.waitForFunction(() => /span=\d+-\d+/.test(location.hash));
	await flame;
	const [begin, end] = /span=(\d+)-(\d+)/.exec(page.url()).slice(1).map(Number);
	assert.ok(begin >= Math.floor(from / 1000) * 1000 && end <= Math.ceil(until / 1000) * 1000 && begin < end, page.url());
	assert.doesNotMatch(await slider.getAttribute('aria-valuetext'), /arrows|walk/);
	await page.getByText(/^Selected/).waitFor();
	await picture(page, `selected-${screen}`);
	await close();
	return end - begin;
}

const browser = await launch();
try {
	await compare(browser);
	const steps = await select(browser, 'hot', 'Values over time', ['End', 'ArrowLeft', 'ArrowLeft', 'Shift+ArrowLeft']);
	assert.ok(steps > 0 && steps < until - from);
	const cells = await select(browser, 'heat', 'Samples by the part of the second', ['Home', 'ArrowRight', 'ArrowRight', 'Shift+ArrowDown', 'Shift+ArrowDown']);
	assert.equal(cells, 60, 'three cells of 20 ms');
	console.log(`ok: compared ${Object.keys(wanted).join(', ')}, selected on the chart and on the heat map`);
} finally {
	await browser.close();
}
