#pragma once
/// \file
/// The waits that instructions of AMD need in front of them.

#include "harness/suite/amd/amd_statement.hpp"

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace warpbound::harness {

/// Follows what memory accesses have not returned, and what special functions have computed.
/// Source: LLVM, AMDGPUUsage, "Memory Model" (what counts where, in which order it returns), and
/// GCNHazardRecognizer (results of special functions on gfx942 and gfx11).
class AmdWaits {
public:
    explicit AmdWaits(const AmdDialect& dialect) : dialect_{dialect} {}

    /// The waits in front of an instruction, as lines. `accessed`: VGPRs that it names, `results`:
    /// those of them that it writes.
    std::string before(const AmdInstruction& instruction, std::span<const int> accessed,
                       std::span<const int> results);
    /// Takes the instruction itself.
    void issued(const AmdInstruction& instruction, std::span<const int> results);

private:
    struct Outstanding {
        AmdCounter counter = AmdCounter::None;
        std::int64_t number = 0; ///< Accesses that the counter counted, this one included.
    };

    /// Where the instruction is counted: stores are with loads where they have no counter.
    [[nodiscard]] AmdCounter counter_of(const AmdInstruction& instruction) const;

    AmdDialect dialect_;
    std::map<AmdCounter, std::int64_t> counted_;
    std::map<int, Outstanding> outstanding_; ///< By the VGPR that is to be written.
    std::set<int> transcendental_;           ///< VGPRs that a special function wrote last.
};

} // namespace warpbound::harness
