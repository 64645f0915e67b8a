// SPDX-License-Identifier: Apache-2.0
// A chart over time that selects: by drag, by touch, by keys. To readers it is a slider that walks along the
// steps and says each.

import type { TargetedKeyboardEvent } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { chartInks } from '../chart/ink.ts';
import { groupColour, SeriesStage } from '../chart/series_stage.ts';
import { stepSpan, type Series } from '../model/series.ts';
import { spanOf, type Range, type Span } from '../model/time_range.ts';
import { theme, zone } from '../state/settings.ts';
import { formatRate, stepWords } from './chart_words.ts';

interface ChartProps {
	series: Series | null;
	/** What the page asks for; the answer knows its ends better. */
	shown: Range;
	selected: Span | null;
	/** For readers: what is charted. */
	name: string;
	/** What a rate of times is of: `cores`, `threads`. */
	noun: string;
	side?: 'left' | 'right';
	onSelect: (span: Span | null) => void;
	onZoom: (span: Span) => void;
	/** -1 = none. */
	onHover?: (step: number) => void;
}

function shownSpan({ series, shown }: ChartProps): Span {
	return series && series.fromMs < series.untilMs ? [series.fromMs, series.untilMs] : spanOf(shown, Date.now());
}

/** Where the keys stand, and from where Shift selects; -1 = nowhere yet. */
interface Standing {
	step: number;
	anchor: number;
}

function moved(key: string, step: number, count: number): number {
	switch (key) {
	case 'ArrowLeft': return step < 0 ? count - 1 : Math.max(0, step - 1);
	case 'ArrowRight': return step < 0 ? 0 : Math.min(count - 1, step + 1);
	case 'PageUp': return Math.max(0, step - 10);
	case 'PageDown': return Math.min(count - 1, Math.max(0, step) + 10);
	case 'Home': return 0;
	case 'End': return count - 1;
	default: return -1;
	}
}

function fontOf(): string {
	return `12px ${getComputedStyle(document.body).fontFamily}`;
}

export function SeriesChart(props: ChartProps) {
	const canvas = useRef<HTMLCanvasElement>(null);
	const stage = useRef<SeriesStage | null>(null);
	const latest = useRef(props);
	latest.current = props;
	const [standing, setStanding] = useState<Standing>({ step: -1, anchor: -1 });
	const { series } = props;
	const step = series && standing.step < series.values.length ? standing.step : -1;

	useEffect(() => {
		const made = new SeriesStage(canvas.current!, {
			hover: (at) => latest.current.onHover?.(at),
			select: (span) => latest.current.onSelect(span),
			zoom: (span) => latest.current.onZoom(span),
		});
		stage.current = made;
		return () => made.close();
	}, []);

	useEffect(() => {
		const ink = chartInks[theme.value];
		stage.current?.update({
			series,
			shown: shownSpan(props),
			selected: props.selected,
			cursor: step,
			ink,
			edge: props.side === 'left' ? ink.left : props.side === 'right' ? ink.right : ink.selected,
			font: fontOf(),
			zone: zone.value,
			scale: (max) => formatRate(max, series?.unit ?? 'count', props.noun),
		});
	});

	const keys = (event: TargetedKeyboardEvent<HTMLDivElement>): void => {
		if (event.ctrlKey || event.metaKey || event.altKey || !series || series.values.length === 0)
			return;
		const next = moved(event.key, step, series.values.length);
		if (next >= 0) {
			const anchor = event.shiftKey ? (standing.anchor >= 0 ? standing.anchor : Math.max(0, step)) : -1;
			setStanding({ step: next, anchor });
			props.onHover?.(next);
			if (anchor >= 0)
				props.onSelect([stepSpan(series, Math.min(anchor, next))[0], stepSpan(series, Math.max(anchor, next))[1]]);
		} else if (event.key === 'Enter' && step >= 0) {
			props.onSelect(stepSpan(series, step) as Span);
		} else if (event.key === 'Escape' && props.selected) {
			props.onSelect(null);
		} else {
			return;
		}
		event.preventDefault();
		event.stopPropagation();
	};

	return (
		<div
			class="chart"
			role="slider"
			tabIndex={0}
			aria-label={props.name}
			aria-orientation="horizontal"
			aria-valuemin={0}
			aria-valuemax={Math.max(0, (series?.values.length ?? 1) - 1)}
			aria-valuenow={Math.max(0, step)}
			aria-valuetext={series && step >= 0 ? stepWords(series, step, zone.value, props.noun) : 'arrows walk, Shift and arrows select, Enter selects one step, Escape selects nothing'}
			onKeyDown={keys}
		>
			<canvas ref={canvas} aria-hidden="true" />
		</div>
	);
}

/** The groups with their colours; of step HOVERED, or of all. */
export function SeriesLegend({ series, hovered, noun }: { series: Series; hovered: number; noun: string }) {
	const ink = chartInks[theme.value];
	const covered = series.coveredNs.reduce((sum, ns) => sum + ns, 0);
	return (
		<ul class="chart-legend" aria-label="Colours of the chart">
			{series.groups.map((group, i) => {
				const per = hovered >= 0 ? series.coveredNs[hovered] : covered;
				const rate = per > 0 ? ((hovered >= 0 ? group.values[hovered] : group.total) * 1e9) / per : NaN;
				const label = group.label || `${series.restCount || ''} others`.trim();
				return (
					<li key={group.label} title={label}>
						<span class="swatch" style={{ backgroundColor: groupColour(ink, series, i) }} />
						<span class={`chart-group ${group.label === '' ? 'quiet' : ''}`}>{label}</span>
						<span class="chart-rate">{formatRate(rate, series.unit, noun)}</span>
					</li>
				);
			})}
		</ul>
	);
}
