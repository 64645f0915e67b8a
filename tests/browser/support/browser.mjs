// SPDX-License-Identifier: Apache-2.0
// One Chromium, Debian's, driven by the playwright-core that web/ installs. Every page is watched: an
// error on its console or a request to another origin fails the test that opened it.

import assert from 'node:assert/strict';
import { createRequire } from 'node:module';

const require = createRequire(new URL('../../../web/package.json', import.meta.url));
const { chromium } = require('playwright-core');

const EXECUTABLE = process.env.CAIRN_CHROMIUM ?? '/usr/bin/chromium';

export function launch(more = []) {
	return chromium.launch({
		executablePath: EXECUTABLE,
		args: [
			'--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
			'--disable-component-update', '--disable-sync', ...more,
		],
	});
}

/* Opens URL in a context of its own. `ignored` lists console texts that the test itself provokes. */
export async function openPage(browser, url, { width = 1600, height = 900, ratio = 1, ignored = [], ...context } = {}) {
	const own = await browser.newContext({ viewport: { width, height }, deviceScaleFactor: ratio, ...context });
	const page = await own.newPage();
	const origin = new URL(url).origin;
	const faults = [];
	const isIgnored = (text) => ignored.some((pattern) => pattern.test(text));
	page.on('console', (message) => {
		if ((message.type() === 'error' || message.type() === 'warning') && !isIgnored(message.text()))
			faults.push(`console ${message.type()}: ${message.text()}`);
	});
	page.on('pageerror', (error) => faults.push(`page error: ${error.stack ?? error.message}`));
	page.on('dialog', (dialog) => {
		faults.push(`dialog: ${dialog.message()}`);
		dialog.dismiss();
	});
	page.on('request', (request) => {
		if (new URL(request.url()).origin !== origin)
			faults.push(`request to another origin: ${request.url()}`);
	});
	await page.goto(url);
	return {
		page,
		async close() {
			await own.close();
			assert.deepEqual(faults, []);
		},
	};
}

/* Resolves when the graph has been drawn with data. */
export async function graphDrawn(page) {
	await page.waitForFunction(() => performance.getEntriesByName('flame-paint').some(({ detail }) => detail?.levels > 0));
}

/* The cost of the last drawing, after letting the frames of an animation pass. */
export async function paintCost(page) {
	await page.waitForTimeout(250);
	return page.evaluate(() => performance.getEntriesByName('flame-paint').at(-1).detail);
}
