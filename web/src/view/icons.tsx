// SPDX-License-Identifier: Apache-2.0
// Small line drawings, 16 by 16, in the colour of the text around them.

const paths = {
	chevron: 'M4.5 6.5 8 10l3.5-3.5',
	close: 'M4.5 4.5l7 7m0-7-7 7',
	search: 'M7 3a4 4 0 1 1 0 8 4 4 0 0 1 0-8Zm3 7 3.2 3.2',
	moon: 'M13 9.6A5.6 5.6 0 0 1 6.4 3 5.6 5.6 0 1 0 13 9.6Z',
	sun: 'M8 5.2a2.8 2.8 0 1 1 0 5.6 2.8 2.8 0 0 1 0-5.6ZM8 1.5v1.4m0 10.2v1.4M1.5 8h1.4m10.2 0h1.4M3.4 3.4l1 1m7.2 7.2 1 1m0-9.2-1 1m-7.2 7.2-1 1',
	link: 'M6.8 9.2a2.4 2.4 0 0 0 3.4 0l2.1-2.1a2.4 2.4 0 0 0-3.4-3.4l-.8.8M9.2 6.8a2.4 2.4 0 0 0-3.4 0L3.7 8.9a2.4 2.4 0 0 0 3.4 3.4l.8-.8',
	download: 'M8 2.5v7m-3-2.8L8 9.7l3-3M3 12.8h10',
	upload: 'M8 12.2v-7M5 8l3-3 3 3M3 13.2h10',
	flip: 'M5.5 3v10M3 5.5 5.5 3 8 5.5M10.5 13V3M8 10.5l2.5 2.5 2.5-2.5',
	refresh: 'M13 8a5 5 0 1 1-1.6-3.7M13 2.6v2.6h-2.6',
	play: 'M5.5 3.8v8.4L12 8 5.5 3.8Z',
	pause: 'M5.7 4v8m4.6-8v8',
	previous: 'M9.8 4.2 6 8l3.8 3.8',
	next: 'M6.2 4.2 10 8l-3.8 3.8',
	swap: 'M3 5.5h9M9.5 3 12 5.5 9.5 8M13 10.5H4M6.5 8 4 10.5 6.5 13',
	check: 'M3.5 8.4 6.6 11.5 12.5 5',
	warning: 'M8 2.6 14 13H2L8 2.6Zm0 4v3.2m0 1.4v.4',
} as const;

export type IconName = keyof typeof paths;

export function Icon({ name }: { name: IconName }) {
	return (
		<svg class="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
			<path d={paths[name]} fill="none" stroke="currentColor" stroke-width="1.5" stroke-linecap="round" stroke-linejoin="round" />
		</svg>
	);
}

/** The stack of stones. */
export function Mark() {
	return (
		<svg class="mark" viewBox="0 0 32 32" width="22" height="22" aria-hidden="true">
			<ellipse cx="16" cy="25.5" rx="12" ry="4.5" fill="var(--stone-1)" />
			<ellipse cx="15" cy="17" rx="8.5" ry="3.9" fill="var(--stone-2)" />
			<ellipse cx="17" cy="9.7" rx="5.4" ry="3.3" fill="var(--stone-3)" />
		</svg>
	);
}
