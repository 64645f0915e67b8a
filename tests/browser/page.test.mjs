// SPDX-License-Identifier: Apache-2.0
// The built page in a real browser against canned answers. CAIRN_DIST is the folder of the built page.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { graphDrawn, launch, openPage, paintCost } from './support/browser.mjs';
import { elfWithId } from './support/elf.mjs';
import { CPU, startFixtureServer } from './support/fixture_server.mjs';
import { hostileNames } from './support/trees.mjs';
import { tellStory } from './story.mjs';

const dist = process.env.CAIRN_DIST;
assert.ok(dist, 'CAIRN_DIST names the folder of the built page');

let browser;
before(async () => { browser = await launch(); });
after(async () => { await browser?.close(); });

/* Runs BODY on a fresh page of a fresh server; the page must end without a fault. */
async function onPage({ state = {}, hash = '', server: serverOptions = {}, ...pageOptions }, body) {
	const server = await startFixtureServer({ dist, state, ...serverOptions });
	try {
		const opened = await openPage(browser, `${server.url}${hash}`, pageOptions);
		await body(opened.page, server);
		await opened.close();
	} finally {
		await server.close();
	}
}

const graph = (page) => page.getByRole('tree', { name: 'Flame graph' });
const cursor = (page) => page.getByRole('treeitem', { selected: true });
const searchField = (page) => page.getByRole('textbox', { name: 'Search functions' });

async function pressInGraph(page, ...keys) {
	await graph(page).focus();
	for (const key of keys)
		await page.keyboard.press(key);
}

test('a person finds a function, zooms to it, searches and comes back by the link', async () => {
	const server = await startFixtureServer({ dist });
	try {
		await tellStory(browser, { url: server.url, name: 'deflate_slow', shots: process.env.CAIRN_SHOTS });
	} finally {
		await server.close();
	}
});

test('the page works below a prefix of a reverse proxy, and asks nobody else', async () => {
	await onPage({ server: { prefix: '/tools/prof' } }, async (page) => {
		await graphDrawn(page);
		assert.match(await page.title(), /web-1/);
	});
});

test('the page works on plain HTTP under a foreign name', async () => {
	const server = await startFixtureServer({ dist });
	const own = await launch([`--host-resolver-rules=MAP prof.test 127.0.0.1`]);
	try {
		const { page, close } = await openPage(own, `http://prof.test:${server.port}/`);
		await graphDrawn(page);
		assert.equal(await page.evaluate(() => isSecureContext), false);
		await page.getByRole('button', { name: 'Share' }).click();
		await page.getByText('Link copied').waitFor();
		await close();
	} finally {
		await own.close();
		await server.close();
	}
});

test('the busiest host is chosen and put into the link', async () => {
	await onPage({}, async (page, server) => {
		await graphDrawn(page);
		// The link follows what is shown, in a step of its own.
		await page.waitForURL(/host=web-1/);
		const asked = server.state.requests.find((request) => request.startsWith('/api/v1/flame'));
		assert.equal(new URL(asked, 'http://x').searchParams.get('query'), `${CPU}{host="web-1"}`);
	});
});

test('host, process and type are chosen, each as a step of the history', async () => {
	const types = [{ id: CPU, samples: 5, value: 5, unit: 'nanoseconds' }, { id: 'off_cpu:off_cpu:nanoseconds::', samples: 3, value: 3, unit: 'nanoseconds' }];
	await onPage({ state: { types } }, async (page, server) => {
		await graphDrawn(page);
		await page.getByRole('button', { name: /^Process:/ }).click();
		await page.keyboard.type('redis');
		await page.keyboard.press('Enter');
		await page.getByRole('button', { name: 'Process: redis-server' }).waitFor();
		await page.getByRole('button', { name: 'Off CPU' }).click();
		await page.getByRole('button', { name: /^Host:/ }).click();
		await page.getByRole('option', { name: /db-primary/ }).click();
		await page.getByRole('button', { name: 'Host: db-primary' }).waitFor();
		assert.match(page.url(), /host=db-primary/);
		assert.doesNotMatch(page.url(), /proc=/);
		assert.ok(server.state.requests.some((request) => decodeURIComponent(request.replaceAll('+', ' ')).includes('off_cpu:off_cpu:nanoseconds::{host="web-1",process="redis-server"}')));
		await page.goBack();
		await page.getByRole('button', { name: 'Process: redis-server' }).waitFor();
		await page.goBack();
		assert.equal(await page.getByRole('button', { name: 'On CPU' }).getAttribute('aria-pressed'), 'true');
	});
});

