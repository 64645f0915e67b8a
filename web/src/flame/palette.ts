// SPDX-License-Identifier: Apache-2.0
// Colours of frames. A frame has a bucket; a theme gives each bucket a colour, in three strengths: normal,
// dimmed (no match of the search) and path (an ancestor of the focused frame, wider than what is shown).
//
// Hues come from a hash of the binary's name, in two lightnesses, and leave out orange: that is the
// kernel's in every mode, as grey is the unknown's. OKLCH keeps the lightness even, so that labels have
// the same contrast on every hue: at least 7:1 in the light theme, 4.5:1 in the dark one.

import { nodeChange, type Change, type ChangeTree } from '../model/change.ts';
import { kind, selfOf, type FlameTree } from '../model/flame_tree.ts';

export type ColourMode = 'binary' | 'package' | 'kind' | 'self' | 'plain';
export type Theme = 'light' | 'dark';

export const colourModes: readonly { mode: ColourMode; label: string }[] = [
	{ mode: 'binary', label: 'Binary' },
	{ mode: 'package', label: 'Package' },
	{ mode: 'kind', label: 'Kind' },
	{ mode: 'self', label: 'Self share' },
	{ mode: 'plain', label: 'Plain' },
];

const HUES = 12;
const TIERS = 2;
const HUE_COUNT = HUES * TIERS;
const HEAT_STEPS = 12;
/* Orange is between 30 and 80 degrees. */
const FIRST_HUE = 92;
const HUE_SPAN = 290;

const inlinedOffset = HUE_COUNT;
export const special = {
	kernel: 2 * HUE_COUNT,
	unknown: 2 * HUE_COUNT + 1,
	marker: 2 * HUE_COUNT + 2,
	trimmed: 2 * HUE_COUNT + 3,
	root: 2 * HUE_COUNT + 4,
	plain: 2 * HUE_COUNT + 5,
	plainInlined: 2 * HUE_COUNT + 6,
	kernelInlined: 2 * HUE_COUNT + 7,
};
const firstHeat = 2 * HUE_COUNT + 8;
/* Changes: `same`, then less in falling steps, then more, then what is on one side alone. */
export const CHANGE_STEPS = 4;
const firstChange = firstHeat + HEAT_STEPS;
export const change = {
	same: firstChange,
	less: firstChange + 1,
	more: firstChange + 1 + CHANGE_STEPS,
	gone: firstChange + 1 + 2 * CHANGE_STEPS,
	new: firstChange + 2 + 2 * CHANGE_STEPS,
};
export const BUCKETS = firstChange + 3 + 2 * CHANGE_STEPS;

/* Points of the total at which a change gets a stronger colour. */
export const CHANGE_POINTS = [0.5, 2, 5] as const;

export const strength = { normal: 0, dimmed: BUCKETS, path: 2 * BUCKETS } as const;

/** A theme's colour of a bucket: as a number for the pixel buffer, as text for the canvas. */
export interface Swatch {
	css: string;
	/** 0xAABBGGRR, as the bytes of ImageData lie on a little-endian machine. */
	pixel: number;
	/** Hatched in this colour; null = solid. */
	hatch: string | null;
	/** Hatched the other way, and close. */
	crossed: boolean;
}

export interface FrameColours {
	/** By name id, or by node in the mode `self` and for changes. */
	bucket: Uint8Array;
	perNode: boolean;
}

function hashOf(text: string): number {
	let hash = 0x811c9dc5;
	for (let i = 0; i < text.length; i++)
		hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
	hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
	hash = Math.imul(hash ^ (hash >>> 12), 0x297a2d39);
	return (hash ^ (hash >>> 15)) >>> 0;
}

