// SPDX-License-Identifier: Apache-2.0
// Pyroscope's label selector, as the server reads it: `type{name="value",...}`.

/** A label value between quotes, escaped as in Go: whatever it holds, it cannot end the string. */
export function quoteLabel(value: string): string {
	const escaped = value.replace(/[\\"]/g, '\\$&').replaceAll('\n', '\\n').replaceAll('\r', '\\r').replaceAll('\t', '\\t');
	return `"${escaped}"`;
}

/** Labels without a value are left out: the selector then takes any. */
export function selector(type: string, labels: Record<string, string>): string {
	const pairs = Object.entries(labels)
		.filter(([, value]) => value !== '')
		.map(([name, value]) => `${name}=${quoteLabel(value)}`);
	return `${type}{${pairs.join(',')}}`;
}
