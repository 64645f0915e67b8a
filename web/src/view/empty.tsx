// SPDX-License-Identifier: Apache-2.0
// Screens for "there is nothing", each with what leads out of it.

import type { ComponentChildren } from 'preact';
import { absolute, formatSpan, formatTime, resolveTime, widened, zoneLabel } from '../model/time_range.ts';
import { chosenHost, everSeen, looked } from '../state/data.ts';
import * as at from '../state/navigation.ts';
import { zone } from '../state/settings.ts';
import { ALL_HOSTS } from '../state/url.ts';
import { Mark } from './icons.tsx';

/* Around the last sample that was seen. */
const AROUND_MS = 15 * 60e3;
const WIDEN_BY = 4;

function EmptyPage({ title, children, actions }: { title: ComponentChildren; children?: ComponentChildren; actions?: ComponentChildren }) {
	return (
		<div class="empty">
			<Mark />
			<h2>{title}</h2>
			{children}
			{actions && <div class="empty-actions">{actions}</div>}
		</div>
	);
}

function NobodyYet() {
	return (
		<EmptyPage title="No host has sent anything yet">
			<p>Start a collector as root on each host that you want to see:</p>
			<pre class="command">cairn-collector --server {location.hostname || '127.0.0.1'}:4041</pre>
			<p class="quiet">
				This page shows the first samples by itself, a few seconds later. To take other hosts than its own, the server
				needs a --grpc address that they reach, and --insecure.
			</p>
		</EmptyPage>
	);
}

export function NoSamples() {
	const seen = everSeen.data.value;
	if (seen && seen.length === 0)
		return <NobodyYet />;
	const now = Date.now();
	const range = looked.value;
	const fromMs = resolveTime(range.from, now);
	const untilMs = resolveTime(range.until, now);
	const host = chosenHost.value === ALL_HOSTS ? '' : chosenHost.value;
	const lastMs = Math.max(0, ...(seen ?? []).filter((each) => host === '' || each.host === host).map((each) => each.lastSeenMs));
	const outside = lastMs > 0 && (lastMs < fromMs || lastMs >= untilMs);
	const what = at.process.value || host || 'any host';
	return (
		<EmptyPage
			title={<>No samples for <em>{what}</em></>}
			actions={
				<>
					{outside && (
						<button type="button" class="button button-strong" onClick={() => at.go({ ...absolute(lastMs - AROUND_MS, lastMs + 1000), span: null })}>
							Go to the last ones
						</button>
					)}
					{at.span.value && (
						<button type="button" class="button button-strong" onClick={() => at.go({ span: null })}>Show the whole range</button>
					)}
					<button type="button" class="button" onClick={() => at.go({ ...widened(range, WIDEN_BY, now), span: null })}>Widen the range</button>
					{at.process.value && (
						<button type="button" class="button" onClick={() => at.go({ process: '', focus: '', window: null })}>Show the whole host</button>
					)}
				</>
			}
		>
			<p>
				In {formatSpan(fromMs, untilMs, zone.value)} {zoneLabel(untilMs, zone.value)}.
				{lastMs > 0 && <> The last from {host || 'any host'}: {formatTime(lastMs, zone.value)}.</>}
			</p>
		</EmptyPage>
	);
}

export function NothingMatches({ functions }: { functions: number }) {
	return (
		<div class="flame-note" role="status">
			0 of {functions} functions match.
			<button type="button" class="note-action" onClick={() => at.go({ search: '' })}>Clear the search</button>
		</div>
	);
}

/** Before the first good answer; why there is none stands in the banner above. */
export function NothingYet() {
	return (
		<div class="empty">
			<Mark />
			<p>There is nothing to show until the server answers.</p>
		</div>
	);
}

export function FirstLoad() {
	return (
		<div class="empty empty-quiet" role="status">
			<p class="quiet">Loading…</p>
		</div>
	);
}
