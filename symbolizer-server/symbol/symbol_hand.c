/* SPDX-License-Identifier: Apache-2.0 */
/* Files that people and build pipelines give: taken in pieces if need be, looked at before they are
 * accepted, then read like any upload.
 *
 * A hand is one file on its way in. It stays for a while after its connection broke, so that the
 * sender can go on where it ended. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/base/cleanup.h"
#include "symbolizer-server/symbol/symbolizer_state.h"

/* A sender that comes back does so soon; a build machine may be started anew meanwhile. */
#define HAND_IDLE_NS (UINT64_C(600) * NS_PER_S)

struct symbol_hand {
	struct symbolizer *symbolizer;
	struct symbol_hand *next;
	struct build_id id;
	char name[SYMBOL_MODULE_NAME_MAX];
	bool package;
	bool busy; /* a connection writes it */
	uint64_t byte_count; /* of the whole file; 0: not known */
	uint64_t touched_at_ns;
	struct upload_file file;
};

/* With LOCK. */
static struct symbol_hand *find(
	struct symbolizer *symbolizer, const struct build_id *id, bool package)
{
	struct symbol_hand *hand = symbolizer->hands;

	while (hand && (hand->package != package || !build_id_equal(&hand->id, id)))
		hand = hand->next;
	return hand;
}

/* With LOCK. */
static void take_out(struct symbol_hand *hand)
{
	struct symbol_hand **link = &hand->symbolizer->hands;

	while (*link != hand)
		link = &(*link)->next;
	*link = hand->next;
	hand->symbolizer->hand_count--;
}

static void hand_free(struct symbol_hand *hand)
{
	upload_file_remove(&hand->symbolizer->spool, &hand->file);
	free(hand);
}

/* With LOCK. Makes room for another one by giving up those that nobody came back for. */
static struct symbol_hand *take_idle(struct symbolizer *symbolizer, uint64_t before_ns)
{
	struct symbol_hand *hand = symbolizer->hands;

	while (hand && (hand->busy || hand->touched_at_ns >= before_ns))
		hand = hand->next;
	if (hand)
		take_out(hand);
	return hand;
}

void symbol_hand_expire(struct symbolizer *symbolizer, uint64_t idle_ns)
{
	uint64_t now_ns = symbol_now_ns(symbolizer);
	struct symbol_hand *hand;

	do {
		pthread_mutex_lock(&symbolizer->lock);
		hand = take_idle(symbolizer, now_ns >= idle_ns ? now_ns - idle_ns + 1 : 0);
		pthread_mutex_unlock(&symbolizer->lock);
		if (hand)
			hand_free(hand);
	} while (hand);
}

void symbol_hand_expire_old(struct symbolizer *symbolizer)
{
	symbol_hand_expire(symbolizer, HAND_IDLE_NS);
}

static void copy_name(char ret_name[SYMBOL_MODULE_NAME_MAX], const char *name)
{
	size_t length = name ? strnlen(name, SYMBOL_MODULE_NAME_MAX - 1) : 0;

	if (length > 0)
		memcpy(ret_name, name, length);
	ret_name[length] = '\0';
}

/* With LOCK. */
static int begin_file(struct symbolizer *symbolizer, const struct symbol_hand_request *request,
	struct symbol_hand **ret_hand)
{
	struct symbol_hand *hand = calloc(1, sizeof(*hand));
	char suffix[UPLOAD_SUFFIX_MAX];
	int r;

	if (!hand)
		return -ENOMEM;
	hand->symbolizer = symbolizer;
	hand->id = request->id;
	hand->package = request->package;
	copy_name(hand->name, request->name);
	/* The one before may still be read. */
	snprintf(suffix, sizeof(suffix), ".%08x", symbolizer->hand_serial++);
	r = upload_file_begin(
		&symbolizer->spool, &request->id, suffix, request->byte_count, &hand->file);
	if (r < 0) {
		free(hand);
		return r;
	}
	*ret_hand = hand;
	return 0;
}

