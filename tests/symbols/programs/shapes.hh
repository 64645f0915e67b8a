// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

class shape {
public:
	virtual ~shape() = default;
	virtual double area() const = 0;
	virtual std::string name() const = 0;
};

inline double square(double value)
{
	return value * value;
}

template <typename Number> Number largest(const std::vector<Number> &numbers)
{
	Number found = numbers.front();

	for (const Number &number : numbers)
		found = number > found ? number : found;
	return found;
}

std::unique_ptr<shape> make_circle(double radius);
std::unique_ptr<shape> make_polygon(std::vector<double> sides);
