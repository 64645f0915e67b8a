// SPDX-License-Identifier: Apache-2.0
// What changed from one range to another: both sides with their charts, the tree of both, the functions.

import { change as changeColours, CHANGE_POINTS, CHANGE_STEPS } from '../flame/palette.ts';
import { hasSides, isEmptySide, norms, weaknesses } from '../model/change.ts';
import { everSeen, hosts, processes, types } from '../state/data.ts';
import { leftChart, rightChart } from '../state/charts.ts';
import * as at from '../state/navigation.ts';
import { isEmpty, swatches, tree } from '../state/profile.ts';
import { change, changedFunctions, leftHosts, rightHosts } from '../state/sides.ts';
import { Banner, Failures, known, Notices, PartialNote } from './banner.tsx';
import { ChangeTable } from './change_table.tsx';
import { normWords } from './change_words.ts';
import { LeftSide, RightSide, SwapSides } from './compare_sides.tsx';
import { Details } from './details.tsx';
import { FirstLoad, NoSamples, NothingYet } from './empty.tsx';
import { FrameMenu } from './frame_menu.tsx';
import { FrameTip } from './frame_tip.tsx';
import { GroupChoice, LayoutChoice, Panes } from './panes.tsx';
import { Progress } from './progress.tsx';
import { SearchBox } from './search_box.tsx';

function NormChoice() {
	return (
		<div class="segments" role="group" aria-label="Compare by">
			{norms.map((norm) => (
				<button type="button" key={norm} title={normWords[norm].title} aria-pressed={at.norm.value === norm} onClick={() => at.go({ norm })}>
					{normWords[norm].label}
				</button>
			))}
		</div>
	);
}

function Sample({ bucket }: { bucket: number }) {
	const swatch = swatches.value[bucket];
	return <i class={swatch.hatch ? (swatch.crossed ? 'is-crossed' : 'is-hatched') : ''} style={{ backgroundColor: swatch.css }} />;
}

/** Always in sight: colours alone would not say which way is which. */
function Legend() {
	const steps = Array.from({ length: CHANGE_STEPS }, (_, i) => i);
	return (
		<p class="change-legend" aria-label="Colours">
			<span class="change-steps">
				<span>▼ less on the right</span>
				{steps.map((step) => <Sample key={`less${step}`} bucket={changeColours.less + CHANGE_STEPS - 1 - step} />)}
				<Sample bucket={changeColours.same} />
				{steps.map((step) => <Sample key={`more${step}`} bucket={changeColours.more + step} />)}
				<span>more on the right ▲</span>
			</span>
			<span class="quiet">stronger at {CHANGE_POINTS.join(', ')} points</span>
			<span><Sample bucket={changeColours.same} /> noise, or not sure</span>
			<span><Sample bucket={changeColours.gone} /> gone</span>
			<span><Sample bucket={changeColours.new} /> new</span>
		</p>
	);
}

function Weaknesses() {
	const held = tree.value;
	if (!held || !hasSides(held))
		return null;
	const { left, right } = held.comparison;
	const empty = isEmptySide(left) !== isEmptySide(right) ? (isEmptySide(left) ? 'left' : 'right') : '';
	return (
		<>
			<PartialNote partial={left.partial} of=" of the left side" />
			<PartialNote partial={right.partial} of=" of the right side" />
			{empty && (
				<Banner tone="note">
					The <b>{empty}</b> side has no samples: nothing can be compared. What is shown is the other side alone.
				</Banner>
			)}
			{weaknesses(held.comparison).map((text) => <Banner key={text} tone="note">{text}</Banner>)}
		</>
	);
}

function Body() {
	if (hosts.data.value?.length === 0 && at.host.value === '')
		return everSeen.data.value === null && everSeen.error.value === null ? <FirstLoad /> : <NoSamples />;
	if (!tree.value)
		return change.error.value || hosts.error.value ? <NothingYet /> : <FirstLoad />;
	if (isEmpty.value) {
		return (
			<div class="empty">
				<h2>Neither side has samples</h2>
				<p>Choose other ranges above, or another host or process.</p>
			</div>
		);
	}
	return (
		<>
			<Panes remote={change} table={<ChangeTable />} functions={changedFunctions.data.value?.functionCount ?? 0} />
			<Details />
		</>
	);
}

export function Compare() {
	return (
		<>
			<div class="sides">
				<LeftSide />
				<SwapSides />
				<RightSide />
			</div>
			<div class="banners">
				<Failures remotes={[change, changedFunctions, hosts, processes, types, leftHosts, rightHosts, ...known([leftChart.series, rightChart.series])]} />
				<Notices />
				<Weaknesses />
			</div>
			<div class="toolbar">
				<SearchBox />
				<Progress remote={change} />
				<div class="view-choices">
					<NormChoice />
					<GroupChoice />
					<LayoutChoice />
				</div>
			</div>
			<Legend />
			<main class="hotspots">
				<Body />
			</main>
			<FrameTip />
			<FrameMenu />
		</>
	);
}
