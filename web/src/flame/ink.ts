// SPDX-License-Identifier: Apache-2.0
// Lines and letters of the graph; the frames' own colours are in palette.ts.

import type { Theme } from './palette.ts';
import type { StageInk } from './stage.ts';

export const inks: Record<Theme, StageInk> = {
	light: {
		label: '#1d1b18',
		dimmedLabel: '#7c776e',
		pathLabel: '#5a564e',
		match: '#1b1916',
		matchPixel: 0xff16191b,
		hover: 'rgba(24, 22, 19, 0.75)',
		cursor: '#1f5fa8',
		chosen: '#1f5fa8',
		chosenFill: 'rgba(31, 95, 168, 0.16)',
	},
	dark: {
		label: '#f6f4f0',
		dimmedLabel: '#8d8a83',
		pathLabel: '#b9b5ad',
		match: '#f4f1ea',
		matchPixel: 0xffeaf1f4,
		hover: 'rgba(255, 255, 255, 0.8)',
		cursor: '#8dbdf5',
		chosen: '#8dbdf5',
		chosenFill: 'rgba(141, 189, 245, 0.22)',
	},
};
