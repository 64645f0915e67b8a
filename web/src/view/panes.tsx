// SPDX-License-Identifier: Apache-2.0
// Table and graph beside each other, and what chooses how they look.

import type { ComponentChildren } from 'preact';
import { colourModes } from '../flame/palette.ts';
import * as at from '../state/navigation.ts';
import { found } from '../state/profile.ts';
import type { Remote } from '../state/remote.ts';
import { groups, roots, type Group, type Layout, type Root } from '../state/url.ts';
import { Breadcrumb } from './breadcrumb.tsx';
import { useLate } from './clock.ts';
import { NothingMatches } from './empty.tsx';
import { FlameGraph } from './flame_graph.tsx';
import { Icon } from './icons.tsx';
import { LATE_MS } from './progress.tsx';

const layoutChoices: { layout: Layout; label: string; key: string }[] = [
	{ layout: 'flame', label: 'Graph', key: '1' },
	{ layout: 'table', label: 'Table', key: '2' },
	{ layout: 'both', label: 'Both', key: '3' },
];

const groupLabels: Record<Group, string> = { function: 'Function', line: 'Line', file: 'File' };
const rootLabels: Record<Root, string> = {
	'': 'Functions', host: 'Hosts', process: 'Processes', container: 'Containers', thread: 'Threads', pid: 'Process ids', cpu: 'CPUs',
};

/* Other frames: what was focused among the former ones means nothing here. */
const otherFrames = { focus: '', window: null, opened: null };

export function GroupChoice() {
	return (
		<>
			<label class="select">
				<span>Group</span>
				<select
					title="What counts as one frame"
					value={at.group.value}
					onChange={(event) => at.go({ group: event.currentTarget.value as Group, chosen: '', ...otherFrames })}
				>
					{groups.map((group) => <option key={group} value={group}>{groupLabels[group]}</option>)}
				</select>
			</label>
			<button
				type="button"
				class="button"
				title="Inlined calls as frames of their own, hatched (i)"
				aria-pressed={at.showsInlined.value}
				onClick={() => at.go({ showsInlined: !at.showsInlined.value })}
			>
				Inlined
			</button>
			<button
				type="button"
				class="button"
				title="Tell the builds of a binary apart"
				aria-pressed={at.showsBuilds.value}
				onClick={() => at.go({ showsBuilds: !at.showsBuilds.value, ...otherFrames })}
			>
				Builds
			</button>
		</>
	);
}

/** Which label's values stand above the functions. */
export function RootChoice() {
	return (
		<label class="select">
			<span>Top level</span>
			<select
				title="What stands above the functions"
				value={at.root.value}
				onChange={(event) => at.go({ root: event.currentTarget.value as Root, ...otherFrames })}
			>
				{roots.map((root) => <option key={root} value={root}>{rootLabels[root]}</option>)}
			</select>
		</label>
	);
}

export function ColourChoice() {
	return (
		<label class="select">
			<span>Colour</span>
			<select value={at.colourMode.value} onChange={(event) => at.go({ colour: event.currentTarget.value as typeof at.colourMode.value })}>
				{colourModes.map(({ mode, label }) => <option key={mode} value={mode}>{label}</option>)}
			</select>
		</label>
	);
}

export function LayoutChoice() {
	return (
		<>
			<button
				type="button"
				class="button button-icon"
				title="Root at the bottom (f)"
				aria-label="Root at the bottom"
				aria-pressed={at.flipped.value}
				onClick={() => at.go({ flipped: !at.flipped.value })}
			>
				<Icon name="flip" />
			</button>
			<div class="segments" role="group" aria-label="View">
				{layoutChoices.map(({ layout, label, key }) => (
					<button type="button" key={layout} title={`Key: ${key}`} aria-pressed={at.layout.value === layout} onClick={() => at.go({ layout })}>
						{label}
					</button>
				))}
			</div>
		</>
	);
}

/** TABLE and the graph of REMOTE's tree; FUNCTIONS is how many a search looks among. */
export function Panes({ remote, table, functions }: { remote: Remote<unknown>; table: ComponentChildren; functions: number }) {
	const late = useLate(remote.since.value, LATE_MS);
	const stale = late || remote.error.value !== null;
	const nothing = found.value !== null && found.value.functionCount === 0;
	return (
		<div class={`panes panes-${at.layout.value} ${stale ? 'is-stale' : ''}`} aria-busy={late}>
			{at.layout.value !== 'flame' && table}
			{at.layout.value !== 'table' && (
				<div class="flame-pane">
					<Breadcrumb />
					{nothing && <NothingMatches functions={functions} />}
					<FlameGraph />
				</div>
			)}
		</div>
	);
}
