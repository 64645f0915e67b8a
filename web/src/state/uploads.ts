// SPDX-License-Identifier: Apache-2.0
// Files of symbols that a person gives: each is told by its build-ID, sent, read by the server, and then
// the names are there without a reload.

import { signal } from '@preact/signals';
import { ApiError } from '../api/client.ts';
import { fetchModule, sendSymbols, type ModuleState } from '../api/symbol_service.ts';
import { NoBuildId, piecesOf, readBuildId } from '../model/elf_id.ts';
import { refresh, symbols } from './data.ts';

/* The server reads a debug file of a gigabyte in some ten seconds. */
const READ_MAX_MS = 300_000;
const LOOK_AGAIN_MS = 500;

export interface Upload {
	id: number;
	fileName: string;
	buildId: string;
	stage: 'looking' | 'sending' | 'reading' | 'done' | 'failed';
	/** Of the file that has left, 0 to 1. */
	share: number;
	/** How it ended. */
	text: string;
}

export const uploads = signal<readonly Upload[]>([]);

const running = new Map<number, AbortController>();
let lastId = 0;

function change(id: number, patch: Partial<Upload>): void {
	uploads.value = uploads.value.map((upload) => (upload.id === id ? { ...upload, ...patch } : upload));
}

function pause(milliseconds: number): Promise<void> {
	return new Promise((resolve) => { setTimeout(resolve, milliseconds); });
}

/** Waits until the server has read what it was sent. */
async function waitUntilRead(buildId: string, signal: AbortSignal): Promise<ModuleState> {
	const until = Date.now() + READ_MAX_MS;
	for (;;) {
		const state = await fetchModule(buildId, { signal });
		if (!state.pending || Date.now() > until)
			return state;
		await pause(LOOK_AGAIN_MS);
	}
}

function wordsOf(error: unknown): string {
	if (error instanceof NoBuildId)
		return error.message;
	if (error instanceof ApiError)
		return [error.title, error.message, error.advice].filter((part) => part !== '').join(' ');
	return `The file could not be read: ${error instanceof Error ? error.message : String(error)}`;
}

async function give(id: number, file: File, signal: AbortSignal): Promise<void> {
	const buildId = await readBuildId(piecesOf(file));
	change(id, { buildId, stage: 'sending' });
	await sendSymbols(buildId, file, (share) => change(id, { share }), { signal });
	change(id, { stage: 'reading', share: 1 });
	const state = await waitUntilRead(buildId, signal);
	const isHere = symbols.data.peek()?.modules.some((module) => module.buildId === buildId) ?? false;
	change(id, {
		stage: state.namedBy ? 'done' : 'failed',
		text: `${state.text}${isHere ? '' : '. No binary of this range has this build-ID: it names samples of another range, or is of another build'}.`,
	});
	refresh();
}

export function giveFiles(files: Iterable<File>): void {
	for (const file of files) {
		const id = ++lastId;
		const aborter = new AbortController();
		running.set(id, aborter);
		uploads.value = [{ id, fileName: file.name, buildId: '', stage: 'looking', share: 0, text: '' }, ...uploads.value];
		give(id, file, aborter.signal)
			.catch((error: unknown) => change(id, { stage: 'failed', text: aborter.signal.aborted ? 'Broken off.' : wordsOf(error) }))
			.finally(() => running.delete(id));
	}
}

/** Ends an upload that runs, or takes one that has ended from the list. */
export function dismiss(id: number): void {
	const aborter = running.get(id);
	if (aborter)
		aborter.abort();
	else
		uploads.value = uploads.value.filter((upload) => upload.id !== id);
}
