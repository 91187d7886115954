#pragma once
/// \file
/// What only the user can state, without which there is no bound: all of it at once.

#include "analyzer/request.hpp"
#include "assembly/support/result.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace warpbound::analyzer {

/// A fact or value that is needed and unknown.
struct Need {
    enum class Kind {
        LoopBound,    ///< The loop whose header is at `address` has no bound.
        MachineValue, ///< The description lacks the value at `path`.
        Encoding,     ///< The listing lacks the control fields that the machine's issue needs.
        Construct,    ///< An instruction that is not known or whose timing no description can give.
    };
    Kind kind = Kind::LoopBound;
    std::string what; ///< One sentence.
    std::int64_t address = 0;
    std::string path; ///< Of a construct: the class that the description lacks, if it lacks one.
    /// First instruction concerned; none for a value that no single instruction needs.
    std::optional<std::size_t> instruction;
    /// What the exits of a loop are computed from, as far as it is not known: offsets of arguments
    /// in constant bank 0, and addresses of instructions that load data.
    std::vector<std::int64_t> arguments{};
    std::vector<std::int64_t> loads{};
    /// Addresses of conversions from floating point that the exits depend on.
    std::vector<std::int64_t> conversions{};
    /// What the text of a launch lacks, where exits are computed from extents of grid or block that
    /// it leaves open: "grid=8", "block=128", if blocks and threads are counted in x alone.
    std::vector<std::string> extents{};
};

/// Every need of the request that is known before paths are searched; none: there is none of
/// these, though the analysis may still refuse a construct. Refuses facts that contradict the code.
Result<std::vector<Need>> needs_of(const Request& request);

} // namespace warpbound::analyzer
