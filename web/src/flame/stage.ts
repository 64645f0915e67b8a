// SPDX-License-Identifier: Apache-2.0
// The flame graph on the screen: sizes, scrolling, zooming, the pointer. It owns two canvases as large as
// the viewport, one for frames and one above it for what changes with every move of the pointer, inside a
// scroller as high as the stack: the browser scrolls, the canvases stay.

import { levelOf, deepestLevel, type FlameTree } from '../model/flame_tree.ts';
import { CharWidths, Labels } from './labels.ts';
import { clamped, extentOf, nodeAt, visitMarked, zoomed, type View } from './layout.ts';
import { FlamePainter, LABEL_CSS_PX, ROW_CSS_PX, rowTop, visibleLevels, type Ink, type PaintCost, type Scene } from './paint.ts';
import type { FrameColours, Swatch } from './palette.ts';

const ANIMATION_MS = 120;
const DRAG_STARTS_AFTER_PX = 4;
const WINDOW_REPORT_MS = 200;
const WHEEL_ZOOM_PER_PX = 0.0035;
/* Ancestors of a focused frame that stay in sight above it. */
const ANCESTORS_IN_SIGHT = 3;
const FONT = `${LABEL_CSS_PX}px ui-sans-serif, system-ui, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", "Liberation Sans", sans-serif`;

export interface StageInk extends Ink {
	hover: string;
	cursor: string;
	chosen: string;
	chosenFill: string;
}

export interface StageModel {
	tree: FlameTree;
	shown: { start: number; end: number };
	focus: number;
	cursor: number;
	/** Whether the cursor is outlined: only where keys can move it. */
	cursorVisible: boolean;
	flipped: boolean;
	colours: FrameColours;
	swatches: Swatch[];
	ink: StageInk;
	nameMatches: Uint8Array | null;
	matches: Uint32Array;
	chosen: Uint32Array;
	animate: boolean;
}

export interface StageEvents {
	/** NODE -1 = none; coordinates of the window. */
	hover(node: number, x: number, y: number): void;
	pick(node: number): void;
	menu(node: number, x: number, y: number): void;
	show(start: number, end: number): void;
}

export interface StageElements {
	scroller: HTMLElement;
	spacer: HTMLElement;
	canvas: HTMLCanvasElement;
	overlay: HTMLCanvasElement;
}

interface Drag {
	id: number;
	x: number;
	y: number;
	view: View;
	scrollTop: number;
	moved: boolean;
}

export class Stage {
	private model: StageModel | null = null;
	private labels: Labels | null = null;
	private ratio = 1;
	private cssWidth = 0;
	private cssHeight = 0;
	/** What is drawn now; on its way to `target` while an animation runs. */
	private view: View = { start: 0, end: 0, width: 0 };
	private target = { start: 0, end: 0 };
	private animation: { from: View; began: number; scrollFrom: number; scrollTo: number } | null = null;
	private frame = 0;
	private dirty = { scene: false, overlay: false };
	private hovered = -1;
	private drag: Drag | null = null;
	private reportTimer: ReturnType<typeof setTimeout> | undefined;
	private readonly painter: FlamePainter;
	private readonly overlayContext: CanvasRenderingContext2D;
	private readonly sizes: ResizeObserver;
	private readonly abort = new AbortController();
	private widths: CharWidths | null = null;

	constructor(private readonly elements: StageElements, private readonly events: StageEvents) {
		this.painter = new FlamePainter(elements.canvas);
		this.overlayContext = elements.overlay.getContext('2d')!;
		this.sizes = new ResizeObserver(() => this.resize());
		this.sizes.observe(elements.scroller);
		this.listen();
		this.resize();
	}

	close(): void {
		this.abort.abort();
		this.sizes.disconnect();
		cancelAnimationFrame(this.frame);
		clearTimeout(this.reportTimer);
	}

