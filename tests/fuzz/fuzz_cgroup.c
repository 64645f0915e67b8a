/* SPDX-License-Identifier: Apache-2.0 */
/* Whatever the text, a place is made of plain texts, and the order of the hierarchies that say the
 * same does not change it: a text repeated means what it means once. */
#include <stdlib.h>
#include <string.h>

#include "collector/process/cgroup.h"
#include "store/base/must.h"
#include "tests/fuzz/fuzz.h"

/* A name that an operator sees holds no control character, and a container's or pod's no slash. */
static void check_text(const char *text, size_t length_max, bool is_path_free)
{
	must(strlen(text) <= length_max);
	for (const unsigned char *c = (const unsigned char *)text; *c; c++)
		must(*c >= ' ' && *c != 0x7f && !(is_path_free && *c == '/'));
}

static void check_place(const struct cgroup_place *place)
{
	check_text(place->container, CGROUP_CONTAINER_MAX, true);
	check_text(place->pod, CGROUP_POD_MAX, true);
	check_text(place->unit, CGROUP_UNIT_MAX, true);
	must(!place->container_is_name || place->container[0] != '\0');
}

void fuzz_one(const uint8_t *bytes, size_t byte_count)
{
	struct cgroup_place once, twice;
	char *text = malloc(2 * byte_count + 1);

	must(text);
	cgroup_parse((const char *)bytes, byte_count, &once);
	check_place(&once);
	memcpy(text, bytes, byte_count);
	text[byte_count] = '\n';
	memcpy(text + byte_count + 1, bytes, byte_count);
	cgroup_parse(text, 2 * byte_count + 1, &twice);
	must(strcmp(once.container, twice.container) == 0 && strcmp(once.pod, twice.pod) == 0 &&
		strcmp(once.unit, twice.unit) == 0);
	free(text);
}