test('a label value with quotes is escaped, not cut', async () => {
	await onPage({ hash: `#/hot?host=${encodeURIComponent('a"b\\c')}` }, async (page, server) => {
		await graphDrawn(page);
		const asked = server.state.requests.find((request) => request.startsWith('/api/v1/flame'));
		assert.equal(new URL(asked, 'http://x').searchParams.get('query'), `${CPU}{host="a\\"b\\\\c"}`);
	});
});

test('a type that a link asks for and that has no samples is replaced, and that is said', async () => {
	await onPage({ hash: '#/hot?host=web-1&type=memory%3Aalloc_space%3Abytes%3A%3A' }, async (page) => {
		await graphDrawn(page);
		await page.getByText('No samples of memory:alloc_space:bytes::').waitFor();
	});
});

test('JSON serves where the server does not speak the binary format', async () => {
	const details = [];
	for (const jsonOnly of [false, true]) {
		await onPage({ state: { profile: 'trimmed', jsonOnly } }, async (page) => {
			await graphDrawn(page);
			details.push(await page.getByRole('region', { name: 'Frame details' }).textContent());
			await pressInGraph(page, 'ArrowDown', 'ArrowDown');
			details.push(await cursor(page).textContent());
		});
	}
	assert.deepEqual(details.slice(0, 2), details.slice(2));
});

test('the keyboard alone walks the graph, zooms and comes back', async () => {
	await onPage({}, async (page) => {
		await graphDrawn(page);
		await pressInGraph(page, 'ArrowDown', 'ArrowDown', 'ArrowDown');
		assert.match(await cursor(page).textContent(), /^Py_BytesMain, libpython3\.11\.so\.1\.0, self/);
		await page.keyboard.press('Enter');
		await page.waitForFunction(() => /focus=/.test(location.hash));
		await page.keyboard.press('Backspace');
		assert.match(await cursor(page).textContent(), /^__libc_start_main/);
		await page.keyboard.press('Home');
		assert.match(await cursor(page).textContent(), /^total/);
		await page.keyboard.press('Escape');
		await page.waitForFunction(() => !/focus=/.test(location.hash));
		await pressInGraph(page, 'ArrowDown', 'ArrowRight');
		const item = cursor(page);
		assert.equal(await item.getAttribute('aria-level'), '2');
		assert.equal(await item.getAttribute('aria-posinset'), '2');
		assert.ok(Number(await item.getAttribute('aria-setsize')) >= 5);
	});
});

test('keys for views, screens, search and help work, and none while typing', async () => {
	await onPage({}, async (page) => {
		await graphDrawn(page);
		await page.keyboard.press('2');
		await graph(page).waitFor({ state: 'detached' });
		await page.keyboard.press('1');
		await graph(page).waitFor();
		await page.keyboard.press('3');
		await page.keyboard.press('/');
		await page.keyboard.type('123fnt');
		assert.equal(await searchField(page).inputValue(), '123fnt');
		await page.keyboard.press('Escape');
		await page.keyboard.press('Escape');
		await page.keyboard.press('?');
		await page.getByRole('dialog', { name: 'Keys' }).waitFor();
		await page.keyboard.press('Escape');
		await page.keyboard.press('g');
		await page.keyboard.press('o');
		await page.getByRole('link', { name: 'db-primary' }).click();
		await page.getByRole('button', { name: 'Host: db-primary' }).waitFor();
		await page.keyboard.press('g');
		await page.keyboard.press('s');
		await page.getByRole('columnheader', { name: 'Stage' }).waitFor();
	});
});

