// SPDX-License-Identifier: Apache-2.0
// Charts over time, the heat map and comparisons in a real browser against canned answers. CAIRN_DIST is the
// folder of the built page.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { graphDrawn, launch, openPage } from './support/browser.mjs';
import { startFixtureServer } from './support/fixture_server.mjs';
import { busyHost } from './support/trees.mjs';

const dist = process.env.CAIRN_DIST;
assert.ok(dist, 'CAIRN_DIST names the folder of the built page');

let browser;
before(async () => { browser = await launch(); });
after(async () => { await browser?.close(); });

/* Runs BODY on a fresh page of a fresh server; the page must end without a fault. */
async function onPage({ state = {}, hash = '', ...pageOptions }, body) {
	const server = await startFixtureServer({ dist, state });
	try {
		const opened = await openPage(browser, `${server.url}${hash}`, pageOptions);
		await body(opened.page, server);
		await opened.close();
	} finally {
		await server.close();
	}
}

/* A range that does not move, on a full minute. */
const FROM = 1796100000000;
const UNTIL = FROM + 900e3;
const RANGE = `host=web-1&from=${FROM}&until=${UNTIL}`;

const chart = (page) => page.getByRole('slider', { name: 'Values over time', exact: true });
const heat = (page) => page.getByRole('slider', { name: 'Samples by the part of the second' });

async function drag(page, target, [x1, y1], [x2, y2]) {
	const box = await target.boundingBox();
	await page.mouse.move(box.x + box.width * x1, box.y + box.height * y1);
	await page.mouse.down();
	await page.mouse.move(box.x + box.width * x2, box.y + box.height * y2, { steps: 5 });
	await page.mouse.up();
}

async function spanOf(page) {
	await page.waitForFunction(() => /span=\d+-\d+/.test(location.hash));
	return /span=(\d+)-(\d+)/.exec(page.url()).slice(1).map(Number);
}

/* Parameters of the last request for PATH. */
function asked(server, path) {
	const request = server.state.requests.filter((each) => each.startsWith(`/api/v1/${path}?`)).at(-1);
	return new URL(request ?? '/?', 'http://x').searchParams;
}

test('a drag over the chart selects whole steps, and graph and table are then about them', async () => {
	await onPage({ hash: `#/hot?${RANGE}` }, async (page, server) => {
		await graphDrawn(page);
		await page.getByText('2 others').waitFor();
		await drag(page, chart(page), [0.5, 0.3], [0.7, 0.3]);
		const [from, until] = await spanOf(page);
		assert.equal((from - FROM) % 3000, 0, 'whole steps of 3 s');
		assert.ok(Math.abs(from - FROM - 450e3) <= 6000 && Math.abs(until - FROM - 630e3) <= 6000, `${from - FROM} ${until - FROM}`);
		await page.waitForFunction(() => true);
		await page.getByText(/^Selected/).waitFor();
		assert.deepEqual([asked(server, 'flame').get('from'), asked(server, 'flame').get('until')], [String(from), String(until)]);
		assert.equal(asked(server, 'series').get('from'), String(FROM), 'the chart still shows all of the range');
		const link = page.url();
		await page.reload();
		await page.getByText(/^Selected/).waitFor();
		assert.equal(page.url(), link);
		await page.getByRole('button', { name: 'Zoom in' }).click();
		await page.getByText(/^Selected/).waitFor({ state: 'detached' });
		assert.match(page.url(), new RegExp(`from=${from}&until=${until}`));
		await page.goBack();
		await page.getByRole('button', { name: 'Clear', exact: true }).click();
		await page.waitForFunction(() => !/span=/.test(location.hash));
	});
});

