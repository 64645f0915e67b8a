// SPDX-License-Identifier: Apache-2.0
// Draws the visible levels of a tree on a canvas as large as the viewport. Frames of RECT_PX and more are
// rectangles, grouped by colour; narrower ones are pixels: one line of ImageData per level, put at once
// and stretched to the height of a row. What one frame costs depends on the screen, not on the profile.

import { kind, kindOf, nodeName, type FlameTree } from '../model/flame_tree.ts';
import type { Labels } from './labels.ts';
import { layoutLevel, newLevelLayout, NO_NODE, visitMarked, type LevelLayout, type View } from './layout.ts';
import { BUCKETS, changeSign, inlinedBucket, strength, type FrameColours, type Swatch } from './palette.ts';

export const ROW_CSS_PX = 18;
export const LABEL_CSS_PX = 12;
const LABEL_MIN_CSS_PX = 28;
const LABEL_PAD_CSS_PX = 4;

export interface Ink {
	label: string;
	dimmedLabel: string;
	/** On ancestors of the focused frame. */
	pathLabel: string;
	match: string;
	matchPixel: number;
}

export interface Scene {
	tree: FlameTree;
	view: View;
	/** Canvas height and scroll position, in device pixels. */
	height: number;
	scrollTop: number;
	/** Height of all rows together: in a flipped graph the root stands at its end. */
	contentHeight: number;
	flipped: boolean;
	ratio: number;
	focus: number;
	focusLevel: number;
	colours: FrameColours;
	swatches: Swatch[];
	ink: Ink;
	font: string;
	labels: Labels;
	/** Whether names have a sign of how their frame changed. */
	comparing: boolean;
	/** null = no search, so nothing is dimmed. */
	nameMatches: Uint8Array | null;
	matches: Uint32Array;
}

/** What one drawing cost; tests hold these against their limits. */
export interface PaintCost {
	levels: number;
	/** Most rectangles, labels and blits of one level. */
	drawCallsPerLevelMax: number;
	touchedPerLevelMax: number;
	rects: number;
	labels: number;
}

export function rowTop(scene: Pick<Scene, 'flipped' | 'contentHeight' | 'scrollTop'>, level: number, row: number): number {
	return (scene.flipped ? scene.contentHeight - (level + 1) * row : level * row) - scene.scrollTop;
}

/** Levels [first, last] that show between the top and the bottom of the canvas. */
export function visibleLevels(scene: Scene, row: number): { first: number; last: number } {
	const { flipped, contentHeight, scrollTop, height, tree } = scene;
	const top = flipped ? contentHeight - scrollTop - height : scrollTop;
	const first = Math.max(0, Math.floor(top / row));
	const last = Math.min(tree.levelCount - 1, Math.floor((top + height - 1) / row));
	return { first, last };
}

/** Rectangles of all levels, chained by swatch: each colour is set once. */
class RectBatch {
	count = 0;
	node = new Uint32Array(4096);
	x = new Int32Array(4096);
	y = new Int32Array(4096);
	width = new Int32Array(4096);
	swatch = new Uint8Array(4096);
	private next = new Int32Array(4096);
	private readonly head = new Int32Array(256);

	clear(): void {
		this.count = 0;
		this.head.fill(-1);
	}

	private grow(): void {
		const larger = <T extends Int32Array | Uint32Array | Uint8Array>(from: T, to: T): T => {
			to.set(from);
			return to;
		};
		const size = this.node.length * 2;
		this.node = larger(this.node, new Uint32Array(size));
		this.x = larger(this.x, new Int32Array(size));
		this.y = larger(this.y, new Int32Array(size));
		this.width = larger(this.width, new Int32Array(size));
		this.swatch = larger(this.swatch, new Uint8Array(size));
		this.next = larger(this.next, new Int32Array(size));
	}

	add(node: number, x: number, y: number, width: number, swatch: number): void {
		if (this.count === this.node.length)
			this.grow();
		const i = this.count++;
		this.node[i] = node;
		this.x[i] = x;
		this.y[i] = y;
		this.width[i] = width;
		this.swatch[i] = swatch;
		this.next[i] = this.head[swatch];
		this.head[swatch] = i;
	}

	forEachSwatch(visit: (swatch: number, rects: Iterable<number>) => void): void {
		for (let swatch = 0; swatch < this.head.length; swatch++) {
			if (this.head[swatch] >= 0)
				visit(swatch, this.chain(swatch));
		}
	}

	private *chain(swatch: number): Iterable<number> {
		for (let i = this.head[swatch]; i >= 0; i = this.next[i])
			yield i;
	}
}

