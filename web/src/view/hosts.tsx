// SPDX-License-Identifier: Apache-2.0
import { formatAge, formatCount, formatPercent, formatValue } from '../model/format.ts';
import { formatTime, resolveTime, zoneLabel } from '../model/time_range.ts';
import type { Host } from '../api/catalog_service.ts';
import { everSeen, hosts } from '../state/data.ts';
import * as at from '../state/navigation.ts';
import { zone } from '../state/settings.ts';
import { Failures } from './banner.tsx';
import { useClock } from './clock.ts';
import { FirstLoad, NoSamples } from './empty.tsx';
import { Progress } from './progress.tsx';

/* A collector sends every 10 s: after three times that it is missed. */
const MISSED_MS = 30e3;

function HostRow({ host, most, sum, now }: { host: Host; most: number; sum: number; now: number }) {
	/* By the clock of the server: a host whose own is wrong is not missed for that. */
	const age = now - host.heardMs;
	/* Of the time that it was watched: a range may begin long before. */
	const fromMs = Math.max(resolveTime(at.from.value, now), host.firstSeenMs);
	const untilMs = Math.min(resolveTime(at.until.value, now), host.lastSeenMs);
	const cores = host.value / (Math.max(untilMs - fromMs, 1) * 1e6);
	return (
		<tr>
			<th scope="row">
				<a href={at.hrefOf({ screen: 'hot', host: host.host, process: '', focus: '', window: null, chosen: '' })}>{host.host}</a>
			</th>
			<td class="host-bar">
				<span class="amount-bar" style={{ transform: `scaleX(${most > 0 ? host.value / most : 0})` }} />
			</td>
			<td class="number">{formatValue(host.value, 'nanoseconds')}</td>
			<td class="number">{formatPercent(host.value, sum)}</td>
			<td class="number">{cores.toPrecision(2)}</td>
			<td class="number">{formatCount(host.samples)}</td>
			<td title={`${formatTime(host.heardMs, zone.value)} ${zoneLabel(host.heardMs, zone.value)}`}>
				<span class={`dot ${age > MISSED_MS ? 'is-missed' : ''}`} />
				{formatAge(age)}
			</td>
			<td>{host.kernel}</td>
			<td>{host.collector}</td>
		</tr>
	);
}

export function Hosts() {
	const rows = hosts.data.value;
	const now = useClock(true, 5000);
	const sum = rows?.reduce((total, { value }) => total + value, 0) ?? 0;
	const waiting = rows?.length === 0 && everSeen.data.value === null && everSeen.error.value === null;
	return (
		<>
			<div class="banners"><Failures remotes={[hosts, everSeen]} /></div>
			<Progress remote={hosts} />
			<main class={`page ${hosts.error.value ? 'is-stale' : ''}`}>
				{rows === null && !hosts.error.value && <FirstLoad />}
				{waiting && <FirstLoad />}
				{rows?.length === 0 && !waiting && <NoSamples />}
				{rows && rows.length > 0 && (
					<table class="list">
						<caption>{rows.length === 1 ? '1 host' : `${formatCount(rows.length)} hosts`} with samples in this range</caption>
						<thead>
							<tr>
								<th scope="col">Host</th>
								<th scope="col"><span class="hidden-visually">Share</span></th>
								<th scope="col" class="number">CPU time</th>
								<th scope="col" class="number">Share</th>
								<th scope="col" class="number">Cores</th>
								<th scope="col" class="number">Samples</th>
								<th scope="col">Last seen</th>
								<th scope="col">Kernel</th>
								<th scope="col">Collector</th>
							</tr>
						</thead>
						<tbody>
							{rows.map((host) => <HostRow key={host.host} host={host} most={rows[0].value} sum={sum} now={now} />)}
						</tbody>
					</table>
				)}
			</main>
		</>
	);
}
