// SPDX-License-Identifier: Apache-2.0
// A button that opens a panel below itself. Escape and a press elsewhere close it; the focus returns.

import type { ComponentChildren, TargetedKeyboardEvent } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

interface PopoverProps {
	label: ComponentChildren;
	title?: string;
	buttonClass?: string;
	panelClass?: string;
	/** For readers: what the button chooses. */
	name: string;
	haspopup?: 'dialog' | 'listbox' | 'menu';
	alignRight?: boolean;
	children: (close: () => void) => ComponentChildren;
}

export function Popover(props: PopoverProps) {
	const [open, setOpen] = useState(false);
	const root = useRef<HTMLDivElement>(null);
	const button = useRef<HTMLButtonElement>(null);
	const close = (): void => {
		setOpen(false);
		button.current?.focus();
	};

	useEffect(() => {
		if (!open)
			return;
		const away = (event: Event): void => {
			if (!root.current?.contains(event.target as Node))
				setOpen(false);
		};
		document.addEventListener('pointerdown', away);
		document.addEventListener('focusin', away);
		return () => {
			document.removeEventListener('pointerdown', away);
			document.removeEventListener('focusin', away);
		};
	}, [open]);

	const keys = (event: TargetedKeyboardEvent<HTMLDivElement>): void => {
		if (open && event.key === 'Escape') {
			event.stopPropagation();
			event.preventDefault();
			close();
		}
	};

	return (
		<div class="popover" ref={root} onKeyDown={keys}>
			<button
				ref={button}
				type="button"
				class={props.buttonClass ?? 'button'}
				title={props.title}
				aria-label={props.name}
				aria-haspopup={props.haspopup ?? 'dialog'}
				aria-expanded={open}
				onClick={() => setOpen(!open)}
			>
				{props.label}
			</button>
			{open && (
				<div class={`panel ${props.alignRight ? 'panel-right' : ''} ${props.panelClass ?? ''}`}>
					{props.children(close)}
				</div>
			)}
		</div>
	);
}
