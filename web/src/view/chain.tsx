// SPDX-License-Identifier: Apache-2.0
// The chain of stages as tables, and the warnings above it.

import { readChain, readWarnings, type Reason, type Stage, type StageGroup } from '../api/status_chain.ts';
import { formatCount } from '../model/format.ts';

/* Numbers that say nothing are quiet, so that the others are seen. */
function Count({ value, tone }: { value: number; tone?: 'lost' }) {
	return <td class={`number ${value === 0 ? 'is-nothing' : tone === 'lost' ? 'is-lost' : ''}`}>{value === 0 ? '–' : formatCount(value)}</td>;
}

function Reasons({ reasons }: { reasons: readonly Reason[] }) {
	return (
		<td>
			<ul class="reasons">
				{reasons.map((reason) => (
					<li key={`${reason.kind} ${reason.words}`} class={`reason-${reason.kind}`} title={reason.remedy || undefined}>
						{formatCount(reason.value)} {reason.words}
						{(reason.kind === 'lost' || reason.kind === 'unaccounted') && reason.remedy !== '' && <span class="quiet">: {reason.remedy}</span>}
					</li>
				))}
			</ul>
		</td>
	);
}

function StageRow({ stage }: { stage: Stage }) {
	return (
		<tr class={stage.unaccounted > 0 ? 'is-broken' : ''}>
			<th scope="row" title={stage.meaning}>{stage.name}</th>
			<td class="quiet">{stage.unit}</td>
			<Count value={stage.in} />
			<Count value={stage.out} />
			<Count value={stage.waiting} />
			<Count value={stage.lost} tone="lost" />
			<Reasons reasons={stage.reasons} />
		</tr>
	);
}

function Group({ group }: { group: StageGroup }) {
	return (
		<tbody>
			<tr class="stage-group"><th colSpan={7} scope="rowgroup">{group.title}</th></tr>
			{group.stages.map((stage) => <StageRow key={stage.name} stage={stage} />)}
		</tbody>
	);
}

export function Chain({ chain }: { chain: unknown }) {
	const groups = readChain(chain);
	if (groups.length === 0)
		return null;
	return (
		<div class="list-scroller">
			<table class="list chain">
				<thead>
					<tr>
						<th scope="col">Stage</th>
						<th scope="col">Unit</th>
						<th scope="col" class="number">In</th>
						<th scope="col" class="number">Out</th>
						<th scope="col" class="number">Waiting</th>
						<th scope="col" class="number">Lost</th>
						<th scope="col">Why, and what else</th>
					</tr>
				</thead>
				{groups.map((group) => <Group key={group.title} group={group} />)}
			</table>
		</div>
	);
}

export function Warnings({ warnings }: { warnings: unknown }) {
	const listed = readWarnings(warnings);
	if (listed.length === 0)
		return null;
	return (
		<ul class="warnings">
			{listed.map((warning) => (
				<li key={`${warning.host} ${warning.text}`} class={warning.isError ? 'is-error' : ''}>
					<b>{warning.host !== '' && `${warning.host}: `}{warning.text}</b> <span class="quiet">{warning.remedy}</span>
				</li>
			))}
		</ul>
	);
}
