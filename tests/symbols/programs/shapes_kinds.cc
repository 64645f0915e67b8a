// SPDX-License-Identifier: Apache-2.0
// A second unit that shares inline functions, classes and template instances with the first.

#include <numeric>
#include <stdexcept>

#include "shapes.hh"

namespace {

class circle final : public shape {
public:
	explicit circle(double radius) : radius(radius) {}
	double area() const override { return 3.14159 * square(radius); }
	std::string name() const override { return radius > 10 ? "large circle" : "circle"; }

private:
	double radius;
};

class polygon final : public shape {
public:
	explicit polygon(std::vector<double> all) : sides(std::move(all))
	{
		if (sides.size() < 3)
			throw std::invalid_argument("a polygon has three sides at least");
	}
	double area() const override
	{
		double around = std::accumulate(sides.begin(), sides.end(), 0.0);

		return square(around) / (4 * largest(sides));
	}
	std::string name() const override { return "polygon with " + std::to_string(sides.size()) + " sides"; }

private:
	std::vector<double> sides;
};

} // namespace

std::unique_ptr<shape> make_circle(double radius)
{
	return std::make_unique<circle>(radius);
}

std::unique_ptr<shape> make_polygon(std::vector<double> sides)
{
	return std::make_unique<polygon>(std::move(sides));
}