test('the ends of what is selected are pulled, all of it is moved, a click elsewhere lets go', async () => {
	await onPage({ hash: `#/hot?${RANGE}&span=${FROM + 300e3}-${FROM + 600e3}` }, async (page) => {
		await graphDrawn(page);
		await drag(page, chart(page), [2 / 3, 0.5], [0.8, 0.5]);
		await page.waitForFunction((before) => !location.hash.includes(before), `-${FROM + 600e3}`);
		let [from, until] = await spanOf(page);
		assert.equal(from, FROM + 300e3);
		assert.ok(Math.abs(until - FROM - 720e3) <= 6000, String(until - FROM));
		const length = until - from;
		await drag(page, chart(page), [0.5, 0.5], [0.4, 0.5]);
		await page.waitForFunction((before) => !location.hash.includes(before), `span=${from}`);
		[from, until] = await spanOf(page);
		assert.ok(Math.abs(until - from - length) <= 3000, 'moved as it is');
		const box = await chart(page).boundingBox();
		await page.mouse.click(box.x + box.width * 0.95, box.y + 40);
		await page.waitForFunction(() => !/span=/.test(location.hash));
	});
});

test('the keyboard alone walks the chart, hears values and gaps, and selects', async () => {
	await onPage({ hash: `#/hot?${RANGE}` }, async (page) => {
		await graphDrawn(page);
		await page.getByText('2 others').waitFor();
		await chart(page).focus();
		await page.keyboard.press('Home');
		assert.match(await chart(page).getAttribute('aria-valuetext'), /\d\d:\d\d:\d\d – .*: [\d.]+ cores/);
		for (let i = 0; i < 10; i++)
			await page.keyboard.press('PageDown');
		assert.match(await chart(page).getAttribute('aria-valuetext'), /nothing is known/);
		await page.keyboard.press('End');
		await page.keyboard.press('Shift+ArrowLeft');
		await page.keyboard.press('Shift+ArrowLeft');
		const [from, until] = await spanOf(page);
		assert.deepEqual([until, until - from], [UNTIL, 9000]);
		await page.keyboard.press('Escape');
		await page.waitForFunction(() => !/span=/.test(location.hash));
		await page.keyboard.press('Enter');
		const [one, other] = await spanOf(page);
		assert.equal(other - one, 3000);
	});
});

test('a finger selects as a mouse does', async () => {
	await onPage({ hash: `#/hot?${RANGE}`, hasTouch: true }, async (page) => {
		await graphDrawn(page);
		const box = await chart(page).boundingBox();
		const touch = await page.context().newCDPSession(page);
		const at = (share) => [{ x: box.x + box.width * share, y: box.y + 40 }];
		await touch.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: at(0.6) });
		for (const share of [0.65, 0.7, 0.8])
			await touch.send('Input.dispatchTouchEvent', { type: 'touchMove', touchPoints: at(share) });
		await touch.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
		const [from, until] = await spanOf(page);
		assert.ok(Math.abs(until - from - 180e3) <= 9000, String(until - from));
	});
});

test('the chart is split by what is asked for, gaps are hatched, values are told under the pointer', async () => {
	await onPage({ hash: `#/hot?${RANGE}`, colorScheme: 'light' }, async (page, server) => {
		await graphDrawn(page);
		await page.getByText('2 others').waitFor();
		assert.deepEqual(['by', 'limit'].map((name) => asked(server, 'series').get(name)), ['process', '6']);
		await page.getByLabel('Split by').selectOption('host');
		await page.getByRole('list', { name: 'Colours of the chart' }).getByText('db-primary').waitFor();
		assert.match(page.url(), /split=host/);
		const box = await chart(page).boundingBox();
		await page.mouse.move(box.x + box.width * 0.6, box.y + 50);
		assert.match(await page.locator('.chart-hover').textContent(), /\d\d:\d\d:\d\d – \d\d:\d\d:\d\d [\d.]+ cores/);
		const inked = await page.locator('.chart canvas').evaluate((canvas) => {
			const [top, height] = [Math.round(canvas.height * 0.2), Math.round(canvas.height * 0.5)];
			const { data } = canvas.getContext('2d').getImageData(0, top, canvas.width, height);
			const strip = (from, until) => {
				const found = { blank: 0, grey: 0, colour: 0 };
				for (let y = 0; y < height; y++) {
					for (let x = Math.round(canvas.width * from); x < canvas.width * until; x++) {
						const [red, green, blue, alpha] = data.subarray(4 * (y * canvas.width + x));
						const spread = Math.max(red, green, blue) - Math.min(red, green, blue);
						found[alpha === 0 ? 'blank' : spread > 40 ? 'colour' : 'grey']++;
					}
				}
				return found;
			};
			return { gap: strip(0.31, 0.39), filled: strip(0.41, 0.6) };
		});
		assert.ok(inked.gap.grey > 0 && inked.gap.colour === 0 && inked.filled.colour > 0, JSON.stringify(inked));
	});
});

