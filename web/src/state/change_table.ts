// SPDX-License-Identifier: Apache-2.0
// The rows of the table of changes: by the norm in use, searched, sorted.

import { computed } from '@preact/signals';
import { changeRows, sortedChanges, type ChangeRow } from '../model/change.ts';
import { nameIndex } from '../model/search.ts';
import * as at from './navigation.ts';
import { query, tree } from './profile.ts';
import { changedFunctions } from './sides.ts';

const allRows = computed((): ChangeRow[] => {
	const answer = changedFunctions.data.value;
	return answer ? changeRows({ left: answer.left, right: answer.right, norm: at.norm.value }, answer.functions, at.ownChange.value) : [];
});

const sorted = computed(() => sortedChanges(allRows.value, at.changeSort.value));

export const changeTableRows = computed((): ChangeRow[] => {
	const asked = query.value;
	if (!asked || typeof asked === 'string')
		return sorted.value;
	return sorted.value.filter(({ fn }) => asked.test(asked.byModule ? fn.module : fn.name));
});

const ids = computed(() => (tree.value ? nameIndex(tree.value.names) : new Map<string, number>()));

/** Which name of the tree a row is, -1 if its frames were too small to be sent. */
export function nameOfRow({ fn }: ChangeRow): number {
	return ids.value.get(`${fn.name}\0${fn.module}`) ?? -1;
}
