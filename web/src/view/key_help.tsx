// SPDX-License-Identifier: Apache-2.0
import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { special } from '../flame/palette.ts';
import { swatches } from '../state/profile.ts';
import { Icon } from './icons.tsx';

const legend: { label: string; bucket: number }[] = [
	{ label: 'kernel', bucket: special.kernel },
	{ label: 'inlined', bucket: special.plainInlined },
	{ label: 'without a name', bucket: special.unknown },
	{ label: 'stack not whole', bucket: special.marker },
	{ label: 'too small to be sent', bucket: special.trimmed },
];

/** The colours that mean the same in every mode. */
function Legend() {
	return (
		<section>
			<h3>Colours</h3>
			<dl>
				{legend.map(({ label, bucket }) => (
					<div key={label}>
						<dt>
							<span class={`legend ${swatches.value[bucket].hatch ? 'is-hatched' : ''}`} style={{ backgroundColor: swatches.value[bucket].css }} />
						</dt>
						<dd>{label}</dd>
					</div>
				))}
			</dl>
		</section>
	);
}

export const helpOpen = signal(false);

const groups: { title: string; keys: [keys: string, what: string][] }[] = [
	{
		title: 'Frames',
		keys: [
			['↑ ↓', 'caller, widest callee'],
			['← →', 'siblings'],
			['Enter', 'focus: fill the width'],
			['Backspace', 'focus one caller up'],
			['Esc', 'show everything'],
			['Home', 'to the root'],
			['+ −', 'zoom in, out'],
			['a d', 'move left, right'],
			['c', 'copy the name'],
			['e', 'search for this function'],
			['x', 'mark every occurrence'],
			['o', 'lines and source'],
			['m', 'menu of the frame'],
		],
	},
	{
		title: 'Search and views',
		keys: [
			['/', 'search'],
			['n N', 'next, previous match'],
			['1 2 3', 'graph, table, both'],
			['f', 'flip the graph'],
			['i', 'inlined calls as frames, or not'],
		],
	},
	{
		title: 'Everywhere',
		keys: [
			['g h', 'Hotspots'],
			['g e', 'Heat map'],
			['g c', 'Compare'],
			['g o', 'Hosts'],
			['g y', 'Symbols'],
			['g s', 'Status'],
			['[ ]', 'range before, after'],
			['r', 'ask again'],
			['t', 'light or dark'],
			['?', 'this list'],
		],
	},
	{
		title: 'Charts over time',
		keys: [
			['← →', 'step by step'],
			['Shift ← →', 'select steps'],
			['Enter', 'select this step'],
			['Esc', 'select nothing'],
			['↑ ↓', 'heat map: within the second'],
		],
	},
	{
		title: 'Pointer',
		keys: [
			['click', 'focus a frame'],
			['right click', 'menu of the frame'],
			['Ctrl wheel', 'zoom at the pointer'],
			['drag', 'move'],
		],
	},
	{
		title: 'What to search',
		keys: [
			['malloc', 'functions with this text'],
			['/^py.*call/', 'regular expression'],
			['in:libc', 'functions of a binary'],
		],
	},
];

export function KeyHelp() {
	const dialog = useRef<HTMLDialogElement>(null);
	useEffect(() => {
		if (helpOpen.value && !dialog.current?.open)
			dialog.current?.showModal();
		else if (!helpOpen.value)
			dialog.current?.close();
	}, [helpOpen.value]);
	return (
		<dialog
			ref={dialog}
			class="help"
			aria-label="Keys"
			onClose={() => { helpOpen.value = false; }}
			onClick={(event) => {
				if (event.target === dialog.current)
					helpOpen.value = false;
			}}
		>
			<div class="help-body">
				<header>
					<h2>Keys</h2>
					<button type="button" class="button button-icon" aria-label="Close" onClick={() => { helpOpen.value = false; }}>
						<Icon name="close" />
					</button>
				</header>
				<div class="help-groups">
					{groups.map((group) => (
						<section key={group.title}>
							<h3>{group.title}</h3>
							<dl>
								{group.keys.map(([keys, what]) => (
									<div key={keys}>
										<dt>{keys.split(' ').map((key) => <kbd key={key}>{key}</kbd>)}</dt>
										<dd>{what}</dd>
									</div>
								))}
							</dl>
						</section>
					))}
					<Legend />
				</div>
				<footer class="quiet">
					<a href={document.querySelector<HTMLLinkElement>('link[rel="license"]')?.href ?? ''}>Licences of what this page is made with</a>
				</footer>
			</div>
		</dialog>
	);
}
