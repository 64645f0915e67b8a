// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dragged, gripAt, snapped } from './brush.ts';

const limits = [0, 1000] as const;

test('a press takes the nearer end, the inside, or begins anew', () => {
	assert.equal(gripAt(500, null, 10), 'new');
	assert.equal(gripAt(205, [200, 400], 10), 'from');
	assert.equal(gripAt(395, [200, 400], 10), 'until');
	assert.equal(gripAt(300, [200, 400], 10), 'move');
	assert.equal(gripAt(500, [200, 400], 10), 'new');
	assert.equal(gripAt(203, [200, 204], 10), 'until');
});

test('a new range grows to both sides and stays inside', () => {
	const drag = { grip: 'new', atMs: 300, before: null } as const;
	assert.deepEqual(dragged(drag, 500, limits), [300, 500]);
	assert.deepEqual(dragged(drag, 100, limits), [100, 300]);
	assert.deepEqual(dragged(drag, -50, limits), [0, 300]);
	assert.deepEqual(dragged(drag, 5000, limits), [300, 1000]);
});

test('an end can be pulled over the other one, and all of it be moved to the edge', () => {
	assert.deepEqual(dragged({ grip: 'from', atMs: 200, before: [200, 400] }, 500, limits), [400, 500]);
	assert.deepEqual(dragged({ grip: 'until', atMs: 400, before: [200, 400] }, 100, limits), [100, 200]);
	assert.deepEqual(dragged({ grip: 'move', atMs: 300, before: [200, 400] }, 350, limits), [250, 450]);
	assert.deepEqual(dragged({ grip: 'move', atMs: 300, before: [200, 400] }, 5000, limits), [800, 1000]);
});

test('what is selected is whole steps, at least one, inside of what is shown', () => {
	assert.deepEqual(snapped([105, 211], 0, 50, limits), [100, 250]);
	assert.deepEqual(snapped([120, 120.4], 0, 50, limits), [100, 150]);
	assert.deepEqual(snapped([20, 990], 10, 50, [20, 990]), [20, 990]);
});
