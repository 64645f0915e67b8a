// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isObject, list, numberOr, text, textOr, WrongJson } from './json.ts';

test('only what has keys is an object', () => {
	assert(isObject({}));
	for (const other of [null, undefined, [], 'text', 1, true])
		assert(!isObject(other));
});

test('a list holds objects and nothing else, or is refused by name', () => {
	assert.deepEqual(list({ rows: [{ a: 1 }, {}] }, 'rows'), [{ a: 1 }, {}]);
	assert.deepEqual(list({ rows: [] }, 'rows'), []);
	for (const wrong of [null, [], {}, { rows: null }, { rows: {} }, { rows: [{}, 1] }, { rows: [[]] }]) {
		assert.throws(() => list(wrong, 'rows'), WrongJson);
		assert.throws(() => list(wrong, 'rows'), /"rows"/);
	}
});

test('a text is a text: nothing is turned into one', () => {
	assert.equal(text({ name: '' }, 'name'), '');
	for (const wrong of [{}, { name: null }, { name: 1 }, { name: ['a'] }])
		assert.throws(() => text(wrong, 'name'), WrongJson);
	assert.equal(textOr({ name: 'a' }, 'name', 'b'), 'a');
	assert.equal(textOr({ name: 1 }, 'name', 'b'), 'b');
});

test('numbers may be written as text, and must be finite', () => {
	assert.equal(numberOr({ n: 2.5 }, 'n', 7), 2.5);
	assert.equal(numberOr({ n: '9007199254740991' }, 'n', 7), Number.MAX_SAFE_INTEGER);
	assert.equal(numberOr({ n: 0 }, 'n', 7), 0);
	for (const wrong of [{}, { n: null }, { n: '' }, { n: 'much' }, { n: Infinity }, { n: 'Infinity' }, { n: {} }])
		assert.equal(numberOr(wrong, 'n', 7), 7);
});
