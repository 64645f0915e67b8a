// SPDX-License-Identifier: Apache-2.0
// Runs for ever: sorts with callbacks, through the C library and through templates, in two threads.

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <map>
#include <string>
#include <thread>
#include <vector>

namespace load
{

volatile unsigned sink;

struct item {
	unsigned key;
	std::string name;
};

__attribute__((noinline)) int compare_keys(const void *left, const void *right)
{
	unsigned a = *static_cast<const unsigned *>(left), b = *static_cast<const unsigned *>(right);

	return a < b ? -1 : a > b;
}

__attribute__((noinline)) bool is_before(const item &a, const item &b)
{
	return a.name != b.name ? a.name < b.name : a.key < b.key;
}

unsigned next(unsigned &state)
{
	state = state * 1664525 + 1013904223;
	return state >> 8;
}

__attribute__((noinline)) unsigned sort_keys(unsigned &state)
{
	std::vector<unsigned> keys(2000);

	for (unsigned &key : keys)
		key = next(state);
	std::qsort(keys.data(), keys.size(), sizeof(keys[0]), compare_keys);
	return keys[keys.size() / 2];
}

__attribute__((noinline)) unsigned sort_items(unsigned &state)
{
	std::vector<item> items(500);
	std::map<std::string, unsigned> counts;

	for (item &each : items)
		each = item{next(state), std::to_string(next(state) % 300)};
	std::sort(items.begin(), items.end(), is_before);
	for (const item &each : items)
		counts[each.name] += each.key;
	return counts.begin()->second;
}

void run(unsigned seed)
{
	std::function<unsigned(unsigned &)> work[] = {sort_keys, sort_items};

	for (unsigned i = 0;; i++)
		sink = sink + work[i % 2](seed);
}

} // namespace load

int main()
{
	std::thread other(load::run, 1);

	load::run(2);
	other.join();
}
