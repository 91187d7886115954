#pragma once
/// \file
/// Which lanes EXEC may contain: whether all, and from which earlier place on it has only lost some
/// (S56).

#include "analyzer/value/wavefront_operands.hpp"
#include "assembly/flow/control_flow_graph.hpp"

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <vector>

namespace warpbound::analyzer {

/// What is known of a mask of lanes.
struct LaneSet {
    bool full = false;            ///< Every lane of the wavefront that exists is in it.
    bool real = false;            ///< No lane is in it that does not exist.
    bool alike = false;           ///< All bits are equal.
    std::set<std::size_t> within; ///< Saving instructions whose EXEC contained all its lanes.
    friend bool operator==(const LaneSet&, const LaneSet&) = default;
};

/// How an instruction changes EXEC.
enum class ExecChange { None, Narrows, Replaces };

struct LaneMasks {
    /// Per instruction, before it.
    std::vector<bool> exec_is_full;
    std::vector<bool> vcc_is_real; ///< VCC is zero exactly where no lane that exists is in it.
    std::vector<bool> holds_argument_pointer;
    std::vector<ExecChange> change;
    /// Of instructions that replace EXEC: VGPRs and AGPRs of which lanes that return to EXEC may
    /// hold older numbers than those that were in it.
    std::map<std::size_t, std::set<assembly::Register>> restored;
    /// All of `restored`.
    std::set<assembly::Register> of_all_lanes;
};

LaneMasks lane_masks(const assembly::Function& function, const assembly::ControlFlowGraph& graph);

} // namespace warpbound::analyzer
