// SPDX-License-Identifier: Apache-2.0
// The functions of both sides, the most changed first: what the graph says, as a table.

import type { TargetedKeyboardEvent } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { changeBucket } from '../flame/palette.ts';
import { formatAmountOf, formatChange, formatP, formatRatio, type ChangeKey, type ChangeRow } from '../model/change.ts';
import { formatCount } from '../model/format.ts';
import * as at from '../state/navigation.ts';
import { chooseFunction, chosenName, focusOnFunction, swatches, tree } from '../state/profile.ts';
import { changedFunctions } from '../state/sides.ts';
import { changeTableRows, nameOfRow } from '../state/change_table.ts';
import { rowsInSight, scrollToRow } from '../table/rows.ts';
import { amountTitle, surenessWords } from './change_words.ts';
import { useLabels, useViewport } from './table_hooks.ts';

const ROW_PX = 24;
const HEAD_PX = 28;
/* Of the name cell: padding, swatch and its gap. */
const NAME_CHROME_PX = 36;

const columns: { key: ChangeKey; label: string; title: string }[] = [
	{ key: 'name', label: 'Function', title: '' },
	{ key: 'left', label: 'Left', title: '' },
	{ key: 'right', label: 'Right', title: '' },
	{ key: 'change', label: 'Change', title: 'Right less left; the largest first, either way' },
	{ key: 'ratio', label: 'Ratio', title: 'Right by left' },
	{ key: 'sureness', label: 'Sure?', title: 'Whether the same program might show as much by chance' },
];

function sortBy(key: ChangeKey): void {
	const now = at.changeSort.value;
	at.go({ changeSort: now.key === key ? { key, ascending: !now.ascending } : { key, ascending: key === 'name' } });
}

function Head({ unitTitle }: { unitTitle: string }) {
	const { key: by, ascending } = at.changeSort.value;
	return (
		<thead>
			<tr aria-rowindex={1}>
				{columns.map(({ key, label, title }) => (
					<th key={key} scope="col" class={`col-${key}`} aria-sort={by !== key ? 'none' : ascending ? 'ascending' : 'descending'}>
						<button type="button" title={title || unitTitle} onClick={() => sortBy(key)}>
							{label}
							<span class="sort-sign" aria-hidden="true">{by === key ? (ascending ? '↑' : '↓') : ''}</span>
						</button>
					</th>
				))}
			</tr>
		</thead>
	);
}

/** Left and right of the middle, as long as the change is large. */
function ChangeBar({ points, largest, colour }: { points: number; largest: number; colour: string }) {
	const share = largest > 0 ? Math.min(1, Math.abs(points) / largest) : 0;
	return (
		<span class="change-track" aria-hidden="true">
			<span class="change-bar" style={{ backgroundColor: colour, width: `${(share * 50).toFixed(1)}%`, [points < 0 ? 'right' : 'left']: '50%' }} />
		</span>
	);
}

interface RowProps {
	row: ChangeRow;
	index: number;
	name: number;
	chosen: boolean;
	label: string;
	largest: number;
}

const signs: Record<ChangeRow['change']['kind'], string> = { noise: '', more: '▲', less: '▼', new: 'new', gone: 'gone' };

function Row({ row: { fn, change }, index, name, chosen, label, largest }: RowProps) {
	const norm = at.norm.value;
	const unit = changedFunctions.data.value!.unit;
	const swatch = swatches.value[changeBucket(change)];
	return (
		<tr
			id={`change-${index}`}
			aria-rowindex={index + 2}
			aria-selected={chosen}
			class={`${chosen ? 'is-chosen' : ''} ${change.sureness === 'noise' ? 'is-noise' : ''}`}
			onClick={() => pick(name, chosen)}
			onDblClick={() => name >= 0 && focusOnFunction(name)}
		>
			<td class="function" title={fn.module ? `${fn.name}\n${fn.module}` : fn.name} aria-label={fn.module ? `${fn.name}, ${fn.module}` : fn.name}>
				<span class={`swatch ${swatch.hatch ? 'is-hatched' : ''}`} style={{ backgroundColor: swatch.css }} />
				<span class="function-name">{label}</span>
				<span class="function-module">{fn.module}</span>
			</td>
			<td class="number">{formatAmountOf(change.leftAmount, norm, unit)}</td>
			<td class="number">{formatAmountOf(change.rightAmount, norm, unit)}</td>
			<td class="number change-cell">
				{change.comparable && <ChangeBar points={change.points} largest={largest} colour={swatch.css} />}
				<span>{signs[change.kind] === '▲' || signs[change.kind] === '▼' ? `${signs[change.kind]} ` : ''}{formatChange(change, norm, unit)}</span>
			</td>
			<td class="number">{formatRatio(change)}</td>
			<td title={change.comparable ? formatP(change.p) : undefined}>{change.comparable ? surenessWords[change.sureness] : ''}</td>
		</tr>
	);
}