test('search counts what matches, steps through it and says when nothing does', async () => {
	await onPage({}, async (page) => {
		await graphDrawn(page);
		await searchField(page).fill('/^_?int_malloc$|^malloc$/');
		const outcome = page.getByRole('search').getByRole('status');
		assert.match(await outcome.textContent(), /2 functions/);
		await page.keyboard.press('Enter');
		assert.match(await cursor(page).textContent(), /^malloc/);
		await searchField(page).fill('/(/');
		assert.match(await outcome.textContent(), /[Ii]nvalid|[Uu]nterminated/);
		await searchField(page).fill('no such function');
		await page.getByText(/0 of \d+ functions match/).first().waitFor();
		await page.getByRole('button', { name: 'Clear the search', exact: true }).last().click();
		assert.equal(await searchField(page).inputValue(), '');
	});
});

test('the tip and the details say all about a frame', async () => {
	await onPage({}, async (page) => {
		await graphDrawn(page);
		const box = await graph(page).boundingBox();
		await page.mouse.move(box.x + 80, box.y + 18 * 5 + 9);
		const tip = page.locator('.tip');
		await tip.waitFor();
		assert.match(await tip.textContent(), /WSGIHandler\.__call__.*wsgi\.py.*Python.*Total.*%.*Self.*%.*Samples/s);
		await page.mouse.click(box.x + 80, box.y + 18 * 5 + 9);
		const details = page.getByRole('region', { name: 'Frame details' });
		assert.match(await details.textContent(), /WSGIHandler\.__call__/);
		await page.mouse.click(box.x + 80, box.y + 18 * 6 + 9, { button: 'right' });
		await page.getByRole('menuitem', { name: /Search for this function/ }).click();
		assert.equal(await searchField(page).inputValue(), '/^BaseHandler\\.get_response$/s');
	});
});

test('a drag, the wheel and Ctrl with the wheel move the view; the link follows', async () => {
	await onPage({}, async (page) => {
		await graphDrawn(page);
		const box = await graph(page).boundingBox();
		await page.mouse.move(box.x + 300, box.y + 60);
		await page.keyboard.down('Control');
		await page.mouse.wheel(0, -400);
		await page.keyboard.up('Control');
		await page.waitForFunction(() => /win=/.test(location.hash));
		const zoomed = page.url();
		await page.mouse.down();
		await page.mouse.move(box.x + 200, box.y + 60, { steps: 4 });
		await page.mouse.up();
		await page.waitForFunction((before) => location.href !== before, zoomed);
		const dragged = page.url();
		await page.reload();
		await graphDrawn(page);
		assert.equal(page.url(), dragged);
	});
});

test('gaps are told: unnamed time by binary, incomplete stacks, small frames that can be loaded', async () => {
	await onPage({ state: { profile: 'trimmed' } }, async (page, server) => {
		await graphDrawn(page);
		await page.getByRole('button', { name: 'Frames without a name' }).click();
		await page.getByText('libnvcodec.so.550').first().waitFor();
		await page.keyboard.press('Escape');
		await page.getByRole('button', { name: 'Incomplete stacks' }).click();
		await page.getByText('[unwind stopped: no unwind table]').first().waitFor();
		await page.keyboard.press('Escape');
		await page.getByRole('button', { name: 'load them' }).click();
		await page.waitForFunction(() => /nodes=2000000/.test(location.hash));
		assert.ok(server.state.requests.some((request) => request.includes('max_nodes=2000000')));
	});
});

