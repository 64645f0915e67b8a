/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/http/symbol_names.h"

#include <errno.h>

#include "symbolizer-server/symbol/symbolizer.h"

void symbol_names_init(struct symbol_names *names, struct symbolizer *symbolizer)
{
	*names = (struct symbol_names){.symbolizer = symbolizer};
}

void symbol_names_done(struct symbol_names *names)
{
	symbol_reader_free(names->reader);
	names->reader = NULL;
}

static void open_module(struct symbol_names *names, const struct build_id *id)
{
	symbol_names_done(names);
	names->id = *id;
	names->opened = names->symbolizer ? symbolizer_open(names->symbolizer, id, &names->reader)
					  : -ENOENT;
}

int symbol_names_translate(
	void *context, const struct build_id *id, uint64_t offset, uint64_t *ret_address)
{
	struct symbol_names *names = context;

	if (!build_id_equal(&names->id, id))
		open_module(names, id);
	if (names->opened < 0)
		return names->opened;
	return symbol_reader_address(names->reader, offset, ret_address);
}

int symbol_names_ask(
	void *context, const struct build_id *id, uint64_t address, struct symbol_chain *ret_chain)
{
	struct symbol_names *names = context;

	if (!build_id_equal(&names->id, id))
		open_module(names, id);
	if (names->opened < 0)
		return names->opened;
	return symbol_reader_chain(names->reader, address, ret_chain);
}
