// SPDX-License-Identifier: Apache-2.0
// The heat map on the screen: one pixel of an image per cell, stretched over the canvas; above it what is
// selected. A selection follows time: down a column, and on at the top of the next one.

import { cellAt, cellCount, cellsOfSpan, heatStep, HEAT_STEPS, spanOfCells, type Heat } from '../model/heat.ts';
import { ticks } from '../model/time_axis.ts';
import type { Span, Zone } from '../model/time_range.ts';
import type { ChartInk, Shade } from './ink.ts';
import { Surface } from './surface.ts';

const AXIS_PX = 18;
const SIDE_PX = 44;
const TICK_APART_PX = 92;

export interface HeatModel {
	heat: Heat;
	selected: Span | null;
	/** The cell that the keys stand on; -1 = none. */
	cursor: number;
	ink: ChartInk;
	ramp: readonly Shade[];
	font: string;
	zone: Zone;
}

export interface HeatEvents {
	/** Cell -1 = none; coordinates of the window. */
	hover(cell: number, x: number, y: number): void;
	select(span: Span): void;
}

interface Box {
	left: number;
	top: number;
	width: number;
	height: number;
}

export class HeatStage {
	private model: HeatModel | null = null;
	private readonly surface: Surface;
	private readonly image = document.createElement('canvas');
	private imageOf: { heat: Heat; ramp: readonly Shade[] } | null = null;
	private anchor = -1;
	private draft: Span | null = null;
	private hovered = -1;
	private readonly abort = new AbortController();

	constructor(canvas: HTMLCanvasElement, private readonly events: HeatEvents) {
		this.surface = new Surface(canvas, () => this.draw());
		const { signal } = this.abort;
		const on = <K extends keyof HTMLElementEventMap>(type: K, act: (event: HTMLElementEventMap[K]) => void): void =>
			canvas.addEventListener(type, act, { signal });
		on('pointerdown', (event) => this.press(event));
		on('pointermove', (event) => this.move(event));
		on('pointerup', () => this.release());
		on('pointercancel', () => this.drop());
		on('pointerleave', () => this.setHover(-1, 0, 0));
		on('dblclick', (event) => this.takeColumn(event));
	}

	close(): void {
		this.abort.abort();
		this.surface.close();
	}

	update(model: HeatModel): void {
		this.model = model;
		this.surface.schedule();
	}

	private box(): Box {
		return { left: SIDE_PX, top: 1, width: Math.max(1, this.surface.width - SIDE_PX), height: Math.max(1, this.surface.height - AXIS_PX - 1) };
	}

	/** The cell at a point of the window, the nearest one if NEAREST; else -1. */
	private hit(event: MouseEvent, nearest: boolean): number {
		const { heat } = this.model!;
		const at = this.surface.canvas.getBoundingClientRect();
		const box = this.box();
		const column = Math.floor(((event.clientX - at.left - box.left) / box.width) * heat.columnCount);
		const row = Math.floor(((event.clientY - at.top - box.top) / box.height) * heat.rowCount);
		const inside = column >= 0 && row >= 0 && column < heat.columnCount && row < heat.rowCount;
		if (!inside && !nearest)
			return -1;
		const within = (value: number, count: number): number => Math.min(count - 1, Math.max(0, value));
		return cellAt(heat, within(column, heat.columnCount), within(row, heat.rowCount));
	}

	private press(event: PointerEvent): void {
		if (event.button !== 0 || !this.model || cellCount(this.model.heat) === 0)
			return;
		const cell = this.hit(event, false);
		if (cell < 0)
			return;
		if (event.shiftKey && this.model.selected) {
			const cells = cellsOfSpan(this.model.heat, this.model.selected);
			this.anchor = cells ? (cell < cells[0] ? cells[1] : cells[0]) : cell;
		} else {
			this.anchor = cell;
		}
		this.draft = spanOfCells(this.model.heat, this.anchor, cell);
		this.surface.canvas.setPointerCapture(event.pointerId);
		this.surface.schedule();
	}

	private move(event: PointerEvent): void {
		if (!this.model || cellCount(this.model.heat) === 0)
			return;
		this.setHover(this.hit(event, false), event.clientX, event.clientY);
		if (this.anchor < 0)
			return;
		this.draft = spanOfCells(this.model.heat, this.anchor, this.hit(event, true));
		this.surface.schedule();
	}

	private release(): void {
		const { draft } = this;
		this.drop();
		if (draft)
			this.events.select(draft);
	}

	private drop(): void {
		this.anchor = -1;
		this.draft = null;
		this.surface.schedule();
	}

	private takeColumn(event: MouseEvent): void {
		const { heat } = this.model ?? {};
		const cell = heat ? this.hit(event, false) : -1;
		if (!heat || cell < 0)
			return;
		const first = Math.floor(cell / heat.rowCount) * heat.rowCount;
		this.events.select(spanOfCells(heat, first, first + heat.rowCount - 1));
	}

	private setHover(cell: number, x: number, y: number): void {
		this.events.hover(cell, x, y);
		if (cell === this.hovered)
			return;
		this.hovered = cell;
		this.surface.schedule();
	}

	/** Where a cell is in the window, for the tip of one that keys chose. */
	placeOf(cell: number): { x: number; y: number } {
		const { heat } = this.model!;
		const at = this.surface.canvas.getBoundingClientRect();
		const box = this.box();
		return {
			x: at.left + box.left + ((Math.floor(cell / heat.rowCount) + 0.5) * box.width) / heat.columnCount,
			y: at.top + box.top + (((cell % heat.rowCount) + 0.5) * box.height) / heat.rowCount,
		};
	}