test('a part of a second is selected on the heat map, and the graph is about it', async () => {
	await onPage({ hash: `#/heat?${RANGE}` }, async (page, server) => {
		await graphDrawn(page);
		await heat(page).waitFor();
		const box = await heat(page).boundingBox();
		const column = (box.width - 44) / 900;
		const x = (44 + 700.5 * column) / box.width;
		const y = (row) => ((row + 0.5) * (box.height - 19)) / 50 / box.height;
		await drag(page, heat(page), [x, y(10)], [x, y(14)]);
		const [from, until] = await spanOf(page);
		assert.deepEqual([from, until], [FROM + 700e3 + 200, FROM + 700e3 + 300]);
		await page.getByText(/^Selected \d\d:\d\d:\d\d\.200 – \d\d:\d\d:\d\d\.300 100 ms/).waitFor();
		assert.deepEqual([asked(server, 'flame').get('from'), asked(server, 'flame').get('until')], [String(from), String(until)]);
		await heat(page).dblclick({ position: { x: 44 + 100.5 * column, y: 60 } });
		await page.waitForFunction((wanted) => location.hash.includes(wanted), `span=${FROM + 100e3}-${FROM + 101e3}`);
		await page.reload();
		await page.getByText(/1 s/).first().waitFor();
	});
});

test('the keyboard alone walks the heat map and selects', async () => {
	await onPage({ hash: `#/heat?${RANGE}` }, async (page) => {
		await graphDrawn(page);
		await heat(page).focus();
		await page.keyboard.press('Home');
		await page.keyboard.press('ArrowRight');
		await page.keyboard.press('ArrowDown');
		assert.match(await heat(page).getAttribute('aria-valuetext'), /\.020 – .*\.040: \d+ samples?/);
		await page.keyboard.press('Shift+ArrowDown');
		await page.keyboard.press('Shift+ArrowDown');
		await page.waitForFunction((wanted) => location.hash.includes(wanted), `span=${FROM + 1020}-${FROM + 1080}`);
		await page.keyboard.press('Escape');
		await page.waitForFunction(() => !/span=/.test(location.hash));
	});
});

test('samples without a moment of their own are told', async () => {
	await onPage({ state: { spread: true }, hash: `#/heat?${RANGE}` }, async (page) => {
		await page.getByText(/40\.0.% of these samples have no moment of their own any more/).waitFor();
	});
});

