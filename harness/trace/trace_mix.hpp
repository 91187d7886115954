#pragma once
/// \file
/// Statistics of a recorded execution: instructions, active lanes, memory transactions.

#include "assembly/isa/opcode.hpp"
#include "harness/trace/sass_trace.hpp"

#include <map>
#include <optional>

namespace warpbound::harness::trace {

/// Smallest, largest and sum of counts.
struct CountSummary {
    std::int64_t least = 0;
    std::int64_t most = 0;
    std::int64_t sum = 0;
    std::int64_t count = 0;

    void add(std::int64_t value);
    [[nodiscard]] double mean() const;
};

/// All executions of the instruction at one address.
struct AddressMix {
    std::string opcode;
    assembly::OpcodeClass opcode_class = assembly::OpcodeClass::Unknown;
    std::int64_t issues = 0;
    CountSummary lanes; ///< Active lanes per issue.
    /// 32-byte sectors per access with an active lane. Only for global and local memory.
    std::optional<CountSummary> sectors;
};

struct TraceMix {
    std::int64_t warps = 0;
    CountSummary issues_of_warp;
    CountSummary lanes;     ///< Active lanes per issue.
    std::int64_t paths = 0; ///< Number of different instruction-address sequences of the warps.
    std::map<std::int64_t, AddressMix> by_address;
};

/// Refuses a trace in which an address has two opcodes.
Result<TraceMix> mix_of(const SassTrace& trace);

/// Sectors of 32 bytes, aligned, that the active lanes of an access touch.
/// Source: NVIDIA, CUDA C++ Best Practices Guide 12, section "Coalesced Access to Global Memory":
/// as many 32-byte transactions as are needed to serve all threads of the warp.
std::int64_t sectors_of(const TracedIssue& issue);

} // namespace warpbound::harness::trace
