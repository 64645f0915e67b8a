// SPDX-License-Identifier: Apache-2.0
import { effect } from '@preact/signals';
import type { TargetedKeyboardEvent } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { inks } from '../flame/ink.ts';
import { Stage } from '../flame/stage.ts';
import { contains, levelOf, type FlameTree } from '../model/flame_tree.ts';
import * as at from '../state/navigation.ts';
import {
	chosenNodes, colours, cursor, focus, focusOn, found, hover, moveCursor, shown, showWindow, swatches, tree,
} from '../state/profile.ts';
import { reducedMotion, theme } from '../state/settings.ts';
import { actionsOf, enter } from './frame_actions.ts';
import { FlameMirror, itemId } from './flame_mirror.tsx';
import { frameMenu } from './frame_menu.tsx';

const PAN_SHARE = 0.25;
const ZOOM_STEP = 0.5;
const noNodes = new Uint32Array();

function updateStage(stage: Stage, cursorVisible: boolean): void {
	const held = tree.value;
	if (!held || !colours.value)
		return;
	stage.update({
		tree: held,
		shown: shown.value,
		focus: focus.value,
		cursor: cursor.value,
		cursorVisible,
		flipped: at.flipped.value,
		colours: colours.value,
		swatches: swatches.value,
		ink: inks[theme.value],
		nameMatches: found.value?.nameMatches ?? null,
		matches: found.value?.nodes ?? noNodes,
		chosen: chosenNodes.value,
		animate: !reducedMotion.matches,
	});
}

/** The frame an arrow leads to from NODE; NODE itself where there is none. */
function neighbour(held: FlameTree, node: number, key: string): number {
	const towardsLeaf = at.flipped.value ? 'ArrowUp' : 'ArrowDown';
	if (key === 'ArrowLeft' || key === 'ArrowRight') {
		if (node === 0 || levelOf(held, node) <= levelOf(held, focus.value))
			return node;
		const parent = held.parent[node];
		const next = node + (key === 'ArrowRight' ? 1 : -1);
		return next >= held.firstChild[parent] && next < held.firstChild[parent + 1] ? next : node;
	}
	if (key === towardsLeaf) {
		/* From an ancestor of the focused frame, the way down leads to what is shown. */
		if (node !== focus.value && contains(held, node, focus.value))
			return childTowards(held, node, focus.value);
		return held.firstChild[node] < held.firstChild[node + 1] ? held.firstChild[node] : node;
	}
	return held.parent[node];
}

function childTowards(held: FlameTree, ancestor: number, node: number): number {
	while (held.parent[node] !== ancestor)
		node = held.parent[node];
	return node;
}

function openMenuAt(stage: Stage, opener: HTMLElement): void {
	frameMenu.value = { node: cursor.value, ...stage.placeOf(cursor.value), opener };
}

function frameKey(held: FlameTree, stage: Stage, key: string, opener: HTMLElement): boolean {
	const node = cursor.value;
	const act = (id: string): void => actionsOf(held, node).find((action) => action.id === id)?.run();
	switch (key) {
	case 'ArrowUp':
	case 'ArrowDown':
	case 'ArrowLeft':
	case 'ArrowRight': moveCursor(neighbour(held, node, key)); return true;
	case 'Home': moveCursor(0); return true;
	case 'Enter': enter(held, node); return true;
	case 'Backspace':
		moveCursor(held.parent[focus.value]);
		focusOn(held.parent[focus.value]);
		return true;
	case 'Escape': focusOn(0); return true;
	case '+':
	case '=':
	case 'w': stage.zoomAroundCursor(ZOOM_STEP); return true;
	case '-': stage.zoomAroundCursor(1 / ZOOM_STEP); return true;
	case 'a': stage.pan(-PAN_SHARE); return true;
	case 'd': stage.pan(PAN_SHARE); return true;
	case 'c': act('copy'); return true;
	case 'e': act('search'); return true;
	case 'x': act('choose'); return true;
	case 'o': act('source'); return true;
	case 'm':
	case 'ContextMenu': openMenuAt(stage, opener); return true;
	default: return false;
	}
}

export function FlameGraph() {
	const root = useRef<HTMLDivElement>(null);
	const scroller = useRef<HTMLDivElement>(null);
	const spacer = useRef<HTMLDivElement>(null);
	const canvas = useRef<HTMLCanvasElement>(null);
	const overlay = useRef<HTMLCanvasElement>(null);
	const stage = useRef<Stage | null>(null);
	const focused = useRef(false);

	useEffect(() => {
		const made = new Stage(
			{ scroller: scroller.current!, spacer: spacer.current!, canvas: canvas.current!, overlay: overlay.current! },
			{
				hover: (node, x, y) => { hover.value = node < 0 ? null : { node, x, y }; },
				pick: (node) => { if (tree.value) enter(tree.value, node); },
				menu: (node, x, y) => {
					moveCursor(node);
					frameMenu.value = { node, x, y, opener: root.current };
				},
				show: showWindow,
			},
		);
		stage.current = made;
		const stop = effect(() => updateStage(made, focused.current));
		return () => {
			stop();
			made.close();
			hover.value = null;
		};
	}, []);

	const setFocused = (is: boolean): void => {
		focused.current = is;
		if (stage.current)
			updateStage(stage.current, is);
	};
	const keys = (event: TargetedKeyboardEvent<HTMLDivElement>): void => {
		if (event.ctrlKey || event.metaKey || event.altKey || !tree.value || !stage.current)
			return;
		if (frameKey(tree.value, stage.current, event.key, event.currentTarget)) {
			event.preventDefault();
			event.stopPropagation();
		}
	};
	const held = tree.value;
	return (
		<div
			class="flame"
			ref={root}
			role="tree"
			tabIndex={0}
			aria-label="Flame graph"
			aria-activedescendant={itemId(cursor.value)}
			onKeyDown={keys}
			onFocus={() => setFocused(true)}
			onBlur={() => setFocused(false)}
		>
			<div class="flame-scroller" ref={scroller} tabIndex={-1}>
				<div class="flame-spacer" ref={spacer}>
					<div class="flame-canvases" aria-hidden="true">
						<canvas ref={canvas} />
						<canvas ref={overlay} />
					</div>
				</div>
			</div>
			{held && <FlameMirror tree={held} cursor={cursor.value} focus={focus.value} />}
		</div>
	);
}
