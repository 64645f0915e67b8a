// SPDX-License-Identifier: Apache-2.0
// The two sides of a comparison, and what the server says of them. The right side is what the page is about
// everywhere: its host, process and range; the left one is what that is compared with.

import { computed } from '@preact/signals';
import { fetchHosts, type Host } from '../api/catalog_service.ts';
import { fetchChange, fetchChangedFunctions, type ChangedFunctions } from '../api/change_service.ts';
import { changeTree, type ChangeParts, type ChangeTree } from '../model/change.ts';
import { selector } from '../model/selector.ts';
import { before, type Range } from '../model/time_range.ts';
import { askWhen, chosenHost, chosenType, grouping, looked, query, remotes } from './data.ts';
import * as at from './navigation.ts';
import { Remote } from './remote.ts';
import { ALL_HOSTS, NODES_DEFAULT, SAME } from './url.ts';

export const change = new Remote<ChangeParts>();
export const changedFunctions = new Remote<ChangedFunctions>();
export const leftHosts = new Remote<Host[]>();
export const rightHosts = new Remote<Host[]>();

export const rightRange = looked;
export const leftRange = computed((): Range => at.left.value ?? before(rightRange.value, Date.now()));

export const leftHost = computed(() => (at.leftHost.value === SAME ? chosenHost.value : at.leftHost.value));
export const leftProcess = computed(() => (at.leftProcess.value === SAME ? at.process.value : at.leftProcess.value));
export const leftQuery = computed(() => selector(chosenType.value, {
	host: leftHost.value === ALL_HOSTS ? '' : leftHost.value, process: leftProcess.value,
}));

const isShown = (): boolean => at.screen.value === 'compare' && chosenHost.value !== '';

const wanted = computed(() => ({
	leftQuery: leftQuery.value, rightQuery: query.value, left: leftRange.value, right: rightRange.value, ...grouping.value,
}));

/* Two sides come as JSON, which is several times as large as columns: fewer nodes at first, and at most. */
const NODES_FIRST = 65_536;
const NODES_MOST = 500_000;

askWhen(isShown, () => {
	const sides = wanted.value;
	const nodes = at.maxNodes.value === NODES_DEFAULT ? NODES_FIRST : Math.min(NODES_MOST, at.maxNodes.value);
	change.ask(JSON.stringify([sides, nodes]), (signal, id) => fetchChange(sides, nodes, id, { signal }));
});

askWhen(isShown, () => {
	const sides = wanted.value;
	changedFunctions.ask(JSON.stringify(sides), (signal) => fetchChangedFunctions(sides, { signal }));
});

function askHosts(remote: Remote<Host[]>, query: string, { from, until }: Range): void {
	remote.ask(`${query} ${from} ${until}`, (signal) => fetchHosts(from, until, { signal }, query));
}

askWhen(isShown, () => askHosts(leftHosts, leftQuery.value, leftRange.value));
askWhen(isShown, () => askHosts(rightHosts, query.value, rightRange.value));

remotes.push(change, changedFunctions, leftHosts, rightHosts);

/** The tree of both sides, as wide as the norm says. */
export const changedTree = computed((): ChangeTree | null => (change.data.value ? changeTree(change.data.value, at.norm.value) : null));

/** The sides change places: what was new is gone. */
export function swapSides(): void {
	const right = rightRange.value;
	const { from, until } = leftRange.value;
	at.go({
		from, until, span: null, left: right,
		host: leftHost.value, process: leftProcess.value,
		leftHost: chosenHost.value === leftHost.value ? SAME : chosenHost.value,
		leftProcess: at.process.value === leftProcess.value ? SAME : at.process.value,
	});
}
