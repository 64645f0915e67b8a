// SPDX-License-Identifier: Apache-2.0
// Which rows of a long table are in sight; only those are made.

export interface RowWindow {
	first: number;
	/** One past the last. */
	end: number;
}

/* Rows made beyond each edge, so that a quick scroll shows no gap. */
const OVERSCAN = 12;

export function rowsInSight(scrollTop: number, height: number, rowHeight: number, count: number): RowWindow {
	const first = Math.max(0, Math.floor(scrollTop / rowHeight) - OVERSCAN);
	const end = Math.min(count, Math.ceil((scrollTop + height) / rowHeight) + OVERSCAN);
	return { first: Math.min(first, Math.max(0, end)), end: Math.max(0, end) };
}

/** Where to scroll so that ROW is in sight; SCROLL_TOP itself if it is. */
export function scrollToRow(row: number, scrollTop: number, height: number, rowHeight: number): number {
	const top = row * rowHeight;
	if (top < scrollTop)
		return top;
	return top + rowHeight > scrollTop + height ? top + rowHeight - height : scrollTop;
}
