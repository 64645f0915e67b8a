// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError } from '../api/client.ts';
import { Remote } from './remote.ts';

function later(): Promise<void> {
	return new Promise((done) => { setTimeout(done, 0); });
}

test('the last question wins, whatever order the answers come in', async () => {
	const remote = new Remote<string>();
	const answers: ((text: string) => void)[] = [];
	const aborted: string[] = [];
	for (const key of ['one', 'two']) {
		remote.ask(key, (signal) => {
			signal.addEventListener('abort', () => aborted.push(key));
			return new Promise((answer) => { answers.push(answer); });
		});
	}
	answers[1]('second');
	answers[0]('first');
	await later();
	assert.equal(remote.data.value, 'second');
	assert.deepEqual(aborted, ['one']);
});

test('a question that a person ended has no answer, and can be asked again', async () => {
	const remote = new Remote<string>();
	remote.ask('a', () => Promise.resolve('late'));
	remote.cancel();
	await later();
	assert.equal(remote.data.value, null);
	assert(remote.cancelled.value);
	remote.retry();
	await later();
	assert.equal(remote.data.value, 'late');
	assert(!remote.cancelled.value);
});

test('a failure keeps what is held and tries again by itself', async () => {
	const remote = new Remote<string>();
	remote.ask('a', () => Promise.resolve('held'));
	await later();
	remote.ask('b', () => Promise.reject(new ApiError('server', 'broken', 500)));
	await later();
	assert.equal(remote.data.value, 'held');
	assert.equal(remote.error.value?.status, 500);
	assert(remote.retryAt.value > Date.now());
	remote.stop();
});

test('what asking again cannot mend is not asked again', async () => {
	const remote = new Remote<string>();
	remote.ask('a', () => Promise.reject(new ApiError('refused', 'no such type', 400)));
	await later();
	assert.equal(remote.retryAt.value, 0);
	assert.equal(remote.error.value?.message, 'no such type');
	remote.ask('a', () => Promise.resolve('good'));
	await later();
	assert.equal(remote.error.value, null);
	assert.equal(remote.data.value, 'good');
});

test('an error of any other kind is shown, not lost', async () => {
	const remote = new Remote<string>();
	remote.ask('a', () => Promise.reject(new Error('column is cut off')));
	await later();
	assert.equal(remote.error.value?.failure, 'garbled');
	assert.equal(remote.error.value?.message, 'column is cut off');
});