/** The leading part that a package, crate, namespace or Java package is known by. */
export function packageOf(name: string): string {
	const go = /^([^\s(<]*\/[^\s.(<]+)\./.exec(name);
	if (go)
		return go[1];
	const scoped = /^(?:[\w&*\s]*\s)?<?&?(?:mut )?(\w+)::/.exec(name);
	if (scoped)
		return scoped[1];
	const dotted = /^((?:[a-z_]\w*\.){1,2})[\w$<]/.exec(name);
	return dotted ? dotted[1] : '';
}

function specialBucket(nameKind: number): number {
	switch (nameKind) {
	case kind.kernel: return special.kernel;
	case kind.unknown: return special.unknown;
	case kind.marker: return special.marker;
	case kind.trimmed: return special.trimmed;
	case kind.root:
	case kind.label: return special.root;
	default: return -1;
	}
}

const kindHue: Record<number, number> = { [kind.native]: 10, [kind.python]: 14, [kind.jvm]: 0, [kind.lua]: 22 };

function hueBucket(tree: FlameTree, nameId: number, mode: ColourMode, moduleHues: Uint8Array): number {
	const { names } = tree;
	const module = names.module[nameId];
	if (mode === 'kind')
		return kindHue[names.kind[nameId]] ?? 6;
	const byPackage = mode === 'package' ? packageOf(names.text[nameId]) : '';
	if (byPackage)
		return hashOf(byPackage) % HUE_COUNT;
	return module ? moduleHues[module - 1] : hashOf('') % HUE_COUNT;
}

function colourNames(tree: FlameTree, mode: ColourMode): Uint8Array {
	const { names } = tree;
	const bucket = new Uint8Array(names.text.length);
	const moduleHues = Uint8Array.from(names.modules, (module) => hashOf(module) % HUE_COUNT);
	for (let id = 0; id < bucket.length; id++) {
		const fixed = specialBucket(names.kind[id]);
		if (fixed >= 0)
			bucket[id] = fixed;
		else if (mode === 'plain')
			bucket[id] = special.plain;
		else
			bucket[id] = hueBucket(tree, id, mode, moduleHues);
	}
	return bucket;
}

/** The bucket of a frame that was inlined, from that of its function: the same colour, hatched. */
export function inlinedBucket(bucket: number): number {
	if (bucket < inlinedOffset)
		return bucket + inlinedOffset;
	if (bucket === special.kernel)
		return special.kernelInlined;
	return bucket === special.plain ? special.plainInlined : bucket;
}

/** Self share in steps that double: 0.1 % is told apart from 0.2 %, and 20 % from 40 %. */
function heatStep(share: number): number {
	if (share <= 0)
		return 0;
	return Math.max(0, Math.min(HEAT_STEPS - 1, Math.round(HEAT_STEPS - 1 + Math.log2(share) + 1)));
}

export function colourFrames(tree: FlameTree, mode: ColourMode): FrameColours {
	if (mode !== 'self')
		return { bucket: colourNames(tree, mode), perNode: false };
	const bucket = new Uint8Array(tree.nodeCount);
	for (let node = 0; node < tree.nodeCount; node++) {
		const nodeKind = tree.names.kind[tree.nameId[node]];
		const share = selfOf(tree, node) / tree.total[0];
		const fixed = nodeKind === kind.kernel ? -1 : specialBucket(nodeKind);
		bucket[node] = fixed >= 0 ? fixed : firstHeat + heatStep(share);
	}
	return { bucket, perNode: true };
}

export function changeBucket({ kind: found, points }: Change): number {
	if (found === 'noise')
		return change.same;
	if (found === 'new' || found === 'gone')
		return change[found];
	const step = CHANGE_POINTS.filter((least) => Math.abs(points) >= least).length;
	return change[found] + step;
}

export function colourChanges(tree: ChangeTree): FrameColours {
	const bucket = new Uint8Array(tree.nodeCount);
	bucket[0] = special.root;
	for (let node = 1; node < tree.nodeCount; node++)
		bucket[node] = tree.names.kind[tree.nameId[node]] === kind.trimmed ? special.trimmed : changeBucket(nodeChange(tree, node));
	return { bucket, perNode: true };
}

/** What stands before the name of a frame of this bucket: changes are not told by colour alone. */
export function changeSign(bucket: number): string {
	if (bucket <= change.same || bucket >= BUCKETS)
		return '';
	if (bucket === change.new)
		return 'new ';
	if (bucket === change.gone)
		return 'gone ';
	return bucket < change.more ? '▼ ' : '▲ ';
}

type Oklch = readonly [lightness: number, chroma: number, hue: number];
type Rgb = readonly [red: number, green: number, blue: number];

function gamma(linear: number): number {
	const clipped = Math.min(1, Math.max(0, linear));
	return Math.round(255 * (clipped <= 0.0031308 ? 12.92 * clipped : 1.055 * clipped ** (1 / 2.4) - 0.055));
}

export function oklchToRgb([lightness, chroma, hue]: Oklch): Rgb {
	const a = chroma * Math.cos((hue * Math.PI) / 180);
	const b = chroma * Math.sin((hue * Math.PI) / 180);
	const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
	const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
	const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
	return [
		gamma(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
		gamma(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
		gamma(-0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s),
	];
}

function mixed([r, g, b]: Rgb, [r2, g2, b2]: Rgb, share: number): Rgb {
	const mix = (from: number, to: number) => Math.round(from + (to - from) * share);
	return [mix(r, r2), mix(g, g2), mix(b, b2)];
}

interface ThemeBase {
	background: Rgb;
	tiers: readonly [Oklch, Oklch];
	kernel: Oklch;
	unknown: Oklch;
	marker: Oklch;
	trimmed: Oklch;
	root: Oklch;
	plain: Oklch;
	heat: readonly [from: Oklch, to: Oklch];
	same: Oklch;
	less: readonly [from: Oklch, to: Oklch];
	more: readonly [from: Oklch, to: Oklch];
	/** What dimmed frames fade to, and how far. */
	dimmed: Rgb;
	hatch: string;
	/** Of what is on one side of a comparison alone. */
	strongHatch: string;
}

const themes: Record<Theme, ThemeBase> = {
	light: {
		background: [255, 255, 255],
		tiers: [[0.87, 0.068, 0], [0.81, 0.086, 0]],
		kernel: [0.82, 0.118, 62],
		unknown: [0.86, 0.004, 90],
		marker: [0.9, 0.004, 90],
		trimmed: [0.935, 0.004, 90],
		root: [0.9, 0.008, 90],
		plain: [0.86, 0.05, 245],
		heat: [[0.945, 0.015, 245], [0.66, 0.15, 255]],
		same: [0.91, 0.003, 90],
		less: [[0.86, 0.055, 248], [0.66, 0.145, 252]],
		more: [[0.86, 0.065, 38], [0.68, 0.175, 30]],
		dimmed: [243, 242, 239],
		hatch: 'rgba(60, 56, 50, 0.20)',
		strongHatch: 'rgba(40, 36, 30, 0.34)',
	},
	dark: {
		background: [22, 24, 27],
		tiers: [[0.43, 0.062, 0], [0.49, 0.072, 0]],
		kernel: [0.52, 0.112, 55],
		unknown: [0.42, 0.005, 250],
		marker: [0.36, 0.005, 250],
		trimmed: [0.31, 0.005, 250],
		root: [0.36, 0.01, 250],
		plain: [0.44, 0.055, 245],
		heat: [[0.31, 0.018, 245], [0.53, 0.15, 255]],
		same: [0.36, 0.004, 250],
		less: [[0.39, 0.07, 250], [0.54, 0.16, 255]],
		more: [[0.4, 0.085, 32], [0.54, 0.185, 29]],
		dimmed: [32, 35, 39],
		hatch: 'rgba(255, 255, 255, 0.13)',
		strongHatch: 'rgba(255, 255, 255, 0.26)',
	},
};

function hueColour(base: ThemeBase, index: number): Oklch {
	const [lightness, chroma] = base.tiers[index % TIERS];
	const step = Math.floor(index / TIERS);
	return [lightness, chroma, FIRST_HUE + (step * HUE_SPAN) / (HUES - 1)];
}

function rampColour([from, to]: ThemeBase['heat'], at: number): Oklch {
	return [from[0] + (to[0] - from[0]) * at, from[1] + (to[1] - from[1]) * at, from[2] + (to[2] - from[2]) * at];
}

interface BucketColour {
	rgb: Rgb;
	hatched: boolean;
}

function changeColour(base: ThemeBase, bucket: number): BucketColour {
	const oneSided = bucket === change.new || bucket === change.gone;
	const ramp = bucket === change.new || (bucket >= change.more && bucket < change.gone) ? base.more : base.less;
	const step = oneSided ? CHANGE_STEPS / 2 : bucket - (ramp === base.more ? change.more : change.less);
	return { rgb: oklchToRgb(bucket === change.same ? base.same : rampColour(ramp, step / (CHANGE_STEPS - 1))), hatched: oneSided };
}

function bucketColour(base: ThemeBase, bucket: number): BucketColour {
	const solid = (colour: Oklch) => ({ rgb: oklchToRgb(colour), hatched: false });
	const hatched = (colour: Oklch) => ({ rgb: oklchToRgb(colour), hatched: true });
	if (bucket >= firstChange)
		return changeColour(base, bucket);
	if (bucket < inlinedOffset)
		return solid(hueColour(base, bucket));
	if (bucket < special.kernel)
		return hatched(hueColour(base, bucket - inlinedOffset));
	if (bucket >= firstHeat)
		return solid(rampColour(base.heat, (bucket - firstHeat) / (HEAT_STEPS - 1)));
	switch (bucket) {
	case special.kernel: return solid(base.kernel);
	case special.unknown: return solid(base.unknown);
	case special.marker: return hatched(base.marker);
	case special.trimmed: return solid(base.trimmed);
	case special.root: return solid(base.root);
	case special.plain: return solid(base.plain);
	case special.kernelInlined: return hatched(base.kernel);
	default: return hatched(base.plain);
	}
}

function toSwatch([r, g, b]: Rgb, hatch: string | null, crossed: boolean): Swatch {
	return { css: `rgb(${r}, ${g}, ${b})`, pixel: ((255 << 24) | (b << 16) | (g << 8) | r) >>> 0, hatch, crossed };
}

/** Swatches by bucket + strength. */
export function swatchesOf(theme: Theme): Swatch[] {
	const base = themes[theme];
	const swatches = new Array<Swatch>(3 * BUCKETS);
	for (let bucket = 0; bucket < BUCKETS; bucket++) {
		const { rgb, hatched } = bucketColour(base, bucket);
		const hatch = hatched ? (bucket >= firstChange ? base.strongHatch : base.hatch) : null;
		const shade = (colour: Rgb): Swatch => toSwatch(colour, hatch, bucket === change.gone);
		swatches[bucket + strength.normal] = shade(rgb);
		swatches[bucket + strength.dimmed] = shade(mixed(rgb, base.dimmed, 0.82));
		swatches[bucket + strength.path] = shade(mixed(rgb, base.background, 0.5));
	}
	return swatches;
}

/** The swatch that names a binary in tables and tips. */
export function swatchOfName(tree: FlameTree, colours: FrameColours, swatches: Swatch[], nameId: number): Swatch {
	if (!colours.perNode)
		return swatches[colours.bucket[nameId]];
	const fixed = specialBucket(tree.names.kind[nameId]);
	return swatches[fixed >= 0 ? fixed : special.plain];
}
