// SPDX-License-Identifier: Apache-2.0
import { useEffect } from 'preact/hooks';
import { chosenHost } from '../state/data.ts';
import { listenForKeys } from '../state/keys.ts';
import * as at from '../state/navigation.ts';
import { ALL_HOSTS } from '../state/url.ts';
import { Hosts } from './hosts.tsx';
import { Hotspots } from './hotspots.tsx';
import { helpOpen, KeyHelp } from './key_help.tsx';
import { SEARCH_ID } from './search_box.tsx';
import { Status } from './status.tsx';
import { TopBar } from './top_bar.tsx';

function title(): string {
	if (at.screen.value === 'hosts')
		return 'Hosts · Cairn';
	if (at.screen.value === 'status')
		return 'Status · Cairn';
	const host = chosenHost.value === ALL_HOSTS ? 'all hosts' : chosenHost.value;
	return [at.process.value, host, 'Cairn'].filter((part) => part !== '').join(' · ');
}

function focusSearch(): void {
	const field = document.getElementById(SEARCH_ID);
	if (field instanceof HTMLInputElement) {
		field.focus();
		field.select();
	}
}

export function App() {
	useEffect(() => listenForKeys({ openHelp: () => { helpOpen.value = true; }, focusSearch }), []);
	const text = title();
	useEffect(() => { document.title = text; }, [text]);
	return (
		<>
			<TopBar />
			{at.screen.value === 'hot' && <Hotspots />}
			{at.screen.value === 'hosts' && <Hosts />}
			{at.screen.value === 'status' && <Status />}
			<KeyHelp />
		</>
	);
}
