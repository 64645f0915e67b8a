// SPDX-License-Identifier: Apache-2.0
// Status is shown as it comes: a new counter of the server needs no new page.

import { requestJson, type RequestOptions } from './client.ts';
import { isObject, WrongJson, type Json } from './json.ts';

export function fetchStatus(options: Pick<RequestOptions, 'signal'>): Promise<Json> {
	return requestJson('status', {}, options, (json) => {
		if (!isObject(json))
			throw new WrongJson('Status is not an object.');
		return json;
	});
}
