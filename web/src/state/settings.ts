// SPDX-License-Identifier: Apache-2.0
// What a person prefers in this browser: theme and time zone. Kept in localStorage, where there is one.

import { computed, effect, signal } from '@preact/signals';
import type { Theme } from '../flame/palette.ts';
import type { Zone } from '../model/time_range.ts';

export type ThemeChoice = 'auto' | Theme;

function stored(name: string): string | null {
	try {
		return localStorage.getItem(`cairn.${name}`);
	} catch {
		return null; /* Storage is forbidden here: the default serves. */
	}
}

function store(name: string, value: string): void {
	try {
		localStorage.setItem(`cairn.${name}`, value);
	} catch {
		/* The choice lasts as long as the page. */
	}
}

function themeChoice(text: string | null): ThemeChoice {
	return text === 'light' || text === 'dark' ? text : 'auto';
}

/* ?theme= is for pictures and for a link to a wall screen: it is not kept. */
const forced = new URLSearchParams(location.search).get('theme');
const systemDark = matchMedia('(prefers-color-scheme: dark)');
const systemTheme = signal<Theme>(systemDark.matches ? 'dark' : 'light');
systemDark.addEventListener('change', () => {
	systemTheme.value = systemDark.matches ? 'dark' : 'light';
});

const choice = signal<ThemeChoice>(themeChoice(forced ?? stored('theme')));

export const theme = computed<Theme>(() => (choice.value === 'auto' ? systemTheme.value : choice.value));
export const zone = signal<Zone>(stored('zone') === 'utc' ? 'utc' : 'local');
export const reducedMotion = matchMedia('(prefers-reduced-motion: reduce)');

export function toggleTheme(): void {
	choice.value = theme.value === 'dark' ? 'light' : 'dark';
	store('theme', choice.value);
}

export function chooseZone(wanted: Zone): void {
	zone.value = wanted;
	store('zone', wanted);
}

effect(() => {
	document.documentElement.dataset['theme'] = theme.value;
});
