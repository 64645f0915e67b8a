// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { drawable, shorterForms } from './name_shorten.ts';

const cases: [name: string, forms: string[]][] = [
	['main', ['main']],
	['int ns::Map<std::string, int>::find(std::string const&) const', [
		'int ns::Map<std::string, int>::find(std::string const&) const',
		'int ns::Map<std::string, int>::find',
		'int ns::Map<…>::find',
		'ns::Map<…>::find',
		'…Map<…>::find',
		'…find',
		'find',
	]],
	['std::function<void (int)>::operator()(int) const', [
		'std::function<void (int)>::operator()(int) const',
		'std::function<void (int)>::operator()',
		'std::function<…>::operator()',
		'…function<…>::operator()',
		'…operator()',
		'operator()',
	]],
	['(anonymous namespace)::parse(char const*)', [
		'(anonymous namespace)::parse(char const*)',
		'(anonymous namespace)::parse',
		'…parse',
		'parse',
	]],
	['std::ostream& operator<< <char>(std::ostream&, char)', [
		'std::ostream& operator<< <char>(std::ostream&, char)',
		'std::ostream& operator<< <char>',
	]],
	['Foo::operator==(Foo const&)', ['Foo::operator==(Foo const&)', 'Foo::operator==', '…operator==', 'operator==']],
	['<alloc::vec::Vec<i32, A> as core::iter::Iterator>::next', [
		'<alloc::vec::Vec<i32, A> as core::iter::Iterator>::next',
		'<alloc::vec::Vec<…> as core::iter::Iterator>::next',
		'…next',
		'next',
	]],
	['java.util.HashMap.putVal', ['java.util.HashMap.putVal', '…util.HashMap.putVal', '…HashMap.putVal', '…putVal', 'putVal']],
	['net/http.(*conn).serve', ['net/http.(*conn).serve', '…http.(*conn).serve', '…(*conn).serve', '…serve', 'serve']],
	['finish_task_switch.isra.0', ['finish_task_switch.isra.0', 'finish_task_switch']],
	['parse.part.3.cold', ['parse.part.3.cold', 'parse']],
	['<module>', ['<module>']],
	['com.acme.Foo.<init>', ['com.acme.Foo.<init>', '…acme.Foo.<init>', '…Foo.<init>', '…<init>', '<init>']],
	['libfoo.so.1+0x1a2b', ['libfoo.so.1+0x1a2b']],
	['0x7f3a1c0412e0', ['0x7f3a1c0412e0']],
	['[unwind stopped: no unwind table]', ['[unwind stopped: no unwind table]']],
	['(12 small)', ['(12 small)']],
	['GC task thread#0', ['GC task thread#0']],
	['<img src=x onerror=alert(1)>', ['<img src=x onerror=alert(1)>']],
];

for (const [name, forms] of cases) {
	test(`${name} is shortened from the least telling part on`, () => {
		assert.deepEqual(shorterForms(name), forms);
	});
}

test('forms only get shorter, and any text has one', () => {
	const pieces = ['a', '::', '<', '>', '(', ')', '.', ' ', 'operator', '/', '[', ']', '{', '}', '->', ',', 'é', '\u202e', '\n', ''];
	let state = 1;
	for (let round = 0; round < 5000; round++) {
		let name = '';
		for (let i = 0; i < 12; i++) {
			state = (Math.imul(state, 1103515245) + 12345) >>> 0;
			name += pieces[(state >>> 16) % pieces.length];
		}
		const forms = shorterForms(name);
		assert.equal(forms[0], name);
		for (let i = 1; i < forms.length; i++)
			assert(forms[i].length > 0 && forms[i].length < forms[i - 1].length, JSON.stringify(forms));
	}
});

test('a name of 100 kB takes no time', () => {
	const began = performance.now();
	shorterForms('ns::type<a, b>::'.repeat(6250) + 'f(int)');
	shorterForms('<'.repeat(100000));
	shorterForms('('.repeat(50000) + ')'.repeat(50000));
	assert(performance.now() - began < 1000);
});

test('characters that would falsify a label are drawn as dots', () => {
	assert.equal(drawable('a\u202eb\nc\u0000d'), 'a·b·c·d');
	assert.equal(drawable('größe 🗿'), 'größe 🗿');
});
