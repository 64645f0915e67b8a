// SPDX-License-Identifier: Apache-2.0
// Reads fields of foreign JSON: what has the wrong type is refused by name.

export type Json = Record<string, unknown>;

export class WrongJson extends Error {
	override name = 'WrongJson';
}

export function isObject(value: unknown): value is Json {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function list(value: unknown, key: string): Json[] {
	const found = isObject(value) ? value[key] : undefined;
	if (!Array.isArray(found) || !found.every(isObject))
		throw new WrongJson(`"${key}" is not a list of objects.`);
	return found;
}

export function text(json: Json, key: string): string {
	const found = json[key];
	if (typeof found !== 'string')
		throw new WrongJson(`"${key}" is not a text.`);
	return found;
}

export function textOr(json: Json, key: string, otherwise: string): string {
	const found = json[key];
	return typeof found === 'string' ? found : otherwise;
}

/** Also takes a number written as text: 64-bit values may come so. */
export function numberOr(json: Json, key: string, otherwise: number): number {
	const found = json[key];
	const value = typeof found === 'string' && found !== '' ? Number(found) : found;
	return typeof value === 'number' && Number.isFinite(value) ? value : otherwise;
}
