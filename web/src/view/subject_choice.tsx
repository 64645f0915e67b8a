// SPDX-License-Identifier: Apache-2.0
// Which host and which process the screen is about.

import { formatCount, formatPercent } from '../model/format.ts';
import { chosenHost, hosts, processes } from '../state/data.ts';
import * as at from '../state/navigation.ts';
import { ALL_HOSTS, SAME } from '../state/url.ts';
import { Combo, type ComboOption } from './combo.tsx';

/* Another subject: what was focused in the last one means nothing here. */
export const fresh = { focus: '', window: null, chosen: '', opened: null };

function shares<T extends { value: number }>(rows: readonly T[]): { row: T; share: number }[] {
	const sum = rows.reduce((total, { value }) => total + value, 0);
	return rows.map((row) => ({ row, share: sum > 0 ? row.value / sum : 0 }));
}

function hostOptions(): ComboOption[] {
	const rows = shares(hosts.data.value ?? []);
	const options: ComboOption[] = rows.map(({ row, share }) => ({
		value: row.host, label: row.host, note: formatPercent(share, 1), share,
	}));
	if (rows.length > 1)
		options.unshift({ value: ALL_HOSTS, label: 'All hosts', note: formatCount(rows.length), share: null });
	return options;
}

function processOptions(): ComboOption[] {
	const rows = shares(processes.data.value ?? []);
	const options: ComboOption[] = rows.map(({ row, share }) => ({
		value: row.process,
		label: row.serviceName && row.serviceName !== row.process ? `${row.process} (${row.serviceName})` : row.process,
		note: formatPercent(share, 1),
		share,
	}));
	options.unshift({ value: '', label: 'Every process', note: formatCount(rows.length), share: null });
	return options;
}

function hostWord(host: string): string {
	return host === ALL_HOSTS ? 'All hosts' : host || '–';
}

const noHosts = 'No host sent samples in this range.';
const noProcesses = 'No process has samples in this range.';

export function HostChoice() {
	const host = chosenHost.value;
	return (
		<Combo
			id="host"
			name="Host"
			value={host}
			shown={hostWord(host)}
			options={hostOptions()}
			emptyText={noHosts}
			onPick={(value) => at.go({ host: value, process: '', ...fresh })}
		/>
	);
}

export function ProcessChoice() {
	return (
		<Combo
			id="process"
			name="Process"
			value={at.process.value}
			shown={at.process.value || 'Every process'}
			options={processOptions()}
			emptyText={noProcesses}
			onPick={(value) => at.go({ process: value, ...fresh })}
		/>
	);
}

const sameOption: ComboOption = { value: SAME, label: 'Same as right', note: '', share: null };

/** Of the left side of a comparison. */
export function LeftHostChoice() {
	const host = at.leftHost.value;
	return (
		<Combo
			id="left-host"
			name="Host"
			value={host}
			shown={host === SAME ? 'same' : hostWord(host)}
			options={[sameOption, ...hostOptions()]}
			emptyText={noHosts}
			onPick={(value) => at.go({ leftHost: value })}
		/>
	);
}

export function LeftProcessChoice() {
	const process = at.leftProcess.value;
	return (
		<Combo
			id="left-process"
			name="Process"
			value={process}
			shown={process === SAME ? 'same' : process || 'Every process'}
			options={[sameOption, ...processOptions()]}
			emptyText={noProcesses}
			onPick={(value) => at.go({ leftProcess: value })}
		/>
	);
}
