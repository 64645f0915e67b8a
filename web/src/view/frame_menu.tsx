// SPDX-License-Identifier: Apache-2.0
import { signal } from '@preact/signals';
import type { TargetedKeyboardEvent } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { nodeName } from '../model/flame_tree.ts';
import { tree } from '../state/profile.ts';
import { actionsOf } from './frame_actions.ts';

export const frameMenu = signal<{ node: number; x: number; y: number; opener: HTMLElement | null } | null>(null);

function closeMenu(): void {
	const opener = frameMenu.value?.opener;
	frameMenu.value = null;
	opener?.focus({ preventScroll: true });
}

export function FrameMenu() {
	const box = useRef<HTMLDivElement>(null);
	const open = frameMenu.value;

	useLayoutEffect(() => {
		const element = box.current;
		if (!element || !open)
			return;
		const { width, height } = element.getBoundingClientRect();
		element.style.left = `${Math.max(4, Math.min(open.x, innerWidth - width - 4))}px`;
		element.style.top = `${Math.max(4, Math.min(open.y, innerHeight - height - 4))}px`;
		element.querySelector<HTMLElement>('[role=menuitem]')?.focus();
	}, [open]);

	useEffect(() => {
		if (!open)
			return;
		const away = (event: Event): void => {
			if (!box.current?.contains(event.target as Node))
				frameMenu.value = null;
		};
		document.addEventListener('pointerdown', away);
		return () => document.removeEventListener('pointerdown', away);
	}, [open]);

	if (!open || !tree.value)
		return null;
	const keys = (event: TargetedKeyboardEvent<HTMLDivElement>): void => {
		const items = [...event.currentTarget.querySelectorAll<HTMLElement>('[role=menuitem]')];
		const at = items.indexOf(document.activeElement as HTMLElement);
		const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
		if (step !== 0)
			items[(at + step + items.length) % items.length]?.focus();
		else if (event.key === 'Escape' || event.key === 'Tab')
			closeMenu();
		else
			return;
		event.preventDefault();
		event.stopPropagation();
	};
	return (
		<div class="panel menu frame-menu" role="menu" aria-label={nodeName(tree.value, open.node)} ref={box} onKeyDown={keys}>
			{actionsOf(tree.value, open.node).map((action) => (
				<button
					type="button"
					key={action.id}
					class="menu-item"
					role="menuitem"
					onClick={() => {
						closeMenu();
						action.run();
					}}
				>
					<span>{action.label}</span>
					<kbd>{action.key}</kbd>
				</button>
			))}
		</div>
	);
}
