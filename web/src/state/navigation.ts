// SPDX-License-Identifier: Apache-2.0
// The state in the address bar. A step that a person would want to undo is a history entry; typing and
// choices the page makes by itself replace the present one.

import { computed, signal } from '@preact/signals';
import { defaultState, formatUrl, parseUrl, type UrlState } from './url.ts';

const SETTLE_MS = 150;

const state = signal<UrlState>(parseUrl(location.hash));

/** Every part of the state for itself, so that what depends on one is not run for another. */
function part<K extends keyof UrlState>(key: K) {
	return computed(() => state.value[key]);
}

export const screen = part('screen');
export const host = part('host');
export const process = part('process');
export const type = part('type');
export const from = part('from');
export const until = part('until');
export const span = part('span');
export const split = part('split');
export const searchText = part('search');
export const focusHash = part('focus');
export const shownWindow = part('window');
export const chosen = part('chosen');
export const layout = part('layout');
export const colourMode = part('colour');
export const flipped = part('flipped');
export const sort = part('sort');
export const maxNodes = part('nodes');
export const group = part('group');
export const showsInlined = part('showsInlined');
export const showsBuilds = part('showsBuilds');
export const root = part('root');
export const opened = part('opened');
export const source = part('source');
export const left = part('left');
export const leftHost = part('leftHost');
export const leftProcess = part('leftProcess');
export const norm = part('norm');
export const ownChange = part('ownChange');
export const changeSort = part('changeSort');

/** The page's address with STATE; whatever prefix and ?theme= it came with stay. */
function addressOf(wanted: UrlState): string {
	return `${location.pathname}${location.search}${formatUrl(wanted)}`;
}

function isShown(wanted: UrlState): boolean {
	const hash = formatUrl(wanted);
	return hash === location.hash || (hash === formatUrl(defaultState) && location.hash === '');
}

/* Browsers refuse more than some hundred changes of the address in half a minute; a key held down makes
 * more. So details reach the address when they have settled, and at the latest with the next step. */
let timer: ReturnType<typeof setTimeout> | undefined;

function writeDetails(): void {
	clearTimeout(timer);
	timer = undefined;
	if (!isShown(state.peek()))
		history.replaceState(null, '', addressOf(state.peek()));
}

/** A step of the person. */
export function go(patch: Partial<UrlState>): void {
	if (timer !== undefined)
		writeDetails();
	const next = { ...state.peek(), ...patch };
	if (!isShown(next))
		history.pushState(null, '', addressOf(next));
	state.value = next;
}

/** A detail of the present step. */
export function adjust(patch: Partial<UrlState>): void {
	clearTimeout(timer);
	timer = setTimeout(writeDetails, SETTLE_MS);
	state.value = { ...state.peek(), ...patch };
}

/** The address of the state with PATCH, for links that open elsewhere. */
export function hrefOf(patch: Partial<UrlState>): string {
	return formatUrl({ ...state.value, ...patch });
}

/* popstate: back and forward. hashchange: an address edited by hand. */
function follow(): void {
	clearTimeout(timer);
	timer = undefined;
	state.value = parseUrl(location.hash);
}
addEventListener('popstate', follow);
addEventListener('hashchange', follow);
addEventListener('pagehide', writeDetails);
