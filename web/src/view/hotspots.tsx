// SPDX-License-Identifier: Apache-2.0
// Where the time went: host, process, type; function table and flame graph; the frame under the cursor.

import { colourModes } from '../flame/palette.ts';
import { formatAmount, formatCount } from '../model/format.ts';
import { formatLength } from '../model/time_range.ts';
import { chosenType, everSeen, flame, hosts, processes, types } from '../state/data.ts';
import * as at from '../state/navigation.ts';
import { found, isEmpty, table, tree } from '../state/profile.ts';
import { groups, type Group, type Layout } from '../state/url.ts';
import { Failures, Notices, QualityNotes } from './banner.tsx';
import { Breadcrumb } from './breadcrumb.tsx';
import { useLate } from './clock.ts';
import { Combo } from './combo.tsx';
import { Details } from './details.tsx';
import { FirstLoad, NoSamples, NothingMatches, NothingYet } from './empty.tsx';
import { FlameGraph } from './flame_graph.tsx';
import { FrameMenu } from './frame_menu.tsx';
import { FrameTip } from './frame_tip.tsx';
import { FunctionTable } from './function_table.tsx';
import { Icon } from './icons.tsx';
import { LATE_MS, Progress } from './progress.tsx';
import { SearchBox } from './search_box.tsx';
import { Source } from './source.tsx';
import { fresh, HostChoice, ProcessChoice } from './subject_choice.tsx';
import { typeName, typeNoun } from './type_names.ts';

/* More types than this do not fit beside each other. */
const TYPE_BUTTONS_MAX = 4;

function TypeChoice() {
	const present = types.data.value ?? [];
	const chosen = chosenType.value;
	if (present.length > TYPE_BUTTONS_MAX) {
		return (
			<Combo
				id="type"
				name="Type"
				value={chosen}
				shown={typeName(chosen)}
				options={present.map(({ id, samples }) => ({ value: id, label: typeName(id), note: formatCount(samples), share: null }))}
				emptyText=""
				onPick={(value) => at.go({ type: value, ...fresh })}
			/>
		);
	}
	if (present.length === 0)
		return null;
	return (
		<div class="segments" role="group" aria-label="Profile type">
			{present.map(({ id }) => (
				<button type="button" key={id} title={id} aria-pressed={id === chosen} onClick={() => at.go({ type: id, ...fresh })}>
					{typeName(id)}
				</button>
			))}
		</div>
	);
}

function Summary() {
	const held = tree.value;
	if (!held || isEmpty.value)
		return null;
	const lengthMs = held.untilMs - held.fromMs;
	const total = held.total[0];
	const isCpu = chosenType.value.startsWith('process_cpu:');
	const cores = held.unit === 'nanoseconds' && lengthMs > 0 ? total / (lengthMs * 1e6) : 0;
	return (
		<p class="summary">
			<span>
				<b>{formatAmount(total, held.unit, '')}</b> {typeNoun(chosenType.value)} in {formatLength(lengthMs)}
			</span>
			{cores > 0 && <span title="Average over the range">{cores >= 10 ? cores.toFixed(0) : cores.toPrecision(2)} {isCpu ? 'cores' : 'threads'}</span>}
			<span>{formatCount(held.sampleCount)} samples</span>
		</p>
	);
}

const layoutChoices: { layout: Layout; label: string; key: string }[] = [
	{ layout: 'flame', label: 'Graph', key: '1' },
	{ layout: 'table', label: 'Table', key: '2' },
	{ layout: 'both', label: 'Both', key: '3' },
];

const groupLabels: Record<Group, string> = { function: 'Function', line: 'Line', file: 'File' };

function GroupChoice() {
	return (
		<>
			<label class="select">
				<span>Group</span>
				<select
					title="What counts as one frame"
					value={at.group.value}
					onChange={(event) => at.go({ group: event.currentTarget.value as Group, focus: '', window: null, chosen: '' })}
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
		</>
	);
}

function ViewChoices() {
	return (
		<div class="view-choices">
			<GroupChoice />
			<label class="select">
				<span>Colour</span>
				<select value={at.colourMode.value} onChange={(event) => at.go({ colour: event.currentTarget.value as typeof at.colourMode.value })}>
					{colourModes.map(({ mode, label }) => <option key={mode} value={mode}>{label}</option>)}
				</select>
			</label>
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
		</div>
	);
}

function Panes() {
	const late = useLate(flame.since.value, LATE_MS);
	const stale = late || flame.error.value !== null;
	const nothing = found.value !== null && found.value.functionCount === 0;
	return (
		<div class={`panes panes-${at.layout.value} ${stale ? 'is-stale' : ''}`} aria-busy={late}>
			{at.layout.value !== 'flame' && <FunctionTable />}
			{at.layout.value !== 'table' && (
				<div class="flame-pane">
					<Breadcrumb />
					{nothing && table.value && <NothingMatches functions={table.value.rows.length} />}
					<FlameGraph />
				</div>
			)}
		</div>
	);
}

function Body() {
	const noHosts = hosts.data.value?.length === 0 && at.host.value === '';
	if (noHosts || isEmpty.value)
		return everSeen.data.value === null && everSeen.error.value === null ? <FirstLoad /> : <NoSamples />;
	if (!tree.value)
		return flame.error.value || hosts.error.value ? <NothingYet /> : <FirstLoad />;
	return (
		<>
			<Panes />
			<Details />
		</>
	);
}

export function Hotspots() {
	return (
		<>
			<div class="selectors">
				<HostChoice />
				<ProcessChoice />
				<TypeChoice />
				<Summary />
				<QualityNotes />
			</div>
			<div class="banners">
				<Failures remotes={[flame, hosts, processes, types, everSeen]} />
				<Notices />
			</div>
			<div class="toolbar">
				<SearchBox />
				<Progress remote={flame} />
				<ViewChoices />
			</div>
			<main class="hotspots">
				<Body />
			</main>
			<Source />
			<FrameTip />
			<FrameMenu />
		</>
	);
}
