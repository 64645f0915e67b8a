// SPDX-License-Identifier: Apache-2.0
// 60, 30 and 10 ms in turn, for 20 s; prints how long each really took, in ns.
const { createRequire } = require('node:module');

const module_ = createRequire(`${process.cwd()}/`)('@pyroscope/nodejs');
const profiler = module_.default ?? module_;

function spin(milliseconds) {
	const start = process.hrtime.bigint();
	let now = start;
	while (now - start < BigInt(milliseconds) * 1000000n) now = process.hrtime.bigint();
	return now - start;
}
// A call behind the spinning keeps the caller on the stack.
function workHeavy() { return spin(60) + 0n; }
function workMedium() { return spin(30) + 0n; }
function workLight() { return spin(10) + 0n; }

const took = [0n, 0n, 0n];
const end = Date.now() + 20000;

function turn() {
	took[0] += workHeavy();
	took[1] += workMedium();
	took[2] += workLight();
	if (Date.now() < end) return setImmediate(turn);
	return profiler.stop().then(() => {
		console.log(took.join(' '));
		process.exit(0);
	});
}

profiler.init({ serverAddress: process.argv[2], appName: 'client.node', tags: { zone: 'x-y' }, flushIntervalMs: 3000, wall: { collectCpuTime: true } });
profiler.start();
turn();
