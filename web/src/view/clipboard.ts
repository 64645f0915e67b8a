// SPDX-License-Identifier: Apache-2.0
// On plain HTTP there is no clipboard API: the old command, on a text field made for it, works everywhere.

export function copyText(text: string): boolean {
	const field = document.createElement('textarea');
	field.value = text;
	field.className = 'hidden-visually';
	field.setAttribute('aria-hidden', 'true');
	field.tabIndex = -1;
	const focused = document.activeElement;
	document.body.append(field);
	field.select();
	try {
		return document.execCommand('copy');
	} catch {
		return false;
	} finally {
		field.remove();
		if (focused instanceof HTMLElement)
			focused.focus({ preventScroll: true });
	}
}
