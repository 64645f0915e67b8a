// SPDX-License-Identifier: Apache-2.0
import { useEffect, useState } from 'preact/hooks';
import { fetchProgress, type ProgressAnswer } from '../api/series_service.ts';
import type { Remote } from '../state/remote.ts';
import { useClock, useLate } from './clock.ts';

/* A faster answer needs no sign of waiting. */
export const LATE_MS = 300;

const POLL_MS = 500;
const stageWords: Record<string, string> = { reading: 'Reading', naming: 'Looking names up', writing: 'Writing the answer' };

/** How far the server is with the request of REMOTE; null while that is not known. */
function useFar(remote: Remote<unknown>, late: boolean): ProgressAnswer | null {
	const [far, setFar] = useState<ProgressAnswer | null>(null);
	useEffect(() => {
		setFar(null);
		if (!late)
			return;
		const aborter = new AbortController();
		let timer: ReturnType<typeof setTimeout> | undefined;
		const look = (): void => {
			fetchProgress(remote.id, { signal: aborter.signal }).then(
				(answer) => {
					setFar(answer.running ? answer : null);
					timer = setTimeout(look, POLL_MS);
				},
				() => { /* Nobody knows how far it is: that it runs is said anyway. */ },
			);
		};
		look();
		return () => {
			aborter.abort();
			clearTimeout(timer);
		};
	}, [remote, late]);
	return far;
}

/** Says that REMOTE is taking its time, for how long, and lets a person end it. */
export function Progress({ remote }: { remote: Remote<unknown> }) {
	const since = remote.since.value;
	const late = useLate(since, LATE_MS);
	useClock(late, 250);
	const far = useFar(remote, late);
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
				{far ? `${stageWords[far.stage] ?? 'Working'}${far.stage === 'reading' ? `, ${Math.floor(far.done * 100)}\u2009%` : ''}` : 'Waiting for the server'}
				, {Math.floor((performance.now() - since) / 1000)} s
				<button type="button" class="note-action" onClick={() => remote.cancel()}>cancel</button>
			</div>
		</div>
	);
}