/* With LOCK. Goes on with a file, or begins one. */
static int take_up(struct symbolizer *symbolizer, const struct symbol_hand_request *request,
	uint64_t *ret_offset, struct symbol_hand **ret_hand)
{
	struct symbol_hand *hand = find(symbolizer, &request->id, request->package);
	int r = 0;

	*ret_offset = 0;
	if (hand && hand->busy)
		return -EBUSY;
	if (!hand && request->offset > 0)
		return -ERANGE;
	if (hand && request->offset == 0) {
		take_out(hand);
		hand_free(hand);
		hand = NULL;
	}
	if (hand &&
		(hand->file.byte_count != request->offset ||
			hand->byte_count != request->byte_count)) {
		*ret_offset = hand->file.byte_count;
		return -ERANGE;
	}
	if (!hand) {
		if (symbolizer->hand_count >= HANDS_MAX)
			return -EAGAIN;
		r = begin_file(symbolizer, request, &hand);
		if (r < 0)
			return r;
		hand->next = symbolizer->hands;
		symbolizer->hands = hand;
		symbolizer->hand_count++;
	}
	hand->busy = true;
	hand->byte_count = request->byte_count;
	*ret_hand = hand;
	return 0;
}

int symbolizer_hand_begin(struct symbolizer *symbolizer, const struct symbol_hand_request *request,
	uint64_t *ret_offset, struct symbol_hand **ret_hand)
{
	int r = build_id_known(&request->id) ? 0 : -EINVAL;

	symbol_count(symbolizer, SYMBOL_COUNTER_UPLOADS_ASKED, 1);
	*ret_offset = 0;
	if (r == 0 && request->byte_count > symbolizer->spool.file_bytes_max)
		r = -EFBIG;
	if (r == 0) {
		symbol_hand_expire_old(symbolizer);
		pthread_mutex_lock(&symbolizer->lock);
		r = take_up(symbolizer, request, ret_offset, ret_hand);
		if (r == 0)
			symbolizer->uploads_open++;
		pthread_mutex_unlock(&symbolizer->lock);
	}
	if (r < 0)
		symbol_count(symbolizer, SYMBOL_COUNTER_UPLOADS_REFUSED, 1);
	return r;
}

int symbolizer_hand_append(struct symbol_hand *hand, const void *bytes, size_t byte_count)
{
	int r = upload_file_append(&hand->symbolizer->spool, &hand->file, bytes, byte_count);

	if (r == 0)
		symbol_count(hand->symbolizer, SYMBOL_COUNTER_UPLOAD_BYTES, byte_count);
	return r;
}

void symbolizer_hand_close(struct symbol_hand *hand)
{
	struct symbolizer *symbolizer;

	if (!hand)
		return;
	symbolizer = hand->symbolizer;
	symbol_count(symbolizer, SYMBOL_COUNTER_UPLOADS_BROKEN, 1);
	pthread_mutex_lock(&symbolizer->lock);
	symbolizer->uploads_open--;
	hand->busy = false;
	hand->touched_at_ns = symbol_now_ns(symbolizer);
	/* Without an end that is known there is nothing to go on to. */
	if (hand->byte_count == 0)
		take_out(hand);
	else
		hand = NULL;
	pthread_mutex_unlock(&symbolizer->lock);
	if (hand)
		hand_free(hand);
}

uint64_t symbolizer_hand_offset(
	struct symbolizer *symbolizer, const struct build_id *id, bool package)
{
	const struct symbol_hand *hand;
	uint64_t offset;

	pthread_mutex_lock(&symbolizer->lock);
	hand = find(symbolizer, id, package);
	offset = hand ? hand->file.byte_count : 0;
	pthread_mutex_unlock(&symbolizer->lock);
	return offset;
}

/* What the file is, and whether it is what it was said to be. */
static int look_at(
	struct symbol_hand *hand, enum sandbox_fault *ret_fault, struct file_facts *ret_facts)
{
	struct symbolizer *symbolizer = hand->symbolizer;
	struct sandbox_request request = {
		.input = SANDBOX_INPUT_ELF,
		.folder_fd = symbolizer->folder_fd,
		.cancel_fd = symbolizer->cancel_fd,
	};
	struct file_facts facts = {.is_object = false};
	int r;

	/* A package carries no id: it belongs to whatever program it was given for. */
	if (!hand->package)
		request.id = hand->id;
	r = symbol_describe(symbolizer, hand->file.fd, &request, ret_fault, &facts);
	if (r < 0 || *ret_fault != SANDBOX_FAULT_NONE)
		return r;
	if (hand->package && !facts.contents.is_package)
		*ret_fault = SANDBOX_FAULT_NO_NAMES;
	/* Debuggers get it as it came, and want no such file. */
	if (facts.is_packed)
		*ret_fault = SANDBOX_FAULT_NOT_ELF;
	*ret_facts = facts;
	return 0;
}

