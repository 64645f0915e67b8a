// SPDX-License-Identifier: Apache-2.0
// Callbacks, exceptions and threads, without frame pointers: each path to a leaf is known.
//
// callbacks SECONDS: each of three threads does one thing for so long.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <stdexcept>
#include <thread>
#include <vector>

#include <pthread.h>

// Not inlined, not cloned, and not the last call of its caller.
#define KEEP extern "C" __attribute__((noinline, noclone, used))
#define STAY __asm__ volatile("" ::: "memory")

namespace {

std::time_t end_at;
volatile std::uint64_t sink;

bool goes_on()
{
	return std::time(nullptr) < end_at;
}

} // namespace

KEEP int burn(std::uint64_t seed)
{
	for (int i = 0; i < 2000; i++)
		seed = seed * 6364136223846793005u + 1442695040888963407u;
	sink = sink + seed;
	return static_cast<int>(seed >> 63);
}

KEEP int compare_for_qsort(const void *left, const void *right)
{
	int first = *static_cast<const int *>(left), second = *static_cast<const int *>(right);
	int odd = burn(static_cast<std::uint64_t>(first));

	STAY;
	return first < second ? -1 : first > second ? 1 : odd * 0;
}

KEEP bool compare_for_sort(int left, int right)
{
	int odd = burn(static_cast<std::uint64_t>(left));

	STAY;
	return left < right && odd >= 0;
}

KEEP void fill(std::vector<int> &numbers)
{
	std::uint32_t state = 1;

	for (int &number : numbers) {
		state = state * 1664525u + 1013904223u;
		number = static_cast<int>(state >> 8);
	}
	STAY;
}

KEEP void path_of_qsort(std::vector<int> &numbers)
{
	fill(numbers);
	std::qsort(numbers.data(), numbers.size(), sizeof(int), compare_for_qsort);
	STAY;
}

KEEP void path_of_sort(std::vector<int> &numbers)
{
	fill(numbers);
	std::sort(numbers.begin(), numbers.end(), compare_for_sort);
	STAY;
}

KEEP int fall(int depth)
{
	int below;

	if (depth == 0)
		throw std::runtime_error("bottom");
	below = fall(depth - 1);
	STAY;
	return below + burn(static_cast<std::uint64_t>(depth));
}

KEEP int burn_in_catch(int depth)
{
	try {
		return fall(depth);
	} catch (const std::exception &) {
		int odd = burn(static_cast<std::uint64_t>(depth));

		STAY;
		return odd;
	}
}

KEEP void path_of_exceptions()
{
	int sum = 0;

	for (int i = 0; i < 100; i++)
		sum += burn_in_catch(20);
	sink = sink + static_cast<std::uint64_t>(sum);
	STAY;
}

KEEP void sorter()
{
	std::vector<int> numbers(2000);

	pthread_setname_np(pthread_self(), "sorter");
	while (goes_on())
		path_of_sort(numbers);
	STAY;
}

KEEP void thrower()
{
	pthread_setname_np(pthread_self(), "thrower");
	while (goes_on())
		path_of_exceptions();
	STAY;
}

int main(int argc, char **argv)
{
	std::vector<int> numbers(2000);

	end_at = std::time(nullptr) + (argc > 1 ? std::atoi(argv[1]) : 1);
	std::thread first(sorter), second(thrower);
	while (goes_on())
		path_of_qsort(numbers);
	first.join();
	second.join();
	return 0;
}
