// SPDX-License-Identifier: Apache-2.0
// A picture of every screen, light and dark, full, empty and failed: node shots.mjs DIST OUT-DIR
// A person looks at them before a change of the page lands.

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { graphDrawn, launch, openPage } from './support/browser.mjs';
import { startFixtureServer } from './support/fixture_server.mjs';

const [dist, out] = process.argv.slice(2);
if (!dist || !out) {
	console.error('usage: node shots.mjs DIST OUT-DIR');
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
for (const [name, scene] of scenes) {
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
