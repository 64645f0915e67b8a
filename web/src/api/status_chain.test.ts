// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readChain, readWarnings } from './status_chain.ts';

const stage = (name: string, more: object = {}) => ({
	stage: name,
	unit: 'samples',
	meaning: 'm',
	in: 10,
	out: 7,
	waiting: 1,
	lost: 2,
	unaccounted: 0,
	lost_reasons: [{ reason: 'queue full', value: 2, remedy: 'wait' }, { reason: 'refused', value: 0, remedy: '' }],
	aside_reasons: [{ reason: 'idle', value: 3, remedy: '' }],
	notes: [{ reason: 'missed', value: 4 }],
	...more,
});

test('stages come in groups, and what is not known goes on in the one before', () => {
	const groups = readChain([stage('kernel'), stage('new_one'), stage('receive'), stage('http')]);
	assert.deepEqual(groups.map((group) => group.stages.map((row) => row.name)), [['kernel', 'new_one'], ['receive', 'http']]);
	assert.equal(groups[1]?.title, 'From the network to the disk');
});

test('a stage shows the reasons that are not zero, the worst first', () => {
	const [group] = readChain([stage('queue', { unaccounted: 5 })]);
	assert.deepEqual(group?.stages[0]?.reasons.map((reason) => `${reason.value} ${reason.words} ${reason.kind}`),
		['5 unaccounted for unaccounted', '2 queue full lost', '3 idle aside', '4 missed note']);
	assert.equal(group?.title, 'Stages');
});

test('what is no chain and no warning is nothing', () => {
	assert.deepEqual(readChain(undefined), []);
	assert.deepEqual(readChain([7, null, 'x']), []);
	assert.equal(readChain([{}])[0]?.stages[0]?.name, '?');
	assert.deepEqual(readWarnings({}), []);
});

test('warnings tell their host and what to do', () => {
	const [first, second] = readWarnings([{ level: 'error', host: 'h', text: 't', remedy: 'r' }, { level: 'warning' }]);
	assert.deepEqual(first, { isError: true, host: 'h', text: 't', remedy: 'r' });
	assert.equal(second?.isError, false);
});
