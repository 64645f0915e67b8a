// SPDX-License-Identifier: Apache-2.0
// When samples fell within each second: threads in step with a clock show as stripes, a stop shows as a
// hole. What is selected, down to 20 ms, is what the graph below is about.

import type { TargetedKeyboardEvent } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { HeatStage } from '../chart/heat_stage.ts';
import { chartInks, heatRamp } from '../chart/ink.ts';
import { formatCount, formatPercent, plural } from '../model/format.ts';
import { cellCount, cellOf, cellsOfSpan, cellStart, countIn, HEAT_STEPS, spanOfCells, type Heat } from '../model/heat.ts';
import { formatTime, type Span } from '../model/time_range.ts';
import { heat } from '../state/charts.ts';
import * as at from '../state/navigation.ts';
import { theme, zone } from '../state/settings.ts';
import { Banner, PartialNote } from './banner.tsx';
import { spanWords } from './chart_words.ts';
import { SelectedNote } from './page_chart.tsx';
import { Progress } from './progress.tsx';

/* As fine as moments are kept. */
const SLOT_MS = 20;

function cellWords(map: Heat, cell: number): string {
	const fromMs = cellStart(map, cell);
	const covered = map.coveredNs[Math.floor(cell / map.rowCount)] > 0;
	return `${spanWords([fromMs, fromMs + map.rowMs], zone.value)}: ${covered ? plural(map.counts[cell], 'sample') : 'nothing is known'}`;
}

function movedCell(map: Heat, key: string, cell: number): number {
	const by: Record<string, number> = { ArrowUp: -1, ArrowDown: 1, ArrowLeft: -map.rowCount, ArrowRight: map.rowCount };
	if (key === 'Home' || key === 'End')
		return key === 'Home' ? 0 : cellCount(map) - 1;
	if (!(key in by))
		return -1;
	const next = cell < 0 ? 0 : cell + by[key];
	return next >= 0 && next < cellCount(map) ? next : cell;
}

function Legend({ map }: { map: Heat }) {
	return (
		<div class="heat-legend" aria-hidden="true">
			<span>{plural(1, 'sample')}</span>
			<span class="heat-ramp">
				{heatRamp(theme.value, HEAT_STEPS).map(({ css }) => <i key={css} style={{ backgroundColor: css }} />)}
			</span>
			<span>{formatCount(map.countMax)} in {map.rowMs} ms</span>
		</div>
	);
}

/** Says where the moments of samples are not known: what looks even there may not have been. */
function SpreadNote({ map }: { map: Heat }) {
	if (map.spreadCount === 0)
		return null;
	return (
		<Banner tone="note">
			{formatPercent(map.spreadCount, map.sampleCount)} of these samples have no moment of their own any more
			{map.spreadUntilMs > 0 && <>, those until {formatTime(map.spreadUntilMs, zone.value)}</>}
			: they are drawn evenly over the window in which they were taken.
		</Banner>
	);
}

function Map({ map }: { map: Heat }) {
	const canvas = useRef<HTMLCanvasElement>(null);
	const stage = useRef<HeatStage | null>(null);
	const [hover, setHover] = useState<{ cell: number; x: number; y: number } | null>(null);
	const [standing, setStanding] = useState({ cell: -1, anchor: -1 });
	const ramp = useMemo(() => heatRamp(theme.value, HEAT_STEPS), [theme.value]);
	const cursor = standing.cell < cellCount(map) ? standing.cell : -1;

	useEffect(() => {
		const made = new HeatStage(canvas.current!, {
			hover: (cell, x, y) => setHover(cell < 0 ? null : { cell, x, y }),
			select: (span) => at.go({ span }),
		});
		stage.current = made;
		return () => made.close();
	}, []);

	useEffect(() => {
		stage.current?.update({
			heat: map, selected: at.span.value, cursor, ink: chartInks[theme.value], ramp,
			font: `12px ${getComputedStyle(document.body).fontFamily}`, zone: zone.value,
		});
	}, [map, at.span.value, cursor, theme.value, zone.value]);

	const select = (a: number, b: number): void => at.go({ span: spanOfCells(map, a, b) });
	const keys = (event: TargetedKeyboardEvent<HTMLDivElement>): void => {
		if (event.ctrlKey || event.metaKey || event.altKey || cellCount(map) === 0)
			return;
		const start = cursor >= 0 ? cursor : at.span.value ? Math.max(0, cellOf(map, at.span.value[0]) - 1) : -1;
		const next = movedCell(map, event.key, start);
		if (next >= 0) {
			const anchor = event.shiftKey ? (standing.anchor >= 0 ? standing.anchor : Math.max(0, start)) : -1;
			setStanding({ cell: next, anchor });
			if (anchor >= 0)
				select(anchor, next);
		} else if (event.key === 'Enter' && cursor >= 0) {
			select(cursor, cursor);
		} else if (event.key === 'Escape' && at.span.value) {
			at.go({ span: null });
		} else {
			return;
		}
		event.preventDefault();
		event.stopPropagation();
	};

	const shown = hover ?? (cursor >= 0 && document.activeElement?.classList.contains('heat') && stage.current
		? { cell: cursor, ...stage.current.placeOf(cursor) } : null);
	return (
		<div
			class="heat"
			role="slider"
			tabIndex={0}
			aria-label="Samples by the part of the second"
			aria-valuemin={0}
			aria-valuemax={Math.max(0, cellCount(map) - 1)}
			aria-valuenow={Math.max(0, cursor)}
			aria-valuetext={cursor >= 0 ? cellWords(map, cursor) : 'up and down walk through a second, left and right to the next one; Shift selects, Enter selects one cell, Escape nothing'}
			onKeyDown={keys}
		>
			<canvas ref={canvas} aria-hidden="true" />
			{shown && shown.cell < cellCount(map) && (
				<div class="tip heat-tip" role="presentation" style={{ transform: `translate(${Math.min(shown.x + 14, innerWidth - 240)}px, ${shown.y + 16}px)` }}>
					{cellWords(map, shown.cell)}
				</div>
			)}
		</div>
	);
}

/** What to do next; a cell of more than a slot is no part of a second any more. */
function Hint({ map }: { map: Heat | null }) {
	if (map && map.rowMs > SLOT_MS)
		return <p class="quiet">A cell is {map.rowMs} ms here: choose a shorter range to see parts of a second. Drag to select.</p>;
	return <p class="quiet">Drag over the map to see what ran then. A double click takes a whole column.</p>;
}

/** How much of the samples the selection has. */
function SelectedShare({ map, span }: { map: Heat; span: Span }) {
	const cells = cellsOfSpan(map, span);
	if (!cells)
		return <span class="quiet">The selection lies outside of this map.</span>;
	const count = countIn(map, ...cells);
	return <span class="quiet">{plural(count, 'sample')}, {formatPercent(count, map.sampleCount)}</span>;
}

export function HeatMap() {
	const map = heat.data.value;
	if (heat.error.value?.status === 404) {
		return (
			<Banner tone="note">This server has no heat map: it is older than this page.</Banner>
		);
	}
	return (
		<section class="heat-map" aria-label="Heat map" aria-busy={map === null}>
			<div class="chart-head">
				{map && cellCount(map) > 0 && <Legend map={map} />}
				<Progress remote={heat} />
				{map && at.span.value && <SelectedShare map={map} span={at.span.value} />}
				{at.span.value ? <SelectedNote /> : <Hint map={map} />}
			</div>
			<PartialNote partial={map?.partial ?? null} of=" of the heat map" />
			{map && <SpreadNote map={map} />}
			{map && cellCount(map) > 0 && <Map map={map} />}
		</section>
	);
}