test('inlined frames are marked, told, and can be counted as their caller', async () => {
	await onPage({ hash: '#/hot?q=siphash' }, async (page, server) => {
		await graphDrawn(page);
		await pressInGraph(page, 'n');
		await page.waitForFunction(() => /inlined/.test(document.querySelector('[role=treeitem][aria-selected=true]')?.textContent ?? ''));
		const details = page.getByRole('region', { name: 'Frame details' });
		assert.match(await details.textContent(), /siphash.*redis-server.*inlined.*\/build\/redis\/src\/siphash\.c.*stands inside of dictAddRaw/s);
		const shown = page.getByRole('button', { name: 'Inlined', exact: true });
		assert.equal(await shown.getAttribute('aria-pressed'), 'true');
		await shown.click();
		await page.waitForFunction(() => /inlined=0/.test(location.hash));
		await page.getByLabel('Group').selectOption('line');
		await page.waitForFunction(() => /group=line/.test(location.hash));
		await page.waitForTimeout(300);
		const asked = server.state.requests.filter((request) => request.startsWith('/api/v1/flame')).at(-1);
		assert.match(asked, /inlined=hide/);
		assert.match(asked, /group=line/);
		await page.keyboard.press('Escape');
	});
});

test('the lines of a function stand beside their text, by key, by link, and say why there is none', async () => {
	await onPage({ hash: '#/hot?q=siphash' }, async (page) => {
		await graphDrawn(page);
		await pressInGraph(page, 'n', 'o');
		const dialog = page.getByRole('dialog', { name: 'Lines of a function' });
		await dialog.getByText('/* <b>70</b> */').waitFor();
		const row = dialog.getByRole('row', { name: /^14 / });
		assert.match(await row.textContent(), /7\.00/);
		assert.match(await dialog.textContent(), /_Zsiphashv/);
		assert.match(page.url(), /src=siphash%00redis-server/);
		await page.keyboard.press('Escape');
		await page.waitForFunction(() => !/src=/.test(location.hash));
	});
	await onPage({ hash: '#/hot?src=siphash%00redis-server', state: { noSource: true }, ignored: [/404/] }, async (page) => {
		await page.getByText('no debuginfod server has it of this build').waitFor();
		assert.equal(await page.getByRole('dialog').getByRole('row').count(), 3);
	});
	await onPage({ hash: '#/hot?src=siphash%00redis-server', state: { noLines: true } }, async (page) => {
		await page.getByText('No lines are known of this function').waitFor();
	});
});

test('the unnamed share leads to what has no name, why, and what helps', async () => {
	await onPage({}, async (page) => {
		await graphDrawn(page);
		await page.getByRole('button', { name: 'Frames without a name' }).click();
		await page.getByRole('link', { name: /^Symbols:/ }).click();
		const row = page.getByRole('row', { name: /own-service/ });
		assert.match(await row.textContent(), /8\.10.*debuginfod: not found.*Give its debug file.*cairn symbols upload FILE/s);
		await row.getByRole('button', { name: 'Give a file for own-service' }).waitFor();
		assert.match(await page.getByRole('row', { name: /In no file/ }).textContent(), /nothing to upload/);
		assert.equal(await page.getByRole('row', { name: /In no file/ }).getByRole('button').count(), 0);
		await page.getByText('<img src=x onerror=alert(4)>.so').waitFor();
		await page.getByText('2 binaries have all their names').click();
		await page.getByRole('row', { name: /libc\.so\.6/ }).waitFor();
		await page.keyboard.press('g');
		await page.keyboard.press('h');
		await page.waitForFunction(() => location.hash.startsWith('#/hot'));
	});
	await onPage({ hash: '#/symbols', state: { allNamed: true } }, async (page) => {
		await page.getByText('Every frame of this range has a name.').waitFor();
	});
	await onPage({ hash: '#/symbols', state: { fail: { symbols: 500 } }, ignored: [/500/] }, async (page) => {
		await page.getByText('The store could not be read').waitFor();
	});
});

