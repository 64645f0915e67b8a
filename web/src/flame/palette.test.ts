// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { treeOf } from '../model/sample_tree.ts';
import { inks } from './ink.ts';
import { BUCKETS, colourFrames, colourModes, inlinedBucket, packageOf, special, strength, swatchesOf, type Theme } from './palette.ts';

function luminance(css: string): number {
	const channels = /^#/.test(css)
		? [1, 3, 5].map((at) => parseInt(css.slice(at, at + 2), 16))
		: css.match(/\d+/g)!.map(Number);
	const [r, g, b] = channels.map((value) => {
		const share = value / 255;
		return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
	});
	return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(one: string, two: string): number {
	const [low, high] = [luminance(one), luminance(two)].sort((a, b) => a - b);
	return (high + 0.05) / (low + 0.05);
}

test('labels can be read on every frame colour', () => {
	const least: Record<Theme, number> = { light: 7, dark: 4.5 };
	for (const theme of ['light', 'dark'] as const) {
		const swatches = swatchesOf(theme);
		for (let bucket = 0; bucket < BUCKETS; bucket++) {
			/* The strongest step of self share is a signal first. */
			const needed = bucket >= BUCKETS - 4 ? 4.5 : least[theme];
			const found = contrast(swatches[bucket].css, inks[theme].label);
			assert(found >= needed, `${theme} ${bucket}: ${swatches[bucket].css} ${found.toFixed(2)}`);
		}
	}
});

test('kernel, unknown and marker frames look alike in every mode but that of self share', () => {
	const tree = treeOf(['t#root', 100, [['k@[kernel]#kernel', 50], ['x@lib#unknown', 20], ['[lost]#marker', 10], ['f@app', 5]]]);
	const buckets = colourModes.filter(({ mode }) => mode !== 'self').map(({ mode }) => [...colourFrames(tree, mode).bucket.slice(0, 4)]);
	for (const each of buckets)
		assert.deepEqual(each, buckets[0]);
	const swatches = swatchesOf('light');
	assert(swatches[buckets[0][3] + strength.normal].hatch !== null);
	assert.equal(new Set(buckets[0]).size, 4);
});

test('what was inlined has the colour of its function, hatched', () => {
	const tree = treeOf(['t#root', 100, [['f@app', 50], ['k@[kernel]#kernel', 20]]]);
	const swatches = swatchesOf('dark');
	for (const { mode } of colourModes.filter((each) => each.mode !== 'self')) {
		for (const bucket of colourFrames(tree, mode).bucket.slice(1)) {
			const [called, inlined] = [swatches[bucket], swatches[inlinedBucket(bucket)]];
			assert.equal(inlined.css, called.css);
			assert(called.hatch === null && inlined.hatch !== null);
		}
	}
	assert.equal(inlinedBucket(special.unknown), special.unknown);
	assert(3 * BUCKETS <= 256, 'a swatch fits a byte');
});

test('one binary has one colour, by its name alone', () => {
	const one = treeOf(['t#root', 100, [['f@libx', 50], ['g@libx', 20]]]);
	const two = treeOf(['t#root', 100, [['h@liby', 50], ['f@libx', 20]]]);
	const first = colourFrames(one, 'binary').bucket;
	const second = colourFrames(two, 'binary').bucket;
	assert.equal(first[1], first[2]);
	assert.equal(second[2], first[1]);
});

test('a package is what stands before the function', () => {
	const cases: [string, string][] = [
		['std::vector<int>::push_back(int const&)', 'std'], ['<alloc::vec::Vec<T> as Iterator>::next', 'alloc'],
		['java.util.HashMap.put', 'java.util.'], ['github.com/acme/pkg.(*T).Run', 'github.com/acme/pkg'], ['net/http.(*conn).serve', 'net/http'],
		['main', ''], ['malloc', ''], ['runtime.mallocgc', 'runtime.'],
	];
	for (const [name, wanted] of cases)
		assert.equal(packageOf(name), wanted);
});
