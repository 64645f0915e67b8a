// SPDX-License-Identifier: Apache-2.0
import { useEffect } from 'preact/hooks';
import { listenForKeys } from '../state/keys.ts';
import { helpOpen, KeyHelp } from './key_help.tsx';
import { shownScreen } from './screens.tsx';
import { SEARCH_ID } from './search_box.tsx';
import { TopBar } from './top_bar.tsx';

function focusSearch(): void {
	const field = document.getElementById(SEARCH_ID);
	if (field instanceof HTMLInputElement) {
		field.focus();
		field.select();
	}
}

export function App() {
	useEffect(() => listenForKeys({ openHelp: () => { helpOpen.value = true; }, focusSearch }), []);
	const { View, titleParts } = shownScreen();
	const text = [...titleParts(), 'Cairn'].filter((part) => part !== '').join(' · ');
	useEffect(() => { document.title = text; }, [text]);
	return (
		<>
			<TopBar />
			<View />
			<KeyHelp />
		</>
	);
}