	update(model: StageModel): void {
		const before = this.model;
		this.model = model;
		if (before?.tree.names !== model.tree.names)
			this.labels = null;
		if (before?.swatches !== model.swatches)
			this.painter.forgetPatterns();
		if (before?.tree !== model.tree)
			this.hovered = -1;
		this.fitSpacer();
		this.aim(before, model);
		this.keepInSight(before, model);
		this.schedule(true);
	}

	/** Decides where the view goes, and whether it glides there. */
	private aim(before: StageModel | null, model: StageModel): void {
		const { start, end } = model.shown;
		const moved = start !== this.target.start || end !== this.target.end;
		if (before && before.tree === model.tree && !moved)
			return;
		this.target = { start, end };
		const glide = before?.tree === model.tree && model.animate && !this.drag && this.view.end > this.view.start;
		const { scrollTop } = this.elements.scroller;
		this.animation = glide ? { from: this.view, began: performance.now(), scrollFrom: scrollTop, scrollTo: scrollTop } : null;
		if (!glide)
			this.view = { ...this.view, start, end };
	}

	/** Scrolls so that a newly focused frame, or the cursor that keys moved, is in sight. */
	private keepInSight(before: StageModel | null, model: StageModel): void {
		const turned = !before || before.flipped !== model.flipped;
		if (turned)
			this.scrollTo(model.flipped ? this.elements.scroller.scrollHeight : 0);
		const focusLevel = levelOf(model.tree, model.focus);
		if ((turned || before.focus !== model.focus) && !this.inRootHalf(focusLevel))
			this.scrollFocusToEdge(focusLevel);
		if (before && before.cursor !== model.cursor && model.cursor !== model.focus)
			this.scrollIntoSight(levelOf(model.tree, model.cursor));
	}

	/** Glides along, if the view is about to glide. */
	private scrollTo(top: number): void {
		if (this.animation)
			this.animation.scrollTo = Math.max(0, top);
		else
			this.elements.scroller.scrollTop = top;
	}

	/** Whether LEVEL shows with at least half of the height left for what is called from it. */
	private inRootHalf(level: number): boolean {
		const top = this.levelTopCss(level) - this.elements.scroller.scrollTop;
		const fromRoot = this.model!.flipped ? this.cssHeight - top - ROW_CSS_PX : top;
		return fromRoot >= 0 && fromRoot <= this.cssHeight / 2;
	}

	private levelTopCss(level: number): number {
		const row = this.row() / this.ratio;
		return this.model!.flipped ? this.contentHeight() / this.ratio - (level + 1) * row : level * row;
	}

	private scrollFocusToEdge(level: number): void {
		const row = this.row() / this.ratio;
		const top = this.levelTopCss(level);
		this.scrollTo(this.model!.flipped
			? top + (ANCESTORS_IN_SIGHT + 1) * row - this.cssHeight
			: top - ANCESTORS_IN_SIGHT * row);
	}

	private scrollIntoSight(level: number): void {
		const { scroller } = this.elements;
		const top = this.levelTopCss(level);
		const margin = ROW_CSS_PX;
		if (top < scroller.scrollTop + margin)
			this.scrollTo(top - margin);
		else if (top + ROW_CSS_PX > scroller.scrollTop + this.cssHeight - margin)
			this.scrollTo(top + ROW_CSS_PX + margin - this.cssHeight);
	}

	/** A row in device pixels: a whole number, so that rows stay sharp. */
	private row(): number {
		return Math.round(ROW_CSS_PX * this.ratio);
	}

	private contentHeight(): number {
		const model = this.model!;
		const rows = deepestLevel(model.tree, model.focus) + 1;
		return Math.max(rows * this.row(), Math.round(this.cssHeight * this.ratio));
	}

	private fitSpacer(): void {
		if (this.model)
			this.elements.spacer.style.height = `${this.contentHeight() / this.ratio}px`;
	}

