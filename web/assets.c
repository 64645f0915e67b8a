/* SPDX-License-Identifier: Apache-2.0 */
#include "web/assets.h"

#include <string.h>

const struct web_asset *web_asset_find(const char *path)
{
	const char *wanted = strcmp(path, "/") == 0 ? "/index.html" : path;

	for (const struct web_asset *asset = web_asset_table; asset->path; asset++)
		if (strcmp(asset->path, wanted) == 0)
			return asset;
	return NULL;
}
