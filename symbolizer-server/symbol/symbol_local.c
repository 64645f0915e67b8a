/* SPDX-License-Identifier: Apache-2.0 */
/* Files of this machine: those that were given and kept, and those that people laid into folders.
 * Nothing of them is trusted more than what comes from outside. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "store/base/cleanup.h"
#include "symbolizer-server/symbol/symbolizer_state.h"

/* Places of all folders together where one file may stand. */
#define CANDIDATES_MAX 64

bool symbol_has(struct symbolizer *symbolizer, const struct module_record *module,
	enum symbol_quality quality)
{
	bool has;

	pthread_mutex_lock(&symbolizer->lock);
	has = !module->stale && module->quality >= (uint8_t)quality;
	pthread_mutex_unlock(&symbolizer->lock);
	return has;
}

bool symbol_has_best(struct symbolizer *symbolizer, const struct module_record *module)
{
	return symbol_has(symbolizer, module, SYMBOL_QUALITY_DWARF);
}

/* Reads one file and closes it. */
static void read_file(struct symbolizer *symbolizer, struct module_record *module, int fd,
	const struct symbol_file_request *request)
{
	symbol_store_file(symbolizer, module, fd, request);
	close(fd);
}

static void read_kept(
	struct symbolizer *symbolizer, struct module_record *module, enum shelf_kind kind)
{
	struct symbol_file_request request = {
		.id = module->id,
		.what = kind == SHELF_KERNEL ? SYMBOL_WHAT_KERNEL_SYMBOLS : SYMBOL_WHAT_EXECUTABLE,
		.zstd = kind == SHELF_KERNEL,
		.reduced = kind == SHELF_DEBUG || kind == SHELF_TABLE,
		.from = "a kept file",
	};
	uint64_t byte_count;
	int fd;

	if (file_shelf_open(&symbolizer->shelf, &module->id, kind, &fd, &byte_count) == 0)
		read_file(symbolizer, module, fd, &request);
}

static void look_on_shelf(struct symbolizer *symbolizer, struct module_record *module)
{
	/* A kernel has a list, and perhaps the image that somebody gave. */
	static const enum shelf_kind kinds[] = {
		SHELF_DEBUG, SHELF_WHOLE, SHELF_KERNEL, SHELF_TABLE, SHELF_CODE};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (!symbol_has_best(symbolizer, module))
			read_kept(symbolizer, module, kinds[i]);
}

static void look_in_folders(struct symbolizer *symbolizer, struct module_record *module,
	struct symbol_question *question)
{
	struct symbol_source *folders = symbolizer->folders;
	struct symbol_file_request request = {
		.id = module->id,
		.what = SYMBOL_WHAT_EXECUTABLE,
		.from = folders->name,
	};
	struct symbol_fetched fetched;

	for (question->skip = 0; question->skip < CANDIDATES_MAX; question->skip++) {
		if (symbol_has_best(symbolizer, module) ||
			folders->fetch(folders, 0, question, &fetched) < 0)
			return;
		request.matched = fetched.matched;
		read_file(symbolizer, module, fetched.fd, &request);
	}
}

/* The question about a module; its texts are the caller's to free. */
static struct symbol_question question_of(
	struct symbolizer *symbolizer, const struct module_record *module, char **ret_link_name)
{
	struct symbol_question question = {
		.id = module->id,
		.file = SYMBOL_FILE_DEBUGINFO,
		.name = module->name,
		.kernel = module->what == SYMBOL_WHAT_KERNEL_SYMBOLS,
	};

	pthread_mutex_lock(&symbolizer->lock);
	*ret_link_name = module->link_name ? strdup(module->link_name) : NULL;
	question.link_crc = module->link_crc;
	pthread_mutex_unlock(&symbolizer->lock);
	question.link_name = *ret_link_name;
	return question;
}

static void look_everywhere(struct symbolizer *symbolizer, struct module_record *module, bool kept)
{
	SCOPED_FREE char *link_name = NULL;
	struct symbol_question question = question_of(symbolizer, module, &link_name);

	if (kept)
		look_on_shelf(symbolizer, module);
	if (!symbolizer->folders)
		return;
	look_in_folders(symbolizer, module, &question);
	question.file = SYMBOL_FILE_EXECUTABLE;
	look_in_folders(symbolizer, module, &question);
}

/* Plans that what is kept of a module is read, whatever index there is. */
static int reread(struct symbolizer *symbolizer, const struct unread_old *old)
{
	struct module_record *module;
	bool tell = false;
	int r = symbolizer_note_module(
		symbolizer, NULL, &old->id, old->name, SYMBOL_WHAT_EXECUTABLE);

	pthread_mutex_lock(&symbolizer->lock);
	module = module_registry_find(&symbolizer->registry, &old->id);
	if (module) {
		module_registry_reread(&symbolizer->registry, module);
		tell = symbolizer_plan(symbolizer, module);
	}
	pthread_mutex_unlock(&symbolizer->lock);
	if (tell)
		symbolizer_tell(symbolizer);
	return r == -ENOMEM ? r : 0;
}

