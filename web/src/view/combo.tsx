// SPDX-License-Identifier: Apache-2.0
// Chooses one of many: a button that shows the choice, a panel with a filter and a list.

import type { TargetedKeyboardEvent } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Icon } from './icons.tsx';
import { Popover } from './popover.tsx';

export interface ComboOption {
	value: string;
	label: string;
	/** Right of the label, already formatted. */
	note: string;
	/** 0..1, drawn as a bar behind; null = none. */
	share: number | null;
}

interface ComboProps {
	id: string;
	name: string;
	value: string;
	shown: string;
	options: readonly ComboOption[];
	emptyText: string;
	onPick: (value: string) => void;
}

/* More rows than anyone scrolls through: the filter finds the others. */
const ROWS_MAX = 300;

function Options(props: ComboProps & { close: () => void }) {
	const [filter, setFilter] = useState('');
	const [active, setActive] = useState(-1);
	const list = useRef<HTMLUListElement>(null);
	const input = useRef<HTMLInputElement>(null);
	const lower = filter.trim().toLowerCase();
	const matching = props.options.filter(({ label }) => label.toLowerCase().includes(lower));
	const rows = matching.slice(0, ROWS_MAX);
	const chosen = rows.findIndex(({ value }) => value === props.value);
	const at = Math.min(active < 0 ? Math.max(0, chosen) : active, rows.length - 1);

	useEffect(() => input.current?.focus(), []);
	useEffect(() => {
		list.current?.children[at]?.scrollIntoView({ block: 'nearest' });
	}, [at]);

	const pick = (value: string): void => {
		props.close();
		props.onPick(value);
	};
	const keys = (event: TargetedKeyboardEvent<HTMLInputElement>): void => {
		const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
		if (step !== 0 && rows.length > 0)
			setActive((at + step + rows.length) % rows.length);
		else if (event.key === 'Enter' && rows[at])
			pick(rows[at].value);
		else
			return;
		event.preventDefault();
	};

	return (
		<>
			<input
				ref={input}
				class="combo-filter"
				type="text"
				spellcheck={false}
				autocomplete="off"
				placeholder="Filter"
				role="combobox"
				aria-label={`Filter: ${props.name}`}
				aria-expanded="true"
				aria-controls={`${props.id}-list`}
				aria-activedescendant={rows[at] ? `${props.id}-${at}` : undefined}
				value={filter}
				onInput={(event) => {
					setFilter(event.currentTarget.value);
					setActive(0);
				}}
				onKeyDown={keys}
			/>
			<ul class="combo-list" id={`${props.id}-list`} role="listbox" aria-label={props.name} ref={list}>
				{rows.map((option, i) => (
					<li
						key={option.value}
						id={`${props.id}-${i}`}
						role="option"
						aria-selected={option.value === props.value}
						class={`combo-row ${i === at ? 'is-active' : ''} ${option.value === props.value ? 'is-chosen' : ''}`}
						onPointerMove={() => i !== at && setActive(i)}
						onClick={() => pick(option.value)}
					>
						{option.share !== null && <span class="combo-bar" style={{ width: `${(option.share * 100).toFixed(2)}%` }} />}
						<span class="combo-label">{option.label}</span>
						<span class="combo-note">{option.note}</span>
					</li>
				))}
			</ul>
			{rows.length === 0 && <p class="combo-empty">{props.options.length === 0 ? props.emptyText : `Nothing matches “${filter}”.`}</p>}
			{matching.length > rows.length && <p class="combo-empty">{matching.length - rows.length} more: type to filter.</p>}
		</>
	);
}

export function Combo(props: ComboProps) {
	return (
		<Popover
			name={`${props.name}: ${props.shown}`}
			buttonClass="button combo-button"
			panelClass="combo-panel"
			haspopup="listbox"
			label={
				<>
					<span class="combo-name">{props.name}</span>
					<span class="combo-value">{props.shown}</span>
					<Icon name="chevron" />
				</>
			}
		>
			{(close) => <Options {...props} close={close} />}
		</Popover>
	);
}
