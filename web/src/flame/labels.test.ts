// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CharWidths, Labels } from './labels.ts';

const widths = new CharWidths((char) => (char.charCodeAt(0) < 128 ? 10 : 15));

test('the longest form that fits is taken', () => {
	const labels = new Labels(widths, ['ns::find(int)', 'x']);
	assert.equal(labels.fit(0, 130), 'ns::find(int)');
	assert.equal(labels.fit(0, 129), 'ns::find');
	assert.equal(labels.fit(0, 60), '…find');
	assert.equal(labels.fit(0, 40), 'find');
});

test('a form that does not fit is cut, and not at all if nothing is left', () => {
	const labels = new Labels(widths, ['abcdefgh']);
	assert.equal(labels.fit(0, 79), 'abcdef…');
	assert.equal(labels.fit(0, 45), 'abc…');
	assert.equal(labels.fit(0, 44), '');
	assert.equal(labels.fit(0, 0), '');
});

test('no label is wider than its frame', () => {
	const names = ['ns::Type<a, b>::method(int, char)', 'größe', '🗿🗿🗿🗿🗿', 'a'.repeat(10000), 'com.acme.Foo.<init>'];
	const labels = new Labels(widths, names);
	for (let id = 0; id < names.length; id++) {
		for (let pixels = 0; pixels < 500; pixels += 7)
			assert(widths.of(labels.fit(id, pixels)) <= pixels, `${names[id]} in ${pixels}`);
	}
});

test('a surrogate pair is never cut in two', () => {
	const label = new Labels(widths, ['🗿🗿🗿🗿🗿🗿']).fit(0, 70);
	assert.equal(label, '🗿🗿🗿…');
});