test('files given to the page are told by their build-ID, sent whole, and then the names are there', async () => {
	const own = 'abcd0102030405060708090a0b0c0d0e0f1011ef';
	await onPage({ hash: '#/symbols' }, async (page, server) => {
		await page.getByRole('row', { name: /own-service/ }).waitFor();
		await page.getByLabel('Debug files').first().setInputFiles([
			{ name: 'own.debug', mimeType: 'application/octet-stream', buffer: elfWithId(own, 3 << 20) },
			{ name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('hello') },
		]);
		const given = page.getByRole('list', { name: 'Files given' });
		await given.getByText('Names are there').waitFor();
		await given.getByText('It is no ELF file').waitFor();
		await page.getByRole('row', { name: /own-service/ }).waitFor({ state: 'hidden' });
		assert.equal(server.state.given, own);
		assert.equal(server.state.sentBytes, elfWithId(own, 3 << 20).length);
		assert.ok(server.state.requests.includes(`/api/v1/symbols/${own}?name=own.debug`));
		await given.getByRole('button', { name: 'Dismiss notes.txt' }).click();
		assert.equal(await given.getByRole('listitem').count(), 1);
	});
	await onPage({ hash: '#/symbols', state: { refusePut: 'the file is not used: its build-ID is another' }, ignored: [/400/] }, async (page) => {
		await page.getByRole('row', { name: /own-service/ }).waitFor();
		const transfer = await page.evaluateHandle((bytes) => {
			const data = new DataTransfer();
			data.items.add(new File([new Uint8Array(bytes)], 'dropped.debug'));
			return data;
		}, [...elfWithId('0102')]);
		await page.dispatchEvent('main', 'dragover', { dataTransfer: transfer });
		await page.locator('main.is-dragged').waitFor();
		await page.dispatchEvent('main', 'drop', { dataTransfer: transfer });
		await page.getByText('the file is not used: its build-ID is another').waitFor();
	});
});

test('hostile names are text, exactly, everywhere, and run nothing', async () => {
	await onPage({ state: { profile: 'hostile' } }, async (page) => {
		await graphDrawn(page);
		const details = page.getByRole('region', { name: 'Frame details' });
		await pressInGraph(page, 'ArrowDown');
		for (const name of hostileNames) {
			assert.equal(await details.locator('.details-name').textContent(), name);
			assert.ok((await cursor(page).textContent()).startsWith(name));
			await page.keyboard.press('ArrowRight');
		}
		const box = await graph(page).boundingBox();
		for (let x = 20; x < box.width; x += 90) {
			await page.mouse.move(box.x + x, box.y + 27);
			await page.waitForTimeout(20);
		}
		await page.keyboard.press('Enter');
		await page.getByRole('button', { name: /^Process:/ }).click();
		await page.getByRole('option', { name: /<img src=x onerror=alert\(9\)>/ }).click();
		await page.waitForTimeout(200);
		assert.equal(await page.locator('img, svg[onload], b:has-text("lib")').count(), 0);
	});
});

test('a stack of 2,000 rows scrolls to its leaf on a canvas no larger than the screen', async () => {
	await onPage({ state: { profile: 'deep' }, hash: '#/hot?host=web-1&view=flame' }, async (page) => {
		await graphDrawn(page);
		await page.evaluate(() => { document.querySelector('.flame-scroller').scrollTop = 1e9; });
		const cost = await paintCost(page);
		assert.ok(cost.levels > 20 && cost.levels < 80, JSON.stringify(cost));
		const sizes = await page.locator('canvas').evaluateAll((canvases) => canvases.map(({ height }) => height));
		assert.ok(Math.max(...sizes) <= 900, String(sizes));
		const box = await graph(page).boundingBox();
		await page.mouse.click(box.x + 5, box.y + box.height - 9);
		assert.equal(await cursor(page).getAttribute('aria-level'), '2001');
	});
});

test('one of 50,000 dwarfs is found by search and keeps its share of the whole', async () => {
	await onPage({ state: { profile: 'needles' } }, async (page) => {
		await graphDrawn(page);
		await searchField(page).fill('needle_4711');
		const row = page.getByRole('row', { name: /^needle_4711,/ });
		await row.waitFor();
		await row.dblclick();
		await page.waitForFunction(() => /focus=/.test(location.hash));
		assert.match(await cursor(page).textContent(), /^needle_4711, app, self 1 samples <0\.001/);
	});
});