export class FlamePainter {
	private readonly context: CanvasRenderingContext2D;
	private readonly strip = document.createElement('canvas');
	private readonly stripContext: CanvasRenderingContext2D;
	private image: ImageData | null = null;
	private pixels = new Uint32Array(0);
	private layout: LevelLayout = newLevelLayout(0);
	private readonly rects = new RectBatch();
	private readonly patterns = new Map<string, CanvasPattern>();

	constructor(canvas: HTMLCanvasElement) {
		this.context = canvas.getContext('2d', { alpha: true })!;
		this.stripContext = this.strip.getContext('2d', { willReadFrequently: true })!;
	}

	/** Colours changed: hatches made of the old ones are of no use. */
	forgetPatterns(): void {
		this.patterns.clear();
	}

	paint(scene: Scene): PaintCost {
		const row = Math.round(ROW_CSS_PX * scene.ratio);
		const { first, last } = visibleLevels(scene, row);
		const cost: PaintCost = { levels: 0, drawCallsPerLevelMax: 0, touchedPerLevelMax: 0, rects: 0, labels: 0 };
		this.context.clearRect(0, 0, scene.view.width, scene.height);
		if (scene.view.width <= 0 || last < first || scene.view.end <= scene.view.start)
			return cost;
		this.prepare(scene.view.width, last - first + 1);
		this.rects.clear();
		const blitLevels: number[] = [];
		for (let level = first; level <= last; level++)
			this.gatherLevel(scene, level, row, level - first, blitLevels, cost);
		this.blit(scene, blitLevels, first, row);
		this.fillRects(scene, row);
		this.drawMatches(scene, first, last, row);
		this.drawLabels(scene, row, cost);
		cost.levels = last - first + 1;
		cost.rects = this.rects.count;
		return cost;
	}

	private prepare(width: number, levels: number): void {
		if (this.layout.column.length !== width)
			this.layout = newLevelLayout(width);
		if (!this.image || this.image.width !== width || this.image.height < levels) {
			this.strip.width = width;
			this.strip.height = levels;
			this.image = this.stripContext.createImageData(width, levels);
			this.pixels = new Uint32Array(this.image.data.buffer);
		}
	}

	private swatchOf(scene: Scene, node: number, level: number): number {
		const { colours, tree } = scene;
		const nameId = tree.nameId[node];
		const called = colours.bucket[colours.perNode ? node : nameId];
		const bucket = tree.inlined[node] ? inlinedBucket(called) : called;
		if (scene.nameMatches && !scene.nameMatches[nameId])
			return bucket + strength.dimmed;
		return level < scene.focusLevel ? bucket + strength.path : bucket;
	}

	private gatherLevel(
		scene: Scene, level: number, row: number, line: number, blitLevels: number[], cost: PaintCost,
	): void {
		const { tree, view, ratio } = scene;
		const layout = this.layout;
		layoutLevel(tree, level, view, layout);
		const y = rowTop(scene, level, row);
		let labels = 0;
		for (let i = 0; i < layout.rectCount; i++) {
			const node = layout.rectNode[i];
			this.rects.add(node, layout.rectX[i], y, layout.rectWidth[i], this.swatchOf(scene, node, level));
			labels += layout.rectWidth[i] >= LABEL_MIN_CSS_PX * ratio ? 1 : 0;
		}
		const from = line * view.width;
		if (layout.columnUsed || scene.nameMatches) {
			for (let x = 0; x < view.width; x++) {
				const node = layout.column[x];
				this.pixels[from + x] = node === NO_NODE ? 0 : scene.swatches[this.swatchOf(scene, node, level)].pixel;
			}
			if (scene.nameMatches)
				this.markColumns(scene, level, from);
			blitLevels.push(level);
		}
		cost.drawCallsPerLevelMax = Math.max(cost.drawCallsPerLevelMax, layout.rectCount + labels + (layout.columnUsed ? 1 : 0));
		cost.touchedPerLevelMax = Math.max(cost.touchedPerLevelMax, layout.touched);
	}

	/** A match thinner than a rectangle is drawn over its neighbours: it is what was asked for. */
	private markColumns(scene: Scene, level: number, from: number): void {
		visitMarked(scene.tree, scene.matches, level, scene.view, (_node, x, width) => {
			if (width < 4)
				this.pixels.fill(scene.ink.matchPixel, from + x, from + x + Math.max(1, width - 1));
		});
	}

