// SPDX-License-Identifier: Apache-2.0
// What the charts over time show: the page's range, each side of a comparison with some time around it, and the
// heat map.

import { computed, effect, signal, type Signal } from '@preact/signals';
import { fetchHeat, fetchSeries } from '../api/series_service.ts';
import type { Heat } from '../model/heat.ts';
import { selector } from '../model/selector.ts';
import type { Series } from '../model/series.ts';
import { absolute, resolveTime, type Range, type Span } from '../model/time_range.ts';
import { askWhen, chosenType, labels, query, refreshes, remotes } from './data.ts';
import * as at from './navigation.ts';
import { Remote } from './remote.ts';
import { leftQuery, leftRange, rightRange } from './sides.ts';

/* More colours than this are not told apart. */
export const GROUPS_MAX = 6;

/** A chart's data and the time that it shows. */
export interface Chart {
	series: Remote<Series>;
	/** As it is asked for. */
	shown: () => Range;
}

function ask(series: Remote<Series>, wanted: string, { from, until }: Range, by: string): void {
	const request = { query: wanted, from, until, by, limit: GROUPS_MAX };
	series.ask(JSON.stringify(request), (signal) => fetchSeries(request, { signal }));
}

const pageRange = computed((): Range => ({ from: at.from.value, until: at.until.value }));

export const pageChart: Chart = { series: new Remote<Series>(), shown: () => pageRange.value };

askWhen(() => at.screen.value === 'hot' && at.host.value !== '', () => {
	ask(pageChart.series, query.value, pageRange.value, at.split.value);
});

/* A side of a comparison is shown with as much time before and after it. */
const AROUND = 1;
/* A side that is a smaller part of its chart than this can hardly be seen. */
const SIDE_SHARE_MIN = 0.01;

export interface SideChart extends Chart {
	/** In milliseconds; follows the side as it leaves what is shown. */
	window: Signal<Span>;
}

function windowAround(side: Range, now: number): Span {
	const from = resolveTime(side.from, now);
	const until = resolveTime(side.until, now);
	const more = (until - from) * AROUND;
	return [Math.round(from - more), Math.round(Math.min(until + more, Math.max(now, until)))];
}

function sideChart(side: () => Range, wanted: () => string): SideChart {
	const window = signal<Span>([0, 1]);
	effect(() => {
		void refreshes.value;
		const now = Date.now();
		const range = side();
		const from = resolveTime(range.from, now);
		const until = resolveTime(range.until, now);
		const [low, high] = window.peek();
		if (from < low || until > high || until - from < (high - low) * SIDE_SHARE_MIN)
			window.value = windowAround(range, now);
	});
	const chart: SideChart = { series: new Remote<Series>(), window, shown: () => absolute(...window.value) };
	askWhen(() => at.screen.value === 'compare' && at.host.value !== '', () => ask(chart.series, wanted(), chart.shown(), ''));
	return chart;
}

export const leftChart = sideChart(() => leftRange.value, () => leftQuery.value);
export const rightChart = sideChart(() => rightRange.value, () => query.value);

export const heat = new Remote<Heat>();

askWhen(() => at.screen.value === 'heat' && at.host.value !== '', () => {
	const wanted = { query: selector(chosenType.value, labels.value), ...pageRange.value };
	heat.ask(JSON.stringify(wanted), (signal, id) => fetchHeat(wanted, id, { signal }));
});

remotes.push(pageChart.series, leftChart.series, rightChart.series, heat);
