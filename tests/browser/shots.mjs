// SPDX-License-Identifier: Apache-2.0
// A picture of every screen, light and dark, full, empty and failed: node shots.mjs DIST OUT-DIR [PART-OF-A-NAME]
// A person looks at them before a change of the page lands.

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { graphDrawn, launch, openPage } from './support/browser.mjs';
import { elfWithId } from './support/elf.mjs';
import { startFixtureServer } from './support/fixture_server.mjs';

const [dist, out, only] = process.argv.slice(2);
if (!dist || !out) {
	console.error('usage: node shots.mjs DIST OUT-DIR [PART-OF-A-NAME]');
	process.exit(2);
}
mkdirSync(out, { recursive: true });

const hoverFrame = async (page) => {
	const box = await page.getByRole('tree').boundingBox();
	await page.mouse.move(box.x + 100, box.y + 9 + 18 * 9);
};
const focusFrame = async (page) => {
	const box = await page.getByRole('tree').boundingBox();
	await page.mouse.click(box.x + 100, box.y + 9 + 18 * 7);
	await page.mouse.move(0, 0);
};
const wait = (page) => page.waitForTimeout(400);

/* name, {state, hash, act, width, height, ratio}. */
const scenes = [
	['hotspots', { act: hoverFrame }],
	['focus', { act: focusFrame }],
	['search', { hash: '?q=/malloc|memmove/' }],
	['menu', { act: async (page) => { await focusFrame(page); await page.getByRole('tree').focus(); await page.keyboard.press('ArrowDown'); await page.keyboard.press('m'); } }],
	['flipped', { hash: '?flip=1&view=flame' }],
	['kind', { hash: '?color=kind&view=flame' }],
	['self', { hash: '?color=self&view=flame' }],
	['table', { hash: '?view=table&sort=-total', drawn: false }],
	['trimmed', { state: { profile: 'trimmed' } }],
	['large', { state: { profile: '500k' } }],
	['combs', { state: { profile: 'combs' }, hash: '?view=flame' }],
	['deep', { state: { profile: 'deep' } }],
	['needles', { state: { profile: 'needles' }, hash: '?q=needle_4711' }],
	['hostile', { state: { profile: 'hostile' }, act: async (page) => { await page.getByRole('tree').focus(); await page.keyboard.press('ArrowDown'); await page.keyboard.press('ArrowRight'); } }],
	['process', { act: (page) => page.getByRole('button', { name: /^Process/ }).click() }],
	['range', { act: (page) => page.getByRole('button', { name: /^Time range/ }).click() }],
	['gaps', { act: (page) => page.getByRole('button', { name: /without a name/ }).click() }],
	['inlined', { hash: '?q=siphash' }],
	['source', { hash: '?src=siphash%00redis-server' }],
	['source-no-text', { hash: '?src=siphash%00redis-server', state: { noSource: true } }],
	['source-no-lines', { hash: '?src=siphash%00redis-server', state: { noLines: true } }],
	['symbols', { path: 'symbols' }],
	['symbols-named', { path: 'symbols', state: { allNamed: true } }],
	['symbols-empty', { path: 'symbols', state: { profile: 'empty' } }],
	['symbols-error', { path: 'symbols', state: { fail: { symbols: 500 } } }],
	['symbols-small', { path: 'symbols', width: 1024, height: 640 }],
	['symbols-given', { path: 'symbols', act: async (page) => {
		await page.getByLabel('Debug files').first().setInputFiles([
			{ name: 'own-service.debug', mimeType: 'application/octet-stream', buffer: elfWithId('abcd0102030405060708090a0b0c0d0e0f1011ef') },
			{ name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('hello') },
		]);
		await page.getByText('Names are there').waitFor();
	} }],
	['selected', { act: async (page) => {
		const box = await page.getByRole('slider', { name: 'Values over time' }).boundingBox();
		await page.mouse.move(box.x + box.width * 0.5, box.y + 30);
		await page.mouse.down();
		await page.mouse.move(box.x + box.width * 0.7, box.y + 30, { steps: 4 });
		await page.mouse.up();
	} }],
	['heat', { path: 'heat', act: async (page) => {
		const box = await page.getByRole('slider', { name: 'Samples by the part of the second' }).boundingBox();
		await page.mouse.move(box.x + box.width * 0.7, box.y + 60);
		await page.mouse.down();
		await page.mouse.move(box.x + box.width * 0.75, box.y + 120, { steps: 4 });
		await page.mouse.up();
	} }],
	['heat-spread', { path: 'heat', state: { spread: true } }],
	['heat-phone', { path: 'heat', width: 390, height: 844 }],
	['compare', { path: 'compare', act: hoverFrame }],
	['compare-second', { path: 'compare', hash: '?norm=second&view=flame' }],
	['compare-table', { path: 'compare', hash: '?view=table' }],
	['compare-empty-side', { path: 'compare', state: { emptySide: 'left' } }],
	['compare-empty', { path: 'compare', state: { emptySide: 'both' } }],
	['compare-short', { path: 'compare', state: { short: true, fewSamples: true } }],
	['compare-range', { path: 'compare', act: (page) => page.getByRole('button', { name: /^Range of the left/ }).click() }],
	['compare-error', { path: 'compare', state: { fail: { diff: 500 } } }],
	['compare-phone', { path: 'compare', width: 390, height: 844 }],
	['partial', { state: { partial: { reason: 'time', from: 1774785600e9, until: 1774786500e9, unreadable_count: 0 } }, path: 'compare' }],
	['phone', { width: 390, height: 844 }],
	['keys', { act: (page) => page.keyboard.press('?') }],
	['hosts', { path: 'hosts' }],
	['status', { path: 'status' }],
	['empty', { state: { profile: 'empty' }, hash: '?host=web-1&proc=redis-server', drawn: false }],
	['nobody', { state: { hosts: [], everSeen: () => [] }, drawn: false }],
	['error-first', { state: { fail: { flame: 500, hosts: 500 } }, drawn: false }],
	['error-later', { act: async (page, state) => { state.fail = { flame: 503 }; await page.getByRole('button', { name: 'Refresh' }).click(); await page.getByRole('alert').waitFor(); } }],
	['waiting', { act: async (page, state) => { state.delayMs = 5000; await page.getByRole('button', { name: 'Refresh' }).click(); await page.waitForTimeout(800); } }],
	['small', { width: 1024, height: 640 }],
	['wide', { width: 2560, height: 1300 }],
	['dpr2', { ratio: 2, width: 1400, height: 800, act: focusFrame }],
];

const browser = await launch();
for (const [name, scene] of scenes.filter(([each]) => each.includes(only ?? ''))) {
	for (const theme of ['light', 'dark']) {
		const state = { profile: 'busy', ...scene.state };
		const server = await startFixtureServer({ dist, state });
		const { page } = await openPage(browser, `${server.url}?theme=${theme}#/${scene.path ?? 'hot'}${scene.hash ?? ''}`, {
			width: scene.width, height: scene.height, ratio: scene.ratio,
		});
		if (!scene.path && scene.drawn !== false)
			await graphDrawn(page);
		await wait(page);
		await scene.act?.(page, state);
		await wait(page);
		await page.screenshot({ path: join(out, `${name}-${theme}.png`) });
		await page.context().close();
		await server.close();
	}
}
await browser.close();
