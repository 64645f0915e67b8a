// SPDX-License-Identifier: Apache-2.0
// Runs for ever, twenty calls deep through templates and virtual functions. Built without frame
// pointers, with unwind tables, as most programs of a distribution are. It needs no library of C++.

namespace load
{

volatile unsigned sink;

struct step {
	virtual unsigned run(unsigned count) = 0;
};

template <int Level> struct level : step {
	level<Level - 1> inner;

	// Work before and after the call: it stays a call.
	__attribute__((noinline)) unsigned run(unsigned count) override
	{
		step *next = &inner;
		unsigned sum = next->run(count ^ Level);

		sink = sum * (2 * Level + 1);
		return sum + Level;
	}
};

template <> struct level<0> : step {
	__attribute__((noinline)) unsigned run(unsigned count) override
	{
		unsigned sum = count;

		for (unsigned i = 0; i < 20000; i++)
			sum = sum * 31 + (i ^ (sum >> 7));
		return sum;
	}
};

} // namespace load

int main()
{
	load::level<19> outermost;
	load::step *first = &outermost;

	for (unsigned i = 0;; i++)
		load::sink = first->run(i);
}
