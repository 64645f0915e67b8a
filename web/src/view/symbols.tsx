// SPDX-License-Identifier: Apache-2.0
// Which binaries have frames without names, why, and what helps: a command, or a file given here.

import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { ModuleSymbols, SymbolCoverage } from '../api/symbol_service.ts';
import { formatPercent, plural } from '../model/format.ts';
import { chosenHost, everSeen, hosts, symbols } from '../state/data.ts';
import * as at from '../state/navigation.ts';
import { dismiss, giveFiles, uploads, type Upload } from '../state/uploads.ts';
import { ALL_HOSTS } from '../state/url.ts';
import { Failures } from './banner.tsx';
import { FirstLoad, NoSamples, NothingYet } from './empty.tsx';
import { Icon } from './icons.tsx';
import { Progress } from './progress.tsx';
import { HostChoice, ProcessChoice } from './subject_choice.tsx';

/* Enough of a build-ID to tell two apart; the whole stands in the title. */
const ID_SHOWN = 12;

const dragged = signal(false);

function FileButton({ strong = false, children, label }: { strong?: boolean; children: ComponentChildren; label?: string }) {
	const field = useRef<HTMLInputElement>(null);
	return (
		<>
			<button
				type="button"
				class={`button ${strong ? 'button-strong' : 'button-small'}`}
				aria-label={label}
				onClick={() => field.current?.click()}
			>
				{children}
			</button>
			<input
				ref={field}
				type="file"
				multiple
				hidden
				aria-label="Debug files"
				onChange={(event) => {
					giveFiles([...(event.currentTarget.files ?? [])]);
					event.currentTarget.value = '';
				}}
			/>
		</>
	);
}

const stageWords: Record<Upload['stage'], string> = {
	looking: 'Looking for its build-ID',
	sending: 'Sending',
	reading: 'The server reads it',
	done: 'Names are there',
	failed: 'Not used',
};

function UploadRow({ upload }: { upload: Upload }) {
	const ended = upload.stage === 'done' || upload.stage === 'failed';
	return (
		<li class={`upload is-${upload.stage}`}>
			<Icon name={upload.stage === 'failed' ? 'warning' : upload.stage === 'done' ? 'check' : 'upload'} />
			<span class="upload-name">{upload.fileName}</span>
			{upload.buildId && <code class="quiet" title={upload.buildId}>{upload.buildId.slice(0, ID_SHOWN)}</code>}
			<span class="upload-stage">
				<b>{stageWords[upload.stage]}</b>
				{upload.stage === 'sending' && ` ${formatPercent(upload.share, 1)}`}
				{upload.text && <> {upload.text}</>}
			</span>
			{upload.stage === 'sending' && (
				<progress max={1} value={upload.share} aria-label={`${upload.fileName}: part that is sent`} />
			)}
			<button type="button" class="button button-icon button-small" aria-label={ended ? `Dismiss ${upload.fileName}` : `Break off ${upload.fileName}`} onClick={() => dismiss(upload.id)}>
				<Icon name="close" />
			</button>
		</li>
	);
}

function Uploads() {
	return (
		<ul class="uploads" aria-label="Files given" aria-live="polite">
			{uploads.value.map((upload) => <UploadRow key={upload.id} upload={upload} />)}
		</ul>
	);
}

/** Files may be dropped anywhere on the screen. */
function useDrop(): void {
	useEffect(() => {
		const holdsFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes('Files') ?? false;
		const over = (event: DragEvent): void => {
			if (!holdsFiles(event))
				return;
			event.preventDefault();
			dragged.value = true;
		};
		const leave = (event: DragEvent): void => {
			if (event.relatedTarget === null)
				dragged.value = false;
		};
		const drop = (event: DragEvent): void => {
			dragged.value = false;
			if (!holdsFiles(event))
				return;
			event.preventDefault();
			giveFiles([...(event.dataTransfer?.files ?? [])]);
		};
		document.addEventListener('dragover', over);
		document.addEventListener('dragleave', leave);
		document.addEventListener('drop', drop);
		return () => {
			document.removeEventListener('dragover', over);
			document.removeEventListener('dragleave', leave);
			document.removeEventListener('drop', drop);
			dragged.value = false;
		};
	}, []);
}

function nameOf(module: ModuleSymbols): string {
	return module.module || (module.buildId ? `build ${module.buildId.slice(0, ID_SHOWN)}` : 'In no file');
}

