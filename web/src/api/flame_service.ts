// SPDX-License-Identifier: Apache-2.0
import { decodeFlame, decodeFlameJson, flameContentType } from '../model/flame_decode.ts';
import type { FlameTree } from '../model/flame_tree.ts';
import { request, type RequestOptions } from './client.ts';

export interface FlameRequest {
	query: string;
	from: string;
	until: string;
	maxNodes: number;
	group: string;
	showsInlined: boolean;
}

/** As parameters; what the server does by itself is left out. */
export function groupingParams(group: string, showsInlined: boolean): Record<string, string> {
	return { group: group === 'function' ? '' : group, inlined: showsInlined ? '' : 'hide' };
}

export function fetchFlame(wanted: FlameRequest, options: Pick<RequestOptions, 'signal'>): Promise<FlameTree> {
	const params = {
		query: wanted.query, from: wanted.from, until: wanted.until, max_nodes: wanted.maxNodes,
		...groupingParams(wanted.group, wanted.showsInlined),
	};
	const accept = `${flameContentType}, application/json;q=0.5`;
	return request('flame', params, { ...options, accept }, async (response) => {
		performance.mark('flame-answer');
		const type = response.headers.get('content-type') ?? '';
		if (type.startsWith('application/json'))
			return decodeFlameJson(await response.json());
		const bytes = new Uint8Array(await response.arrayBuffer());
		performance.mark('flame-bytes');
		const tree = decodeFlame(bytes);
		performance.mark('flame-decoded');
		return tree;
	});
}
