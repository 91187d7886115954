#pragma once
/// \file
/// Which lines of the text a thread block that has ended leaves in the L0s, by the indices of its
/// threads (docs/theory, S97).

#include "analyzer/launch/launch_geometry.hpp"
#include "analyzer/request.hpp"

#include <cstdint>
#include <vector>

namespace warpbound::analyzer {

/// Of these lines, how many some scheduler may look up though no warp there is sure to. All of them
/// where that is not known. `line`: bytes of a line. `Time:` two abstract executions for each warp
/// of a block. Side: upper. Sound when: guards hold by the code.
std::int64_t lines_left_to_others(const Request& request, const LaunchGeometry& shape,
                                  std::int64_t line, const std::vector<std::int64_t>& avoided);

} // namespace warpbound::analyzer
