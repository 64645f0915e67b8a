// SPDX-License-Identifier: Apache-2.0
// One thing that is fetched again and again. The last good answer stays while the next is on its way or
// has failed; a newer request ends an older one; what can pass by itself is tried again, later each time.

import { batch, signal, type ReadonlySignal, type Signal } from '@preact/signals';
import { ApiError } from '../api/client.ts';

const RETRY_FIRST_MS = 2_000;
const RETRY_MAX_MS = 30_000;

/* The page may be on plain HTTP, where the better source of randomness is not given. */
function newId(): string {
	return `page-${Math.random().toString(36).slice(2)}${Date.now().toString(36)}`;
}

export class Remote<T> {
	private readonly held: Signal<T | null> = signal(null);
	private readonly failed: Signal<ApiError | null> = signal(null);
	private readonly busySince: Signal<number> = signal(0);
	private readonly retriesAt: Signal<number> = signal(0);
	private readonly ended: Signal<boolean> = signal(false);
	private wantedKey = '';
	private requestId = '';
	private aborter: AbortController | null = null;
	private timer: ReturnType<typeof setTimeout> | undefined;
	private failures = 0;
	private again: (() => void) | null = null;

	/** The last good answer, maybe to an earlier question. */
	get data(): ReadonlySignal<T | null> {
		return this.held;
	}

	get error(): ReadonlySignal<ApiError | null> {
		return this.failed;
	}

	/** When the running request began (performance.now), 0 = none runs. */
	get since(): ReadonlySignal<number> {
		return this.busySince;
	}

	/** When the next attempt comes by itself (Date.now), 0 = none will. */
	get retryAt(): ReadonlySignal<number> {
		return this.retriesAt;
	}

	/** Whether the last question was ended before its answer came. */
	get cancelled(): ReadonlySignal<boolean> {
		return this.ended;
	}

	/** What the server knows the running request by, to tell how far it is. */
	get id(): string {
		return this.requestId;
	}

	/** Asks. KEY names the question; the same one asked again only refreshes. */
	ask(key: string, fetcher: (signal: AbortSignal, id: string) => Promise<T>): void {
		this.stop();
		if (key !== this.wantedKey)
			this.failures = 0;
		this.wantedKey = key;
		this.again = () => this.ask(key, fetcher);
		const aborter = new AbortController();
		this.aborter = aborter;
		this.ended.value = false;
		this.busySince.value = performance.now();
		this.requestId = newId();
		fetcher(aborter.signal, this.requestId).then(
			(data) => this.finish(aborter, () => this.succeed(data)),
			(error: unknown) => this.finish(aborter, () => this.fail(error)),
		);
	}

	private finish(aborter: AbortController, apply: () => void): void {
		if (this.aborter !== aborter)
			return;
		this.aborter = null;
		batch(() => {
			this.busySince.value = 0;
			apply();
		});
	}

	private succeed(data: T): void {
		this.failures = 0;
		this.held.value = data;
		this.failed.value = null;
	}

	private fail(error: unknown): void {
		const failure = error instanceof ApiError ? error
			: new ApiError('garbled', error instanceof Error ? error.message : String(error));
		this.failed.value = failure;
		if (!failure.passing)
			return;
		const wait = Math.min(RETRY_MAX_MS, RETRY_FIRST_MS * 2 ** this.failures++);
		this.retriesAt.value = Date.now() + wait;
		this.timer = setTimeout(() => this.retry(), wait);
	}

	/** Ends the running request and the wait for the next one; keeps what is held. */
	stop(): void {
		clearTimeout(this.timer);
		this.aborter?.abort();
		this.aborter = null;
		this.busySince.value = 0;
		this.retriesAt.value = 0;
	}

	/** A person does not want to wait any longer. */
	cancel(): void {
		this.stop();
		this.ended.value = true;
	}

	retry(): void {
		this.again?.();
	}
}
