// SPDX-License-Identifier: Apache-2.0
// Where the time went: host, process, type; when; function table and flame graph; the frame under the cursor.

import type { ComponentType } from 'preact';
import { formatAmount, formatCount } from '../model/format.ts';
import { formatLength } from '../model/time_range.ts';
import { heat, pageChart } from '../state/charts.ts';
import { chosenType, everSeen, flame, hosts, processes, types } from '../state/data.ts';
import * as at from '../state/navigation.ts';
import { isEmpty, table, tree } from '../state/profile.ts';
import type { Remote } from '../state/remote.ts';
import { Failures, known, Notices, QualityNotes } from './banner.tsx';
import { Combo } from './combo.tsx';
import { Details } from './details.tsx';
import { FirstLoad, NoSamples, NothingYet } from './empty.tsx';
import { FrameMenu } from './frame_menu.tsx';
import { FrameTip } from './frame_tip.tsx';
import { FunctionTable } from './function_table.tsx';
import { HeatMap } from './heat_map.tsx';
import { PageChart } from './page_chart.tsx';
import { ColourChoice, GroupChoice, LayoutChoice, Panes, RootChoice } from './panes.tsx';
import { Progress } from './progress.tsx';
import { SearchBox } from './search_box.tsx';
import { Source } from './source.tsx';
import { fresh, HostChoice, ProcessChoice } from './subject_choice.tsx';
import { rateNoun, typeName, typeNoun } from './type_names.ts';

/* More types than this do not fit beside each other. */
const TYPE_BUTTONS_MAX = 4;

export function TypeChoice() {
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
	const cores = held.unit === 'nanoseconds' && lengthMs > 0 ? total / (lengthMs * 1e6) : 0;
	return (
		<p class="summary">
			<span>
				<b>{formatAmount(total, held.unit, '')}</b> {typeNoun(chosenType.value)} in {formatLength(lengthMs)}
			</span>
			{cores > 0 && <span title="Average over the range">{cores >= 10 ? cores.toFixed(0) : cores.toPrecision(2)} {rateNoun(chosenType.value)}</span>}
			<span>{formatCount(held.sampleCount)} samples</span>
		</p>
	);
}

function ViewChoices() {
	return (
		<div class="view-choices">
			<RootChoice />
			<GroupChoice />
			<ColourChoice />
			<LayoutChoice />
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
			<Panes remote={flame} table={<FunctionTable />} functions={table.value?.rows.length ?? 0} />
			<Details />
		</>
	);
}

/** CHART is what stands above the graph and chooses a part of the range. */
function ProfileScreen({ Chart, remotes }: { Chart: ComponentType; remotes: readonly Remote<unknown>[] }) {
	const noHosts = hosts.data.value?.length === 0 && at.host.value === '';
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
				<Failures remotes={[flame, hosts, processes, types, everSeen, ...known(remotes)]} />
				<Notices />
			</div>
			{!noHosts && <Chart />}
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

export function Hotspots() {
	return <ProfileScreen Chart={PageChart} remotes={[pageChart.series]} />;
}

export function HeatScreen() {
	return <ProfileScreen Chart={HeatMap} remotes={[heat]} />;
}
