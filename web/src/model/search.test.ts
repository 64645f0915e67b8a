// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { byValue, findName, nameIndex, parseQuery, queryFor, search, type Query } from './search.ts';
import { treeOf } from './sample_tree.ts';

const tree = treeOf(['total#root', 100, [
	['main@app', 90, [['Malloc@libc', 30, [['int_malloc@libc', 20]]], ['free@libc', 10]]],
	['x.*y@app', 5],
]]);

function asked(text: string): Query {
	const query = parseQuery(text);
	assert(query !== null && typeof query !== 'string', text);
	return query;
}

test('text finds names in any case, nothing is counted twice', () => {
	const found = search(tree, asked('malloc'));
	assert.equal(found.functionCount, 2);
	assert.equal(found.value, 30);
	assert.deepEqual([...found.nodes].map((node) => tree.names.text[tree.nameId[node]]), ['Malloc', 'int_malloc']);
	assert.deepEqual([...byValue(tree, found.nodes)], [...found.nodes]);
});

test('a regular expression between slashes, with or without flags', () => {
	assert.equal(search(tree, asked('/^malloc$/')).functionCount, 1);
	assert.equal(search(tree, asked('/^malloc$/s')).functionCount, 0);
	assert.equal(search(tree, asked('/alloc|free/')).value, 40);
});

test('in: asks for the binary', () => {
	assert.equal(search(tree, asked('in:libc')).value, 40);
	assert.equal(search(tree, asked('in:/^app$/')).functionCount, 2);
});

test('the root is never a match', () => {
	assert.equal(search(tree, asked('total')).functionCount, 0);
});

test('what is no query says so', () => {
	assert.equal(parseQuery(''), null);
	assert.equal(parseQuery('  '), null);
	assert.equal(parseQuery('in:'), null);
	assert.equal(typeof parseQuery('/(/'), 'string');
});

test('the query for a function finds it and no other, whatever its name holds', () => {
	for (const name of ['x.*y', 'a/b', 'f(int)[2]{3}', 'a\nb', '$^|\\', '<img src=x>']) {
		const query = asked(queryFor(name));
		assert(query.test(name), name);
		assert(!query.test(`${name}2`), name);
	}
});

test('a name is found by its text and module, one by one and by the index', () => {
	const ids = nameIndex(tree.names);
	for (const [text, module] of [['main', 'app'], ['free', 'libc'], ['main', 'libc'], ['', '']] as const)
		assert.equal(ids.get(`${text}\0${module}`) ?? -1, findName(tree.names, text, module));
	assert(findName(tree.names, 'free', 'libc') >= 0);
});
