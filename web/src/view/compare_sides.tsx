// SPDX-License-Identifier: Apache-2.0
// The two sides of a comparison: of what, when, and how much there is.

import { normalised, type Side } from '../model/change.ts';
import { formatAmount, formatCount, plural } from '../model/format.ts';
import { absolute, earlier, formatLength, rangeLabel, spanOf, zoneLabel, type Range, type Span } from '../model/time_range.ts';
import type { Host } from '../api/catalog_service.ts';
import { leftChart, rightChart, type SideChart } from '../state/charts.ts';
import { chosenType } from '../state/data.ts';
import * as at from '../state/navigation.ts';
import type { Remote } from '../state/remote.ts';
import { zone } from '../state/settings.ts';
import { change, leftHosts, leftRange, rightHosts, rightRange, swapSides } from '../state/sides.ts';
import { formatRate } from './chart_words.ts';
import { TypeChoice } from './hotspots.tsx';
import { Icon } from './icons.tsx';
import { Popover } from './popover.tsx';
import { OwnRange } from './range_picker.tsx';
import { SeriesChart } from './series_chart.tsx';
import { HostChoice, LeftHostChoice, LeftProcessChoice, ProcessChoice } from './subject_choice.tsx';
import { rateNoun, typeNoun } from './type_names.ts';

const DAY_MS = 86400e3;

interface LeftPreset {
	label: string;
	range: (right: Range) => Range | null;
}

/* Null: the time right before, also when the right side moves on. */
const leftPresets: readonly LeftPreset[] = [
	{ label: 'The time before', range: () => null },
	{ label: 'Yesterday, same time', range: (right) => earlier(right, DAY_MS) },
	{ label: 'Last week, same time', range: (right) => earlier(right, 7 * DAY_MS) },
];

function sameRange(a: Range | null, b: Range | null): boolean {
	return a?.from === b?.from && a?.until === b?.until;
}

function LeftRange() {
	const right = rightRange.value;
	const now = Date.now();
	const preset = leftPresets.find(({ range }) => sameRange(range(right), at.left.value));
	const label = preset?.label ?? rangeLabel(leftRange.value, zone.value, now);
	return (
		<Popover
			name={`Range of the left side: ${label}`}
			buttonClass="button range-button"
			panelClass="range-panel"
			label={
				<>
					<span>{label}</span>
					<Icon name="chevron" />
				</>
			}
		>
			{(close) => (
				<>
					<ul class="range-presets">
						{leftPresets.map(({ label: text, range }) => (
							<li key={text}>
								<button
									type="button"
									class="range-preset"
									aria-pressed={text === preset?.label}
									onClick={() => {
										close();
										at.go({ left: range(right) });
									}}
								>
									{text}
								</button>
							</li>
						))}
					</ul>
					<div class="range-side">
						<OwnRange
							range={leftRange.value}
							onApply={(own) => {
								close();
								at.go({ left: own });
							}}
						/>
					</div>
				</>
			)}
		</Popover>
	);
}

function HostsOf({ remote }: { remote: Remote<Host[]> }) {
	const found = remote.data.value;
	if (!found || found.length === 0)
		return null;
	const names = found.map(({ host }) => host);
	return <span title={names.join('\n')}>{names.length === 1 ? names[0] : plural(names.length, 'host')}</span>;
}

/** What one side has: value, time covered, rate, samples, hosts. */
function SideFacts({ side, range, remote }: { side: Side | undefined; range: Range; remote: Remote<Host[]> }) {
	if (!side)
		return <p class="side-facts quiet">…</p>;
	if (side.total <= 0)
		return <p class="side-facts is-empty" role="status">No samples in this range.</p>;
	const unit = change.data.value!.unit;
	const covered = side.untilMs - side.fromMs;
	const [from, until] = spanOf(range, Date.now());
	const part = covered < (until - from) * 0.9;
	return (
		<p class="side-facts">
			<span><b>{formatAmount(side.total, unit, '')}</b> {typeNoun(chosenType.value)}</span>
			<span class={part ? 'is-part' : ''} title={part ? 'Profiles cover less than was asked for' : 'Covered by profiles'}>
				in {formatLength(covered)}{part ? ` of ${formatLength(until - from)}` : ''}
			</span>
			<span>{formatRate(normalised(side, side.total, 'second'), unit, rateNoun(chosenType.value))}</span>
			<span>{formatCount(side.sampleCount)} samples</span>
			<HostsOf remote={remote} />
		</p>
	);
}

interface ChartProps {
	chart: SideChart;
	side: 'left' | 'right';
	range: Range;
	pick: (range: Range) => void;
}

function Chart({ chart, side, range, pick }: ChartProps) {
	if (chart.series.error.value?.status === 404)
		return null;
	return (
		<SeriesChart
			series={chart.series.data.value}
			shown={chart.shown()}
			selected={spanOf(range, Date.now()) as Span}
			name={`Values over time, ${side} side`}
			noun={rateNoun(chosenType.value)}
			side={side}
			onSelect={(span) => span && pick(absolute(...span))}
			onZoom={(span) => { chart.window.value = span; }}
		/>
	);
}

function when(range: Range): string {
	const span = spanOf(range, Date.now());
	return `${rangeLabel(absolute(...span), zone.value, Date.now())} ${zoneLabel(span[0], zone.value)}`;
}

export function LeftSide() {
	const range = leftRange.value;
	return (
		<section class="side side-left" aria-label="Left side">
			<div class="side-head">
				<h2>Left</h2>
				<LeftHostChoice />
				<LeftProcessChoice />
				<LeftRange />
			</div>
			<p class="side-when quiet">{when(range)}</p>
			<Chart chart={leftChart} side="left" range={range} pick={(left) => at.go({ left })} />
			<SideFacts side={change.data.value?.comparison.left} range={range} remote={leftHosts} />
		</section>
	);
}

export function RightSide() {
	const range = rightRange.value;
	return (
		<section class="side side-right" aria-label="Right side">
			<div class="side-head">
				<h2>Right</h2>
				<HostChoice />
				<ProcessChoice />
				<TypeChoice />
			</div>
			<p class="side-when quiet">{when(range)}</p>
			<Chart chart={rightChart} side="right" range={range} pick={(right) => at.go({ ...right, span: null })} />
			<SideFacts side={change.data.value?.comparison.right} range={range} remote={rightHosts} />
		</section>
	);
}

export function SwapSides() {
	return (
		<button type="button" class="button button-icon side-swap" title="Left and right change places" aria-label="Swap the sides" onClick={swapSides}>
			<Icon name="swap" />
		</button>
	);
}