	private draw(): void {
		const { model } = this;
		if (!model || cellCount(model.heat) === 0)
			return;
		const box = this.box();
		this.drawImage(model, box);
		this.drawGaps(model, box);
		this.drawAxes(model, box);
		const span = this.draft ?? model.selected;
		const cells = span && cellsOfSpan(model.heat, span);
		if (cells)
			this.drawSelected(model, box, cells);
		const cell = this.hovered >= 0 ? this.hovered : model.cursor;
		if (cell >= 0)
			this.drawCell(model, box, cell);
	}

	private drawImage({ heat, ramp }: HeatModel, box: Box): void {
		if (this.imageOf?.heat !== heat || this.imageOf.ramp !== ramp) {
			this.imageOf = { heat, ramp };
			this.image.width = heat.columnCount;
			this.image.height = heat.rowCount;
			this.image.getContext('2d')!.putImageData(heatImage(heat, ramp), 0, 0);
		}
		const { context } = this.surface;
		context.imageSmoothingEnabled = false;
		context.drawImage(this.image, box.left, box.top, box.width, box.height);
	}

	private drawGaps({ heat, ink }: HeatModel, box: Box): void {
		const { context } = this.surface;
		context.fillStyle = this.surface.hatching(ink.gap);
		const width = box.width / heat.columnCount;
		for (let column = 0; column < heat.columnCount; column++) {
			if (heat.coveredNs[column] === 0)
				context.fillRect(box.left + column * width, box.top, width + 0.5, box.height);
		}
	}

	private drawAxes({ heat, ink, font, zone }: HeatModel, box: Box): void {
		const { context, width } = this.surface;
		const bottom = box.top + box.height;
		const shown: Span = [heat.startMs, heat.startMs + heat.columnCount * heat.columnMs];
		context.font = font;
		context.fillStyle = ink.label;
		context.textBaseline = 'alphabetic';
		for (const { ms, label } of ticks(shown, zone, Math.max(1, Math.floor(box.width / TICK_APART_PX)))) {
			const x = this.surface.sharp(box.left + ((ms - shown[0]) / (shown[1] - shown[0])) * box.width);
			context.fillRect(x, bottom, 1, 4);
			if (x + 4 + context.measureText(label).width < width)
				context.fillText(label, x + 4, bottom + 13);
		}
		const words = ['0', lengthLabel(heat.columnMs / 2), lengthLabel(heat.columnMs)];
		context.textAlign = 'right';
		words.forEach((word, i) => context.fillText(word, SIDE_PX - 5, box.top + [9, box.height / 2 + 4, box.height - 1][i]));
		context.textAlign = 'left';
	}

	private drawSelected({ heat, ink }: HeatModel, box: Box, [first, last]: readonly [number, number]): void {
		const { context } = this.surface;
		const path = selectedPath(heat, box, first, last);
		const outside = new Path2D();
		outside.rect(box.left, box.top, box.width, box.height);
		outside.addPath(path);
		context.fillStyle = ink.veil;
		context.fill(outside, 'evenodd');
		context.strokeStyle = ink.selected;
		context.lineWidth = 1.5;
		context.stroke(path);
	}

	private drawCell({ heat, ink }: HeatModel, box: Box, cell: number): void {
		const { context } = this.surface;
		const [width, height] = [box.width / heat.columnCount, box.height / heat.rowCount];
		context.strokeStyle = ink.cursor;
		context.lineWidth = 1;
		context.strokeRect(
			box.left + Math.floor(cell / heat.rowCount) * width - 0.5, box.top + (cell % heat.rowCount) * height - 0.5,
			Math.max(2, width) + 1, Math.max(2, height) + 1,
		);
	}
}

function lengthLabel(ms: number): string {
	if (ms < 1000)
		return `${ms} ms`;
	return ms < 120e3 ? `${ms / 1000} s` : `${Math.round(ms / 60e3)} min`;
}

/** Around cells [FIRST, LAST]: one column in part, or steps at both ends. */
function selectedPath(heat: Heat, box: Box, first: number, last: number): Path2D {
	const { rowCount } = heat;
	const [width, height] = [box.width / heat.columnCount, box.height / rowCount];
	const path = new Path2D();
	const [firstColumn, lastColumn] = [Math.floor(first / rowCount), Math.floor(last / rowCount)];
	const x = (column: number): number => box.left + column * width;
	const y = (row: number): number => box.top + row * height;
	const [top, bottom] = [y(first % rowCount), y((last % rowCount) + 1)];
	if (firstColumn === lastColumn) {
		path.rect(x(firstColumn), top, width, bottom - top);
		return path;
	}
	const corners: [number, number][] = [
		[x(firstColumn), top], [x(firstColumn + 1), top], [x(firstColumn + 1), y(0)], [x(lastColumn + 1), y(0)],
		[x(lastColumn + 1), bottom], [x(lastColumn), bottom], [x(lastColumn), y(rowCount)], [x(firstColumn), y(rowCount)],
	];
	corners.forEach(([left, row], i) => (i === 0 ? path.moveTo(left, row) : path.lineTo(left, row)));
	path.closePath();
	return path;
}

function heatImage(heat: Heat, ramp: readonly Shade[]): ImageData {
	const image = new ImageData(heat.columnCount, heat.rowCount);
	const pixels = new Uint32Array(image.data.buffer);
	for (let column = 0; column < heat.columnCount; column++) {
		for (let row = 0; row < heat.rowCount; row++) {
			const step = heatStep(heat.counts[cellAt(heat, column, row)], heat.countMax);
			pixels[row * heat.columnCount + column] = step === 0 ? 0 : ramp[Math.min(step, HEAT_STEPS) - 1].pixel;
		}
	}
	return image;
}
