// SPDX-License-Identifier: Apache-2.0
// What long tables have alike: names shortened to their column, and rows made only where they are in sight.

import { useLayoutEffect, useMemo, useState } from 'preact/hooks';
import { CharWidths, Labels } from '../flame/labels.ts';

export function useLabels(names: readonly string[] | undefined): Labels | null {
	const widths = useMemo(() => {
		const context = document.createElement('canvas').getContext('2d')!;
		const style = getComputedStyle(document.body);
		context.font = `${style.getPropertyValue('--table-font-size').trim() || '12.5px'} ${style.fontFamily}`;
		return new CharWidths((char) => context.measureText(char).width);
	}, []);
	return useMemo(() => (names ? new Labels(widths, names) : null), [widths, names]);
}

/** Size and scroll position of ELEMENT's box, followed as they change. */
export function useViewport(scroller: { current: HTMLElement | null }) {
	const [box, setBox] = useState({ top: 0, height: 600, nameWidth: 300 });
	useLayoutEffect(() => {
		const element = scroller.current!;
		const read = (): void => setBox({
			top: element.scrollTop,
			height: element.clientHeight,
			nameWidth: element.querySelector('.col-name')?.clientWidth ?? 300,
		});
		const sizes = new ResizeObserver(read);
		sizes.observe(element);
		element.addEventListener('scroll', read, { passive: true });
		read();
		return () => {
			sizes.disconnect();
			element.removeEventListener('scroll', read);
		};
	}, []);
	return box;
}
