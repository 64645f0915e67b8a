// SPDX-License-Identifier: Apache-2.0
// Values of status as people read them. What a number is follows from its key's ending, as the server
// names them, and from its size: only times since 1970 in nanoseconds are that large.

import { formatCount, formatPercent, formatValue } from './format.ts';
import { formatTime, zoneLabel, type Zone } from './time_range.ts';

const TIME_NS_MIN = 1e17;

const shortWords: Record<string, string> = { http: 'HTTP', grpc: 'gRPC', id: 'ID', cpus: 'CPUs', ns: '' };

export function fieldLabel(key: string): string {
	const words = key.split('_').map((word) => shortWords[word] ?? word).filter((word) => word !== '').join(' ');
	return words.charAt(0).toUpperCase() + words.slice(1);
}

function numberText(key: string, value: number, zone: Zone): string {
	if (value >= TIME_NS_MIN)
		return `${formatTime(value / 1e6, zone)} ${zoneLabel(value / 1e6, zone)}`;
	if (key.endsWith('_ns'))
		return (value < 0 ? '−' : '') + formatValue(Math.abs(value), 'nanoseconds');
	if (/(^|_)bytes$/.test(key) && value >= 0)
		return formatValue(value, 'bytes');
	if (key === 'coverage')
		return formatPercent(value, 1);
	return Number.isInteger(value) || Math.abs(value) >= 1000 ? formatCount(value) : String(Number(value.toPrecision(4)));
}

export function fieldText(key: string, value: unknown, zone: Zone): string {
	if (typeof value === 'number')
		return numberText(key, value, zone);
	if (typeof value === 'boolean')
		return value ? 'yes' : 'no';
	if (value === null || value === undefined)
		return '–';
	return typeof value === 'string' ? value : JSON.stringify(value);
}
