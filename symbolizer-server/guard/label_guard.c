/* SPDX-License-Identifier: Apache-2.0 */
/*
 *   label set -> seen today?  yes: as it is
 *                             no:  each value: seen, or below its label's cap?  else [other]
 *                                  the series: below its service's cap and that of all?
 *                                  else [other] for every label but the service
 */
#include "symbolizer-server/guard/label_guard.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/base/cleanup.h"
#include "store/base/hash.h"
#include "store/profile/relabel.h"
#include "symbolizer-server/guard/seen_set.h"

#define SERVICE_LABEL "service_name"
#define DAY_NS (UINT64_C(24) * 3600 * NS_PER_S)
/* Values of all labels: each came with a series that was new, and few of a series are. */
#define VALUES_PER_SERIES 4
/* Labels of services that are told of by name; the counters have all. */
#define CASE_COUNT_MAX 64
#define CASE_TEXT_BYTES 128

struct fold_case {
	char service[CASE_TEXT_BYTES];
	char label[CASE_TEXT_BYTES];
	enum label_guard_reason reason;
	uint64_t count;
};

struct label_guard {
	struct label_guard_limits limits;
	pthread_mutex_t lock; /* of all below */
	uint64_t day;
	struct seen_set sets; /* label sets as they came that need no change */
	struct seen_set series; /* as they are kept */
	struct seen_set values;
	struct seen_counts value_counts; /* of a label of a service */
	struct seen_counts series_counts; /* of a service */
	struct fold_case cases[CASE_COUNT_MAX];
	uint32_t case_count;
	uint64_t counts[LABEL_GUARD_COUNTER_COUNT];
};

int label_guard_new(const struct label_guard_limits *limits, struct label_guard **ret_guard)
{
	struct label_guard *guard = calloc(1, sizeof(*guard));
	uint32_t total = limits->total_max;

	if (!guard)
		return -ENOMEM;
	guard->limits = *limits;
	pthread_mutex_init(&guard->lock, NULL);
	seen_set_init(&guard->sets, total);
	/* Each service has one series more, in which the others are. */
	seen_set_init(&guard->series, total + limits->values_max);
	seen_set_init(&guard->values, total * VALUES_PER_SERIES);
	seen_counts_init(&guard->value_counts, total * VALUES_PER_SERIES);
	seen_counts_init(&guard->series_counts, total);
	*ret_guard = guard;
	return 0;
}

static void forget(struct label_guard *guard)
{
	seen_set_clear(&guard->sets);
	seen_set_clear(&guard->series);
	seen_set_clear(&guard->values);
	seen_counts_clear(&guard->value_counts);
	seen_counts_clear(&guard->series_counts);
	guard->case_count = 0;
}

void label_guard_free(struct label_guard *guard)
{
	if (!guard)
		return;
	seen_set_done(&guard->sets);
	seen_set_done(&guard->series);
	seen_set_done(&guard->values);
	seen_counts_done(&guard->value_counts);
	seen_counts_done(&guard->series_counts);
	pthread_mutex_destroy(&guard->lock);
	free(guard);
}

/* ---- What is told ---- */

static void add_case(struct label_guard *guard, const char *service, const char *label,
	enum label_guard_reason reason)
{
	struct fold_case fresh = {.reason = reason, .count = 1};

	snprintf(fresh.service, sizeof(fresh.service), "%s", service);
	snprintf(fresh.label, sizeof(fresh.label), "%s", label);
	for (uint32_t i = 0; i < guard->case_count; i++) {
		struct fold_case *one = &guard->cases[i];

		if (one->reason == reason && strcmp(one->service, fresh.service) == 0 &&
			strcmp(one->label, fresh.label) == 0) {
			one->count++;
			return;
		}
	}
	if (guard->case_count < CASE_COUNT_MAX)
		guard->cases[guard->case_count++] = fresh;
}

/* ---- One label set ---- */

