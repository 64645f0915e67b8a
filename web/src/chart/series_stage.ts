// SPDX-License-Identifier: Apache-2.0
// Values over time as stacked columns, what is selected of them, and the drag that selects. Gaps are hatched:
// "nothing is known" never looks like "nothing ran".

import { rates, roundUp, peak, stepAt, stepSpan, type Series } from '../model/series.ts';
import { ticks, timeAt, xOf, zoomedSpan } from '../model/time_axis.ts';
import type { Span, Zone } from '../model/time_range.ts';
import { dragged, gripAt, snapped, type Drag } from './brush.ts';
import type { ChartInk } from './ink.ts';
import { Surface } from './surface.ts';

const AXIS_PX = 18;
const TOP_PX = 5;
const TICK_APART_PX = 92;
const GRIP_PX = 6;
const DRAG_STARTS_AFTER_PX = 3;
const WHEEL_ZOOM_PER_PX = 0.0035;
/* A wheel turns on, or rests for as long as this: then what is shown is asked for. */
const WHEEL_RESTS_MS = 180;
/* Columns at least so wide are drawn with a line between them. */
const APART_FROM_PX = 5;

export interface SeriesModel {
	series: Series | null;
	/** The time from the left edge to the right one. */
	shown: Span;
	selected: Span | null;
	/** The step that the keys stand on; -1 = none. */
	cursor: number;
	ink: ChartInk;
	/** Of the edges of what is selected. */
	edge: string;
	font: string;
	zone: Zone;
	/** What a rate is called. */
	scale: (max: number) => string;
}

export interface SeriesEvents {
	/** Step -1 = none. */
	hover(step: number): void;
	/** Null = what was selected no longer is. */
	select(span: Span | null): void;
	zoom(span: Span): void;
}

export class SeriesStage {
	private model: SeriesModel | null = null;
	private readonly surface: Surface;
	private drag: (Drag & { x: number; moved: boolean }) | null = null;
	private draft: Span | null = null;
	private hovered = -1;
	/** What a turning wheel shows until it rests. */
	private zooming: Span | null = null;
	private zoomTimer: ReturnType<typeof setTimeout> | undefined;
	private readonly abort = new AbortController();

	constructor(canvas: HTMLCanvasElement, private readonly events: SeriesEvents) {
		this.surface = new Surface(canvas, () => this.draw());
		const { signal } = this.abort;
		const on = <K extends keyof HTMLElementEventMap>(type: K, act: (event: HTMLElementEventMap[K]) => void): void =>
			canvas.addEventListener(type, act, { signal });
		on('pointerdown', (event) => this.press(event));
		on('pointermove', (event) => this.move(event));
		on('pointerup', (event) => this.release(event));
		on('pointercancel', () => this.drop());
		on('pointerleave', () => this.setHover(-1));
		canvas.addEventListener('wheel', (event) => this.wheel(event), { signal, passive: false });
	}

	close(): void {
		this.abort.abort();
		clearTimeout(this.zoomTimer);
		this.surface.close();
	}

	update(model: SeriesModel): void {
		this.model = this.zooming ? { ...model, shown: this.zooming } : model;
		this.surface.schedule();
	}

	private msAt(clientX: number): number {
		const box = this.surface.canvas.getBoundingClientRect();
		return timeAt(clientX - box.left, this.model!.shown, this.surface.width);
	}

	private reachMs(): number {
		const [from, until] = this.model!.shown;
		return ((until - from) * GRIP_PX) / this.surface.width;
	}

	private press(event: PointerEvent): void {
		if (event.button !== 0 || !this.model)
			return;
		const atMs = this.msAt(event.clientX);
		this.drag = {
			grip: gripAt(atMs, this.model.selected, this.reachMs()), atMs, before: this.model.selected, x: event.clientX, moved: false,
		};
		this.surface.canvas.setPointerCapture(event.pointerId);
	}

	private move(event: PointerEvent): void {
		if (!this.model)
			return;
		const ms = this.msAt(event.clientX);
		const { series, shown } = this.model;
		const step = series ? stepAt(series, ms) : -1;
		this.setHover(series && step >= 0 && step < series.values.length ? step : -1);
		const { drag } = this;
		if (!drag) {
			const grip = gripAt(ms, this.model.selected, this.reachMs());
			this.surface.canvas.style.cursor = grip === 'from' || grip === 'until' ? 'ew-resize' : grip === 'move' ? 'grab' : 'crosshair';
			return;
		}
		drag.moved ||= Math.abs(event.clientX - drag.x) >= DRAG_STARTS_AFTER_PX;
		if (!drag.moved)
			return;
		const raw = dragged(drag, ms, shown);
		this.draft = series ? snapped(raw, series.startMs, series.stepMs, shown) : raw;
		this.surface.schedule();
	}

	private release(event: PointerEvent): void {
		const { drag, draft, model } = this;
		this.drop();
		if (!drag || !model)
			return;
		if (draft)
			this.events.select(draft);
		else if (!drag.moved && drag.grip === 'new' && model.selected)
			this.events.select(null);
		if (event.pointerType === 'touch')
			this.surface.schedule();
	}

	private drop(): void {
		this.drag = null;
		this.draft = null;
		this.surface.schedule();
	}

