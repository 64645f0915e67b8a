// SPDX-License-Identifier: Apache-2.0
import { signal } from '@preact/signals';
import { address } from '../api/client.ts';
import { absolute, spanOf, type Range } from '../model/time_range.ts';
import { looked, query, refresh } from '../state/data.ts';
import * as at from '../state/navigation.ts';
import { tree } from '../state/profile.ts';
import { theme, toggleTheme } from '../state/settings.ts';
import { leftQuery, leftRange } from '../state/sides.ts';
import { screens } from '../state/url.ts';
import { copyText } from './clipboard.ts';
import { Icon, Mark } from './icons.tsx';
import { helpOpen } from './key_help.tsx';
import { Popover } from './popover.tsx';
import { RangePicker } from './range_picker.tsx';
import { screenViews, shownScreen } from './screens.tsx';

const SHARED_FOR_MS = 2_000;
const shared = signal<'' | 'copied' | 'failed'>('');

function pinned(range: Range): Range {
	return absolute(...spanOf(range, Date.now()));
}

/** The range that is shown, pinned: a link must show tomorrow what it shows now. */
function pinnedRange(): Range {
	const held = tree.value;
	return held && at.screen.value === 'hot' && !at.span.value
		? absolute(held.fromMs, held.untilMs) : pinned({ from: at.from.value, until: at.until.value });
}

function share(): void {
	const left = at.screen.value === 'compare' ? pinned(leftRange.value) : at.left.value;
	const link = `${location.href.replace(/#.*$/, '')}${at.hrefOf({ ...pinnedRange(), left })}`;
	shared.value = copyText(link) ? 'copied' : 'failed';
	setTimeout(() => { shared.value = ''; }, SHARED_FOR_MS);
}

function exportsOfChange() {
	const params = {
		left_query: leftQuery.value, left_from: pinned(leftRange.value).from, left_until: pinned(leftRange.value).until,
		right_query: query.value, right_from: pinned(looked.value).from, right_until: pinned(looked.value).until,
	};
	return [
		{ label: 'Both trees as JSON', note: '.json', file: 'cairn-diff.json', href: address('diff', { view: 'tree', ...params }) },
		{ label: 'Changed functions as JSON', note: '.json', file: 'cairn-changes.json', href: address('diff', { view: 'functions', limit: 10_000, ...params }) },
	];
}

function exportsOfProfile() {
	const params = { query: query.value, ...(at.span.value ? pinned(looked.value) : pinnedRange()) };
	return [
		{ label: 'Folded stacks', note: '.folded', file: 'cairn.folded', href: address('export', { format: 'folded', ...params }) },
		{ label: 'pprof', note: '.pb.gz', file: 'cairn.pb.gz', href: address('export', { format: 'pprof', ...params }) },
		{ label: 'speedscope', note: '.json', file: 'cairn.speedscope.json', href: address('export', { format: 'speedscope', ...params }) },
		{ label: 'Picture', note: '.svg', file: 'cairn.svg', href: address('export', { format: 'svg', ...params }) },
		{ label: 'Call tree as JSON', note: '.json', file: 'cairn-flame.json', href: address('flame', params) },
		{ label: 'Function table as JSON', note: '.json', file: 'cairn-top.json', href: address('top', { ...params, limit: 10_000 }) },
	];
}

function ExportMenu() {
	const items = at.screen.value === 'compare' ? exportsOfChange() : exportsOfProfile();
	return (
		<Popover
			name="Export"
			title="Download what is selected"
			buttonClass="button button-icon"
			panelClass="menu"
			haspopup="menu"
			alignRight
			label={<Icon name="download" />}
		>
			{(close) => items.map((item) => (
				<a key={item.label} class="menu-item" href={item.href} download={item.file} onClick={close}>
					<span>{item.label}</span>
					<span class="quiet">{item.note}</span>
				</a>
			))}
		</Popover>
	);
}

export function TopBar() {
	const shareWord = shared.value === 'copied' ? 'Link copied' : shared.value === 'failed' ? 'Copy failed' : '';
	return (
		<header class="top-bar">
			<a class="brand" href={at.hrefOf({ screen: 'hot' })}>
				<Mark />
				<span>Cairn</span>
			</a>
			<nav class="tabs" aria-label="Screens">
				{screens.map((screen) => (
					<a key={screen} href={at.hrefOf({ screen })} aria-current={at.screen.value === screen ? 'page' : undefined}>
						{screenViews[screen].label}
					</a>
				))}
			</nav>
			<div class="top-right">
				<span class="quiet" role="status">{shareWord}</span>
				{shownScreen().takesRange && <RangePicker />}
				<button type="button" class="button button-icon" title="Ask again now (r)" aria-label="Refresh" onClick={refresh}>
					<Icon name="refresh" />
				</button>
				<span class="rule" />
				<button type="button" class="button button-icon" title="Copy a link to exactly this" aria-label="Share" onClick={share}>
					<Icon name={shared.value === 'copied' ? 'check' : 'link'} />
				</button>
				{shownScreen().canExport && <ExportMenu />}
				<button
					type="button"
					class="button button-icon"
					title="Light or dark (t)"
					aria-label={theme.value === 'dark' ? 'Use the light theme' : 'Use the dark theme'}
					onClick={toggleTheme}
				>
					<Icon name={theme.value === 'dark' ? 'sun' : 'moon'} />
				</button>
				<button type="button" class="button button-icon" title="Keys (?)" aria-label="Keys" onClick={() => { helpOpen.value = true; }}>
					?
				</button>
			</div>
		</header>
	);
}
