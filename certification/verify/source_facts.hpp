#pragma once
/// \file
/// Facts that comments of source files state: the files are in the bundle, and say so.

#include "models/facts/flow_facts.hpp"

#include <string>
#include <vector>

namespace warpbound::certification::verify {

/// Throws a `Finding` when a file of `facts.sources` is not the bundle's, or when a fact that names
/// a line of it is not what its comment states. `texts`: the bundle's source files, in the order of
/// `facts.sources`. `path`: of the facts.
/// That the comment's loop or branch is the one at the fact's address is stated, not checked.
void check_source_facts(const models::FlowFacts& facts, const std::vector<std::string>& texts,
                        const std::string& path);

} // namespace warpbound::certification::verify
