// SPDX-License-Identifier: Apache-2.0
// What went wrong and what the profile does not know, in a slot of its own below the bar. What was on the
// screen stays there.

import type { ComponentChildren } from 'preact';
import type { ApiError } from '../api/client.ts';
import { formatPercent, formatValue, plural } from '../model/format.ts';
import type { Quality } from '../model/quality.ts';
import type { FlameTree, PartialAnswer } from '../model/flame_tree.ts';
import { formatSpan, zoneLabel } from '../model/time_range.ts';
import { chosenType, missingType } from '../state/data.ts';
import * as at from '../state/navigation.ts';
import { focusIsLost, isEmpty, quality, tree } from '../state/profile.ts';
import type { Remote } from '../state/remote.ts';
import { zone } from '../state/settings.ts';
import { useClock } from './clock.ts';
import { canLoadMore, loadMore } from './frame_actions.ts';
import { Icon } from './icons.tsx';
import { Popover } from './popover.tsx';

/* Below this share a gap is not worth a line; from WARN_SHARE on it is a warning. */
const NOTE_SHARE = 0.0005;
const WARN_SHARE = 0.05;
const LISTED_MAX = 12;

export function Banner({ tone, children, action }: { tone: 'error' | 'note'; children: ComponentChildren; action?: ComponentChildren }) {
	return (
		<div class={`banner banner-${tone}`} role={tone === 'error' ? 'alert' : 'status'}>
			<Icon name="warning" />
			<p>{children}</p>
			{action}
		</div>
	);
}

function Failure({ remote, error }: { remote: Remote<unknown>; error: ApiError }) {
	const retryAt = remote.retryAt.value;
	const now = useClock(retryAt > 0, 500);
	const seconds = Math.max(0, Math.ceil((retryAt - now) / 1000));
	return (
		<Banner
			tone="error"
			action={
				<>
					{retryAt > 0 && <span class="quiet">again in {seconds} s</span>}
					<button type="button" class="button button-small" onClick={() => remote.retry()}>Try again</button>
				</>
			}
		>
			<b>{error.title}</b> {error.message} {error.advice}
			{remote.data.value !== null && ' What is shown is from before.'}
		</Banner>
	);
}

/** Those that this server knows: an earlier one has no charts, and the page is whole without. */
export function known(remotes: readonly Remote<unknown>[]): Remote<unknown>[] {
	return remotes.filter((remote) => remote.error.value?.status !== 404);
}

/** One banner for what several requests say alike. */
export function Failures({ remotes }: { remotes: readonly Remote<unknown>[] }) {
	const failed = remotes.filter((remote) => remote.error.value !== null);
	const texts = new Set<string>();
	return (
		<>
			{failed.map((remote, i) => {
				const error = remote.error.value!;
				const text = `${error.title} ${error.message}`;
				if (texts.has(text))
					return null;
				texts.add(text);
				return <Failure key={i} remote={remote} error={error} />;
			})}
		</>
	);
}

function Breakdown({ title, rows, held }: { title: string; rows: { label: string; value: number }[]; held: FlameTree }) {
	return (
		<>
			<h3>{title}</h3>
			<table class="plain">
				<tbody>
					{rows.slice(0, LISTED_MAX).map(({ label, value }) => (
						<tr key={label}>
							<td>{label}</td>
							<td class="number">{formatValue(value, held.unit)}</td>
							<td class="number">{formatPercent(value, held.total[0])}</td>
						</tr>
					))}
				</tbody>
			</table>
			{rows.length > LISTED_MAX && <p class="quiet">and {rows.length - LISTED_MAX} more</p>}
		</>
	);
}