	private wheel(event: WheelEvent): void {
		if (!this.model || !(event.ctrlKey || event.metaKey))
			return;
		event.preventDefault();
		const span = zoomedSpan(this.model.shown, Math.exp(event.deltaY * WHEEL_ZOOM_PER_PX), this.msAt(event.clientX), Date.now());
		this.zooming = span;
		this.model = { ...this.model, shown: span };
		this.surface.schedule();
		clearTimeout(this.zoomTimer);
		this.zoomTimer = setTimeout(() => {
			this.zooming = null;
			this.events.zoom(span);
		}, WHEEL_RESTS_MS);
	}

	private setHover(step: number): void {
		if (step === this.hovered)
			return;
		this.hovered = step;
		this.events.hover(step);
		this.surface.schedule();
	}

	private draw(): void {
		const { model, surface } = this;
		if (!model || model.shown[1] <= model.shown[0])
			return;
		const bottom = surface.height - AXIS_PX;
		surface.context.font = model.font;
		this.drawAxis(model, bottom);
		if (model.series && model.series.values.length > 0)
			this.drawValues(model, model.series, bottom);
		this.drawSelected(model, bottom);
		if (model.series && model.series.values.length > 0)
			this.drawScale(model, model.series);
		this.drawCursor(model, bottom);
	}

	private drawAxis({ shown, zone, ink }: SeriesModel, bottom: number): void {
		const { context, width } = this.surface;
		context.fillStyle = ink.grid;
		context.fillRect(0, bottom, width, 1);
		context.textBaseline = 'alphabetic';
		for (const { ms, label, isDay } of ticks(shown, zone, Math.max(1, Math.floor(width / TICK_APART_PX)))) {
			const x = this.surface.sharp(xOf(ms, shown, width));
			context.fillStyle = ink.grid;
			context.fillRect(x, isDay ? 0 : bottom, 1, isDay ? bottom + 5 : 5);
			const text = context.measureText(label).width;
			context.fillStyle = ink.label;
			if (x + 4 + text < width)
				context.fillText(label, x + 4, bottom + 13);
		}
	}

	private drawValues(model: SeriesModel, series: Series, bottom: number): void {
		const { context, width } = this.surface;
		const whole = rates(series, series.values);
		const max = roundUp(peak(whole));
		const groups = series.groups.length > 0 ? series.groups.map(({ values }) => rates(series, values)) : [whole];
		const gap = this.surface.hatching(model.ink.gap);
		const height = bottom - TOP_PX;
		for (let i = 0; i < whole.length; i++) {
			const [from, until] = stepSpan(series, i);
			const x = this.surface.sharp(xOf(from, model.shown, width));
			const right = this.surface.sharp(xOf(until, model.shown, width));
			const room = Math.max(1 / this.surface.ratio, right - x);
			if (Number.isNaN(whole[i])) {
				context.fillStyle = gap;
				context.fillRect(x, TOP_PX, room, height);
				continue;
			}
			const apart = room >= APART_FROM_PX ? 1 : 0;
			let below = 0;
			for (let group = 0; group < groups.length; group++) {
				const value = groups[group][i];
				const top = this.surface.sharp(bottom - ((below + value) / max) * height);
				const foot = this.surface.sharp(bottom - (below / max) * height);
				context.fillStyle = groupColour(model.ink, series, group);
				context.fillRect(x, top, room - apart, foot - top);
				below += value;
			}
		}
	}

	/** What the top of the chart is worth. */
	private drawScale(model: SeriesModel, series: Series): void {
		const { context, width } = this.surface;
		context.fillStyle = model.ink.grid;
		context.fillRect(0, TOP_PX - 3, width, 1);
		const text = model.scale(roundUp(peak(rates(series, series.values))));
		context.fillStyle = model.ink.ground;
		context.fillRect(0, TOP_PX - 2, context.measureText(text).width + 8, 13);
		context.fillStyle = model.ink.label;
		context.textBaseline = 'top';
		context.fillText(text, 4, TOP_PX - 1);
	}

	private drawSelected({ shown, selected, ink, edge }: SeriesModel, bottom: number): void {
		const span = this.draft ?? selected;
		if (!span)
			return;
		const { context, width } = this.surface;
		const left = this.surface.sharp(xOf(span[0], shown, width));
		const right = Math.max(left + 2, this.surface.sharp(xOf(span[1], shown, width)));
		context.fillStyle = ink.veil;
		context.fillRect(0, 0, left, bottom);
		context.fillRect(right, 0, width - right, bottom);
		context.fillStyle = edge;
		context.fillRect(left - 1, 0, 2, bottom);
		context.fillRect(right - 1, 0, 2, bottom);
		context.fillRect(left, 0, right - left, 2);
	}

	private drawCursor({ series, cursor, shown, ink }: SeriesModel, bottom: number): void {
		const step = this.hovered >= 0 ? this.hovered : cursor;
		if (!series || step < 0 || step >= series.values.length)
			return;
		const { context, width } = this.surface;
		const [from, until] = stepSpan(series, step);
		const left = this.surface.sharp(xOf(from, shown, width));
		const right = this.surface.sharp(xOf(until, shown, width));
		context.strokeStyle = ink.cursor;
		context.lineWidth = 1;
		context.strokeRect(left + 0.5, TOP_PX + 0.5, Math.max(1, right - left - 1), bottom - TOP_PX - 1);
	}
}

/** The colour of group I; the last is that of the rest, if there is one. */
export function groupColour(ink: ChartInk, series: Series, i: number): string {
	if (series.groups.length === 0)
		return ink.whole;
	return series.groups[i].label === '' ? ink.rest : ink.groups[i % ink.groups.length];
}