/* A label set on its way: indices of the profile's texts. */
struct folding {
	struct label_guard *guard;
	struct profile *profile;
	uint32_t other; /* the text LABEL_GUARD_OTHER; INDEX_MAP_NONE: not yet there */
	uint64_t host; /* hash */
	struct label labels[LABEL_COUNT_MAX];
	uint32_t count;
	uint32_t service; /* index into labels; count: it has none */
	bool changed;
};

static uint64_t hash_text(const struct profile *profile, uint32_t string)
{
	return hash_key(string_table_text(&profile->strings, string),
		string_table_length(&profile->strings, string));
}

static void load_set(struct folding *folding, uint32_t index)
{
	const struct profile *profile = folding->profile;
	const struct label_set *set = &profile->labels.sets[index];

	folding->count = set->count < LABEL_COUNT_MAX ? set->count : LABEL_COUNT_MAX;
	folding->service = folding->count;
	folding->changed = false;
	for (uint32_t i = 0; i < folding->count; i++) {
		folding->labels[i] = profile->labels.labels[set->first + i];
		if (strcmp(string_table_text(&profile->strings, folding->labels[i].key),
			    SERVICE_LABEL) == 0)
			folding->service = i;
	}
}

static const char *service_text(const struct folding *folding)
{
	return folding->service == folding->count
		? ""
		: string_table_text(
			  &folding->profile->strings, folding->labels[folding->service].value);
}

static uint64_t service_hash(const struct folding *folding)
{
	return hash_key(service_text(folding), strlen(service_text(folding)));
}

/* The same in whatever order the labels stand. */
static uint64_t set_hash(const struct folding *folding)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < folding->count; i++)
		sum += hash_pair(hash_text(folding->profile, folding->labels[i].key),
			hash_text(folding->profile, folding->labels[i].value));
	return hash_pair(folding->host, sum);
}

static int fold_label(struct folding *folding, uint32_t index)
{
	int r = 0;

	if (folding->other == INDEX_MAP_NONE)
		r = profile_add_text(folding->profile, LABEL_GUARD_OTHER, &folding->other);
	if (r < 0)
		return r;
	folding->labels[index].value = folding->other;
	folding->changed = true;
	return 0;
}

/* A value that is new today is counted, or folded. SERVICE: the hash of whose label it is; that of
 * service_name itself is nobody's. */
static int check_value(struct folding *folding, uint32_t index, uint64_t service)
{
	struct label_guard *guard = folding->guard;
	const struct label *label = &folding->labels[index];
	uint64_t label_hash = hash_pair(service, hash_text(folding->profile, label->key));
	uint64_t value_hash = hash_pair(label_hash, hash_text(folding->profile, label->value));
	enum label_guard_reason reason = LABEL_GUARD_VALUES;
	int r;

	if (label->value == folding->other || seen_set_has(&guard->values, value_hash))
		return 0;
	if (seen_counts_get(&guard->value_counts, label_hash) < guard->limits.values_max) {
		r = seen_set_add(&guard->values, value_hash);
		if (r == 0)
			r = seen_counts_add(&guard->value_counts, label_hash);
		if (r != -E2BIG)
			return r;
		reason = LABEL_GUARD_TOTAL;
	}
	add_case(guard, index == folding->service ? "" : service_text(folding),
		string_table_text(&folding->profile->strings, label->key), reason);
	return fold_label(folding, index);
}

static int check_values(struct folding *folding)
{
	uint64_t service;
	int r = 0;

	if (folding->service < folding->count)
		r = check_value(folding, folding->service, 0);
	service = service_hash(folding);
	for (uint32_t i = 0; r == 0 && i < folding->count; i++) {
		if (i != folding->service)
			r = check_value(folding, i, service);
	}
	if (folding->changed)
		folding->guard->counts[LABEL_GUARD_COUNTER_FOLDED_VALUES]++;
	return r;
}

