// SPDX-License-Identifier: Apache-2.0
// Runs for ever: exceptions that are thrown through a dozen calls, each with something to destroy.

#include <stdexcept>
#include <string>
#include <vector>

namespace load
{

volatile unsigned sink;

struct guard {
	unsigned number;
	explicit guard(unsigned n) : number(n)
	{
	}
	~guard()
	{
		sink = sink + number;
	}
};

__attribute__((noinline)) unsigned descend(unsigned depth, unsigned seed)
{
	guard held(depth);
	std::string text(16 + seed % 64, 'x');

	if (depth == 0) {
		if (seed % 3 == 0)
			throw std::runtime_error(text);
		if (seed % 3 == 1)
			throw std::vector<unsigned>(8, seed);
		return seed;
	}
	return descend(depth - 1, seed * 31 + 7) + static_cast<unsigned>(text.size());
}

__attribute__((noinline)) unsigned attempt(unsigned seed)
{
	try {
		return descend(12, seed);
	} catch (const std::exception &caught) {
		return static_cast<unsigned>(std::string(caught.what()).size());
	} catch (const std::vector<unsigned> &caught) {
		return caught.back();
	}
}

} // namespace load

int main()
{
	for (unsigned i = 0;; i++)
		load::sink = load::sink + load::attempt(i);
}