test('what is drawn is bounded by pixels: 500,000 nodes and the worst case of cells', async () => {
	for (const profile of ['500k', 'combs']) {
		await onPage({ state: { profile }, hash: '#/hot?host=web-1&view=flame' }, async (page) => {
			await graphDrawn(page);
			const width = await page.locator('.flame canvas').first().evaluate((canvas) => canvas.width);
			const check = (cost) => {
				assert.ok(cost.drawCallsPerLevelMax <= width / 4 + 1, `${profile}: ${cost.drawCallsPerLevelMax} draw calls on ${width} px`);
				assert.ok(cost.touchedPerLevelMax <= 2 * width + 2, `${profile}: ${cost.touchedPerLevelMax} nodes touched on ${width} px`);
			};
			check(await paintCost(page));
			await pressInGraph(page, 'ArrowDown', '+', '+', '+');
			check(await paintCost(page));
		});
	}
});

test('what is under the pointer is what the readers are told', async () => {
	await onPage({ state: { profile: '10k' }, hash: '#/hot?host=web-1&view=flame' }, async (page) => {
		await graphDrawn(page);
		const box = await graph(page).boundingBox();
		for (let i = 0; i < 40; i++) {
			const x = box.x + 10 + ((i * 977) % (box.width - 30));
			const y = box.y + 27 + 18 * (i % 6);
			await page.mouse.move(x, y);
			await page.waitForTimeout(15);
			if (await page.locator('.tip').count() === 0)
				continue;
			const name = await page.locator('.tip-name').textContent();
			await page.mouse.click(x, y, { button: 'right' });
			await page.keyboard.press('Escape');
			assert.ok((await cursor(page).textContent()).startsWith(`${name},`));
		}
	});
});

test('frames have their colours on the screen: kernel orange, focus over the whole width', async () => {
	await onPage({ hash: '#/hot?host=web-1&view=flame', colorScheme: 'light' }, async (page) => {
		await graphDrawn(page);
		const pixel = (x, y) => page.locator('.flame canvas').first().evaluate((canvas, at) => [...canvas.getContext('2d').getImageData(at[0], at[1], 1, 1).data], [x, y]);
		await searchField(page).fill('');
		await page.keyboard.press('Escape');
		await pressInGraph(page, 'ArrowDown', 'ArrowRight', 'ArrowRight', 'ArrowRight', 'ArrowRight');
		assert.match(await cursor(page).textContent(), /^ret_from_fork, \[kernel\]/);
		await page.keyboard.press('Enter');
		await page.waitForTimeout(300);
		const [red, green, blue] = await pixel(1200, 18 + 9);
		assert.ok(red > 220 && green > 140 && green < 200 && blue < 140, `kernel is orange, not ${red},${green},${blue}`);
	});
});

test('nobody ever sent anything: the page says how to start', async () => {
	await onPage({ state: { hosts: [], everSeen: () => [] } }, async (page) => {
		await page.getByRole('heading', { name: 'No host has sent anything yet' }).waitFor();
		await page.getByText('cairn-collector --server 127.0.0.1:4041').waitFor();
	});
});

test('an empty range says so and leads out of it', async () => {
	const everSeen = (nowMs) => [{ host: 'web-1', last_seen: (nowMs - 7200e3) * 1e6, samples: 5, value: 5, kernel: '', collector: '' }];
	await onPage({ state: { profile: 'empty', everSeen }, hash: '#/hot?host=web-1' }, async (page) => {
		await page.getByRole('heading', { name: 'No samples for web-1' }).waitFor();
		await page.getByRole('button', { name: 'Go to the last ones' }).click();
		await page.waitForFunction(() => /from=\d{13}&until=\d{13}/.test(location.hash));
		await page.getByRole('button', { name: 'Widen the range' }).click();
	});
});

const failures = [/Failed to load resource/];

test('an error of the server is shown with its words, the old picture stays dimmed, a retry mends it', async () => {
	const state = {};
	await onPage({ state, ignored: failures }, async (page) => {
		await graphDrawn(page);
		state.fail.flame = 500;
		await page.getByRole('button', { name: 'Refresh' }).click();
		const alert = page.getByRole('alert');
		await alert.waitFor();
		assert.match(await alert.textContent(), /The server failed \(HTTP 500\).*input\/output error.*What is shown is from before/s);
		assert.equal(await page.locator('.panes.is-stale').count(), 1);
		state.fail = {};
		await page.getByRole('button', { name: 'Try again' }).click();
		await alert.waitFor({ state: 'detached' });
		assert.equal(await page.locator('.panes.is-stale').count(), 0);
	});
});

