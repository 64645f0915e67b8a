// SPDX-License-Identifier: Apache-2.0
import { signal } from '@preact/signals';
import { address } from '../api/client.ts';
import { absolute } from '../model/time_range.ts';
import { query, refresh } from '../state/data.ts';
import * as at from '../state/navigation.ts';
import { tree } from '../state/profile.ts';
import { theme, toggleTheme } from '../state/settings.ts';
import { screens } from '../state/url.ts';
import { copyText } from './clipboard.ts';
import { Icon, Mark } from './icons.tsx';
import { helpOpen } from './key_help.tsx';
import { Popover } from './popover.tsx';
import { RangePicker } from './range_picker.tsx';
import { screenViews, shownScreen } from './screens.tsx';

const SHARED_FOR_MS = 2_000;
const shared = signal<'' | 'copied' | 'failed'>('');

/** The range that is shown, pinned: a link must show tomorrow what it shows now. */
function pinnedRange(): { from: string; until: string } {
	const held = tree.value;
	return held && at.screen.value === 'hot' ? absolute(held.fromMs, held.untilMs) : { from: at.from.value, until: at.until.value };
}

function share(): void {
	const link = `${location.href.replace(/#.*$/, '')}${at.hrefOf(pinnedRange())}`;
	shared.value = copyText(link) ? 'copied' : 'failed';
	setTimeout(() => { shared.value = ''; }, SHARED_FOR_MS);
}

function ExportMenu() {
	const params = { query: query.value, ...pinnedRange() };
	const items = [
		{ label: 'Folded stacks', note: '.folded', file: 'cairn.folded', href: address('export', { format: 'folded', ...params }) },
		{ label: 'Call tree as JSON', note: '.json', file: 'cairn-flame.json', href: address('flame', params) },
		{ label: 'Function table as JSON', note: '.json', file: 'cairn-top.json', href: address('top', { ...params, limit: 10_000 }) },
	];
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
