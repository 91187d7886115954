#pragma once
/// \file
/// Loop bounds that are said to follow from the code, against the verifier's own count of
/// iterations (S76 of docs/theory). Shares no code with the analysis.

#include "assembly/isa/program.hpp"
#include "models/facts/flow_facts.hpp"
#include "models/launch/launch.hpp"

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>

namespace warpbound::certification::verify {

struct ShownLoops {
    std::size_t shown = 0;   ///< The own count is not wider on either end.
    std::size_t unshown = 0; ///< Left to re-analysis.

    friend bool operator==(const ShownLoops&, const ShownLoops&) = default;
};

/// `headers`: of the loops whose bounds in `in_use` nobody states. Throws `Finding` where a thread
/// of the launch is sure to execute a header more or less often. `path`: of the facts, for
/// messages.
ShownLoops check_loop_bounds(const assembly::Function& function, const models::FlowFacts& in_use,
                             const std::set<std::int64_t>& headers, const models::Launch& launch,
                             const std::string& path);

} // namespace warpbound::certification::verify
