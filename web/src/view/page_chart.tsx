// SPDX-License-Identifier: Apache-2.0
// Above the graph: when it was. A part that is selected here is what graph and table are about.

import { useState } from 'preact/hooks';
import { stepSpan } from '../model/series.ts';
import { absolute, type Span } from '../model/time_range.ts';
import { pageChart } from '../state/charts.ts';
import { chosenType } from '../state/data.ts';
import * as at from '../state/navigation.ts';
import { zone } from '../state/settings.ts';
import { splits, type Split } from '../state/url.ts';
import { PartialNote } from './banner.tsx';
import { formatRate, lengthWords, spanWords } from './chart_words.ts';
import { SeriesChart, SeriesLegend } from './series_chart.tsx';
import { rateNoun } from './type_names.ts';

const splitLabels: Record<Split, string> = { '': 'nothing', host: 'host', process: 'process', thread: 'thread' };

export function zoomTo(span: Span): void {
	at.go({ ...absolute(...span), span: null });
}

/** What is selected of the range, and what can be done with it. */
export function SelectedNote() {
	const span = at.span.value;
	if (!span)
		return null;
	return (
		<p class="chart-selected" role="status">
			<span>
				Selected <b>{spanWords(span, zone.value)}</b> <span class="quiet">{lengthWords(span)}</span>
			</span>
			<button type="button" class="button button-small" title="Make this the range" onClick={() => zoomTo(span)}>Zoom in</button>
			<button type="button" class="button button-small" title="Compare this with the time before it" onClick={() => at.go({ screen: 'compare', left: null })}>
				Compare
			</button>
			<button type="button" class="button button-small" onClick={() => at.go({ span: null })}>Clear</button>
		</p>
	);
}

export function PageChart() {
	const [hovered, setHovered] = useState(-1);
	const series = pageChart.series.data.value;
	const noun = rateNoun(chosenType.value);
	/* A server of an earlier version has none: the page is whole without. */
	if (pageChart.series.error.value?.status === 404)
		return null;
	const step = series && hovered < series.values.length ? hovered : -1;
	const rate = series && step >= 0 && series.coveredNs[step] > 0 ? (series.values[step] * 1e9) / series.coveredNs[step] : NaN;
	return (
		<section class="page-chart" aria-label="Over time">
			<div class="chart-head">
				<label class="select">
					<span>Split by</span>
					<select value={at.split.value} onChange={(event) => at.go({ split: event.currentTarget.value as Split })}>
						{splits.map((split) => <option key={split} value={split}>{splitLabels[split]}</option>)}
					</select>
				</label>
				{series && series.groups.length > 0 && <SeriesLegend series={series} hovered={step} noun={noun} />}
				<SelectedNote />
			</div>
			<PartialNote partial={series?.partial ?? null} of=" of the chart" />
			<div class="chart-frame">
				{series && step >= 0 && (
					<span class="chart-hover" aria-hidden="true">
						{spanWords(stepSpan(series, step), zone.value)}
						{' '}<b>{Number.isNaN(rate) ? 'nothing is known' : formatRate(rate, series.unit, noun)}</b>
					</span>
				)}
				<SeriesChart
					series={series}
					shown={pageChart.shown()}
					selected={at.span.value}
					name="Values over time"
					noun={noun}
					onSelect={(span) => at.go({ span })}
					onZoom={zoomTo}
					onHover={setHovered}
				/>
			</div>
		</section>
	);
}
