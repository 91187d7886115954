#pragma once
/// \file
/// Subtours: cycles of counted edges that no path from the start reaches.

#include "analyzer/path/path_graph.hpp"

#include <vector>

namespace warpbound::analyzer {

/// The nodes with successors that the start does not reach, one subtour after the other: each is
/// all that the first such node reaches. `Shape:` [subtour], nodes in increasing order.
std::vector<std::vector<NodeIndex>> subtours_of(const PerNode<std::vector<NodeIndex>>& successors);

} // namespace warpbound::analyzer
