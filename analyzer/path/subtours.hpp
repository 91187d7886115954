#pragma once
/// \file
/// Subtours: cycles of counted edges that no path from the start reaches.

#include <cstddef>
#include <vector>

namespace warpbound::analyzer {

/// The nodes with successors that node 0 does not reach, one subtour after the other: each is all
/// that the first such node reaches. `Shape:` [subtour], nodes in increasing order.
std::vector<std::vector<std::size_t>>
subtours_of(const std::vector<std::vector<std::size_t>>& successors);

} // namespace warpbound::analyzer
