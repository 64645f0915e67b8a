// SPDX-License-Identifier: Apache-2.0
import { decodeFlame, flameContentType } from '../model/flame_decode.ts';
import { decodeFlameJson } from '../model/flame_json.ts';
import type { FlameTree } from '../model/flame_tree.ts';
import { request, type RequestOptions } from './client.ts';

export interface FlameRequest {
	query: string;
	from: string;
	until: string;
	maxNodes: number;
	group: string;
	showsInlined: boolean;
	showsBuilds: boolean;
	/** Labels whose values stand above the functions, separated by commas; '' = none. */
	root: string;
	/** The part of the tree that nodes are spent on first; null = none is preferred. */
	focus: FramePath | null;
}

/** Names from below the root on, and their modules. */
export interface FramePath {
	names: readonly string[];
	modules: readonly string[];
}

/** As parameters; what the server does by itself is left out. */
export function groupingParams(group: string, showsInlined: boolean, showsBuilds: boolean): Record<string, string> {
	return {
		group: group === 'function' ? '' : group,
		inlined: showsInlined ? '' : 'hide',
		builds: showsBuilds ? 'apart' : '',
	};
}

function hex(char: string): string {
	return `\\x${char.charCodeAt(0).toString(16).padStart(2, '0')}`;
}

/** As in a folded line: what would end a name, or look like such an escape, is written in hexadecimal. */
export function folded(steps: readonly string[]): string {
	return steps.map((step) => step.replace(/[;\x00-\x1f\x7f]|\\(?=x[0-9a-fA-F]{2})/g, hex)).join(';');
}

export function fetchFlame(wanted: FlameRequest, id: string, options: Pick<RequestOptions, 'signal'>): Promise<FlameTree> {
	const params = {
		query: wanted.query, from: wanted.from, until: wanted.until, max_nodes: wanted.maxNodes, root: wanted.root,
		...groupingParams(wanted.group, wanted.showsInlined, wanted.showsBuilds),
		...(wanted.focus ? { focus: folded(wanted.focus.names), focus_modules: folded(wanted.focus.modules) } : {}),
		id,
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
