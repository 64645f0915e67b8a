// SPDX-License-Identifier: Apache-2.0
// What the page asks the server for, and when: as soon as the answer could differ.

import { computed, effect, signal } from '@preact/signals';
import { fetchHosts, fetchProcesses, fetchTypes, type Host, type Process, type ProfileType } from '../api/catalog_service.ts';
import { fetchFlame } from '../api/flame_service.ts';
import type { Json } from '../api/json.ts';
import { fetchLines, fetchSourceText, type FunctionLines } from '../api/source_service.ts';
import { fetchStatus } from '../api/status_service.ts';
import { fetchSymbols, type SymbolCoverage } from '../api/symbol_service.ts';
import type { FlameTree } from '../model/flame_tree.ts';
import { selector } from '../model/selector.ts';
import { absolute, isRelative, type Range } from '../model/time_range.ts';
import * as at from './navigation.ts';
import { ALL_HOSTS } from './url.ts';
import { Remote } from './remote.ts';

const LIVE_MS = 10_000;
const FIRST_HOST_MS = 5_000;
/* Asked for at once while the list of types is still on its way: nearly always right. */
const TYPE_FIRST = 'process_cpu:cpu:nanoseconds:cpu:nanoseconds';

export const hosts = new Remote<Host[]>();
export const processes = new Remote<Process[]>();
export const types = new Remote<ProfileType[]>();
export const flame = new Remote<FlameTree>();
export const status = new Remote<Json>();
export const symbols = new Remote<SymbolCoverage>();
/** Of the function whose source is open. */
export const functionLines = new Remote<FunctionLines>();
export const sourceText = new Remote<string[]>();

/** Where samples were seen at all, asked only when a range turns out empty. */
export const everSeen = new Remote<Host[]>();

export const live = signal(false);
/** Counts refreshes: what depends on it asks again. */
const tick = signal(0);

export function refresh(): void {
	tick.value++;
}

/** For what has to follow "now" whenever something is asked for again. */
export const refreshes = computed(() => tick.value);

const range = computed((): Range => ({ from: at.from.value, until: at.until.value }));

/** What is looked at: the part of the range that was picked, or all of it. */
export const looked = computed((): Range => (at.span.value ? absolute(...at.span.value) : range.value));

const showsFlame = computed(() => at.screen.value === 'hot' || at.screen.value === 'heat');
/** Screens that are about profiles of one host or process. */
const showsProfile = computed(() => showsFlame.value || at.screen.value === 'compare');
const hasSubject = computed(() => showsProfile.value || at.screen.value === 'symbols');

/* The busiest host is chosen once: a live page must not jump to another one. */
effect(() => {
	const busiest = hosts.data.value?.[0]?.host;
	if (busiest !== undefined && at.host.value === '' && hasSubject.value)
		at.adjust({ host: busiest });
});

/** The host in use, '' while none is known, ALL_HOSTS for every one. */
export const chosenHost = computed(() => at.host.value || (hosts.data.value?.[0]?.host ?? ''));

/** The host as a label value: '' = any. */
const hostLabel = computed(() => (chosenHost.value === ALL_HOSTS ? '' : chosenHost.value));

const presentTypes = computed(() => types.data.value ?? []);

export const chosenType = computed(() => {
	const present = presentTypes.value;
	const wanted = at.type.value || TYPE_FIRST;
	if (present.length === 0 || present.some(({ id }) => id === wanted))
		return wanted;
	return present[0].id;
});

/** The type that the link asks for, if it has no samples here and another one is shown. */
export const missingType = computed(() => (at.type.value && chosenType.value !== at.type.value ? at.type.value : ''));

export const labels = computed(() => ({ host: hostLabel.value, process: at.process.value }));
export const query = computed(() => selector(chosenType.value, labels.value));

/** Asks when what ASK reads has changed or the data may have: never for a screen that is not shown. */
export function askWhen(shown: () => boolean, ask: () => void): void {
	effect(() => {
		void tick.value;
		if (shown())
			ask();
	});
}

askWhen(() => at.screen.value !== 'status', () => {
	const { from, until } = range.value;
	hosts.ask(`${from} ${until}`, (signal) => fetchHosts(from, until, { signal }));
});

askWhen(() => hasSubject.value && chosenHost.value !== '', () => {
	const { from, until } = range.value;
	const host = hostLabel.value;
	processes.ask(`${host} ${from} ${until}`, (signal) => fetchProcesses(host, from, until, { signal }));
});

askWhen(() => showsProfile.value && chosenHost.value !== '', () => {
	const { from, until } = range.value;
	const wanted = selector('', labels.value);
	types.ask(`${wanted} ${from} ${until}`, (signal) => fetchTypes(wanted, from, until, { signal }));
});

/** What counts as one frame. */
export const grouping = computed(() => ({
	group: at.group.value, showsInlined: at.showsInlined.value, showsBuilds: at.showsBuilds.value,
}));

askWhen(() => showsFlame.value && chosenHost.value !== '', () => {
	const wanted = {
		query: query.value, ...looked.value, maxNodes: at.maxNodes.value, root: at.root.value, focus: at.opened.value, ...grouping.value,
	};
	flame.ask(JSON.stringify(wanted), (signal, id) => fetchFlame(wanted, id, { signal }));
});

askWhen(() => at.screen.value === 'symbols' && chosenHost.value !== '', () => {
	const { from, until } = range.value;
	const wanted = query.value;
	symbols.ask(`${wanted} ${from} ${until}`, (signal) => fetchSymbols(wanted, from, until, { signal }));
});

askWhen(() => showsFlame.value && at.source.value !== '' && chosenHost.value !== '', () => {
	const [name, module] = at.source.value.split('\0');
	const wanted = { query: query.value, ...looked.value, name, module: module ?? '', showsInlined: at.showsInlined.value };
	functionLines.ask(JSON.stringify(wanted), (signal) => fetchLines(wanted, { signal }));
});

/* The text follows the lines: only they say of which file, and of which build. */
effect(() => {
	const held = functionLines.data.value;
	if (held && at.source.value !== '' && held.buildId !== '' && held.file.startsWith('/'))
		sourceText.ask(`${held.buildId} ${held.file}`, (signal) => fetchSourceText(held.buildId, held.file, { signal }));
	else
		sourceText.stop();
});

askWhen(() => at.screen.value === 'status', () => {
	status.ask('status', (signal) => fetchStatus({ signal }));
});

/* The first collector was perhaps just started: its samples show without a key pressed. */
effect(() => {
	if (hosts.data.value?.length !== 0 || at.host.value !== '' || at.screen.value === 'status')
		return;
	const timer = setTimeout(refresh, FIRST_HOST_MS);
	return () => clearTimeout(timer);
});

/* Nobody sends anything in this range: was anybody ever there? */
effect(() => {
	const empty = hosts.data.value?.length === 0 || (showsFlame.value && flame.data.value?.total[0] === 0);
	if (empty)
		everSeen.ask('ever', (signal) => fetchHosts('now-90d', 'now', { signal }));
});

effect(() => {
	if (!live.value)
		return;
	const timer = setInterval(() => {
		if (!document.hidden)
			refresh();
	}, LIVE_MS);
	return () => clearInterval(timer);
});

/* A range that does not move has nothing live about it. */
effect(() => {
	if (!isRelative(range.value))
		live.value = false;
});

/** Asked again when the line is back. */
export const remotes: Remote<unknown>[] = [hosts, processes, types, flame, status, symbols, functionLines, sourceText];

addEventListener('online', () => {
	for (const remote of remotes) {
		if (remote.error.peek())
			remote.retry();
	}
});
