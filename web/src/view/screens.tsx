// SPDX-License-Identifier: Apache-2.0
// The screens, a row each, in the order of the bar. A new one is a name in state/url.ts, and a row here.

import type { ComponentType } from 'preact';
import { chosenHost } from '../state/data.ts';
import * as at from '../state/navigation.ts';
import { ALL_HOSTS, type Screen } from '../state/url.ts';
import { Compare } from './compare.tsx';
import { Hosts } from './hosts.tsx';
import { HeatScreen, Hotspots } from './hotspots.tsx';
import { Status } from './status.tsx';
import { Symbols } from './symbols.tsx';

export interface ScreenView {
	label: string;
	/** What the browser's tab says before the name of the program; '' = nothing. */
	titleParts: () => string[];
	/** Whether it is about a range of time. */
	takesRange: boolean;
	/** Whether what it shows can be downloaded. */
	canExport: boolean;
	View: ComponentType;
}

function hotspotsTitle(): string[] {
	return [at.process.value, chosenHost.value === ALL_HOSTS ? 'all hosts' : chosenHost.value];
}

export const screenViews: Record<Screen, ScreenView> = {
	hot: { label: 'Hotspots', titleParts: hotspotsTitle, takesRange: true, canExport: true, View: Hotspots },
	heat: { label: 'Heat map', titleParts: () => ['Heat map', ...hotspotsTitle()], takesRange: true, canExport: true, View: HeatScreen },
	compare: { label: 'Compare', titleParts: () => ['Compare', ...hotspotsTitle()], takesRange: true, canExport: true, View: Compare },
	hosts: { label: 'Hosts', titleParts: () => ['Hosts'], takesRange: true, canExport: false, View: Hosts },
	symbols: { label: 'Symbols', titleParts: () => ['Symbols'], takesRange: true, canExport: false, View: Symbols },
	status: { label: 'Status', titleParts: () => ['Status'], takesRange: false, canExport: false, View: Status },
};

export const shownScreen = (): ScreenView => screenViews[at.screen.value];
