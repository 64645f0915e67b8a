// SPDX-License-Identifier: Apache-2.0
import type { Remote } from '../state/remote.ts';
import { useClock, useLate } from './clock.ts';

/* A faster answer needs no sign of waiting. */
export const LATE_MS = 300;

/** Says that REMOTE is taking its time, for how long, and lets a person end it. */
export function Progress({ remote }: { remote: Remote<unknown> }) {
	const since = remote.since.value;
	const late = useLate(since, LATE_MS);
	useClock(late, 250);
	if (remote.cancelled.value) {
		return (
			<div class="progress-note" role="status">
				Cancelled: what is shown is from before.
				<button type="button" class="note-action" onClick={() => remote.retry()}>Ask again</button>
			</div>
		);
	}
	if (!late)
		return null;
	return (
		<div class="progress" role="status">
			<div class="progress-line" />
			<div class="progress-note">
				Waiting for the server, {Math.floor((performance.now() - since) / 1000)} s
				<button type="button" class="note-action" onClick={() => remote.cancel()}>cancel</button>
			</div>
		</div>
	);
}