test('a comparison shows both sides, what changed by colour, sign and word, and what is noise in grey', async () => {
	await onPage({ hash: `#/compare?${RANGE}`, colorScheme: 'light' }, async (page, server) => {
		await graphDrawn(page);
		const diff = asked(server, 'diff');
		assert.deepEqual(['left_from', 'left_until', 'right_from', 'right_until'].map((name) => Number(diff.get(name))), [FROM - 900e3, FROM, FROM, UNTIL]);
		for (const side of ['Left', 'Right'])
			await page.getByRole('region', { name: `${side} side` }).getByText(/in 15 min/).waitFor();
		assert.match(await page.getByRole('region', { name: 'Left side' }).textContent(), /14\.1.min CPU time.*0\.9\d cores.*84.000 samples.*4 hosts/);
		const row = (name) => page.getByRole('row', { name: new RegExp(`^${name}[, ]`) });
		await row('longest_match').waitFor();
		assert.match(await row('longest_match').textContent(), /▲ \+0\.9\d points×2\.\d\dsure/);
		assert.match(await row('dict_merge').textContent(), /gone/);
		assert.match(await row('brand_new').textContent(), /new/);
		assert.match(await row('get_response|BaseHandler.get_response').first().textContent(), /noise/);
		await row('brand_new').dblclick();
		await page.waitForFunction(() => /focus=/.test(location.hash));
		const details = page.getByRole('region', { name: 'Frame details' });
		assert.match(await details.textContent(), /brand_new.*Only the right side has this.*Left0.%.*Right1\.0\d.%.*new.*sure, p/);
		await page.waitForTimeout(300);
		const colour = await page.locator('.flame canvas').first().evaluate((canvas) => [...canvas.getContext('2d').getImageData(canvas.width / 2, 18 * 8 + 4, 1, 1).data]);
		assert.ok(colour[0] > colour[2] + 60, `new is red: ${colour}`);
		await page.getByRole('tree', { name: 'Flame graph' }).focus();
		await page.keyboard.press('Home');
		await page.keyboard.press('ArrowDown');
		assert.match(await page.getByRole('treeitem', { selected: true }).textContent(), /^_start, python3\.11, left .* right .* points, ×.*(noise|likely|sure), p/);
	});
});

test('shares, seconds and core seconds are told apart, and the link keeps which', async () => {
	await onPage({ hash: `#/compare?${RANGE}` }, async (page) => {
		await graphDrawn(page);
		const cell = () => page.getByRole('row', { name: /^longest_match[, ]/ }).getByRole('gridcell').nth(1).textContent();
		await page.getByRole('row', { name: /^longest_match[, ]/ }).waitFor();
		assert.match(await cell(), /%/);
		await page.getByRole('button', { name: 'Per second' }).click();
		await page.waitForFunction(() => /norm=second/.test(location.hash));
		assert.match(await cell(), /ms\/s/);
		await page.getByRole('button', { name: 'Per core second' }).click();
		await page.waitForFunction(() => /norm=core/.test(location.hash));
		assert.match(await cell(), /%/);
		await page.reload();
		await graphDrawn(page);
		assert.equal(await page.getByRole('button', { name: 'Per core second' }).getAttribute('aria-pressed'), 'true');
	});
});

test('the table of changes is sorted by any column, and its own time is asked for', async () => {
	await onPage({ hash: `#/compare?${RANGE}&view=table` }, async (page) => {
		const first = () => page.getByRole('row').nth(1).textContent();
		await page.getByRole('row', { name: /^longest_match[, ]/ }).waitFor();
		await page.getByRole('columnheader', { name: 'Right' }).getByRole('button').click();
		await page.waitForFunction(() => /csort=-right/.test(location.hash));
		assert.match(await first(), /33\.4/);
		assert.equal(await page.getByRole('columnheader', { name: 'Right' }).getAttribute('aria-sort'), 'descending');
		await page.getByRole('button', { name: 'Own', exact: true }).click();
		await page.waitForFunction(() => /own=1/.test(location.hash));
		assert.match(await first(), /PostgresMain/);
		await page.getByRole('textbox', { name: 'Search functions' }).fill('longest');
		await page.waitForFunction(() => document.querySelectorAll('.changes tbody tr:not(.spacer)').length === 1);
	});
});

