#pragma once
/// \file
/// Template of a flow-facts file: everything the user must state of a kernel, with the facts that
/// follow from its code filled in.

#include "analyzer/value/kernel_parameters.hpp"
#include "analyzer/value/thread_domain.hpp"
#include "assembly/flow/control_flow_graph.hpp"
#include "models/architecture/architecture.hpp"
#include "models/launch/launch.hpp"

#include <optional>
#include <string>

namespace warpbound::analyzer {

/// The block shape and the machine that the facts are derived for.
struct BlocksOnMachine {
    BlockShape shape;
    const models::Architecture* architecture = nullptr;
};

/// A template with every loop and memory access of the kernel, and its infeasible paths (for
/// `launch`, where one is given); `?` marks what the user must write. With `blocks`, it adds
/// divergent branches and the transactions of accesses, as far as they follow. `parameters`: kernel
/// parameters that the user states; facts that follow only with them are printed as unchecked. The
/// facts hold with branch divergence, too; those that need a warp that never diverges are only
/// comments.
std::string flow_facts_template(const assembly::Program& program,
                                const assembly::Function& function,
                                const assembly::ControlFlowGraph& graph,
                                const std::optional<models::Launch>& launch = {},
                                const std::optional<BlocksOnMachine>& blocks = {},
                                const KernelParameters& parameters = {});

} // namespace warpbound::analyzer