/* Too many series: what is left of this one is its service. */
static int fold_series(struct folding *folding, enum label_guard_reason reason)
{
	struct label_guard *guard = folding->guard;
	int r = 0;

	add_case(guard, reason == LABEL_GUARD_TOTAL ? "" : service_text(folding), "", reason);
	guard->counts[reason == LABEL_GUARD_TOTAL ? LABEL_GUARD_COUNTER_FOLDED_TOTAL
						  : LABEL_GUARD_COUNTER_FOLDED_SERIES]++;
	for (uint32_t i = 0; r == 0 && i < folding->count; i++) {
		if (i != folding->service)
			r = fold_label(folding, i);
	}
	if (r == 0)
		r = seen_set_add(&guard->series, set_hash(folding));
	if (r != -E2BIG)
		return r;
	/* Not even that fits: nothing is left to tell it by. */
	return folding->service < folding->count ? fold_label(folding, folding->service) : 0;
}

/* A series that is new today is counted, or folded. */
static int check_series(struct folding *folding)
{
	struct label_guard *guard = folding->guard;
	uint64_t series = set_hash(folding), service = service_hash(folding);
	int r;

	if (seen_set_has(&guard->series, series))
		return 0;
	if (seen_set_count(&guard->series) >= guard->limits.total_max)
		return fold_series(folding, LABEL_GUARD_TOTAL);
	if (seen_counts_get(&guard->series_counts, service) >= guard->limits.series_max)
		return fold_series(folding, LABEL_GUARD_SERIES);
	r = seen_set_add(&guard->series, series);
	if (r == 0)
		r = seen_counts_add(&guard->series_counts, service);
	return r == -E2BIG ? fold_series(folding, LABEL_GUARD_TOTAL) : r;
}

/* RET_SET: the set in LABELS of set INDEX, folded where it must be. */
static int fold_set(
	struct folding *folding, uint32_t index, struct label_table *labels, uint32_t *ret_set)
{
	struct label_guard *guard = folding->guard;
	uint64_t hash;
	int r = 0;

	load_set(folding, index);
	hash = set_hash(folding);
	if (folding->count > 0 && !seen_set_has(&guard->sets, hash)) {
		r = check_values(folding);
		if (r == 0)
			r = check_series(folding);
		/* Without room for it, it is looked at again next time. */
		if (r == 0 && !folding->changed && seen_set_add(&guard->sets, hash) == -ENOMEM)
			r = -ENOMEM;
	}
	if (r == 0)
		r = label_table_add(labels, &folding->profile->strings, folding->labels,
			folding->count, ret_set);
	return r;
}

/* Whether each set in use came before and was kept as it was: then there is nothing to do. */
static bool knows_all(struct folding *folding, const bool *used)
{
	bool known = true;

	for (uint32_t i = 0; known && i < folding->profile->labels.count; i++) {
		if (!used[i])
			continue;
		load_set(folding, i);
		known = folding->count == 0 ||
			seen_set_has(&folding->guard->sets, set_hash(folding));
	}
	return known;
}

/* RET_CHANGED: some set is another one than it was. */
static int fold_sets(struct folding *folding, const bool *used, struct label_table *labels,
	uint32_t *ret_sets, bool *ret_changed)
{
	int r = 0;

	*ret_changed = false;
	if (knows_all(folding, used))
		return 0;
	for (uint32_t i = 0; r == 0 && i < folding->profile->labels.count; i++) {
		ret_sets[i] = 0;
		if (!used[i])
			continue;
		r = fold_set(folding, i, labels, &ret_sets[i]);
		*ret_changed |= folding->changed;
	}
	return r;
}

/* A host is a label of its series, though it stands in the head: names that are new each time are
 * folded like other values. */