	private resize(): void {
		const { scroller, canvas, overlay } = this.elements;
		const ratio = Math.max(1, window.devicePixelRatio || 1);
		if (ratio !== this.ratio)
			this.labels = this.widths = null;
		this.ratio = ratio;
		this.cssWidth = scroller.clientWidth;
		this.cssHeight = scroller.clientHeight;
		const width = Math.max(1, Math.round(this.cssWidth * ratio));
		const height = Math.max(1, Math.round(this.cssHeight * ratio));
		for (const each of [canvas, overlay]) {
			each.width = width;
			each.height = height;
			each.style.width = `${width / ratio}px`;
			each.style.height = `${height / ratio}px`;
		}
		this.view = { ...this.view, width };
		this.fitSpacer();
		/* A resized canvas is blank: it is drawn before the next frame shows that. */
		this.paint();
	}

	private schedule(scene: boolean): void {
		this.dirty.scene ||= scene;
		this.dirty.overlay = true;
		if (!this.frame)
			this.frame = requestAnimationFrame((now) => this.tick(now));
	}

	private tick(now: number): void {
		this.frame = 0;
		if (this.animation) {
			this.advance(now);
			this.dirty.scene = true;
		}
		if (this.dirty.scene)
			this.paint();
		else if (this.dirty.overlay)
			this.paintOverlay();
		if (this.animation)
			this.schedule(true);
	}

	private advance(now: number): void {
		const { from, began, scrollFrom, scrollTo } = this.animation!;
		const share = Math.min(1, Math.max(0, (now - began) / ANIMATION_MS));
		const eased = 1 - (1 - share) ** 3;
		this.view = {
			...this.view,
			start: from.start + (this.target.start - from.start) * eased,
			end: from.end + (this.target.end - from.end) * eased,
		};
		if (scrollTo !== scrollFrom)
			this.elements.scroller.scrollTop = scrollFrom + (scrollTo - scrollFrom) * eased;
		if (share >= 1) {
			this.view = { ...this.view, ...this.target };
			this.animation = null;
		}
	}

	private font(): string {
		return FONT.replace(/^\d+px/, `${Math.round(LABEL_CSS_PX * this.ratio)}px`);
	}

	private labelsOf(model: StageModel): Labels {
		if (!this.widths) {
			const { overlayContext } = this;
			overlayContext.font = this.font();
			overlayContext.fontKerning = 'none';
			this.widths = new CharWidths((char) => overlayContext.measureText(char).width);
		}
		this.labels ??= new Labels(this.widths, model.tree.names.text);
		return this.labels;
	}

	private scene(model: StageModel): Scene {
		return {
			...model,
			view: this.view,
			height: this.elements.canvas.height,
			scrollTop: Math.round(this.elements.scroller.scrollTop * this.ratio),
			contentHeight: this.contentHeight(),
			ratio: this.ratio,
			focusLevel: levelOf(model.tree, model.focus),
			font: this.font(),
			labels: this.labelsOf(model),
			comparing: model.tree.comparison !== undefined,
		};
	}

	private paint(): void {
		this.dirty.scene = false;
		if (!this.model)
			return;
		const began = performance.now();
		const cost = this.painter.paint(this.scene(this.model));
		this.report(began, cost);
		this.paintOverlay();
	}

	/** The last drawing's cost, for whoever looks: developer tools and tests. */
	private report(began: number, cost: PaintCost): void {
		performance.clearMeasures('flame-paint');
		performance.measure('flame-paint', { start: began, end: performance.now(), detail: cost });
	}

	private paintOverlay(): void {
		this.dirty.overlay = false;
		const { model, overlayContext: context } = this;
		context.clearRect(0, 0, this.elements.overlay.width, this.elements.overlay.height);
		if (!model || this.view.end <= this.view.start)
			return;
		const scene = this.scene(model);
		if (model.chosen.length > 0)
			this.outlineChosen(model, scene);
		if (this.hovered >= 0)
			this.outline(scene, this.hovered, model.ink.hover, 1.5);
		if (model.cursorVisible)
			this.outline(scene, model.cursor, model.ink.cursor, 2);
	}

