// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { quoteLabel, selector } from './selector.ts';

test('a selector names the type and the labels that are chosen', () => {
	const type = 'process_cpu:cpu:nanoseconds:cpu:nanoseconds';
	assert.equal(selector(type, { host: 'a', process: 'python3' }), `${type}{host="a",process="python3"}`);
	assert.equal(selector(type, { host: 'a', process: '' }), `${type}{host="a"}`);
	assert.equal(selector('', {}), '{}');
});

test('no label value ends its quotes', () => {
	for (const value of ['a"b', 'a\\', 'a\\"', 'a\nb', '"}', '\\n']) {
		const quoted = quoteLabel(value);
		assert.equal(JSON.parse(quoted), value);
	}
});
