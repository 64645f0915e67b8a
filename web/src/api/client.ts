// SPDX-License-Identifier: Apache-2.0
// The only place that fetches. Addresses are relative, so that the page works below any prefix of a
// reverse proxy. Whatever goes wrong comes out as one ApiError that says what to do about it.

/* A large tree over a slow line takes a while; a server that is silent for longer is not working on it. */
const TIMEOUT_MS = 60_000;

export type Failure = 'unreachable' | 'timeout' | 'refused' | 'server' | 'garbled';

export class ApiError extends Error {
	override name = 'ApiError';

	constructor(
		readonly failure: Failure,
		message: string,
		readonly status = 0,
	) {
		super(message);
	}

	/** Worth asking again without changing anything. */
	get passing(): boolean {
		return this.failure === 'unreachable' || this.failure === 'timeout' || this.failure === 'server';
	}

	get title(): string {
		switch (this.failure) {
		case 'unreachable': return 'The server does not answer.';
		case 'timeout': return `No answer within ${TIMEOUT_MS / 1000} s.`;
		case 'refused': return 'The server refused the request.';
		case 'server': return `The server failed (HTTP ${this.status}).`;
		case 'garbled': return 'The answer could not be read.';
		}
	}

	get advice(): string {
		switch (this.failure) {
		case 'unreachable': return 'Is cairn-server running, and is this address still the right one?';
		case 'timeout': return 'Try a shorter range or a single process.';
		case 'refused': return '';
		case 'server': return 'Its log says more.';
		case 'garbled': return 'Reload the page: it may be older than the server.';
		}
	}
}

export type Params = Record<string, string | number>;

export interface RequestOptions {
	signal: AbortSignal;
	accept?: string;
}

/** Where PATH is, relative to the page: also for links that download. */
export function address(path: string, params: Params): string {
	const query = new URLSearchParams();
	for (const [name, value] of Object.entries(params)) {
		if (value !== '')
			query.set(name, String(value));
	}
	const text = query.toString();
	return `api/v1/${path}${text ? `?${text}` : ''}`;
}

/** An error body is `{"code", "message"}`; a proxy in between may answer anything. */
function errorMessage(body: string): string {
	try {
		const parsed: unknown = JSON.parse(body);
		if (typeof parsed === 'object' && parsed !== null && 'message' in parsed && typeof parsed.message === 'string')
			return parsed.message;
	} catch {
		/* Not JSON: its first line has to do. */
	}
	const line = body.replace(/<[^>]*>/g, ' ').trim().split('\n')[0].trim();
	return line.slice(0, 300);
}

/** An abort by the caller comes out as it is, so that nobody takes it for a failure. */
async function guarded<T>(options: RequestOptions, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
	const own = new AbortController();
	const forward = (): void => own.abort();
	options.signal.addEventListener('abort', forward);
	let late = false;
	const timer = setTimeout(() => {
		late = true;
		own.abort();
	}, TIMEOUT_MS);
	try {
		return await work(own.signal);
	} catch (error) {
		if (late)
			throw new ApiError('timeout', '');
		if (error instanceof ApiError || options.signal.aborted)
			throw error;
		if (error instanceof TypeError)
			throw new ApiError('unreachable', '');
		throw new ApiError('garbled', error instanceof Error ? error.message : String(error));
	} finally {
		clearTimeout(timer);
		options.signal.removeEventListener('abort', forward);
	}
}

/** Fetches PATH below `api/v1/`; READ turns a good answer into what is wanted. */
export function request<T>(
	path: string,
	params: Params,
	options: RequestOptions,
	read: (response: Response) => Promise<T>,
): Promise<T> {
	return guarded(options, async (signal) => {
		const response = await fetch(address(path, params), {
			headers: { accept: options.accept ?? 'application/json' },
			signal,
		});
		if (!response.ok) {
			const message = errorMessage(await response.text());
			throw new ApiError(response.status < 500 ? 'refused' : 'server', message, response.status);
		}
		return read(response);
	});
}

/** Sends FILE to PATH by PUT, as it lies on the disk: it is never held in memory. */
export function sendFile(
	path: string,
	params: Params,
	file: Blob,
	progress: (share: number) => void,
	options: Pick<RequestOptions, 'signal'>,
): Promise<void> {
	/* Only this old interface tells how much has left. */
	const sender = new XMLHttpRequest();
	return new Promise((resolve, reject) => {
		sender.open('PUT', address(path, params));
		sender.upload.onprogress = ({ loaded, total }) => progress(total > 0 ? loaded / total : 0);
		sender.onload = () => {
			const { status } = sender;
			if (status >= 200 && status < 300)
				resolve();
			else
				reject(new ApiError(status < 500 ? 'refused' : 'server', errorMessage(sender.responseText), status));
		};
		sender.onerror = () => reject(new ApiError('unreachable', ''));
		sender.onabort = () => reject(new ApiError('unreachable', 'It was broken off.'));
		options.signal.addEventListener('abort', () => sender.abort());
		sender.send(file);
	});
}

/** Fetches JSON; CHECK turns what came into what is wanted, or throws what is wrong with it. */
export function requestJson<T>(
	path: string,
	params: Params,
	options: RequestOptions,
	check: (json: unknown) => T,
): Promise<T> {
	return request(path, params, options, async (response) => {
		const body = await response.text();
		let json: unknown;
		try {
			json = JSON.parse(body);
		} catch {
			throw new ApiError('garbled', body ? 'It is not JSON.' : 'It is empty.');
		}
		return check(json);
	});
}
