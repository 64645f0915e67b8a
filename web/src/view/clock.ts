// SPDX-License-Identifier: Apache-2.0
import { useEffect, useState } from 'preact/hooks';

/** Renders again every INTERVAL_MS while ACTIVE; gives the time of the last one (Date.now). */
export function useClock(active: boolean, intervalMs: number): number {
	const [now, setNow] = useState(Date.now());
	useEffect(() => {
		if (!active)
			return;
		setNow(Date.now());
		const timer = setInterval(() => setNow(Date.now()), intervalMs);
		return () => clearInterval(timer);
	}, [active, intervalMs]);
	return now;
}

/** True from DELAY_MS after SINCE (performance.now) on, while SINCE stays; 0 = not running. */
export function useLate(since: number, delayMs: number): boolean {
	const [late, setLate] = useState(false);
	useEffect(() => {
		setLate(false);
		if (!since)
			return;
		const timer = setTimeout(() => setLate(true), Math.max(0, since + delayMs - performance.now()));
		return () => clearTimeout(timer);
	}, [since, delayMs]);
	return late && since !== 0;
}
