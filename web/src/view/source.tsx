// SPDX-License-Identifier: Apache-2.0
// The lines of one function with the time of each, beside their text where somebody has it.

import { useEffect, useRef } from 'preact/hooks';
import type { FunctionLines, SourceLine } from '../api/source_service.ts';
import { formatPercent, formatValue, plural } from '../model/format.ts';
import { functionLines, sourceText } from '../state/data.ts';
import * as at from '../state/navigation.ts';
import { Icon } from './icons.tsx';

/* Lines shown around those with samples, and no more than these in all. */
const AROUND = 6;
const LINES_MAX = 600;
/* Enough of a build-ID to tell two apart. */
const ID_SHOWN = 12;

function close(): void {
	at.go({ source: '' });
}

/** The lines to show: those with samples, and where there is TEXT what stands around and between them. */
function shownLines(held: FunctionLines, text: string[] | null): SourceLine[] {
	const known = held.lines.filter(({ line }) => line > 0);
	if (!text || known.length === 0)
		return held.lines;
	const first = Math.max(1, known[0].line - AROUND);
	const last = Math.min(text.length, known[known.length - 1].line + AROUND, first + LINES_MAX - 1);
	const byLine = new Map(known.map((row) => [row.line, row]));
	return Array.from({ length: last - first + 1 }, (_, i) => byLine.get(first + i) ?? { line: first + i, self: 0, total: 0 });
}

function LineRow({ row, held, most, text }: { row: SourceLine; held: FunctionLines; most: number; text: string | null }) {
	const amount = (value: number): string => (value > 0 ? formatValue(value, held.unit) : '');
	return (
		<tr class={row.total > 0 ? 'is-warm' : ''}>
			<td class="number source-number">{row.line > 0 ? row.line : '?'}</td>
			<td class="number">{amount(row.self)}</td>
			<td class="number">{amount(row.total)}</td>
			<td class="number source-share">
				{row.total > 0 && formatPercent(row.total, held.whole)}
				<span class="amount-bar" style={{ transform: `scaleX(${most > 0 ? row.total / most : 0})` }} />
			</td>
			{text !== null && <td class="source-text"><code>{text}</code></td>}
		</tr>
	);
}

/** Why there is no text; '' = there is, or it is on its way. */
function textFault(held: FunctionLines): string {
	if (held.file === '')
		return 'No lines are known of this function: its binary came without debug information. Symbols says what helps.';
	if (!held.file.startsWith('/'))
		return 'The compiler wrote no whole path, so the text cannot be asked for.';
	if (held.buildId === '')
		return 'The binary has no build-ID, so its text cannot be asked for.';
	const error = sourceText.error.value;
	return error ? `No text: ${error.message || error.title}` : '';
}

function Lines({ held }: { held: FunctionLines }) {
	const fault = textFault(held);
	const text = fault === '' && held.file !== '' ? sourceText.data.value : null;
	const most = Math.max(0, ...held.lines.map(({ total }) => total));
	return (
		<>
			{fault && <p class="quiet source-note" role="status">{fault}</p>}
			{held.elsewhere > 0 && (
				<p class="quiet source-note">
					{formatPercent(held.elsewhere, held.whole)} more is in other files or builds of it.
				</p>
			)}
			<div class="source-scroller" tabIndex={0} role="region" aria-label="Lines">
				<table class="source-lines">
					<thead>
						<tr>
							<th scope="col" class="number">Line</th>
							<th scope="col" class="number">Self</th>
							<th scope="col" class="number">Total</th>
							<th scope="col" class="number">Share</th>
							{text && <th scope="col">Text</th>}
						</tr>
					</thead>
					<tbody>
						{shownLines(held, text).map((row) => (
							<LineRow key={row.line} row={row} held={held} most={most} text={text ? text[row.line - 1] ?? '' : null} />
						))}
					</tbody>
				</table>
			</div>
		</>
	);
}

function Facts({ held, module }: { held: FunctionLines; module: string }) {
	return (
		<dl class="source-facts">
			{held.file && <><dt>File</dt><dd>{held.file}</dd></>}
			{module && (
				<>
					<dt>Binary</dt>
					<dd>
						{module}
						{held.buildId && <code class="quiet" title={held.buildId}> {held.buildId.slice(0, ID_SHOWN)}</code>}
						{held.otherBuilds > 0 && <span class="quiet"> and {plural(held.otherBuilds, 'other build')}</span>}
					</dd>
				</>
			)}
			{held.raw && <><dt>Linker name</dt><dd><code>{held.raw}</code></dd></>}
		</dl>
	);
}

/** A dialog over the graph, open for as long as the address names a function. */
export function Source() {
	const dialog = useRef<HTMLDialogElement>(null);
	const [name, module] = at.source.value.split('\0');
	useEffect(() => {
		if (at.source.value !== '' && !dialog.current?.open)
			dialog.current?.showModal();
		else if (at.source.value === '')
			dialog.current?.close();
	}, [at.source.value]);
	const held = functionLines.data.value;
	const error = functionLines.error.value;
	const busy = functionLines.since.value > 0;
	return (
		<dialog
			ref={dialog}
			class="help source"
			aria-label="Lines of a function"
			onClose={() => {
				if (at.source.value !== '')
					close();
			}}
			onClick={(event) => {
				if (event.target === dialog.current)
					close();
			}}
		>
			{at.source.value !== '' && (
				<div class="help-body">
					<header>
						<h2>{name}</h2>
						<button type="button" class="button button-icon" aria-label="Close" onClick={close}><Icon name="close" /></button>
					</header>
					{error && <p class="form-error" role="alert">{error.title} {error.message} {error.advice}</p>}
					{!error && (busy || !held) && <p class="quiet" role="status">Loading…</p>}
					{!error && !busy && held && (
						<>
							<Facts held={held} module={module ?? ''} />
							{held.lines.length === 0 ? <p class="quiet">No samples of it in this range.</p> : <Lines held={held} />}
						</>
					)}
				</div>
			)}
		</dialog>
	);
}
