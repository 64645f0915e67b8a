// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { treeOf } from '../model/sample_tree.ts';
import { inks } from './ink.ts';
import { BUCKETS, change, CHANGE_STEPS, changeBucket, changeSign, colourFrames, colourModes, inlinedBucket, packageOf, special, strength, swatchesOf, type Theme } from './palette.ts';

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
			/* The strongest steps of self share, and changes, are signals first. */
			const needed = bucket >= change.same - 4 ? 4.5 : least[theme];
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

/* What is left of a colour for people who lack one kind of cone, after Machado, Oliveira and Fernandes (2009). */
const sights = {
	protan: [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
	deutan: [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
	tritan: [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039]],
	full: [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
};

function lab(css: string, sight: number[][]): number[] {
	const linear = css.match(/\d+/g)!.map(Number).map((value) => {
		const share = value / 255;
		return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
	});
	const [r, g, b] = sight.map((row) => Math.min(1, Math.max(0, row[0] * linear[0] + row[1] * linear[1] + row[2] * linear[2])));
	const f = (t: number): number => (t > 0.008856 ? Math.cbrt(t) : 7.787 * t + 16 / 116);
	const x = f((0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.9505);
	const y = f(0.2126 * r + 0.7152 * g + 0.0722 * b);
	const z = f((0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.089);
	return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

test('less and more are told apart by every kind of sight, and from what did not change', () => {
	for (const theme of ['light', 'dark'] as const) {
		const swatches = swatchesOf(theme);
		for (const [name, sight] of Object.entries(sights)) {
			const distance = (a: number, b: number): number => {
				const [one, two] = [lab(swatches[a].css, sight), lab(swatches[b].css, sight)];
				return Math.hypot(...one.map((value, i) => value - two[i]));
			};
			for (let step = 0; step < CHANGE_STEPS; step++) {
				const where = `${theme} ${name} ${step}`;
				assert(distance(change.less + step, change.more + step) >= 18, `${where}: less and more ${distance(change.less + step, change.more + step).toFixed(1)}`);
				assert(distance(change.less + step, change.same) >= 11, `${where}: less ${distance(change.less + step, change.same).toFixed(1)}`);
				assert(distance(change.more + step, change.same) >= 11, `${where}: more ${distance(change.more + step, change.same).toFixed(1)}`);
			}
		}
	}
});

test('a change is told by its sign and by its pattern, too', () => {
	const of = (kind: 'noise' | 'more' | 'less' | 'new' | 'gone', points: number): number =>
		changeBucket({ left: 1, right: 1, leftAmount: 0, rightAmount: 0, points, p: 0, sureness: 'sure', kind, comparable: true });
	assert.deepEqual([of('less', -0.1), of('more', 0.1), of('new', 9), of('gone', -9), of('noise', 9)].map(changeSign), ['▼ ', '▲ ', 'new ', 'gone ', '']);
	assert.deepEqual([0.1, 0.5, 2, 50].map((points) => of('more', points) - change.more), [0, 1, 2, 3]);
	assert.deepEqual([0.1, 0.5, 2, 50].map((points) => of('less', -points) - change.less), [0, 1, 2, 3]);
	const swatches = swatchesOf('light');
	assert(swatches[change.new].hatch !== null && swatches[change.gone].hatch !== null);
	assert(swatches[change.new].crossed !== swatches[change.gone].crossed);
});