test('the left side is picked: by preset, by drag, of another host; the sides are swapped', async () => {
	await onPage({ hash: `#/compare?${RANGE}` }, async (page, server) => {
		await graphDrawn(page);
		const left = page.getByRole('region', { name: 'Left side' });
		await page.getByRole('button', { name: /^Range of the left side/ }).click();
		await page.getByRole('button', { name: 'Yesterday, same time' }).click();
		await page.waitForFunction(() => /left=/.test(location.hash));
		assert.match(decodeURIComponent(page.url()), new RegExp(`left=${FROM - 86400e3}..${UNTIL - 86400e3}`));
		await left.getByRole('button', { name: /^Host/ }).click();
		await page.getByRole('option', { name: /db-primary/ }).click();
		await page.waitForFunction(() => /lhost=db-primary/.test(location.hash));
		await graphDrawn(page);
		assert.match(asked(server, 'diff').get('left_query'), /host="db-primary"/);
		assert.match(asked(server, 'diff').get('right_query'), /host="web-1"/);
		await drag(page, left.getByRole('slider'), [0.1, 0.5], [0.2, 0.5]);
		await page.waitForFunction((before) => !decodeURIComponent(location.hash).includes(before), `left=${FROM - 86400e3}`);
		await page.getByRole('button', { name: 'Swap the sides' }).click();
		await page.waitForFunction(() => /host=db-primary/.test(location.hash) && /lhost=web-1/.test(location.hash));
		assert.match(decodeURIComponent(page.url()), new RegExp(`left=${FROM}..${UNTIL}`));
		const link = page.url();
		await page.reload();
		await graphDrawn(page);
		assert.equal(page.url(), link);
	});
});

test('an empty side, two empty sides and too few samples are said', async () => {
	await onPage({ state: { emptySide: 'left' }, hash: `#/compare?${RANGE}` }, async (page) => {
		await page.getByText(/The left side has no samples: nothing can be compared/).waitFor();
		await page.getByRole('region', { name: 'Left side' }).getByText('No samples in this range.').waitFor();
		await graphDrawn(page);
		const reds = await page.locator('.flame canvas').first().evaluate((canvas) => {
			const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, 200);
			let red = 0;
			for (let i = 0; i < data.length; i += 4)
				red += data[i] > data[i + 2] + 60 ? 1 : 0;
			return red;
		});
		assert.equal(reds, 0, 'nothing is called new where there is nothing to compare with');
	});
	await onPage({ state: { emptySide: 'both' }, hash: `#/compare?${RANGE}` }, async (page) => {
		await page.getByRole('heading', { name: 'Neither side has samples' }).waitFor();
	});
	await onPage({ state: { short: true, fewSamples: true }, hash: `#/compare?${RANGE}` }, async (page) => {
		await page.getByText(/The left side has only 60 samples/).waitFor();
		await page.getByText(/too short to see how steady it is/).waitFor();
	});
});

test('an answer that is not all says what it is of', async () => {
	const partial = { reason: 'time', from: FROM * 1e6, until: (FROM + 60e3) * 1e6, unreadable_count: 0 };
	for (const [hash, of] of [[`#/compare?${RANGE}`, ' of the left side'], [`#/hot?${RANGE}`, '']]) {
		await onPage({ state: { partial, jsonOnly: true }, hash }, async (page) => {
			await page.getByText(new RegExp(`This is not all${of}\\. The query took longer than the server allows; what is shown lies in`)).waitFor();
		});
	}
	await onPage({ state: { partial, jsonOnly: false }, hash: `#/hot?${RANGE}` }, async (page) => {
		await page.getByText(/This is not all\. The server ended the query early/).waitFor();
	});
});

/* The keys that lead from the root to the first trimmed node below two callers. */
function keysToSmall(root) {
	const search = (node, keys, depth) => {
		const children = node.children.slice().sort((a, b) => b.value - a.value);
		for (let i = 0; i < children.length; i++) {
			const there = [...keys, 'ArrowDown', ...new Array(i).fill('ArrowRight')];
			const found = children[i].smallNodes && depth > 1 ? there : search(children[i], there, depth + 1);
			if (found)
				return found;
		}
		return null;
	};
	return search(root, [], 0);
}

