/* SPDX-License-Identifier: Apache-2.0 */
#include "store/profile/sample_range.h"

/* Three times as much fits 64 bits. */
#define NARROW_MAX (UINT64_MAX / 4)

uint32_t sample_range_slots_before(uint64_t start_ns, uint32_t slot_count, uint64_t at_ns)
{
	uint64_t slots;

	if (at_ns <= start_ns)
		return 0;
	slots = (at_ns - start_ns - 1) / PROFILE_SLOT_NS + 1;
	return slots < slot_count ? (uint32_t)slots : slot_count;
}

void sample_range_of(struct sample_range *ret_range, uint64_t start_ns, uint32_t slot_count,
	uint64_t from_ns, uint64_t until_ns)
{
	struct sample_range range = {.slot_count = slot_count};

	range.slot_from = sample_range_slots_before(start_ns, slot_count, from_ns);
	range.slot_until = sample_range_slots_before(start_ns, slot_count, until_ns);
	if (range.slot_until < range.slot_from)
		range.slot_until = range.slot_from;
	range.whole = range.slot_from == 0 && range.slot_until == slot_count;
	*ret_range = range;
}

void sample_range_init(struct sample_range *ret_range, const struct profile *profile,
	uint64_t from_ns, uint64_t until_ns)
{
	sample_range_of(ret_range, profile_window_epoch_ns(profile), profile_slot_count(profile),
		from_ns, until_ns);
}

int64_t sample_range_share(int64_t value, uint64_t part, uint64_t whole)
{
	__extension__ typedef unsigned __int128 wide;
	uint64_t magnitude = value < 0 ? -(uint64_t)value : (uint64_t)value;
	uint64_t product, result;

	/* Nearly always; 128 bits take five times as long. */
	if (!__builtin_mul_overflow(magnitude, part, &product) && product < NARROW_MAX &&
		whole < NARROW_MAX)
		result = (product * 2 + whole) / (whole * 2);
	else
		result = (uint64_t)(((wide)magnitude * part * 2 + whole) / ((wide)whole * 2));
	return value < 0 ? (int64_t)-result : (int64_t)result;
}

/* The number of SLOTS, which are sorted, below SLOT. */
static uint32_t count_below(const uint32_t *slots, uint32_t count, uint32_t slot)
{
	uint32_t low = 0, high = count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (slots[middle] < slot)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

struct sample_part sample_range_part(const struct sample_range *range,
	const struct sample_table *table, const struct sample_row *row)
{
	uint32_t first, last;

	if (range->whole)
		return (struct sample_part){row->count, row->value};
	if (range->slot_from == range->slot_until)
		return (struct sample_part){0, 0};
	if (!table->has_slots) {
		uint32_t slots = range->slot_count;

		return (struct sample_part){
			.count = (uint64_t)(sample_range_share(
						    row->count, range->slot_until, slots) -
				sample_range_share(row->count, range->slot_from, slots)),
			.value = sample_range_share(row->value, range->slot_until, slots) -
				sample_range_share(row->value, range->slot_from, slots),
		};
	}
	if (row->count == 0)
		return (struct sample_part){0, 0};
	first = count_below(sample_table_slots(table, row), row->count, range->slot_from);
	last = count_below(sample_table_slots(table, row), row->count, range->slot_until);
	return (struct sample_part){
		.count = last - first,
		.value = sample_range_share(row->value, last, row->count) -
			sample_range_share(row->value, first, row->count),
	};
}
