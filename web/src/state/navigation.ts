// SPDX-License-Identifier: Apache-2.0
// The state in the address bar. A step that a person would want to undo is a history entry; typing and
// choices the page makes by itself replace the present one.

import { batch, computed, signal } from '@preact/signals';
import { defaultState, formatUrl, parseUrl, type UrlState } from './url.ts';

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
export const searchText = part('search');
export const focusHash = part('focus');
export const shownWindow = part('window');
export const chosen = part('chosen');
export const layout = part('layout');
export const colourMode = part('colour');
export const flipped = part('flipped');
export const sort = part('sort');
export const maxNodes = part('nodes');

export function currentState(): UrlState {
	return state.peek();
}

function apply(patch: Partial<UrlState>, replace: boolean): void {
	const next = { ...state.peek(), ...patch };
	const address = formatUrl(next);
	if (address === location.hash || (address === formatUrl(defaultState) && location.hash === '')) {
		state.value = next;
		return;
	}
	/* Only the part after # changes: whatever prefix and ?theme= the page came with stay. */
	const url = `${location.pathname}${location.search}${address}`;
	if (replace)
		history.replaceState(null, '', url);
	else
		history.pushState(null, '', url);
	batch(() => {
		state.value = next;
	});
}

/** A step of the person. */
export function go(patch: Partial<UrlState>): void {
	apply(patch, false);
}

/** A detail of the present step. */
export function adjust(patch: Partial<UrlState>): void {
	apply(patch, true);
}

/** The address of the state with PATCH, for links that open elsewhere. */
export function hrefOf(patch: Partial<UrlState>): string {
	return formatUrl({ ...state.value, ...patch });
}

/* popstate: back and forward. hashchange: an address edited by hand. */
function follow(): void {
	state.value = parseUrl(location.hash);
}
addEventListener('popstate', follow);
addEventListener('hashchange', follow);