function UnnamedNote({ held, known }: { held: FlameTree; known: Quality }) {
	const rows = known.unnamedByModule.map(({ module, value }) => ({ label: module || 'no known binary', value }));
	return (
		<Popover
			name="Frames without a name"
			buttonClass={`note ${known.unnamed / held.total[0] >= WARN_SHARE ? 'is-warning' : ''}`}
			panelClass="note-panel"
			label={
				<>
					<b>{formatPercent(known.unnamed, held.total[0])}</b> unnamed, {plural(rows.length, 'binary', 'binaries')}
				</>
			}
		>
			{() => (
				<>
					<Breakdown title="Time in frames without a name" rows={rows} held={held} />
					<p class="quiet">
						The server looks for symbols of these binaries; names appear in this very range once they are found.
					</p>
					<p><a href={at.hrefOf({ screen: 'symbols' })}>Symbols: why they have no names, and what helps</a></p>
				</>
			)}
		</Popover>
	);
}

function IncompleteNote({ held, known }: { held: FlameTree; known: Quality }) {
	const rows = known.incompleteByMarker.map(({ marker, value }) => ({ label: marker, value }));
	return (
		<Popover
			name="Incomplete stacks"
			buttonClass={`note ${known.incomplete / held.total[0] >= WARN_SHARE ? 'is-warning' : ''}`}
			panelClass="note-panel"
			label={
				<>
					<b>{formatPercent(known.incomplete, held.total[0])}</b> in incomplete stacks
				</>
			}
		>
			{() => (
				<>
					<Breakdown title="Stacks that are not whole" rows={rows} held={held} />
					<p class="quiet">Their time is counted; some of their callers are not known. They are hatched in the graph.</p>
				</>
			)}
		</Popover>
	);
}

function TrimmedNote({ held, known }: { held: FlameTree; known: Quality }) {
	return (
		<span class="note">
			<b>{formatPercent(known.trimmed, held.total[0])}</b> in {plural(known.trimmedNodeCount, 'small frame')}
			{canLoadMore() && (
				<button type="button" class="note-action" onClick={loadMore}>load them</button>
			)}
		</span>
	);
}

/** What the shown profile does not know; empty where that is nothing. */
export function QualityNotes() {
	const held = tree.value;
	const known = quality.value;
	if (!held || !known || isEmpty.value)
		return null;
	const worthIt = (value: number): boolean => value / held.total[0] >= NOTE_SHARE;
	return (
		<div class="notes" role="group" aria-label="Gaps in this profile">
			{worthIt(known.unnamed) && <UnnamedNote held={held} known={known} />}
			{worthIt(known.incomplete) && <IncompleteNote held={held} known={known} />}
			{known.trimmed > 0 && <TrimmedNote held={held} known={known} />}
		</div>
	);
}

const reasonWords: Record<PartialAnswer['reason'], string> = {
	time: 'The query took longer than the server allows',
	memory: 'The query needed more memory than the server allows',
	damage: 'A part of the store cannot be read',
	'': 'The server ended the query early',
};

/** Says which part of the range an answer is about, where that is not all of it. */
export function PartialNote({ partial, of = '' }: { partial: PartialAnswer | null; of?: string }) {
	if (!partial)
		return null;
	const { fromMs, untilMs, unreadableCount } = partial;
	return (
		<Banner tone="note" action={<a href={at.hrefOf({ screen: 'status' })}>Status</a>}>
			<b>This is not all{of}.</b> {reasonWords[partial.reason]}
			{partial.reason === 'damage' ? ': ' : `; what is shown lies in ${formatSpan(fromMs, untilMs, zone.value)} ${zoneLabel(fromMs, zone.value)}. `}
			{unreadableCount > 0 && `${plural(unreadableCount, 'block')} of the store could not be read. `}
			{(partial.reason === 'time' || partial.reason === 'memory') && 'A shorter range or a single process is answered whole.'}
		</Banner>
	);
}

export function Notices() {
	return (
		<>
			<PartialNote partial={tree.value?.partial ?? null} />
			{missingType.value && (
				<Banner tone="note">
					No samples of <b>{missingType.value}</b> here; shown is <b>{chosenType.value}</b>.
				</Banner>
			)}
			{focusIsLost.value && tree.value && !isEmpty.value && (
				<Banner
					tone="note"
					action={<button type="button" class="button button-small" onClick={() => at.go({ focus: '', window: null })}>Show everything</button>}
				>
					The frame that was focused is not in this profile.
				</Banner>
			)}
		</>
	);
}