function Cells({ module, whole }: { module: ModuleSymbols; whole: number }) {
	return (
		<>
			<th scope="row">
				{nameOf(module)}
				{module.buildId && <code class="module-id quiet" title={module.buildId}>{module.buildId.slice(0, ID_SHOWN)}</code>}
			</th>
			<td class="number">{formatPercent(module.total, whole)}</td>
			<td>
				{module.quality}
				{module.functionCount > 0 && <span class="quiet">, {plural(module.functionCount, 'function')}</span>}
			</td>
		</>
	);
}

function UnnamedRow({ module, held }: { module: ModuleSymbols; held: SymbolCoverage }) {
	const most = held.modules[0].unnamedTotal;
	return (
		<tr>
			<td class="number unnamed-share">
				<b>{formatPercent(module.unnamedTotal, held.total)}</b>
				<span class="amount-bar" style={{ transform: `scaleX(${most > 0 ? module.unnamedTotal / most : 0})` }} />
			</td>
			<Cells module={module} whole={held.total} />
			<td class="remedy">
				{module.state && <p>{module.pending && <span class="dot is-pending" />}{module.state}</p>}
				<p class="quiet">{module.remedy}</p>
				{module.command && <code class="command-line">{module.command}</code>}
				{module.upload && <FileButton label={`Give a file for ${nameOf(module)}`}>Give a file…</FileButton>}
			</td>
		</tr>
	);
}

function Unnamed({ held }: { held: SymbolCoverage }) {
	const rows = held.modules.filter((module) => module.unnamedAddresses > 0);
	if (rows.length === 0)
		return <p class="all-named" role="status"><Icon name="check" /> Every frame of this range has a name.</p>;
	return (
		<div class="list-scroller">
			<table class="list symbols-list">
				<caption>{plural(rows.length, 'binary', 'binaries')} with frames that have no name</caption>
				<thead>
					<tr>
						<th scope="col" class="number" title="Time of stacks that go through an unnamed frame of it">Unnamed</th>
						<th scope="col">Binary and build</th>
						<th scope="col" class="number" title="Time of stacks that go through it at all">Of all</th>
						<th scope="col">Names from</th>
						<th scope="col">Why, and what helps</th>
					</tr>
				</thead>
				<tbody>{rows.map((module) => <UnnamedRow key={`${module.module} ${module.buildId}`} module={module} held={held} />)}</tbody>
			</table>
		</div>
	);
}

function Named({ held }: { held: SymbolCoverage }) {
	const rows = held.modules.filter((module) => module.unnamedAddresses === 0);
	if (rows.length === 0)
		return null;
	return (
		<details class="folded">
			<summary>{plural(rows.length, 'binary has', 'binaries have')} all their names</summary>
			<div class="list-scroller">
				<table class="list">
					<thead>
						<tr>
							<th scope="col">Binary and build</th>
							<th scope="col" class="number">Of all</th>
							<th scope="col">Names from</th>
						</tr>
					</thead>
					<tbody>
						{rows.map((module) => <tr key={`${module.module} ${module.buildId}`}><Cells module={module} whole={held.total} /></tr>)}
					</tbody>
				</table>
			</div>
		</details>
	);
}

function Whole({ held }: { held: SymbolCoverage }) {
	return (
		<>
			<p class="symbols-summary">
				<b>{formatPercent(held.unnamedTotal, held.total)}</b> of the time is in stacks with a frame that has no
				name, <b>{formatPercent(held.unnamedSelf, held.total)}</b> in such a frame itself.
			</p>
			<Unnamed held={held} />
			<Named held={held} />
		</>
	);
}

function Body() {
	const held = symbols.data.value;
	const nobody = hosts.data.value?.length === 0 && at.host.value === '';
	if (nobody || held?.sampleCount === 0)
		return everSeen.data.value === null && everSeen.error.value === null && nobody ? <FirstLoad /> : <NoSamples />;
	if (held)
		return <Whole held={held} />;
	return symbols.error.value || hosts.error.value ? <NothingYet /> : <FirstLoad />;
}

export function Symbols() {
	useDrop();
	return (
		<>
			<div class="selectors">
				<HostChoice />
				<ProcessChoice />
				<div class="symbols-give">
					<FileButton strong><Icon name="upload" /> Give debug files…</FileButton>
					<span class="quiet">or drop them here. A debug file, or the program before it was stripped; known by its build-ID.</span>
				</div>
			</div>
			<div class="banners"><Failures remotes={[symbols, hosts]} /></div>
			<Progress remote={symbols} />
			<main
				class={`page symbols ${symbols.error.value ? 'is-stale' : ''} ${dragged.value ? 'is-dragged' : ''}`}
				aria-label={`Symbols of ${chosenHost.value === ALL_HOSTS ? 'all hosts' : chosenHost.value}`}
			>
				<Uploads />
				<Body />
			</main>
		</>
	);
}
