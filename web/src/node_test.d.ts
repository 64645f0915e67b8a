// SPDX-License-Identifier: Apache-2.0
// The few parts of Node that the unit tests use; its whole type package is not needed for them.

declare module 'node:test' {
	export function test(name: string, body: () => void | Promise<void>): void;
}

declare module 'node:assert/strict' {
	interface Assert {
		(value: unknown, message?: string): asserts value;
		equal(actual: unknown, expected: unknown, message?: string): void;
		match(actual: string, expected: RegExp, message?: string): void;
		deepEqual(actual: unknown, expected: unknown, message?: string): void;
		throws(body: () => unknown, expected?: RegExp | (new (...args: never[]) => Error)): void;
		rejects(body: Promise<unknown>, expected?: RegExp | ((error: unknown) => boolean)): Promise<void>;
	}
	const assert: Assert;
	export default assert;
}

/** Only what tests of clocks need. */
declare const process: { env: Record<string, string | undefined> };
