// SPDX-License-Identifier: Apache-2.0
// Every function with its own time and its time with callees: what the graph says, as a table.

import type { TargetedKeyboardEvent } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { swatchOfName } from '../flame/palette.ts';
import { columnUnit, formatCount, formatPercent, type ColumnUnit } from '../model/format.ts';
import { nameModule, nodeName, type FlameTree } from '../model/flame_tree.ts';
import type { FunctionTable as Table, SortKey } from '../model/function_table.ts';
import * as at from '../state/navigation.ts';
import {
	chooseFunction, chosenName, colours, focusOn, focusOnFunction, found, swatches, table, tableRoot, tableRows, tree,
} from '../state/profile.ts';
import { rowsInSight, scrollToRow } from '../table/rows.ts';
import { Icon } from './icons.tsx';
import { useLabels, useViewport } from './table_hooks.ts';

const ROW_PX = 24;
const HEAD_PX = 28;
/* Of the name cell: padding, swatch and its gap. */
const NAME_CHROME_PX = 36;

const columns: { key: SortKey; label: string; title: string }[] = [
	{ key: 'name', label: 'Function', title: '' },
	{ key: 'self', label: 'Self', title: 'Time in the function itself' },
	{ key: 'total', label: 'Total', title: 'Time in the function and in what it calls; recursion counted once' },
];

interface Column {
	/** The largest value: the full length of a bar. */
	max: number;
	unit: ColumnUnit;
}

interface Amounts {
	self: Column;
	total: Column;
}

function sortBy(key: SortKey): void {
	const now = at.sort.value;
	at.go({ sort: now.key === key ? { key, ascending: !now.ascending } : { key, ascending: key === 'name' } });
}

function Head({ amounts }: { amounts: Amounts }) {
	const { key: by, ascending } = at.sort.value;
	return (
		<thead>
			<tr aria-rowindex={1}>
				{columns.map(({ key, label, title }) => (
					<th
						key={key}
						scope="col"
						class={`col-${key}`}
						aria-sort={by !== key ? 'none' : ascending ? 'ascending' : 'descending'}
					>
						<button type="button" title={title} onClick={() => sortBy(key)}>
							{label}
							{key !== 'name' && amounts[key].unit.label && <span class="quiet">, {amounts[key].unit.label}</span>}
							<span class="sort-sign" aria-hidden="true">{by === key ? (ascending ? '↑' : '↓') : ''}</span>
						</button>
					</th>
				))}
			</tr>
		</thead>
	);
}

function Amount({ value, column, whole }: { value: number; column: Column; whole: number }) {
	const share = column.max > 0 ? value / column.max : 0;
	return (
		<td class="amount">
			<span class="amount-value">{column.unit.format(value)}</span>
			<span class="amount-percent">{formatPercent(value, whole)}</span>
			<span class="amount-track">
				<span class="amount-bar" style={{ transform: `scaleX(${share.toFixed(4)})` }} />
			</span>
		</td>
	);
}

interface RowProps {
	held: FlameTree;
	sums: Table;
	name: number;
	index: number;
	chosen: boolean;
	label: string;
	amounts: Amounts;
}

function Row({ held, sums, name, index, chosen, label, amounts }: RowProps) {
	const text = held.names.text[name];
	const module = nameModule(held.names, name);
	const swatch = swatchOfName(held, colours.value!, swatches.value, name);
	return (
		<tr
			id={`function-${name}`}
			aria-rowindex={index + 2}
			aria-selected={chosen}
			class={chosen ? 'is-chosen' : ''}
			onClick={() => chooseFunction(chosen ? -1 : name)}
			onDblClick={() => focusOnFunction(name)}
		>
			<td class="function" title={module ? `${text}\n${module}` : text} aria-label={module ? `${text}, ${module}` : text}>
				<span class="swatch" style={{ backgroundColor: swatch.css }} />
				<span class="function-name">{label}</span>
				<span class="function-module">{module}</span>
			</td>
			<Amount value={sums.self[name]} column={amounts.self} whole={held.total[0]} />
			<Amount value={sums.total[name]} column={amounts.total} whole={held.total[0]} />
		</tr>
	);
}

