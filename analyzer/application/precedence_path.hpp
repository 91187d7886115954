#pragma once
/// \file
/// The longest path of precedences through an application, whatever its operations weigh.

#include "models/application/plan.hpp"

#include <cstdint>
#include <functional>

namespace warpbound::analyzer {

/// Weight of each operation and of the time behind a barrier. `Unit:` ns.
struct PathWeights {
    std::function<std::int64_t(const models::application::Operation&)> operation;
    std::function<std::int64_t(std::size_t time)> barrier;
};

/// Steps of a rank, operations of a stream, a message and its receive, a barrier and its ranks
/// follow each other; servers do not count. Refuses ranks that wait for ever.
/// Errors: `std::overflow_error`.
Result<std::int64_t> longest_path(const models::application::Plan& plan,
                                  const PathWeights& weights);

} // namespace warpbound::analyzer
