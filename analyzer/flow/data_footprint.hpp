#pragma once
/// \file
/// Global data that the threads of a launch certainly load, from the code and its arguments (S79).

#include "analyzer/bound.hpp"
#include "analyzer/flow/index_box_states.hpp"
#include "assembly/flow/control_flow_graph.hpp"
#include "assembly/isa/program.hpp"
#include "models/facts/flow_facts.hpp"
#include "models/launch/launch.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace warpbound::analyzer {

/// Sizes of the units that are counted: sectors of the L2, lines of the L1. `Unit:` bytes.
using MemoryUnits = std::array<std::int64_t, 2>;

/// Different units that the launch loads from and, up to the load, does not store to. `Side:`
/// lower.
struct LoadedData {
    std::array<std::int64_t, 2> units{};          ///< By the sizes asked for.
    std::array<std::vector<LoadedSet>, 2> sets{}; ///< Whose units add up to them.
    /// The counts rest on loads as of read-only data (LDG.CONSTANT, `ld.global.nc`), which nothing
    /// writes meanwhile.
    bool trusts_read_only = false;
    /// They sum up buffers that the arguments state, which do not overlap.
    bool trusts_buffers = false;
};

/// Of all threads of the launch, by the affine forms of their addresses. Accesses whose stated
/// level is not any, those under a guard that may fail and those of unknown addresses count
/// nothing. Nothing counts without the grid of the launch, and of AMD's code. Sound when: what a
/// kernel accesses through one pointer lies within 4 GiB, and in the pointer's buffer where the
/// arguments state one. `edges`: by what paths are left out.
LoadedData least_loaded_data(const assembly::Function& function,
                             const assembly::ControlFlowGraph& graph, const models::Launch& launch,
                             const models::FlowFacts& stated, const MemoryUnits& sizes,
                             EdgesBy edges = EdgesBy::Execution);

} // namespace warpbound::analyzer
