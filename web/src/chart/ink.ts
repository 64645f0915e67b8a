// SPDX-License-Identifier: Apache-2.0
// Colours of the charts over time.

import { oklchToRgb, type Theme } from '../flame/palette.ts';

export interface ChartInk {
	/** Of groups, the largest first; told apart by people who see no red or green, too. */
	groups: readonly string[];
	rest: string;
	/** Where nothing was split. */
	whole: string;
	grid: string;
	label: string;
	/** Behind letters. */
	ground: string;
	gap: string;
	/** Over what is not selected. */
	veil: string;
	cursor: string;
	selected: string;
	/** Edges of the two sides of a comparison. */
	left: string;
	right: string;
}

export const chartInks: Record<Theme, ChartInk> = {
	light: {
		groups: ['#3f7fbf', '#e3a13a', '#2f9e83', '#c77aa6', '#85bfe6', '#c9622b'],
		rest: '#aaa59c',
		whole: '#5b8fc9',
		grid: '#e5e2dc',
		label: '#69655e',
		ground: 'rgba(255, 255, 255, 0.8)',
		gap: 'rgba(60, 56, 50, 0.22)',
		veil: 'rgba(255, 255, 255, 0.66)',
		cursor: '#1d1b18',
		selected: '#1f5fa8',
		left: '#2b6cb3',
		right: '#b8432f',
	},
	dark: {
		groups: ['#5b9bd8', '#d99a3d', '#3aa58b', '#c983ac', '#8fc4e8', '#d07140'],
		rest: '#7b7770',
		whole: '#5a8ec6',
		grid: '#2b2f35',
		label: '#a19d95',
		ground: 'rgba(22, 24, 27, 0.8)',
		gap: 'rgba(255, 255, 255, 0.16)',
		veil: 'rgba(22, 24, 27, 0.66)',
		cursor: '#e9e6e0',
		selected: '#8dbdf5',
		left: '#7db4f0',
		right: '#f2887a',
	},
};

export interface Shade {
	css: string;
	/** 0xAABBGGRR, as in ImageData. */
	pixel: number;
}

/** From few samples to many: light to dark where the ground is light, and the other way. */
export function heatRamp(theme: Theme, steps: number): Shade[] {
	const at = (from: number, to: number, share: number): number => from + (to - from) * share;
	return Array.from({ length: steps }, (_, i) => {
		const share = steps > 1 ? i / (steps - 1) : 1;
		const [r, g, b] = theme === 'light'
			? oklchToRgb([at(0.93, 0.32, share), at(0.07, 0.14, share), at(95, 295, share)])
			: oklchToRgb([at(0.32, 0.93, share), at(0.1, 0.14, share), at(290, 95, share)]);
		return { css: `rgb(${r}, ${g}, ${b})`, pixel: ((255 << 24) | (b << 16) | (g << 8) | r) >>> 0 };
	});
}
