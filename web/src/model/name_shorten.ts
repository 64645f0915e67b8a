// SPDX-License-Identifier: Apache-2.0
// Shorter forms of a long function name, so that a narrow frame still shows the part that tells it apart:
//
//   int ns::Map<std::string, int>::find(std::string const&)      whole
//   int ns::Map<std::string, int>::find                          without arguments
//   int ns::Map<…>::find                                         without template arguments
//   ns::Map<…>::find                                             without return type
//   …Map<…>::find   …find   find                                 without namespaces
//
// All in one pass over the characters each; a name of 10 kB is no special case.

export const ELLIPSIS = '…';

/* Further left than this, a namespace no longer helps to tell functions apart. */
const COMPONENTS_MAX = 6;

/** What a compiler appends when it splits or clones a function. */
const CLONE_SUFFIX = /(?:\.(?:part|constprop|isra|cold|llvm|lto_priv|clone)(?:\.\d+)*)+$/;

/** `(anonymous namespace)` looks like arguments but is a component. */
const ANONYMOUS = '(anonymous namespace)';

function isWord(char: string | undefined): boolean {
	return char !== undefined && /[\w$\u0080-\uffff]/.test(char);
}

/** Whether the < at AT belongs to `operator<`, `operator<<` or `operator<=`, which open nothing. */
function isOperatorSign(name: string, at: number): boolean {
	return /operator\s*[<>=-]*$/.test(name.slice(Math.max(0, at - 12), at));
}

/** Depth of brackets before each character; -> and operator signs are no brackets. */
function bracketDepths(name: string): Uint16Array {
	const depths = new Uint16Array(name.length + 1);
	let depth = 0;
	for (let i = 0; i < name.length; i++) {
		const char = name[i];
		depths[i] = depth;
		if (char === '(' || char === '[' || char === '{' || (char === '<' && !isOperatorSign(name, i)))
			depth++;
		const closes = char === ')' || char === ']' || char === '}' ||
			(char === '>' && name[i - 1] !== '-' && !isOperatorSign(name, i));
		if (closes && depth > 0)
			depths[i] = --depth;
	}
	depths[name.length] = depth;
	return depths;
}

function withoutArguments(name: string): string {
	const depths = bracketDepths(name);
	const close = name.lastIndexOf(')');
	if (close < 0 || depths[close] !== 0 || !/^\)(?: ?(?:const|volatile|noexcept|&&?|\[clone [^\]]*\]))*$/.test(name.slice(close)))
		return name;
	let open = close - 1;
	while (open > 0 && !(name[open] === '(' && depths[open] === 0))
		open--;
	const kept = name.slice(0, open);
	const isArguments = open > 0 && name[open] === '(' && !kept.endsWith('operator') && isWord(kept[kept.length - 1]);
	const afterBracket = open > 0 && /[>)\]}]$|operator\W+$/.test(kept) && !name.startsWith(ANONYMOUS, open);
	return isArguments || afterBracket ? kept : name;
}

/** `Map<a, b>` -> `Map<…>`; `<module>` and `<init>` are names, not arguments. */
function withoutTemplateArguments(name: string): string {
	let out = '';
	let depth = 0;
	for (let i = 0; i < name.length; i++) {
		const char = name[i];
		if (depth > 0) {
			if (char === '<')
				depth++;
			else if (char === '>' && name[i - 1] !== '-' && --depth === 0)
				out += `<${ELLIPSIS}>`;
			continue;
		}
		const opens = char === '<' && !isOperatorSign(name, i) && (isWord(name[i - 1]) || name.startsWith('::', i - 2));
		if (opens)
			depth = 1;
		else
			out += char;
	}
	return depth > 0 ? name : out;
}

/** What stands before the last space outside all brackets, if it can be a type at all. */
function withoutReturnType(name: string): string {
	const depths = bracketDepths(name);
	for (let i = name.length - 1; i > 0; i--) {
		if (name[i] === ' ' && depths[i] === 0) {
			const before = name.slice(0, i);
			return /operator\W*$|[:.,]$/.test(before) || before.startsWith('[') ? name : name.slice(i + 1);
		}
	}
	return name;
}

/** Where the name's last components begin, the last one first. */
function componentStarts(name: string): number[] {
	const depths = bracketDepths(name);
	const starts: number[] = [];
	for (let i = name.length - 1; i > 0 && starts.length < COMPONENTS_MAX; i--) {
		if (depths[i] !== 0)
			continue;
		/* What stands left of a space is a type. */
		if (name[i] === ' ')
			break;
		if (name[i] === ':' && name[i - 1] === ':') {
			starts.push(i + 1);
			i--;
		} else if (name[i] === '/' || (name[i] === '.' && /[\p{L}_$(<*{]/u.test(name[i + 1] ?? ''))) {
			starts.push(i + 1);
		}
	}
	return starts;
}

/** An address, a marker or a sentence has no components to leave out. */
function isPlain(name: string): boolean {
	return /\+0x[0-9a-f]+$|^0x[0-9a-f]+$|^[[(]/.test(name) && !name.startsWith(ANONYMOUS);
}

/** NAME and its shorter forms, each shorter than the one before. */
export function shorterForms(name: string): string[] {
	const forms = [name];
	const take = (form: string): string => {
		if (form && form.length < forms[forms.length - 1].length)
			forms.push(form);
		return form || name;
	};
	if (isPlain(name))
		return forms;
	let form = take(name.replace(CLONE_SUFFIX, ''));
	const bare = withoutArguments(form);
	take(bare);
	form = take(withoutTemplateArguments(bare));
	if (bare !== name)
		form = take(withoutReturnType(form));
	const starts = componentStarts(form);
	for (const start of starts.slice().reverse())
		take(ELLIPSIS + form.slice(start));
	if (starts.length > 0)
		take(form.slice(starts[0]));
	return forms;
}

/** Control characters and those that turn the direction of writing would falsify a drawn label. */
export function drawable(name: string): string {
	return name.replace(/[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g, '·');
}