	private blit(scene: Scene, levels: number[], first: number, row: number): void {
		if (levels.length === 0)
			return;
		this.stripContext.putImageData(this.image!, 0, 0, 0, 0, scene.view.width, levels[levels.length - 1] - first + 1);
		this.context.imageSmoothingEnabled = false;
		for (const level of levels) {
			this.context.drawImage(
				this.strip, 0, level - first, scene.view.width, 1,
				0, rowTop(scene, level, row), scene.view.width, row - gap(scene.ratio),
			);
		}
	}

	private fillRects(scene: Scene, row: number): void {
		const { context, rects } = this;
		const space = gap(scene.ratio);
		rects.forEachSwatch((index, members) => {
			const swatch = scene.swatches[index];
			context.fillStyle = swatch.hatch ? this.hatched(swatch, swatch.hatch, scene.ratio) : swatch.css;
			for (const i of members)
				context.fillRect(rects.x[i], rects.y[i], rects.width[i] - space, row - space);
		});
	}

	private hatched(swatch: Swatch, hatch: string, ratio: number): CanvasPattern {
		const key = `${swatch.css} ${swatch.crossed}`;
		const known = this.patterns.get(key);
		if (known)
			return known;
		const size = Math.round((swatch.crossed ? 5 : 7) * ratio);
		const tile = document.createElement('canvas');
		tile.width = size;
		tile.height = size;
		const context = tile.getContext('2d')!;
		context.fillStyle = swatch.css;
		context.fillRect(0, 0, size, size);
		context.strokeStyle = hatch;
		context.lineWidth = 1.5 * ratio;
		context.beginPath();
		const [top, bottom] = swatch.crossed ? [size + 1, -1] : [-1, size + 1];
		for (const shift of [-size, 0, size]) {
			context.moveTo(shift - 1, bottom);
			context.lineTo(shift + size + 1, top);
		}
		context.stroke();
		const pattern = this.context.createPattern(tile, 'repeat')!;
		this.patterns.set(key, pattern);
		return pattern;
	}

	/** One outline around every match that has the room for it, in a single stroke. */
	private drawMatches(scene: Scene, first: number, last: number, row: number): void {
		if (!scene.nameMatches || scene.matches.length === 0)
			return;
		const { context } = this;
		const line = Math.max(1, Math.round(scene.ratio));
		context.beginPath();
		for (let level = first; level <= last; level++) {
			const y = rowTop(scene, level, row);
			visitMarked(scene.tree, scene.matches, level, scene.view, (_node, x, width) => {
				if (width >= 4)
					context.rect(x + line / 2, y + line / 2, width - gap(scene.ratio) - line, row - gap(scene.ratio) - line);
			});
		}
		context.lineWidth = line;
		context.strokeStyle = scene.ink.match;
		context.stroke();
	}

	private drawLabels(scene: Scene, row: number, cost: PaintCost): void {
		const { context, rects } = this;
		const { ratio } = scene;
		const least = LABEL_MIN_CSS_PX * ratio;
		const pad = LABEL_PAD_CSS_PX * ratio;
		context.font = scene.font;
		context.textBaseline = 'middle';
		context.fontKerning = 'none';
		const baseline = Math.round((row - gap(ratio)) / 2 + ratio * 0.5);
		const inks: [strength: number, colour: string][] = [
			[strength.normal, scene.ink.label], [strength.dimmed, scene.ink.dimmedLabel], [strength.path, scene.ink.pathLabel],
		];
		for (const [drawn, colour] of inks) {
			context.fillStyle = colour;
			for (let i = 0; i < rects.count; i++) {
				if (rects.width[i] < least || rects.swatch[i] < drawn || rects.swatch[i] >= drawn + BUCKETS)
					continue;
				const text = labelOf(scene, rects.node[i], rects.swatch[i] - drawn, rects.width[i] - gap(ratio) - 2 * pad);
				if (text) {
					context.fillText(text, rects.x[i] + pad, rects.y[i] + baseline);
					cost.labels++;
				}
			}
		}
	}
}

/** What is written on NODE, ROOM pixels wide. */
function labelOf({ tree, labels, comparing }: Scene, node: number, bucket: number, room: number): string {
	if (kindOf(tree, node) === kind.trimmed)
		return labels.fitText(nodeName(tree, node), room);
	const sign = comparing ? changeSign(bucket) : '';
	if (sign === '')
		return labels.fit(tree.nameId[node], room);
	const name = labels.fit(tree.nameId[node], room - labels.widthOf(sign));
	return name ? sign + name : labels.fitText(sign.trim(), room);
}

function gap(ratio: number): number {
	return Math.max(1, Math.round(ratio));
}
