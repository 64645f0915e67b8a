// SPDX-License-Identifier: Apache-2.0
// A program of many templates: calls inlined deeply, functions split into hot and cold parts, lambdas,
// virtual calls, exceptions, and functions of one name in several scopes.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

#include "shapes.hh"

namespace {

struct word_count {
	std::string word;
	unsigned count;

	bool operator<(const word_count &other) const
	{
		return count != other.count ? count > other.count : word < other.word;
	}
};

template <typename Key> std::vector<word_count> ranked(const std::map<Key, unsigned> &counts)
{
	std::vector<word_count> words;

	for (const auto &[word, count] : counts)
		words.push_back({word, count});
	std::sort(words.begin(), words.end());
	return words;
}

std::map<std::string, unsigned> count_words(const std::string &text)
{
	std::map<std::string, unsigned> counts;
	std::istringstream words(text);
	std::string word;

	while (words >> word) {
		std::transform(word.begin(), word.end(), word.begin(), [](char letter) { return letter | 0x20; });
		word.erase(std::remove_if(word.begin(), word.end(), [](char letter) { return letter < 'a' || letter > 'z'; }), word.end());
		if (!word.empty())
			counts[word]++;
	}
	return counts;
}

double checked_root(double value)
{
	if (value < 0)
		throw std::domain_error("root of " + std::to_string(value));
	double root = value;
	for (int i = 0; i < 20; i++)
		root = root ? (root + value / root) / 2 : 0;
	return root;
}

template <int Depth> struct nest {
	static inline unsigned sum(const std::vector<unsigned> &values, unsigned start)
	{
		return nest<Depth - 1>::sum(values, start + 1) +
			(start < values.size() ? values[start] * Depth : Depth);
	}
};

template <> struct nest<0> {
	static inline unsigned sum(const std::vector<unsigned> &values, unsigned start)
	{
		return std::accumulate(values.begin(), values.end(), start);
	}
};

class graph {
public:
	void join(unsigned one, unsigned other)
	{
		edges[one].insert(other);
		edges[other].insert(one);
	}

	std::vector<unsigned> reach(unsigned start) const
	{
		std::deque<unsigned> open{start};
		std::set<unsigned> seen{start};

		while (!open.empty()) {
			unsigned at = open.front();

			open.pop_front();
			auto found = edges.find(at);
			if (found == edges.end())
				continue;
			std::copy_if(found->second.begin(), found->second.end(), std::back_inserter(open),
				[&seen](unsigned node) { return seen.insert(node).second; });
		}
		return {seen.begin(), seen.end()};
	}

private:
	std::unordered_map<unsigned, std::set<unsigned>> edges;
};

} // namespace

int main(int argc, char **argv)
{
	std::vector<std::unique_ptr<shape>> shapes;
	std::ostringstream text;
	graph roads;

	for (int i = 1; i < argc + 40; i++) {
		shapes.push_back(i % 3 ? make_circle(i) : make_polygon({1.0 * i, 2.0, 3.5}));
		roads.join(static_cast<unsigned>(i), static_cast<unsigned>(i * 7 % 41));
		text << "shape " << i << " is a " << shapes.back()->name() << " of " << shapes.back()->area() << '\n';
	}
	std::stable_sort(shapes.begin(), shapes.end(),
		[](const auto &one, const auto &other) { return one->area() < other->area(); });
	for (const auto &words : ranked(count_words(text.str())))
		std::printf("%u %s\n", words.count, words.word.c_str());
	std::vector<unsigned> reached = roads.reach(1);
	std::printf("%zu %u\n", reached.size(), nest<12>::sum(reached, 0));
	std::function<double(double)> twice = [](double value) { return checked_root(value) * 2; };
	try {
		std::printf("%f\n", twice(argc > 1 ? std::atof(argv[1]) : shapes.front()->area()));
	} catch (const std::exception &failure) {
		std::printf("%s\n", failure.what());
		return 1;
	}
	return 0;
}