test('small frames are opened by asking for their caller alone', async () => {
	await onPage({ state: { profile: 'trimmed' }, hash: `#/hot?${RANGE}&view=flame` }, async (page, server) => {
		await graphDrawn(page);
		await page.getByRole('tree', { name: 'Flame graph' }).focus();
		for (const key of keysToSmall(busyHost({ trimBelow: 30 })))
			await page.keyboard.press(key);
		const cursor = page.getByRole('treeitem', { selected: true });
		assert.match(await cursor.textContent(), /^\(\d+ small\)/);
		await page.keyboard.press('Enter');
		await page.waitForFunction(() => /open=/.test(location.hash));
		const flame = asked(server, 'flame');
		assert.match(flame.get('focus'), /^\w+;/);
		assert.equal(flame.get('focus').split(';').length, flame.get('focus_modules').split(';').length);
	});
});

test('labels stand above the functions, and builds are told apart', async () => {
	await onPage({ hash: `#/hot?${RANGE}` }, async (page, server) => {
		await graphDrawn(page);
		await page.getByLabel('Top level').selectOption('thread');
		await page.waitForFunction(() => /root=thread/.test(location.hash));
		await page.getByRole('button', { name: 'Builds' }).click();
		await page.waitForFunction(() => /builds=1/.test(location.hash));
		await page.waitForTimeout(100);
		assert.deepEqual(['root', 'builds'].map((name) => asked(server, 'flame').get(name)), ['thread', 'apart']);
	});
});

test('a server without charts still has a page', async () => {
	const fail = { series: 404, heatmap: 404 };
	await onPage({ state: { fail }, hash: `#/hot?${RANGE}`, ignored: [/404/] }, async (page) => {
		await graphDrawn(page);
		assert.equal(await chart(page).count(), 0);
		assert.equal(await page.getByRole('alert').count(), 0);
	});
	await onPage({ state: { fail }, hash: `#/heat?${RANGE}`, ignored: [/404/] }, async (page) => {
		await page.getByText('This server has no heat map').waitFor();
	});
});

test('on a telephone and at 1024 px nothing of a comparison is cut off', async () => {
	for (const [width, height] of [[390, 844], [1024, 640]]) {
		for (const screen of ['compare', 'heat']) {
			await onPage({ width, height, hash: `#/${screen}?${RANGE}` }, async (page) => {
				await graphDrawn(page);
				const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
				assert.ok(over <= 0, `${screen} at ${width}: ${over} px too wide`);
				const graph = await page.locator('.flame-pane').boundingBox();
				assert.ok(graph.height >= 100, `${screen} at ${width}: the graph has ${graph.height} px`);
			});
		}
	}
});

test('Ctrl and the wheel zoom the chart once the wheel rests, as one step of the history', async () => {
	await onPage({ hash: `#/hot?${RANGE}` }, async (page, server) => {
		await graphDrawn(page);
		const box = await chart(page).boundingBox();
		await page.mouse.move(box.x + box.width / 2, box.y + 40);
		await page.keyboard.down('Control');
		const before = server.state.requests.length;
		for (let i = 0; i < 5; i++)
			await page.mouse.wheel(0, -60);
		await page.keyboard.up('Control');
		await page.waitForFunction((from) => !location.hash.includes(from), `from=${FROM}`);
		const [, from, until] = /from=(\d+)&until=(\d+)/.exec(page.url());
		assert.ok(Number(from) > FROM && Number(until) < UNTIL && Math.abs((Number(from) + Number(until)) / 2 - FROM - 450e3) < 5000, page.url());
		await page.waitForTimeout(300);
		const asked = server.state.requests.slice(before).filter((request) => request.startsWith('/api/v1/series'));
		assert.equal(asked.length, 1, asked.join('\n'));
		await page.goBack();
		assert.match(page.url(), new RegExp(`from=${FROM}&until=${UNTIL}`));
	});
});
