// SPDX-License-Identifier: Apache-2.0
import { useEffect, useState } from 'preact/hooks';
import { live } from '../state/data.ts';
import * as at from '../state/navigation.ts';
import { chooseZone, zone } from '../state/settings.ts';
import { formatTime, isRange, isRelative, parseTime, presets, rangeLabel, resolveTime, zoneLabel, type Range, type Zone } from '../model/time_range.ts';
import { Icon } from './icons.tsx';
import { Popover } from './popover.tsx';

function written(time: string): string {
	return time.startsWith('now') ? time : formatTime(Number(time), zone.value);
}

function ownRange(from: string, until: string): { from: string; until: string } | string {
	const range = { from: parseTime(from, zone.value), until: parseTime(until, zone.value) };
	if (range.from === null || range.until === null)
		return `“${range.from === null ? from : until}” is no time. Write 2026-03-29 14:05, now-2h or epoch seconds.`;
	const parsed = { from: range.from, until: range.until };
	return isRange(parsed) ? parsed : 'The range must end after it begins.';
}

export function OwnRange({ range, onApply }: { range: Range; onApply: (range: Range) => void }) {
	const [from, setFrom] = useState(written(range.from));
	const [until, setUntil] = useState(written(range.until));
	const [wrong, setWrong] = useState('');
	useEffect(() => {
		setFrom(written(range.from));
		setUntil(written(range.until));
	}, [zone.value]);
	const apply = (): void => {
		const own = ownRange(from, until);
		if (typeof own === 'string')
			setWrong(own);
		else
			onApply(own);
	};
	return (
		<form
			class="range-own"
			onSubmit={(event) => {
				event.preventDefault();
				apply();
			}}
		>
			<label>
				From
				<input type="text" spellcheck={false} value={from} onInput={(event) => setFrom(event.currentTarget.value)} />
			</label>
			<label>
				Until
				<input type="text" spellcheck={false} value={until} onInput={(event) => setUntil(event.currentTarget.value)} />
			</label>
			{wrong && <p class="form-error" role="alert">{wrong}</p>}
			<button type="submit" class="button button-strong">Apply</button>
		</form>
	);
}

function ZoneChoice() {
	const choices: { zone: Zone; label: string }[] = [
		{ zone: 'local', label: `Local (${zoneLabel(Date.now(), 'local')})` },
		{ zone: 'utc', label: 'UTC' },
	];
	return (
		<div class="segments" role="group" aria-label="Time zone">
			{choices.map((choice) => (
				<button type="button" key={choice.zone} aria-pressed={zone.value === choice.zone} onClick={() => chooseZone(choice.zone)}>
					{choice.label}
				</button>
			))}
		</div>
	);
}

export function RangePicker() {
	const range = { from: at.from.value, until: at.until.value };
	const now = Date.now();
	const label = rangeLabel(range, zone.value, now);
	const isPreset = presets.some((preset) => preset.from === range.from && preset.until === range.until);
	const zoneWord = zoneLabel(resolveTime(range.from, now), zone.value);
	return (
		<div class="range">
			<Popover
				name={`Time range: ${label}`}
				buttonClass="button range-button"
				panelClass="range-panel"
				alignRight
				label={
					<>
						<span>{label}</span>
						{!isRelative(range) && <span class="quiet">{zoneWord}</span>}
						<Icon name="chevron" />
					</>
				}
			>
				{(close) => (
					<>
						<ul class="range-presets">
							{presets.map((preset) => (
								<li key={preset.from}>
									<button
										type="button"
										class="range-preset"
										aria-pressed={isPreset && preset.from === range.from}
										onClick={() => {
											close();
											at.go({ from: preset.from, until: preset.until, span: null });
										}}
									>
										{preset.label}
									</button>
								</li>
							))}
						</ul>
						<div class="range-side">
							<OwnRange
								range={range}
								onApply={(own) => {
									close();
									at.go({ ...own, span: null });
								}}
							/>
							<ZoneChoice />
						</div>
					</>
				)}
			</Popover>
			<button
				type="button"
				class="button"
				title={isRelative(range) ? 'Ask again every 10 seconds' : 'A fixed range does not change: choose one that ends now'}
				aria-pressed={live.value}
				disabled={!isRelative(range)}
				onClick={() => { live.value = !live.value; }}
			>
				<Icon name={live.value ? 'pause' : 'play'} />
				Live
			</button>
		</div>
	);
}
