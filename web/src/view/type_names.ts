// SPDX-License-Identifier: Apache-2.0
// Profile types in words: ids have five parts, `process_cpu:cpu:nanoseconds:cpu:nanoseconds`.

const known: Record<string, { name: string; noun: string }> = {
	'process_cpu:cpu': { name: 'On CPU', noun: 'CPU time' },
	'process_cpu:samples': { name: 'CPU samples', noun: 'samples' },
	'off_cpu:off_cpu': { name: 'Off CPU', noun: 'waiting' },
	'memory:alloc_space': { name: 'Allocated bytes', noun: 'allocated' },
	'memory:alloc_objects': { name: 'Allocations', noun: 'allocations' },
	'memory:inuse_space': { name: 'Bytes in use', noun: 'in use' },
	'memory:inuse_objects': { name: 'Objects in use', noun: 'objects' },
	'memory:page_faults': { name: 'Page faults', noun: 'faulted in' },
	'mutex:delay': { name: 'Lock waits', noun: 'waiting for locks' },
	'mutex:contentions': { name: 'Lock contentions', noun: 'contentions' },
	'block:delay': { name: 'Blocking', noun: 'blocked' },
};

function lookUp(id: string) {
	return known[id.split(':').slice(0, 2).join(':')];
}

export function typeName(id: string): string {
	const parts = id.split(':');
	return lookUp(id)?.name ?? (parts[1] && parts[1] !== parts[0] ? `${parts[0]} ${parts[1]}` : parts[0]).replaceAll('_', ' ');
}

export function typeNoun(id: string): string {
	return lookUp(id)?.noun ?? (id.split(':')[1] ?? 'samples').replaceAll('_', ' ');
}

/** What a second of it in every second is called. */
export function rateNoun(id: string): string {
	return id.startsWith('process_cpu:') ? 'cores' : 'threads';
}
