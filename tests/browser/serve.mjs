// SPDX-License-Identifier: Apache-2.0
// For looking at the page while working on it: node serve.mjs DIST [PROFILE] [PORT]
import { startFixtureServer } from './support/fixture_server.mjs';

const [dist, profile = 'busy', port = '4100'] = process.argv.slice(2);
if (!dist) {
	console.error('usage: node serve.mjs DIST [busy|deep|needles|hostile|empty|100k|500k|combs] [PORT]');
	process.exit(2);
}
const { url } = await startFixtureServer({ dist, port: Number(port), state: { profile } });
console.log(url);