static bool is_stopping(struct symbolizer *symbolizer)
{
	bool stopping;

	pthread_mutex_lock(&symbolizer->lock);
	stopping = symbolizer->stopping;
	pthread_mutex_unlock(&symbolizer->lock);
	return stopping;
}

void symbol_look_here(struct symbolizer *symbolizer, struct module_record *module, bool kept)
{
	look_everywhere(symbolizer, module, kept);
	/* A stop gives parsers up in the middle. */
	if (!is_stopping(symbolizer))
		unread_marks_forget_old(&symbolizer->unread, &module->id);
}

int symbol_read_unread(struct symbolizer *symbolizer)
{
	struct unread_old *old = malloc(symbolizer->unread.old_count * sizeof(*old) + 1);
	uint32_t count = 0;
	int r = 0;

	if (!old)
		return -ENOMEM;
	/* Copied: the first of them may be read, and forgotten, before the last is looked at. */
	while (unread_marks_old(&symbolizer->unread, count, &old[count]))
		count++;
	for (uint32_t i = 0; r == 0 && i < count; i++)
		r = reread(symbolizer, &old[i]);
	free(old);
	return r;
}

int symbol_identify(void *context, int fd, struct build_id *ret_id, bool *ret_has_dwarf)
{
	struct symbolizer *symbolizer = context;
	struct sandbox_request request = {
		.folder_fd = symbolizer->folder_fd,
		.cancel_fd = symbolizer->cancel_fd,
	};
	enum sandbox_fault fault = SANDBOX_FAULT_INTERNAL;
	struct file_facts facts;
	int r = symbol_describe(symbolizer, fd, &request, &fault, &facts);

	if (r < 0 || fault != SANDBOX_FAULT_NONE)
		return r < 0 ? r : -EBADMSG;
	*ret_id = facts.id;
	*ret_has_dwarf = facts.contents.has_dwarf;
	return 0;
}

/* A file of a folder is what its place says only once it was looked at. */
static bool is_right(struct symbolizer *symbolizer, const struct symbol_question *question,
	const struct symbol_fetched *fetched)
{
	struct sandbox_request request = {
		.folder_fd = symbolizer->folder_fd,
		.cancel_fd = symbolizer->cancel_fd,
	};
	enum sandbox_fault fault = SANDBOX_FAULT_INTERNAL;
	struct file_facts facts;

	if (!fetched->matched && question->file != SYMBOL_FILE_PACKAGE)
		request.id = question->id;
	if (symbol_describe(symbolizer, fetched->fd, &request, &fault, &facts) < 0 ||
		fault != SANDBOX_FAULT_NONE || facts.is_packed)
		return false;
	switch (question->file) {
	case SYMBOL_FILE_DEBUGINFO:
		return facts.contents.has_dwarf || facts.contents.has_table;
	case SYMBOL_FILE_EXECUTABLE:
		return facts.contents.has_code;
	case SYMBOL_FILE_PACKAGE:
		return facts.contents.is_package;
	}
	return false;
}

int symbol_open_local(struct symbolizer *symbolizer, const struct symbol_question *question,
	int *ret_fd, uint64_t *ret_byte_count)
{
	struct symbol_question each = *question;
	struct symbol_fetched fetched;
	enum shelf_kind kind;
	int r = file_shelf_find(
		&symbolizer->shelf, &question->id, question->file, ret_fd, ret_byte_count, &kind);

	if (r != -ENOENT || !symbolizer->folders)
		return r;
	for (each.skip = 0; each.skip < CANDIDATES_MAX; each.skip++) {
		if (symbolizer->folders->fetch(symbolizer->folders, 0, &each, &fetched) < 0)
			return -ENOENT;
		if (is_right(symbolizer, &each, &fetched)) {
			*ret_fd = fetched.fd;
			*ret_byte_count = fetched.byte_count;
			return 0;
		}
		close(fetched.fd);
	}
	return -ENOENT;
}

void symbolizer_visit_kept(struct symbolizer *symbolizer, const struct build_id *id,
	symbol_kept_fn visit, void *context)
{
	unsigned kinds = file_shelf_kinds(&symbolizer->shelf, id);

	for (unsigned kind = 0; kind < SHELF_KIND_COUNT; kind++)
		if (kinds & 1u << kind)
			visit(context, shelf_kind_text((enum shelf_kind)kind));
}

int symbolizer_open_file(struct symbolizer *symbolizer, const struct build_id *id,
	enum symbol_file file, int *ret_fd, uint64_t *ret_byte_count)
{
	struct symbol_question question = {.id = *id, .file = file, .name = ""};

	return symbol_open_local(symbolizer, &question, ret_fd, ret_byte_count);
}