test('a refused request shows what the server said, and is not repeated', async () => {
	await onPage({ state: { fail: { flame: 400 }, failBody: { code: 'invalid_argument', message: 'process: unknown label <b>x</b>' } }, ignored: failures }, async (page, server) => {
		await page.getByRole('alert').waitFor();
		assert.match(await page.getByRole('alert').textContent(), /refused.*process: unknown label <b>x<\/b>/);
		const asked = () => server.state.requests.filter((request) => request.startsWith('/api/v1/flame')).length;
		const before = asked();
		await page.waitForTimeout(2500);
		assert.equal(asked(), before);
	});
});

test('bytes cut off in mid-answer are an error with words, never a half graph', async () => {
	const state = {};
	await onPage({ state }, async (page) => {
		await graphDrawn(page);
		state.garbage = 3000;
		await page.getByRole('button', { name: 'Refresh' }).click();
		await page.getByRole('alert').getByText(/could not be read/).waitFor();
	});
});

test('a server that is gone is waited for with a countdown, and its return is noticed', async () => {
	const state = {};
	const first = await startFixtureServer({ dist, state });
	const { page, close } = await openPage(browser, first.url, { ignored: [/Failed to load resource/, /ERR_/] });
	await graphDrawn(page);
	await first.close();
	await page.getByRole('button', { name: 'Refresh' }).click();
	await page.getByRole('alert').getByText(/does not answer/).first().waitFor();
	await page.getByText(/again in \d+ s/).first().waitFor();
	const second = await startFixtureServer({ dist, state, port: first.port });
	try {
		await page.getByRole('alert').first().waitFor({ state: 'detached', timeout: 15000 });
		await close();
	} finally {
		await second.close();
	}
});

test('a slow answer shows that it is waited for, and can be cancelled', async () => {
	const state = {};
	await onPage({ state }, async (page) => {
		await graphDrawn(page);
		state.delayMs = 60000;
		await page.getByRole('button', { name: 'Refresh' }).click();
		await page.getByText(/Reading, 42\s%, \d+ s/).waitFor();
		await page.getByRole('button', { name: 'cancel' }).click();
		await page.getByText(/Cancelled/).waitFor();
		state.delayMs = 0;
		await page.getByRole('button', { name: 'Ask again' }).click();
		await page.getByText(/Cancelled/).waitFor({ state: 'detached' });
	});
});

test('focus, cursor and choice survive new data of the same subject', async () => {
	await onPage({}, async (page) => {
		await graphDrawn(page);
		await pressInGraph(page, 'ArrowDown', 'ArrowDown', 'ArrowDown', 'Enter', 'ArrowDown', 'ArrowDown');
		const before = await cursor(page).textContent();
		await page.evaluate(() => performance.clearMeasures('flame-paint'));
		await page.getByRole('button', { name: 'Refresh' }).click();
		await graphDrawn(page);
		assert.equal(await cursor(page).textContent(), before);
		assert.match(page.url(), /focus=/);
	});
});

test('a link to a frame that is not there says so', async () => {
	await onPage({ hash: '#/hot?host=web-1&focus=0123456789abcdef' }, async (page) => {
		await graphDrawn(page);
		await page.getByText('The frame that was focused is not in this profile').waitFor();
		await page.getByRole('status').getByRole('button', { name: 'Show everything' }).click();
		assert.doesNotMatch(page.url(), /focus/);
	});
});

test('the theme follows the system until one is chosen, and that is kept', async () => {
	await onPage({ colorScheme: 'dark' }, async (page) => {
		await graphDrawn(page);
		const theme = () => page.evaluate(() => document.documentElement.dataset.theme);
		assert.equal(await theme(), 'dark');
		await page.keyboard.press('t');
		assert.equal(await theme(), 'light');
		await page.reload();
		assert.equal(await theme(), 'light');
	});
});

