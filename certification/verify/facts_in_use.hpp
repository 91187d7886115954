#pragma once
/// \file
/// The flow facts that a bundle's bounds use, against those that its inputs state.

#include "assembly/isa/program.hpp"
#include "models/facts/flow_facts.hpp"

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>

namespace warpbound::certification::verify {

/// Facts in use that the inputs do not state: they are said to follow from the code.
struct DerivedFacts {
    std::size_t count = 0;          ///< Of all kinds.
    std::set<std::int64_t> loops{}; ///< Headers of those that are loop bounds.
};

/// Loop bounds, infeasible paths, uniform instructions and transactions that nobody states.
/// Re-analysis derives them again; here each may only narrow what is stated. Throws `Finding` where
/// a linear fact is neither a stated one nor one on a path that branch conditions exclude (S19b),
/// where a stated fact is missing or widened, and where nothing says how lanes decide. `listing`:
/// digest of the listing that holds the function. `path`: of the facts in use, for messages.
DerivedFacts derived_facts(const assembly::Function& function, const std::string& listing,
                           const models::FlowFacts& in_use, const models::FlowFacts& stated,
                           const std::string& path);

} // namespace warpbound::certification::verify