function columnOf(held: FlameTree, values: Float64Array, rows: Uint32Array): Column {
	let max = 0;
	for (const row of rows)
		max = Math.max(max, values[row]);
	return { max, unit: columnUnit(max, held.unit) };
}

function amountsOf(held: FlameTree | null, sums: Table | null): Amounts {
	const none: Column = { max: 0, unit: columnUnit(0, 'count') };
	return held && sums
		? { self: columnOf(held, sums.self, sums.rows), total: columnOf(held, sums.total, sums.rows) }
		: { self: none, total: none };
}

function FocusNote() {
	const held = tree.value;
	if (!held || tableRoot.value === 0)
		return null;
	const name = nodeName(held, tableRoot.value);
	return (
		<div class="table-note">
			<span>
				Within <b title={name}>{name}</b>
			</span>
			<button type="button" class="button button-icon button-small" aria-label="Show everything" onClick={() => focusOn(0)}>
				<Icon name="close" />
			</button>
		</div>
	);
}

export function FunctionTable() {
	const scroller = useRef<HTMLDivElement>(null);
	const box = useViewport(scroller);
	const held = tree.value;
	const sums = table.value;
	const rows = tableRows.value;
	const labels = useLabels(held?.names.text);
	const amounts = useMemo(() => amountsOf(held, sums), [held, sums]);
	const position = rows.indexOf(chosenName.value);

	useEffect(() => {
		const element = scroller.current!;
		if (position >= 0)
			element.scrollTop = scrollToRow(position, element.scrollTop, element.clientHeight - HEAD_PX, ROW_PX);
	}, [position]);

	const keys = (event: TargetedKeyboardEvent<HTMLDivElement>): void => {
		const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
		if (event.ctrlKey || event.metaKey || event.altKey)
			return;
		if (step !== 0 && rows.length > 0)
			chooseFunction(rows[Math.min(rows.length - 1, Math.max(0, position < 0 ? 0 : position + step))]);
		else if (event.key === 'Enter' && position >= 0 && event.target === event.currentTarget)
			focusOnFunction(rows[position]);
		else if (event.key === 'Escape' && position >= 0)
			chooseFunction(-1);
		else
			return;
		event.preventDefault();
		event.stopPropagation();
	};

	const { first, end } = rowsInSight(box.top, box.height, ROW_PX, rows.length);
	return (
		<div class="table-pane">
			<FocusNote />
			<div
				class="table-scroller"
				ref={scroller}
				tabIndex={0}
				role="group"
				aria-label="Functions"
				aria-activedescendant={position >= 0 ? `function-${rows[position]}` : undefined}
				onKeyDown={keys}
			>
				<table class="functions" role="grid" aria-label="Functions" aria-rowcount={rows.length + 1}>
					<Head amounts={amounts} />
					<tbody>
						<tr class="spacer" aria-hidden="true" style={{ height: `${first * ROW_PX}px` }} />
						{held && sums && labels && Array.from(rows.subarray(first, end), (name, i) => (
							<Row
								key={name}
								held={held}
								sums={sums}
								name={name}
								index={first + i}
								chosen={name === chosenName.value}
								label={labels.fit(name, box.nameWidth - NAME_CHROME_PX)}
								amounts={amounts}
							/>
						))}
						<tr class="spacer" aria-hidden="true" style={{ height: `${(rows.length - end) * ROW_PX}px` }} />
					</tbody>
				</table>
				{held && sums && rows.length === 0 && sums.rows.length > 0 && found.value && (
					<p class="table-empty">
						{found.value.functionCount > 0
							? 'Every match is outside the focused frame.'
							: `0 of ${formatCount(sums.rows.length)} functions match.`}
					</p>
				)}
				{held && sums && sums.trimmedValue > 0 && (
					<p class="table-empty">
						{formatPercent(sums.trimmedValue, held.total[0])} is in frames too small to be sent, and in no row.
					</p>
				)}
			</div>
		</div>
	);
}
