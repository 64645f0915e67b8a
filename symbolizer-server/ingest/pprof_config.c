/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/ingest/pprof_config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

static struct ingest_text text_of(const char *text)
{
	return (struct ingest_text){text ? text : "", text ? strlen(text) : 0};
}

static int fill(struct pprof_config *config, struct ingest_text text, struct ingest_fault *fault)
{
	const cJSON *member;

	config->json = cJSON_ParseWithLength(text.text, text.length);
	if (!cJSON_IsObject((const cJSON *)config->json)) {
		return ingest_refuse(fault, -EBADMSG,
			"sample_type_config is no JSON object such as "
			"{\"samples\":{\"display-name\":\"cpu\"}}");
	}
	/* One more than needed, so that none is no special case. */
	config->renames =
		calloc((size_t)cJSON_GetArraySize(config->json) + 1, sizeof(*config->renames));
	if (!config->renames)
		return -ENOMEM;
	cJSON_ArrayForEach(member, (const cJSON *)config->json)
	{
		const cJSON *name = cJSON_GetObjectItemCaseSensitive(member, "display-name");

		if (config->count == PPROF_TYPE_COUNT_MAX)
			break;
		config->renames[config->count++] = (struct pprof_rename){
			text_of(member->string), text_of(cJSON_GetStringValue(name))};
	}
	return 0;
}

int pprof_config_read(
	struct ingest_text json, struct pprof_config **ret_config, struct ingest_fault *fault)
{
	struct pprof_config *config = calloc(1, sizeof(*config));
	int r = config ? fill(config, json, fault) : -ENOMEM;

	if (r < 0) {
		pprof_config_free(config);
		return r;
	}
	*ret_config = config;
	return 0;
}

void pprof_config_free(struct pprof_config *config)
{
	if (!config)
		return;
	cJSON_Delete(config->json);
	free(config->renames);
	free(config);
}
