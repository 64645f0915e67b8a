// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defaultState, formatUrl, NODES_DEFAULT, parseUrl, type UrlState } from './url.ts';

test('every part of the state comes back from its link', () => {
	const states: Partial<UrlState>[] = [
		{},
		{ screen: 'hosts' },
		{ host: 'web 1/ä&=#?', process: '<img src=x>', type: 'off_cpu:off_cpu:nanoseconds::' },
		{ from: '1774785600000', until: '1774785660000' },
		{ from: 'now-1h30m' },
		{ search: '/a|b+c%20&/i', chosen: 'f\0lib.so' },
		{ focus: '0123456789abcdef', window: [0.25, 0.250001] },
		{ window: [0, 0.000000001] },
		{ window: [0.5, 1] },
		{ layout: 'table', colour: 'self', flipped: true, sort: { key: 'name', ascending: true }, nodes: 2000000 },
		{ screen: 'symbols' },
		{ group: 'line', showsInlined: false, source: 'f(int)\0lib.so' },
		{ screen: 'heat', span: [1774785600000, 1774785600420], split: 'thread' },
		{ screen: 'compare', left: { from: 'now-1h', until: 'now-30m' }, leftHost: 'web 2', leftProcess: '', norm: 'core', split: '' },
		{ showsBuilds: true, root: 'thread', opened: { names: ['main', 'a;b'], modules: ['', 'lib.so'] }, ownChange: true },
		{ left: { from: '1774785600000', until: '1774785660000' }, changeSort: { key: 'ratio', ascending: true } },
	];
	for (const patch of states) {
		const state = { ...defaultState, ...patch };
		assert.deepEqual(parseUrl(formatUrl(state)), state);
	}
});

test('the default state has a short link', () => {
	assert.equal(formatUrl(defaultState), '#/hot');
	assert.deepEqual(parseUrl(''), defaultState);
	assert.deepEqual(parseUrl('#/'), defaultState);
});

test('what is not understood is the default', () => {
	const state = parseUrl('#/nowhere?from=tomorrow&until=now&view=3d&color=pink&focus=zz&win=5-6&sort=-size&nodes=9999999&flip=2&extra=1');
	assert.deepEqual(state, defaultState);
	assert.deepEqual(parseUrl('#/hot?from=now&until=now-1h'), defaultState);
	assert.equal(parseUrl('#/hot?nodes=-1').nodes, NODES_DEFAULT);
	assert.equal(parseUrl('#/hot?win=0.9-0.1').window, null);
	assert.deepEqual(parseUrl('#/hot?span=1774785660000-1774785600000&split=cpu&left=now..now-1h&norm=sum&csort=-size'), defaultState);
	assert.deepEqual(parseUrl('#/hot?left=now-2h..now-1h..now&csort=p&span=1-2').left, null);
});