static int check_host(struct folding *folding)
{
	struct label_guard *guard = folding->guard;
	struct profile_head *head = &folding->profile->head;
	uint64_t label = hash_pair(0, hash_key("host", strlen("host")));
	uint64_t value = hash_pair(label, hash_text(folding->profile, head->host));
	int r = 0;

	if (head->host == 0 || seen_set_has(&guard->values, value))
		return 0;
	if (seen_counts_get(&guard->value_counts, label) < guard->limits.values_max) {
		r = seen_set_add(&guard->values, value);
		if (r == 0)
			r = seen_counts_add(&guard->value_counts, label);
		if (r != -E2BIG)
			return r;
	}
	add_case(guard, "", "host", r < 0 ? LABEL_GUARD_TOTAL : LABEL_GUARD_VALUES);
	guard->counts[LABEL_GUARD_COUNTER_FOLDED_HOSTS]++;
	if (folding->other == INDEX_MAP_NONE)
		r = profile_add_text(folding->profile, LABEL_GUARD_OTHER, &folding->other);
	else
		r = 0;
	if (r == 0)
		head->host = folding->other;
	return r;
}

static int apply(struct label_guard *guard, struct profile *profile, struct label_table *labels)
{
	SCOPED_FREE uint32_t *sets = calloc((size_t)profile->labels.count + 1, sizeof(*sets));
	SCOPED_FREE bool *used = calloc((size_t)profile->labels.count + 1, sizeof(*used));
	struct folding folding = {
		.guard = guard,
		.profile = profile,
		.other = string_table_find(
			&profile->strings, LABEL_GUARD_OTHER, strlen(LABEL_GUARD_OTHER)),
	};
	bool changed = false;
	int r;

	if (!sets || !used)
		return -ENOMEM;
	for (uint32_t i = 0; i < profile->threads.count; i++)
		used[profile->threads.threads[i].labels] = true;
	pthread_mutex_lock(&guard->lock);
	r = check_host(&folding);
	folding.host = hash_text(profile, profile->head.host);
	if (r == 0)
		r = fold_sets(&folding, used, labels, sets, &changed);
	pthread_mutex_unlock(&guard->lock);
	return r == 0 && changed ? profile_relabel(profile, labels, sets) : r;
}

int label_guard_apply(struct label_guard *guard, struct profile *profile, uint64_t now_ns)
{
	struct label_table labels;
	int r = label_table_init(&labels);

	if (r < 0)
		return r;
	pthread_mutex_lock(&guard->lock);
	if (guard->day != now_ns / DAY_NS) {
		forget(guard);
		guard->day = now_ns / DAY_NS;
	}
	pthread_mutex_unlock(&guard->lock);
	r = apply(guard, profile, &labels);
	label_table_done(&labels);
	/* It will not fit later either. */
	return r == -EOVERFLOW || r == -E2BIG ? -EFBIG : r;
}

/* ---- Readings ---- */

static uint32_t limit_of(const struct label_guard *guard, enum label_guard_reason reason)
{
	if (reason == LABEL_GUARD_VALUES)
		return guard->limits.values_max;
	return reason == LABEL_GUARD_SERIES ? guard->limits.series_max : guard->limits.total_max;
}

void label_guard_visit(struct label_guard *guard, label_guard_fn visit, void *context)
{
	pthread_mutex_lock(&guard->lock);
	for (uint32_t i = 0; i < guard->case_count; i++) {
		const struct fold_case *one = &guard->cases[i];
		const struct label_guard_case told = {
			.service = one->service,
			.label = one->label,
			.reason = one->reason,
			.limit = limit_of(guard, one->reason),
			.label_set_count = one->count,
		};

		visit(context, &told);
	}
	pthread_mutex_unlock(&guard->lock);
}

void label_guard_read(struct label_guard *guard, uint64_t counts[LABEL_GUARD_COUNTER_COUNT])
{
	pthread_mutex_lock(&guard->lock);
	memcpy(counts, guard->counts, sizeof(guard->counts));
	counts[LABEL_GUARD_COUNTER_SERIES] = seen_set_count(&guard->series);
	counts[LABEL_GUARD_COUNTER_VALUES] = seen_set_count(&guard->values);
	pthread_mutex_unlock(&guard->lock);
}
