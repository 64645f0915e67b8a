// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chartInks, heatRamp } from './ink.ts';

function brightness(css: string): number {
	const [r, g, b] = css.match(/\d+/g)!.map(Number);
	return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

test('more samples are darker on a light ground and brighter on a dark one, step by step', () => {
	for (const [theme, sign] of [['light', -1], ['dark', 1]] as const) {
		const steps = heatRamp(theme, 16).map(({ css }) => brightness(css));
		assert(steps.every((value, i) => i === 0 || sign * (value - steps[i - 1]) > 2), `${theme}: ${steps.map(Math.round).join()}`);
	}
});

test('every group has a colour of its own', () => {
	for (const ink of Object.values(chartInks))
		assert.equal(new Set([...ink.groups, ink.rest]).size, 7);
});
