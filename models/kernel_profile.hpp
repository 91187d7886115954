#pragma once
/// \file
/// Instruction counts of one warp, as the published formulas take them.

#include "assembly/support/source_text.hpp"

#include <cstdint>
#include <string>

namespace warpbound::models {

/// Warp instructions of one warp. `Unit:` instructions.
struct KernelProfile {
    std::int64_t arithmetic_independent =
        0; ///< Arithmetic that does not wait for its predecessor's result.
    std::int64_t arithmetic_dependent = 0; ///< Arithmetic that does (read after write).
    std::int64_t shared_loads = 0;
    std::int64_t shared_stores = 0;
    std::int64_t global_loads = 0;
    std::int64_t global_stores = 0;

    friend bool operator==(const KernelProfile&, const KernelProfile&) = default;
};

/// A profile as people write it down.
struct NamedProfile {
    std::string name;
    KernelProfile counts;
    /// Latency hidden between all loads and the uses of their data (V14 eq. 8). `Unit:` core
    /// cycles.
    std::int64_t hidden_latency = 0;
    std::string digest; ///< Of the file; empty when not read from one.
};

/// Reads `<kernel-profile name="rows" arithmetic-independent="78" arithmetic-dependent="1"
/// shared-loads="41" shared-stores="9" global-loads="8" global-stores="9" hidden-latency="2034"/>`;
/// a count that is left out is 0. Refuses unknown attributes, children, bad and negative numbers,
/// and what `read_xml` refuses.
Result<NamedProfile> read_profile(const assembly::SourceText& source);
std::string write_profile(const NamedProfile& profile);

} // namespace warpbound::models
