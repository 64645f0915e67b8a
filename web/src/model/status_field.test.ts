// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fieldLabel, fieldText } from './status_field.ts';

test('keys become words', () => {
	assert.equal(fieldLabel('clock_skew_ns'), 'Clock skew');
	assert.equal(fieldLabel('build_id'), 'Build ID');
	assert.equal(fieldLabel('online_cpus'), 'Online CPUs');
});

test('values are shown as what they are', () => {
	const plain = (key: string, value: unknown) => fieldText(key, value, 'utc').replaceAll('\u2009', ' ').replaceAll('\u202f', ',');
	assert.equal(plain('started_at', Date.UTC(2026, 10, 30, 20, 42, 21) * 1e6), '2026-11-30 20:42:21 UTC');
	assert.equal(plain('clock_skew_ns', -8596028), '−8.60 ms');
	assert.equal(plain('upload_bytes', 50533565), '48.2 MiB');
	assert.equal(plain('coverage', 0.9967), '99.7 %');
	assert.equal(plain('value', 1204033), '1,204,033');
	assert.equal(plain('value', 0.12345), '0.1235');
	assert.equal(plain('samples_per_second', 195.5866), '195.6');
	assert.equal(plain('samples_per_second', 12345.67), '12,346');
	assert.equal(plain('full', false), 'no');
	assert.equal(plain('coverage', null), '–');
	assert.equal(plain('x', '<b>'), '<b>');
	assert.equal(plain('x', [1]), '[1]');
});
