// SPDX-License-Identifier: Apache-2.0
// What is on the screen, as the part of the address after `#`, and back. Every step of a person is a link.
//
//   #/hot?host=web1&proc=redis&type=...&from=now-15m&until=now&q=...&focus=...&view=both&color=binary
//
// What is default is left out; what is not understood is dropped, so that an old link still opens.

import { colourModes, type ColourMode } from '../flame/palette.ts';
import { changeKeys, norms, type ChangeSort, type Norm } from '../model/change.ts';
import type { Sort } from '../model/function_table.ts';
import { defaultRange, isRange, type Range, type Span } from '../model/time_range.ts';

/** In the order of the bar; view/screens.tsx has what each shows. */
export const screens = ['hot', 'heat', 'compare', 'hosts', 'symbols', 'status'] as const;
export type Screen = (typeof screens)[number];

/** What counts as one frame. */
export const groups = ['function', 'line', 'file'] as const;
export type Group = (typeof groups)[number];

/** What a series is split by; '' = not at all. */
export const splits = ['', 'host', 'process', 'thread'] as const;
export type Split = (typeof splits)[number];

/** Labels whose values can stand above the functions. */
export const roots = ['', 'host', 'process', 'container', 'thread', 'pid', 'cpu'] as const;
export type Root = (typeof roots)[number];

export interface Opened {
	names: readonly string[];
	modules: readonly string[];
}

/* Longer paths make addresses that proxies refuse. */
export const OPENED_CHARS_MAX = 4000;

export const layouts = ['flame', 'table', 'both'] as const;
export type Layout = (typeof layouts)[number];

/** Stands for "all hosts"; a host of this name cannot be. */
export const ALL_HOSTS = '*';

/** The other side of a comparison is of the same host or process; no host or process has this name. */
export const SAME = '=';

export const NODES_DEFAULT = 200_000;
/* The page holds so many in well under its memory budget; the server has a limit of its own. */
export const NODES_MAX = 2_000_000;

export interface UrlState {
	screen: Screen;
	/** '' = not chosen yet: the busiest. */
	host: string;
	/** '' = the whole host. */
	process: string;
	/** '' = the first that exists. */
	type: string;
	from: string;
	until: string;
	/** The part of the range that is looked at, in milliseconds since 1970; null = all of it. */
	span: Span | null;
	/** What the chart over time is split by. */
	split: Split;
	search: string;
	/** Path hash of the frame that fills the width; '' = the root. */
	focus: string;
	/** The shown part of the focused frame, as two shares of the total; null = all of it. */
	window: readonly [number, number] | null;
	/** The function chosen in the table: its text, and its module after a NUL; '' = none. */
	chosen: string;
	layout: Layout;
	colour: ColourMode;
	flipped: boolean;
	sort: Sort;
	nodes: number;
	group: Group;
	/** Whether inlined calls are frames of their own. */
	showsInlined: boolean;
	/** Whether the builds of a binary are told apart. */
	showsBuilds: boolean;
	/** The label whose values stand above the functions; '' = none. */
	root: Root;
	/** The frame whose small callees were asked for: names from below the root on, and their modules. */
	opened: Opened | null;
	/** The function whose lines are shown, as in `chosen`; '' = none. */
	source: string;
	/** What the range is compared with; null = the time right before it, as long as it. */
	left: Range | null;
	leftHost: string;
	leftProcess: string;
	norm: Norm;
	/** Whether the table of changes is of own time, not of that with callees. */
	ownChange: boolean;
	changeSort: ChangeSort;
}

export const defaultState: UrlState = {
	screen: 'hot',
	host: '',
	process: '',
	type: '',
	from: defaultRange.from,
	until: defaultRange.until,
	span: null,
	split: 'process',
	search: '',
	focus: '',
	window: null,
	chosen: '',
	layout: 'both',
	colour: 'binary',
	flipped: false,
	sort: { key: 'self', ascending: false },
	nodes: NODES_DEFAULT,
	group: 'function',
	showsInlined: true,
	showsBuilds: false,
	root: '',
	opened: null,
	source: '',
	left: null,
	leftHost: SAME,
	leftProcess: SAME,
	norm: 'share',
	ownChange: false,
	changeSort: { key: 'change', ascending: false },
};

function oneOf<T extends string>(text: string | null, allowed: readonly T[], otherwise: T): T {
	return allowed.find((known) => known === text) ?? otherwise;
}

function parseWindow(text: string | null): readonly [number, number] | null {
	const match = /^(0|1|0?\.\d{1,12})-(0|1|0?\.\d{1,12})$/.exec(text ?? '');
	if (!match)
		return null;
	const [low, high] = [Number(match[1]), Number(match[2])];
	return low < high ? [low, high] : null;
}

function formatShare(share: number): string {
	return share.toFixed(9).replace(/\.?0+$/, '');
}

function parseSort(text: string | null): Sort {
	const match = /^(-?)(self|total|name)$/.exec(text ?? '');
	return match ? { key: match[2] as Sort['key'], ascending: match[1] === '' } : defaultState.sort;
}

function formatSort(sort: { key: string; ascending: boolean }): string {
	return (sort.ascending ? '' : '-') + sort.key;
}

