/* SPDX-License-Identifier: Apache-2.0 */
#include "store/disk/profile_store_labels.h"

#include <errno.h>

#include "store/disk/store_catalog.h"
#include "store/disk/store_state.h"

/* Leaves of the range what retention keeps and the store has. False: nothing. */
static bool narrow(struct profile_store *store, struct profile_store_label_query *query)
{
	struct retention_limits limits = {clock_read(&store->config.clock).realtime_ns,
		store->config.retain_ns, UINT64_MAX, UINT64_MAX};
	uint64_t edge_ns = retention_edge_ns(&limits);
	struct profile_store_stats stats;

	profile_store_stats(store, &stats);
	if (stats.oldest_ns > edge_ns)
		edge_ns = stats.oldest_ns;
	if (query->from_ns < edge_ns)
		query->from_ns = edge_ns;
	return stats.oldest_ns > 0 && query->from_ns < query->until_ns;
}

static void count_result(struct profile_store *store, int result)
{
	if (result != -EAGAIN)
		return;
	pthread_mutex_lock(&store->lock);
	store->counters[PROFILE_STORE_catalog_not_ready]++;
	pthread_mutex_unlock(&store->lock);
}

int profile_store_label_names(struct profile_store *store,
	const struct profile_store_label_query *query, profile_store_label_fn visit, void *context,
	bool *ret_more)
{
	struct profile_store_label_query narrowed = *query;
	struct catalog *catalog = store_catalog_get(store->catalog);
	int r = -EAGAIN;

	*ret_more = false;
	if (!narrow(store, &narrowed))
		return 0;
	if (catalog)
		r = catalog_names(catalog, &narrowed, visit, context, ret_more);
	count_result(store, r);
	return r;
}

int profile_store_label_values(struct profile_store *store, const char *name,
	const struct profile_store_label_query *query, profile_store_label_fn visit, void *context,
	bool *ret_more)
{
	struct profile_store_label_query narrowed = *query;
	struct catalog *catalog = store_catalog_get(store->catalog);
	int r = -EAGAIN;

	*ret_more = false;
	if (!narrow(store, &narrowed))
		return 0;
	if (catalog)
		r = catalog_values(catalog, name, &narrowed, visit, context, ret_more);
	count_result(store, r);
	return r;
}
