// SPDX-License-Identifier: Apache-2.0
// The server's own account of itself: warnings and the chain from kernel to disk first, the rest laid out
// by its shape: lists become tables, objects become sections, plain values become lines. A new counter
// shows without a new page.

import type { ComponentChildren } from 'preact';
import { isObject, type Json } from '../api/json.ts';
import { fieldLabel, fieldText } from '../model/status_field.ts';
import { status } from '../state/data.ts';
import { zone } from '../state/settings.ts';
import { Failures } from './banner.tsx';
import { Chain, Warnings } from './chain.tsx';
import { FirstLoad } from './empty.tsx';
import { Progress } from './progress.tsx';

/* Deeper objects are shown as their JSON. */
const DEPTH_MAX = 4;

function isPlain(value: unknown): boolean {
	return typeof value !== 'object' || value === null;
}

/** Lists of objects inside of a row do not fit into a cell: they follow below, folded. */
function isNested(value: unknown): value is Json[] {
	return Array.isArray(value) && value.length > 0 && value.every(isObject);
}

function Folded({ rows, depth }: { rows: Json[]; depth: number }) {
	const title = (row: Json): string => String(Object.values(row).find((value) => typeof value === 'string') ?? '');
	return (
		<>
			{rows.flatMap((row, i) => Object.entries(row).filter(([, value]) => isNested(value)).map(([key, value]) => (
				<details key={`${i} ${key}`} class="folded">
					<summary>{fieldLabel(key)} of {title(row)}</summary>
					<Section value={value} depth={depth + 1} />
				</details>
			)))}
		</>
	);
}

function Rows({ rows, hidden = [] }: { rows: Json[]; hidden?: readonly string[] }) {
	const keys = [...new Set(rows.flatMap((row) => Object.keys(row)))];
	const columns = keys.filter((key) => !hidden.includes(key) && !rows.some((row) => isNested(row[key])));
	const numeric = new Set(columns.filter((key) => rows.every((row) => typeof (row[key] ?? 0) === 'number')));
	return (
		<div class="list-scroller">
			<table class="list">
				<thead>
					<tr>
						{columns.map((key) => <th scope="col" key={key} class={numeric.has(key) ? 'number' : ''}>{fieldLabel(key)}</th>)}
					</tr>
				</thead>
				<tbody>
					{rows.map((row, i) => (
						<tr key={i} class={row['value'] === 0 ? 'is-zero' : ''}>
							{columns.map((key) => (
								<td key={key} class={numeric.has(key) ? 'number' : ''}>{fieldText(key, row[key], zone.value)}</td>
							))}
						</tr>
					))}
				</tbody>
			</table>
		</div>
	);
}

/** Rows that say which part they belong to come under its name. */
function Parts({ rows }: { rows: Json[] }) {
	const parts = new Map<string, Json[]>();
	for (const row of rows)
		parts.set(String(row['part']), [...(parts.get(String(row['part'])) ?? []), row]);
	return (
		<>
			{[...parts].map(([part, members]) => (
				<Titled key={part} title={part} depth={1}>
					<Rows rows={members} hidden={['part', 'kind']} />
				</Titled>
			))}
		</>
	);
}

function Titled({ title, depth, children }: { title: string; depth: number; children: ComponentChildren }) {
	return (
		<section class="status-section">
			{depth === 0 ? <h2>{fieldLabel(title)}</h2> : <h3>{fieldLabel(title)}</h3>}
			{children}
		</section>
	);
}

function List({ values, depth }: { values: unknown[]; depth: number }) {
	if (values.length === 0)
		return <p class="quiet">None.</p>;
	if (!values.every(isObject))
		return <p>{values.map((value) => fieldText('', value, zone.value)).join(', ')}</p>;
	if (values.every((row) => typeof row['part'] === 'string'))
		return <Parts rows={values} />;
	return (
		<>
			<Rows rows={values} />
			<Folded rows={values} depth={depth} />
		</>
	);
}

function Section({ value, depth }: { value: unknown; depth: number }) {
	if (Array.isArray(value))
		return <List values={value} depth={depth} />;
	if (!isObject(value) || depth >= DEPTH_MAX)
		return <p>{fieldText('', value, zone.value)}</p>;
	const plain = Object.entries(value).filter(([, member]) => isPlain(member));
	const nested = Object.entries(value).filter(([, member]) => !isPlain(member));
	return (
		<>
			{plain.length > 0 && (
				<dl class="pairs">
					{plain.map(([key, member]) => (
						<div key={key}>
							<dt>{fieldLabel(key)}</dt>
							<dd>{fieldText(key, member, zone.value)}</dd>
						</div>
					))}
				</dl>
			)}
			{nested.map(([key, member]) => (
				<Titled key={key} title={key} depth={depth}>
					<Section value={member} depth={depth + 1} />
				</Titled>
			))}
		</>
	);
}

/* Shown below the table of hosts, folded. */
const hostParts = ['chain', 'features', 'counters'];

/** What has a place of its own above is not told again below. */
function Whole({ held }: { held: Json }) {
	const { warnings, warning_count: warningCount, chain, hosts, counters, ...rest } = held;
	const hostRows = Array.isArray(hosts) ? hosts.filter(isObject) : [];
	return (
		<>
			<Warnings warnings={warnings} />
			{typeof warningCount === 'number' && Array.isArray(warnings) && warningCount > warnings.length && (
				<p class="quiet">And {warningCount - warnings.length} warnings more.</p>
			)}
			<Chain chain={chain} />
			<Titled title="hosts" depth={0}>
				{hostRows.length === 0 ? <p class="quiet">None.</p> : <Rows rows={hostRows} hidden={hostParts} />}
				{hostRows.map((host) => (
					<details key={String(host['host'])} class="folded">
						<summary>{String(host['host'])}: its part of the chain, what is off, every counter</summary>
						<Chain chain={host['chain']} />
						<Titled title="features" depth={1}><Section value={host['features']} depth={2} /></Titled>
						<Titled title="counters" depth={1}><Section value={host['counters']} depth={2} /></Titled>
					</details>
				))}
			</Titled>
			<Titled title="server" depth={0}><Section value={rest} depth={1} /></Titled>
			<details class="folded">
				<summary>Every counter of the server</summary>
				<Section value={counters} depth={1} />
			</details>
		</>
	);
}

export function Status() {
	const held = status.data.value;
	return (
		<>
			<div class="banners"><Failures remotes={[status]} /></div>
			<Progress remote={status} />
			<main class={`page status ${status.error.value ? 'is-stale' : ''}`}>
				{held === null ? (status.error.value ? null : <FirstLoad />) : <Whole held={held} />}
			</main>
		</>
	);
}
