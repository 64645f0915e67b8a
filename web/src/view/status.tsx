// SPDX-License-Identifier: Apache-2.0
// The server's own account of itself, laid out by its shape: lists become tables, objects become
// sections, plain values become lines. A new counter shows without a new page.

import { isObject, type Json } from '../api/json.ts';
import { formatCount } from '../model/format.ts';
import { status } from '../state/data.ts';
import { Failures } from './banner.tsx';
import { FirstLoad } from './empty.tsx';
import { Progress } from './progress.tsx';

/* Deeper objects are shown as their JSON. */
const DEPTH_MAX = 4;

function words(key: string): string {
	const spaced = key.replaceAll('_', ' ').replace(/\bhttp\b/, 'HTTP').replace(/\bid\b/, 'ID');
	if (spaced === 'grpc')
		return 'gRPC';
	return spaced.charAt(0).toUpperCase() + spaced.slice(1);
}

function Plain({ value }: { value: unknown }) {
	if (typeof value === 'number')
		return <>{Number.isInteger(value) ? formatCount(value) : String(Math.round(value * 1e4) / 1e4)}</>;
	if (typeof value === 'boolean')
		return <>{value ? 'yes' : 'no'}</>;
	if (value === null || value === undefined)
		return <span class="quiet">–</span>;
	return <>{typeof value === 'string' ? value : JSON.stringify(value)}</>;
}

function isPlain(value: unknown): boolean {
	return typeof value !== 'object' || value === null;
}

function Rows({ rows }: { rows: Json[] }) {
	const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
	const numeric = new Set(columns.filter((column) => rows.every((row) => typeof row[column] === 'number' || row[column] === undefined)));
	return (
		<table class="list">
			<thead>
				<tr>{columns.map((column) => <th scope="col" key={column} class={numeric.has(column) ? 'number' : ''}>{words(column)}</th>)}</tr>
			</thead>
			<tbody>
				{rows.map((row, i) => (
					<tr key={i}>
						{columns.map((column) => (
							<td key={column} class={numeric.has(column) ? 'number' : ''}><Plain value={row[column]} /></td>
						))}
					</tr>
				))}
			</tbody>
		</table>
	);
}

/** `{name: {value, meaning}}`, as counters come. */
function isCounters(value: Json): value is Record<string, Json> {
	const members = Object.values(value);
	return members.length > 0 && members.every((member) => isObject(member) && 'value' in member && isPlain(member['value']));
}

function Section({ value, depth }: { value: unknown; depth: number }) {
	if (Array.isArray(value)) {
		if (value.length === 0)
			return <p class="quiet">None.</p>;
		return value.every(isObject) ? <Rows rows={value} /> : <p>{value.map(String).join(', ')}</p>;
	}
	if (!isObject(value) || depth >= DEPTH_MAX)
		return <p><Plain value={value} /></p>;
	if (isCounters(value))
		return <Rows rows={Object.entries(value).map(([name, member]) => ({ name, ...member }))} />;
	const plain = Object.entries(value).filter(([, member]) => isPlain(member));
	const nested = Object.entries(value).filter(([, member]) => !isPlain(member));
	return (
		<>
			{plain.length > 0 && (
				<dl class="pairs">
					{plain.map(([key, member]) => (
						<div key={key}>
							<dt>{words(key)}</dt>
							<dd><Plain value={member} /></dd>
						</div>
					))}
				</dl>
			)}
			{nested.map(([key, member]) => (
				<section key={key} class="status-section">
					{depth === 0 ? <h2>{words(key)}</h2> : <h3>{words(key)}</h3>}
					<Section value={member} depth={depth + 1} />
				</section>
			))}
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
				{held === null ? (status.error.value ? null : <FirstLoad />) : <Section value={held} depth={0} />}
			</main>
		</>
	);
}
