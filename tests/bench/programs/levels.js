// SPDX-License-Identifier: Apache-2.0
// Runs for ever, some thirty calls deep, in code that node has compiled while it ran.

function leaf(count) {
	let sum = 0;
	for (let i = 0; i < count; i++)
		sum = (Math.imul(sum, 31) + i) | 0;
	return sum;
}

/* Each level is a function of its own, as in a real program. */
let deepest = leaf;
for (let i = 0; i < 30; i++)
	deepest = new Function('inner', `return function level_${i}(count) { return inner(count) + ${i}; };`)(deepest);

for (;;)
	deepest(20000);
