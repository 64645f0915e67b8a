// SPDX-License-Identifier: Apache-2.0
import type { TargetedKeyboardEvent } from 'preact';
import { formatPercent, plural } from '../model/format.ts';
import * as at from '../state/navigation.ts';
import { found, matchCount, matchPosition, searchError, stepMatch, tree } from '../state/profile.ts';
import { Icon } from './icons.tsx';

export const SEARCH_ID = 'search';

function Outcome() {
	if (searchError.value)
		return <span class="search-outcome is-wrong" role="status">{searchError.value}</span>;
	const result = found.value;
	const held = tree.value;
	if (!result || !held)
		return <span class="search-outcome" role="status" />;
	return (
		<span class="search-outcome" role="status">
			<b>{formatPercent(result.value, held.total[0])}</b>
			<span>{plural(result.functionCount, 'function')}</span>
			{matchCount.value > 0 && (
				<span class="quiet">{matchPosition.value > 0 ? `${matchPosition.value} of ` : ''}{plural(matchCount.value, 'frame')}</span>
			)}
		</span>
	);
}

export function SearchBox() {
	const keys = (event: TargetedKeyboardEvent<HTMLInputElement>): void => {
		if (event.key === 'Enter') {
			stepMatch(event.shiftKey ? -1 : 1);
			event.preventDefault();
		} else if (event.key === 'Escape') {
			if (at.searchText.value)
				at.adjust({ search: '' });
			else
				event.currentTarget.blur();
			event.preventDefault();
		}
	};
	const some = matchCount.value > 0;
	return (
		<div class="search" role="search">
			<label class={`search-field ${searchError.value ? 'is-wrong' : ''}`}>
				<Icon name="search" />
				<span class="hidden-visually">Search functions</span>
				<input
					id={SEARCH_ID}
					type="text"
					spellcheck={false}
					autocomplete="off"
					placeholder="Search functions"
					title="Text, /regular expression/, or in:binary"
					value={at.searchText.value}
					onInput={(event) => at.adjust({ search: event.currentTarget.value })}
					onKeyDown={keys}
				/>
				{at.searchText.value ? (
					<button type="button" class="button button-icon button-small" aria-label="Clear the search" onClick={() => at.adjust({ search: '' })}>
						<Icon name="close" />
					</button>
				) : <kbd aria-hidden="true">/</kbd>}
			</label>
			{some && (
				<div class="search-steps">
					<button type="button" class="button button-icon button-small" aria-label="Previous match" title="Previous match (N)" onClick={() => stepMatch(-1)}>
						<Icon name="previous" />
					</button>
					<button type="button" class="button button-icon button-small" aria-label="Next match" title="Next match (n)" onClick={() => stepMatch(1)}>
						<Icon name="next" />
					</button>
				</div>
			)}
			<Outcome />
		</div>
	);
}