/* The module of the file, which nobody takes for idle from now on. */
static int note_module(struct symbol_hand *hand, struct module_record **ret_module)
{
	struct symbolizer *symbolizer = hand->symbolizer;
	int r;

	pthread_mutex_lock(&symbolizer->lock);
	r = module_registry_note(&symbolizer->registry, NULL, &hand->id, hand->name,
		SYMBOL_WHAT_EXECUTABLE, ret_module);
	if (r == 0)
		(*ret_module)->hand_count++;
	pthread_mutex_unlock(&symbolizer->lock);
	return r;
}

/* Once the sender was told that its file is here, no end of the server may lose it: it is kept, and
 * marked as not read yet. What says less than what is kept loses nothing; what is larger than all
 * that may be kept is read, or lost. */
static int secure(struct symbol_hand *hand, struct symbol_upload *upload)
{
	struct symbolizer *symbolizer = hand->symbolizer;
	enum shelf_kind kind;
	int r;

	if (!shelf_kind_of(&upload->facts.contents, &kind))
		return 0;
	r = unread_marks_add(&symbolizer->unread, &hand->id, hand->name, &upload->mark);
	if (r < 0)
		return r;
	r = symbol_upload_shelve(upload, kind);
	upload->marked = r == 0;
	if (r < 0)
		unread_marks_remove(&symbolizer->unread, &hand->id, upload->mark);
	return r == -EEXIST || r == -EFBIG ? 0 : r;
}

static int push(struct symbol_hand *hand, struct symbol_upload *upload)
{
	struct symbolizer *symbolizer = hand->symbolizer;
	int r;

	pthread_mutex_lock(&symbolizer->lock);
	r = queue_push(&symbolizer->index_jobs, upload);
	if (r == 0) {
		symbolizer->jobs_queued++;
		symbolizer->uploads_open--;
		take_out(hand);
	}
	pthread_mutex_unlock(&symbolizer->lock);
	return r;
}

/* Hands the file to those who read uploads. */
static int queue_up(struct symbol_hand *hand, const struct file_facts *facts)
{
	struct symbolizer *symbolizer = hand->symbolizer;
	struct symbol_upload *upload = calloc(1, sizeof(*upload));
	struct module_record *module = NULL;
	int r = upload ? note_module(hand, &module) : -ENOMEM;

	if (r < 0) {
		free(upload);
		return r;
	}
	*upload = (struct symbol_upload){
		.symbolizer = symbolizer,
		.module = module,
		.file = hand->file,
		.what = SYMBOL_WHAT_EXECUTABLE,
		.by_hand = true,
		.has_facts = true,
		.facts = *facts,
	};
	hand->file = (struct upload_file){.fd = -1};
	r = secure(hand, upload);
	if (r == 0)
		r = push(hand, upload);
	if (r < 0) {
		pthread_mutex_lock(&symbolizer->lock);
		module->hand_count--;
		pthread_mutex_unlock(&symbolizer->lock);
		symbol_upload_discard(upload);
		return r;
	}
	symbol_count(symbolizer, SYMBOL_COUNTER_UPLOADS_TAKEN, 1);
	hand_free(hand);
	return 0;
}

/* What was refused is not kept for a later part. */
static void give_up(struct symbol_hand *hand)
{
	hand->byte_count = 0;
	symbolizer_hand_close(hand);
}

/* A part came whole; the sender goes on with another request. */
static int park(struct symbol_hand *hand)
{
	struct symbolizer *symbolizer = hand->symbolizer;

	symbol_count(symbolizer, SYMBOL_COUNTER_UPLOADS_TAKEN, 1);
	pthread_mutex_lock(&symbolizer->lock);
	symbolizer->uploads_open--;
	hand->busy = false;
	hand->touched_at_ns = symbol_now_ns(symbolizer);
	pthread_mutex_unlock(&symbolizer->lock);
	return -EINPROGRESS;
}

int symbolizer_hand_finish(struct symbol_hand *hand, enum sandbox_fault *ret_fault)
{
	struct file_facts facts;
	int r;

	*ret_fault = SANDBOX_FAULT_NONE;
	if (hand->byte_count > hand->file.byte_count)
		return park(hand);
	if (hand->file.byte_count == 0) {
		*ret_fault = SANDBOX_FAULT_EMPTY;
		give_up(hand);
		return -EBADMSG;
	}
	r = look_at(hand, ret_fault, &facts);
	if (r == 0 && *ret_fault != SANDBOX_FAULT_NONE)
		r = -EBADMSG;
	if (r == 0)
		r = queue_up(hand, &facts);
	if (r < 0)
		give_up(hand);
	return r;
}