test('a range is typed in a zone that is named, and shown in it', async () => {
	await onPage({ timezoneId: 'Asia/Kolkata' }, async (page) => {
		await graphDrawn(page);
		await page.getByRole('button', { name: /^Time range/ }).click();
		await page.getByRole('button', { name: 'Local (UTC+05:30)' }).waitFor();
		await page.getByRole('textbox', { name: 'From' }).fill('2026-11-30 14:00');
		await page.getByRole('textbox', { name: 'Until' }).fill('2026-11-30 13:00');
		await page.getByRole('button', { name: 'Apply' }).click();
		await page.getByText('The range must end after it begins').waitFor();
		await page.getByRole('textbox', { name: 'Until' }).fill('2026-11-30 15:30');
		await page.getByRole('button', { name: 'Apply' }).click();
		await page.waitForFunction(() => location.hash.includes(`from=${Date.UTC(2026, 10, 30, 8, 30)}&until=${Date.UTC(2026, 10, 30, 10, 0)}`));
		await page.getByText('UTC+05:30').waitFor();
	});
});

test('everything can be reached at 1024 px and at two pixels a pixel', async () => {
	await onPage({ width: 1024, height: 700, ratio: 2 }, async (page) => {
		await graphDrawn(page);
		const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
		assert.ok(over <= 0, `${over} px too wide`);
		const canvas = page.locator('.flame canvas').first();
		const [inner, outer] = await canvas.evaluate((element) => [element.width, element.getBoundingClientRect().width]);
		assert.equal(inner, Math.round(outer * 2));
	});
});

test('on a telephone the table stands above the graph, and nothing is cut off', async () => {
	await onPage({ width: 420, height: 860 }, async (page) => {
		await graphDrawn(page);
		const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
		assert.ok(over <= 0, `${over} px too wide`);
		const table = await page.locator('.table-pane').boundingBox();
		const graph = await page.locator('.flame-pane').boundingBox();
		assert.ok(table.height >= 100 && graph.height >= 100 && graph.y >= table.y + table.height, `${JSON.stringify([table, graph])}`);
	});
});

test('controls have names and text has contrast', async () => {
	for (const [colorScheme, screen] of [['light', 'hot'], ['dark', 'hot'], ['light', 'compare'], ['dark', 'compare'], ['dark', 'heat']]) {
		await onPage({ colorScheme, hash: `#/${screen}` }, async (page) => {
			await graphDrawn(page);
			const problems = await page.evaluate(() => {
				const luminance = (css) => {
					const [r, g, b] = css.match(/[\d.]+/g).map(Number).map((value) => {
						const share = value / 255;
						return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
					});
					return 0.2126 * r + 0.7152 * g + 0.0722 * b;
				};
				const ground = (element) => {
					for (let at = element; at; at = at.parentElement) {
						const colour = getComputedStyle(at).backgroundColor;
						if (!/, 0\)$|transparent/.test(colour))
							return colour;
					}
					return 'rgb(255, 255, 255)';
				};
				const found = [];
				for (const control of document.querySelectorAll('button, a, input, select')) {
					const name = control.getAttribute('aria-label') || control.textContent.trim() || control.labels?.[0]?.textContent;
					if (!name)
						found.push(`no name: ${control.outerHTML.slice(0, 80)}`);
				}
				const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
				while (walker.nextNode()) {
					const element = walker.currentNode.parentElement;
					if (!walker.currentNode.data.trim() || element.closest('.hidden-visually, noscript'))
						continue;
					const style = getComputedStyle(element);
					const [low, high] = [luminance(style.color), luminance(ground(element))].sort((a, b) => a - b);
					if ((high + 0.05) / (low + 0.05) < 4.5)
						found.push(`contrast ${((high + 0.05) / (low + 0.05)).toFixed(2)}: ${element.className} "${walker.currentNode.data.trim().slice(0, 30)}"`);
					if (parseFloat(style.fontSize) < 12)
						found.push(`text below 12 px: ${element.className}`);
				}
				return found;
			});
			assert.deepEqual(problems, []);
		});
	}
});
