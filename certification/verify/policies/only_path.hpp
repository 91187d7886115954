#pragma once
/// \file
/// The path of a warp, where the facts leave one (steps S17 and S25 of docs/theory).

#include "certification/verify/policies/issue_rules.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace warpbound::certification::verify {

/// Whether a warp may also end at a guarded EXIT on its path.
enum class EarlyEnds { None, Allowed };

/// The issues of a warp, from its first one to the EXIT at which it ends. None: there may be other
/// paths than `early` says, or the path has more issues than `most`. `flow`: of `code`.
std::optional<std::vector<IssueStep>> only_path_of(const TimedCode& code, const ControlFlow& flow,
                                                   EarlyEnds early, std::size_t most);

} // namespace warpbound::certification::verify
