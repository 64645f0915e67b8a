// SPDX-License-Identifier: Apache-2.0
// A canvas that is as large as its element, in device pixels, and is drawn at most once a frame.

export class Surface {
	ratio = 1;
	/** CSS pixels. */
	width = 1;
	height = 1;
	readonly context: CanvasRenderingContext2D;
	private frame = 0;
	private readonly hatches = new Map<string, CanvasPattern>();
	private readonly sizes: ResizeObserver;

	constructor(readonly canvas: HTMLCanvasElement, private readonly draw: () => void) {
		this.context = canvas.getContext('2d')!;
		this.sizes = new ResizeObserver(() => this.resize());
		this.sizes.observe(canvas);
		this.resize();
	}

	close(): void {
		this.sizes.disconnect();
		cancelAnimationFrame(this.frame);
	}

	private resize(): void {
		this.ratio = Math.max(1, window.devicePixelRatio || 1);
		this.width = Math.max(1, this.canvas.clientWidth);
		this.height = Math.max(1, this.canvas.clientHeight);
		this.canvas.width = Math.round(this.width * this.ratio);
		this.canvas.height = Math.round(this.height * this.ratio);
		this.paint();
	}

	/** Draws in CSS pixels. */
	private paint(): void {
		this.frame = 0;
		this.context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
		this.context.clearRect(0, 0, this.width, this.height);
		this.draw();
	}

	schedule(): void {
		if (!this.frame)
			this.frame = requestAnimationFrame(() => this.paint());
	}

	/** To the nearest device pixel, so that edges are sharp. */
	sharp(css: number): number {
		return Math.round(css * this.ratio) / this.ratio;
	}

	/** Diagonal lines, for time of which nothing is known. */
	hatching(colour: string): CanvasPattern {
		let found = this.hatches.get(colour);
		if (!found) {
			found = hatch(this.context, colour);
			this.hatches.set(colour, found);
		}
		return found;
	}
}

function hatch(context: CanvasRenderingContext2D, colour: string): CanvasPattern {
	const size = 6;
	const tile = document.createElement('canvas');
	tile.width = size;
	tile.height = size;
	const drawing = tile.getContext('2d')!;
	drawing.strokeStyle = colour;
	drawing.beginPath();
	for (const shift of [-size, 0, size]) {
		drawing.moveTo(shift - 1, size + 1);
		drawing.lineTo(shift + size + 1, -1);
	}
	drawing.stroke();
	return context.createPattern(tile, 'repeat')!;
}
