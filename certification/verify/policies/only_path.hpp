#pragma once
/// \file
/// The issues of a warp, where the facts leave one path (steps S17 and S25 of docs/theory).

#include "certification/verify/flow/only_path.hpp"
#include "certification/verify/policies/issue_rules.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace warpbound::certification::verify {

/// The issues of a warp, from its first one to the EXIT at which it ends. None: there may be other
/// paths than `early` says, or the path has more issues than `most`. `flow`: of `code`.
std::optional<std::vector<IssueStep>> only_path_of(const TimedCode& code, const ControlFlow& flow,
                                                   EarlyEnds early, std::size_t most);

} // namespace warpbound::certification::verify
