#pragma once
/// \file
/// Where counts of edges turn that no path from the start reaches.

#include <cstddef>
#include <vector>

namespace warpbound::analyzer {

/// What node 0 does not reach over such successors, part by part: of the first node that has one,
/// all that it reaches. `Shape:` [part], nodes in increasing order.
std::vector<std::vector<std::size_t>>
subtours_of(const std::vector<std::vector<std::size_t>>& successors);

} // namespace warpbound::analyzer