/** A click marks every frame of the function and shows the widest, another one lets go; NAME -1 = in no frame. */
function pick(name: number, chosen: boolean): void {
	if (name >= 0)
		chooseFunction(chosen ? -1 : name);
}

function Rest({ shown, all }: { shown: number; all: number }) {
	const answer = changedFunctions.data.value;
	if (!answer)
		return null;
	return (
		<>
			{shown === 0 && all > 0 && <p class="table-empty">0 of {formatCount(all)} functions match.</p>}
			{answer.functionCount > answer.functions.length && (
				<p class="table-empty">
					The {formatCount(answer.functions.length)} most changed of {formatCount(answer.functionCount)} functions.
				</p>
			)}
		</>
	);
}

export function ChangeTable() {
	const scroller = useRef<HTMLDivElement>(null);
	const box = useViewport(scroller);
	const rows = changeTableRows.value;
	const names = useMemo(() => rows.map(({ fn }) => fn.name), [rows]);
	const labels = useLabels(names);
	const answer = changedFunctions.data.value;
	const chosen = chosenName.value;
	const position = useMemo(() => (chosen >= 0 ? rows.findIndex((row) => nameOfRow(row) === chosen) : -1), [rows, chosen, tree.value]);
	const largest = useMemo(() => rows.reduce((most, { change }) => Math.max(most, Math.abs(change.points)), 0), [rows]);

	useEffect(() => {
		const element = scroller.current!;
		if (position >= 0)
			element.scrollTop = scrollToRow(position, element.scrollTop, element.clientHeight - HEAD_PX, ROW_PX);
	}, [position]);

	const keys = (event: TargetedKeyboardEvent<HTMLDivElement>): void => {
		const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
		if (event.ctrlKey || event.metaKey || event.altKey)
			return;
		if (step !== 0 && rows.length > 0) {
			/* Rows whose frames were too small to be sent cannot be shown: they are passed over. */
			let next = position < 0 ? 0 : position + step;
			while (next >= 0 && next < rows.length && nameOfRow(rows[next]) < 0)
				next += step;
			if (rows[next])
				chooseFunction(nameOfRow(rows[next]));
		} else if (event.key === 'Enter' && position >= 0 && event.target === event.currentTarget) {
			focusOnFunction(chosen);
		} else if (event.key === 'Escape' && position >= 0) {
			chooseFunction(-1);
		} else {
			return;
		}
		event.preventDefault();
		event.stopPropagation();
	};

	const { first, end } = rowsInSight(box.top, box.height, ROW_PX, rows.length);
	return (
		<div class="table-pane change-pane">
			<div class="table-note">
				<div class="segments segments-small" role="group" aria-label="Time of">
					<button type="button" aria-pressed={!at.ownChange.value} onClick={() => at.go({ ownChange: false })}>With callees</button>
					<button type="button" aria-pressed={at.ownChange.value} onClick={() => at.go({ ownChange: true })}>Own</button>
				</div>
				{answer && <span class="quiet">{amountTitle(at.norm.value, answer.unit)}</span>}
			</div>
			<div
				class="table-scroller"
				ref={scroller}
				tabIndex={0}
				role="group"
				aria-label="Changed functions"
				aria-activedescendant={position >= 0 ? `change-${position}` : undefined}
				onKeyDown={keys}
			>
				<table class="functions changes" role="grid" aria-label="Changed functions" aria-rowcount={rows.length + 1}>
					<Head unitTitle={answer ? amountTitle(at.norm.value, answer.unit) : ''} />
					<tbody>
						<tr class="spacer" aria-hidden="true" style={{ height: `${first * ROW_PX}px` }} />
						{answer && labels && rows.slice(first, end).map((row, i) => (
							<Row
								key={`${row.fn.name}\0${row.fn.module}`}
								row={row}
								index={first + i}
								name={nameOfRow(row)}
								chosen={first + i === position}
								label={labels.fit(first + i, box.nameWidth - NAME_CHROME_PX)}
								largest={largest}
							/>
						))}
						<tr class="spacer" aria-hidden="true" style={{ height: `${(rows.length - end) * ROW_PX}px` }} />
					</tbody>
				</table>
				<Rest shown={rows.length} all={answer?.functions.length ?? 0} />
			</div>
		</div>
	);
}
