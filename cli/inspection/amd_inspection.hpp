#pragma once
/// \file
/// What `inspect` shows of AMD's code only: registers, wavefronts and waits.

#include "assembly/isa/program.hpp"
#include "cli/output/json.hpp"
#include "harness/toolchain/kernel_file.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace warpbound::cli {

/// A wait of a wavefront and the memory operations of its block that have returned behind it.
struct InspectedWait {
    std::int64_t address = 0;
    std::string counters;               ///< "vmcnt(0) lgkmcnt(1)".
    std::vector<std::int64_t> returned; ///< Addresses, each once; those of earlier blocks are not
                                        ///< named.
};

std::vector<InspectedWait> waits_of(const assembly::Function& function, std::size_t first,
                                    std::size_t last);

/// ", 8 AGPRs, 24 SGPRs, wavefronts of 64 lanes, work-groups of at most 256"
std::string resource_text(const harness::toolchain::AmdResources& resources);
Json resource_json(const harness::toolchain::AmdResources& resources);

std::string wait_text(const std::vector<InspectedWait>& waits);
Json wait_json(const std::vector<InspectedWait>& waits);

} // namespace warpbound::cli