function parseSpan(text: string | null): Span | null {
	const match = /^(\d{12,13})-(\d{12,13})$/.exec(text ?? '');
	return match && Number(match[1]) < Number(match[2]) ? [Number(match[1]), Number(match[2])] : null;
}

function parseLeft(text: string | null): Range | null {
	const [from, until, ...more] = (text ?? '').split('..');
	const range = { from, until: until ?? '' };
	return more.length === 0 && isRange(range) ? range : null;
}

function parseChangeSort(text: string | null): ChangeSort {
	const match = /^(-?)(\w+)$/.exec(text ?? '');
	const key = changeKeys.find((known) => known === match?.[2]);
	return key ? { key, ascending: match![1] === '' } : defaultState.changeSort;
}

function parseOpened(text: string | null): Opened | null {
	const parts = text?.split('\0') ?? [];
	if (parts.length < 2 || parts.length % 2 !== 0)
		return null;
	return { names: parts.filter((_, i) => i % 2 === 0), modules: parts.filter((_, i) => i % 2 === 1) };
}

function formatOpened(opened: Opened | null): string {
	return opened ? opened.names.map((name, i) => `${name}\0${opened.modules[i] ?? ''}`).join('\0') : '';
}

function parseNodes(text: string | null): number {
	const count = /^\d{1,7}$/.test(text ?? '') ? Number(text) : NODES_DEFAULT;
	return count >= 1 && count <= NODES_MAX ? count : NODES_DEFAULT;
}

/** HASH is what follows the address, with or without its `#`. */
export function parseUrl(hash: string): UrlState {
	const text = hash.replace(/^#/, '');
	const cut = text.indexOf('?');
	const path = (cut < 0 ? text : text.slice(0, cut)).replace(/^\//, '');
	const given = new URLSearchParams(cut < 0 ? '' : text.slice(cut + 1));
	const range = { from: given.get('from') ?? defaultRange.from, until: given.get('until') ?? defaultRange.until };
	return {
		screen: oneOf(path, screens, 'hot'),
		host: given.get('host') ?? '',
		process: given.get('proc') ?? '',
		type: given.get('type') ?? '',
		...(isRange(range) ? range : defaultRange),
		span: parseSpan(given.get('span')),
		split: oneOf(given.get('split') === 'none' ? '' : given.get('split'), splits, defaultState.split),
		search: given.get('q') ?? '',
		focus: /^[0-9a-f]{16}$/.test(given.get('focus') ?? '') ? given.get('focus')! : '',
		window: parseWindow(given.get('win')),
		chosen: given.get('fn') ?? '',
		layout: oneOf(given.get('view'), layouts, defaultState.layout),
		colour: oneOf(given.get('color'), colourModes.map(({ mode }) => mode), defaultState.colour),
		flipped: given.get('flip') === '1',
		sort: parseSort(given.get('sort')),
		nodes: parseNodes(given.get('nodes')),
		group: oneOf(given.get('group'), groups, defaultState.group),
		showsInlined: given.get('inlined') !== '0',
		showsBuilds: given.get('builds') === '1',
		root: oneOf(given.get('root'), roots, ''),
		opened: parseOpened(given.get('open')),
		source: given.get('src') ?? '',
		left: parseLeft(given.get('left')),
		leftHost: given.get('lhost') ?? SAME,
		leftProcess: given.get('lproc') ?? SAME,
		norm: oneOf(given.get('norm'), norms, defaultState.norm),
		ownChange: given.get('own') === '1',
		changeSort: parseChangeSort(given.get('csort')),
	};
}

export function formatUrl(state: UrlState): string {
	const params = new URLSearchParams();
	const put = (name: string, value: string, otherwise: string): void => {
		if (value !== otherwise)
			params.set(name, value);
	};
	put('host', state.host, '');
	put('proc', state.process, '');
	put('type', state.type, '');
	put('from', state.from, defaultState.from);
	put('until', state.until, defaultState.until);
	put('span', state.span ? state.span.join('-') : '', '');
	put('split', state.split || 'none', defaultState.split);
	put('q', state.search, '');
	put('focus', state.focus, '');
	put('win', state.window ? state.window.map(formatShare).join('-') : '', '');
	put('fn', state.chosen, '');
	put('view', state.layout, defaultState.layout);
	put('color', state.colour, defaultState.colour);
	put('flip', state.flipped ? '1' : '', '');
	put('sort', formatSort(state.sort), formatSort(defaultState.sort));
	put('nodes', String(state.nodes), String(NODES_DEFAULT));
	put('group', state.group, defaultState.group);
	put('inlined', state.showsInlined ? '' : '0', '');
	put('builds', state.showsBuilds ? '1' : '', '');
	put('root', state.root, '');
	put('open', formatOpened(state.opened), '');
	put('src', state.source, '');
	put('left', state.left ? `${state.left.from}..${state.left.until}` : '', '');
	put('lhost', state.leftHost, SAME);
	put('lproc', state.leftProcess, SAME);
	put('norm', state.norm, defaultState.norm);
	put('own', state.ownChange ? '1' : '', '');
	put('csort', formatSort(state.changeSort), formatSort(defaultState.changeSort));
	const query = params.toString();
	return `#/${state.screen}${query ? `?${query}` : ''}`;
}
