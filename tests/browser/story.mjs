// SPDX-License-Identifier: Apache-2.0
// The story that the page is for: open it, find a function, zoom to it, search, come back by the link.
//
// Against a real server:  CAIRN_URL=http://127.0.0.1:4040/ CAIRN_FUNCTION=spin node story.mjs
// Optional: CAIRN_HOST, CAIRN_PROCESS, CAIRN_FROM, CAIRN_UNTIL choose what is looked at, CAIRN_SHOTS is a
// folder for pictures. Exit status 0: the story holds, no error on the console, no request elsewhere.

import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { graphDrawn, launch, openPage } from './support/browser.mjs';

/* A server that has just been asked for the first time may still be looking names up. */
const FIND_MS = 30_000;

function escaped(text) {
	return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

function exactly(name) {
	return `/^${escaped(name)}$/`;
}

async function picture(page, shots, name) {
	if (!shots)
		return;
	mkdirSync(shots, { recursive: true });
	await page.screenshot({ path: join(shots, `${name}.png`) });
}

/* The page's own words for the frame under the cursor. */
async function cursorFrame(page) {
	return (await page.getByRole('treeitem', { selected: true }).textContent()) ?? '';
}

async function findAndZoom(page, name, shots) {
	const field = page.getByRole('textbox', { name: 'Search functions' });
	const outcome = page.getByRole('search').getByRole('status');
	await field.fill(name);
	await outcome.getByText(/[1-9]\S* functions?/).waitFor({ timeout: FIND_MS });
	await picture(page, shots, 'found');

	/* Other functions may hold this name, too; the row must be its own. */
	await field.fill(exactly(name));
	const row = page.getByRole('row', { name: new RegExp(`^${escaped(name)}[, ]`) }).first();
	await row.waitFor({ timeout: FIND_MS });

	await row.dblclick();
	await page.waitForFunction(() => /focus=[0-9a-f]{16}/.test(location.hash));
	assert.ok((await cursorFrame(page)).startsWith(name), `zoomed to ${name}, not to ${await cursorFrame(page)}`);
	await picture(page, shots, 'zoomed');
}

/* Reloads, and expects the same frame to fill the width again and the same search to be there. */
async function comeBack(page, name) {
	const before = { hash: new URL(page.url()).hash, frame: await cursorFrame(page) };
	await page.reload();
	await graphDrawn(page);
	assert.equal(new URL(page.url()).hash, before.hash, 'the link is the same after a reload');
	const focused = page.getByRole('navigation', { name: 'Focus path' }).locator('[aria-current=location]');
	assert.equal(await focused.getAttribute('title'), name, 'the reloaded page shows the same frame');
	assert.equal(await page.getByRole('textbox', { name: 'Search functions' }).inputValue(), exactly(name));
}

async function zoomOut(page) {
	await page.getByRole('tree', { name: 'Flame graph' }).focus();
	await page.keyboard.press('Escape');
	await page.waitForFunction(() => !/focus=/.test(location.hash));
	await page.goBack();
	await page.waitForFunction(() => /focus=/.test(location.hash));
	await page.goForward();
	await page.waitForFunction(() => !/focus=/.test(location.hash));
}

export async function tellStory(browser, { url, name, parameters = {}, shots = '' }) {
	const query = new URLSearchParams(Object.entries(parameters).filter(([, value]) => value));
	const { page, close } = await openPage(browser, `${url}#/hot?${query}`);
	await graphDrawn(page);
	await picture(page, shots, 'opened');
	await findAndZoom(page, name, shots);
	await comeBack(page, name);
	await zoomOut(page);
	await close();
}

async function main() {
	const { CAIRN_URL, CAIRN_FUNCTION, CAIRN_HOST, CAIRN_PROCESS, CAIRN_FROM, CAIRN_UNTIL, CAIRN_SHOTS } = process.env;
	if (!CAIRN_URL || !CAIRN_FUNCTION) {
		console.error('story.mjs: set CAIRN_URL and CAIRN_FUNCTION');
		process.exit(2);
	}
	const browser = await launch();
	try {
		await tellStory(browser, {
			url: CAIRN_URL,
			name: CAIRN_FUNCTION,
			parameters: { host: CAIRN_HOST, proc: CAIRN_PROCESS, from: CAIRN_FROM, until: CAIRN_UNTIL },
			shots: CAIRN_SHOTS,
		});
		console.log(`ok: found, zoomed to, searched and reloaded ${CAIRN_FUNCTION}`);
	} finally {
		await browser.close();
	}
}

if (import.meta.url === pathToFileURL(process.argv[1]).href)
	await main();
