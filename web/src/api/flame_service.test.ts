// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { folded } from './flame_service.ts';

test('a path is written as in a folded line', () => {
	assert.equal(folded(['main', 'a;b', 'tab\there', 'x\\x3B', 'back\\slash']), 'main;a\\x3bb;tab\\x09here;x\\x5cx3B;back\\slash');
	assert.equal(folded([]), '');
});