	private outlineChosen(model: StageModel, scene: Scene): void {
		const { overlayContext: context } = this;
		const row = this.row();
		const { first, last } = visibleLevels(scene, row);
		const line = Math.round(1.5 * this.ratio);
		context.beginPath();
		context.fillStyle = model.ink.chosenFill;
		for (let level = first; level <= last; level++) {
			const y = rowTop(scene, level, row);
			visitMarked(model.tree, model.chosen, level, this.view, (_node, x, width) => {
				context.rect(x + line / 2, y + line / 2, Math.max(1, width - line - 1), row - 1 - line);
			});
		}
		context.fill();
		context.lineWidth = line;
		context.strokeStyle = model.ink.chosen;
		context.stroke();
	}

	private outline(scene: Scene, node: number, colour: string, cssLine: number): void {
		const { overlayContext: context } = this;
		const row = this.row();
		const { x, width } = extentOf(scene.tree, this.view, node);
		const left = Math.max(0, Math.round(x));
		const right = Math.min(this.view.width, Math.max(Math.round(x + width), left + 1));
		const line = Math.max(1, Math.round(cssLine * this.ratio));
		if (right <= 0 || left >= this.view.width)
			return;
		context.lineWidth = line;
		context.strokeStyle = colour;
		context.strokeRect(
			left + line / 2, rowTop(scene, levelOf(scene.tree, node), row) + line / 2,
			Math.max(1, right - left - line), row - line,
		);
	}

	/** The frame at a point of the window, -1 = none. */
	hit(clientX: number, clientY: number): number {
		const { model } = this;
		if (!model || this.view.end <= this.view.start)
			return -1;
		const box = this.elements.canvas.getBoundingClientRect();
		const x = Math.floor((clientX - box.left) * this.ratio);
		const y = Math.floor((clientY - box.top) * this.ratio) + Math.round(this.elements.scroller.scrollTop * this.ratio);
		const fromRoot = model.flipped ? this.contentHeight() - 1 - y : y;
		return nodeAt(model.tree, Math.floor(fromRoot / this.row()), this.view, x);
	}

	/** Where the middle of NODE is in the window, for menus opened by a key. */
	placeOf(node: number): { x: number; y: number } {
		const box = this.elements.canvas.getBoundingClientRect();
		const { x, width } = extentOf(this.model!.tree, this.view, node);
		const left = Math.max(0, x);
		const right = Math.min(this.view.width, x + width);
		return {
			x: box.left + (left + right) / 2 / this.ratio,
			y: box.top + this.levelTopCss(levelOf(this.model!.tree, node)) - this.elements.scroller.scrollTop + ROW_CSS_PX,
		};
	}

	/** Zooms around the middle of the cursor. */
	zoomAroundCursor(factor: number): void {
		const { x, width } = extentOf(this.model!.tree, this.view, this.model!.cursor);
		const middle = Math.min(this.view.width, Math.max(0, x + width / 2));
		this.zoomTo(factor, middle);
	}

	/** Moves by a share of the shown width. */
	pan(share: number): void {
		const length = this.view.end - this.view.start;
		this.setView(this.within({ ...this.view, start: this.view.start + length * share, end: this.view.end + length * share }));
	}

	private limits(): [low: number, high: number] {
		const { tree, focus } = this.model!;
		return [tree.start[focus], tree.start[focus] + tree.total[focus]];
	}

	private within(view: View): View {
		return clamped(view, ...this.limits());
	}

	private zoomTo(factor: number, x: number): void {
		this.setView(zoomed(this.view, factor, x, ...this.limits()));
	}

	private setView(view: View): void {
		if (view.start === this.view.start && view.end === this.view.end)
			return;
		this.animation = null;
		this.view = view;
		this.target = { start: view.start, end: view.end };
		this.schedule(true);
		clearTimeout(this.reportTimer);
		this.reportTimer = setTimeout(() => this.events.show(this.target.start, this.target.end), WINDOW_REPORT_MS);
	}

	private listen(): void {
		const { scroller } = this.elements;
		const { signal } = this.abort;
		const on = <K extends keyof HTMLElementEventMap>(type: K, act: (event: HTMLElementEventMap[K]) => void): void =>
			scroller.addEventListener(type, act, { signal });
		on('scroll', () => this.schedule(true));
		on('pointerdown', (event) => this.startDrag(event));
		on('pointermove', (event) => this.move(event));
		on('pointerup', (event) => this.endDrag(event));
		on('pointercancel', () => { this.drag = null; });
		on('pointerleave', () => this.setHover(-1, 0, 0));
		on('contextmenu', (event) => this.openMenu(event));
		scroller.addEventListener('wheel', (event) => this.wheel(event), { signal, passive: false });
		/* Moving a window to another screen changes the ratio, and nothing else tells. */
		addEventListener('resize', () => this.resize(), { signal });
	}

	private openMenu(event: MouseEvent): void {
		const node = this.hit(event.clientX, event.clientY);
		if (node < 0)
			return;
		event.preventDefault();
		this.events.menu(node, event.clientX, event.clientY);
	}

	private wheel(event: WheelEvent): void {
		if (!this.model)
			return;
		const perUnit = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? ROW_CSS_PX : 1;
		const box = this.elements.canvas.getBoundingClientRect();
		if (event.ctrlKey || event.metaKey) {
			event.preventDefault();
			this.zoomTo(Math.exp(event.deltaY * perUnit * WHEEL_ZOOM_PER_PX), (event.clientX - box.left) * this.ratio);
			return;
		}
		const sideways = event.shiftKey ? event.deltaX || event.deltaY : event.deltaX;
		if (Math.abs(sideways) > Math.abs(event.shiftKey ? 0 : event.deltaY)) {
			event.preventDefault();
			this.pan((sideways * perUnit) / this.cssWidth);
		}
	}

	private startDrag(event: PointerEvent): void {
		if (event.button !== 0 || event.offsetX >= this.cssWidth)
			return;
		this.drag = {
			id: event.pointerId,
			x: event.clientX,
			y: event.clientY,
			view: this.view,
			scrollTop: this.elements.scroller.scrollTop,
			moved: false,
		};
	}

	private move(event: PointerEvent): void {
		const { drag } = this;
		if (!drag || event.buttons === 0) {
			this.drag = null;
			this.setHover(this.hit(event.clientX, event.clientY), event.clientX, event.clientY);
			return;
		}
		const dx = event.clientX - drag.x;
		const dy = event.clientY - drag.y;
		if (!drag.moved && Math.hypot(dx, dy) < DRAG_STARTS_AFTER_PX)
			return;
		if (!drag.moved)
			this.elements.scroller.setPointerCapture(drag.id);
		drag.moved = true;
		this.setHover(-1, 0, 0);
		const by = ((drag.view.end - drag.view.start) * dx) / this.cssWidth;
		this.setView(this.within({ ...drag.view, width: this.view.width, start: drag.view.start - by, end: drag.view.end - by }));
		this.elements.scroller.scrollTop = drag.scrollTop - dy;
	}

	private endDrag(event: PointerEvent): void {
		const { drag } = this;
		this.drag = null;
		if (!drag || drag.moved)
			return;
		const node = this.hit(event.clientX, event.clientY);
		if (node >= 0)
			this.events.pick(node);
	}

	private setHover(node: number, x: number, y: number): void {
		this.events.hover(node, x, y);
		if (node === this.hovered)
			return;
		this.hovered = node;
		this.elements.scroller.style.cursor = node >= 0 ? 'pointer' : '';
		this.schedule(false);
	}
}
