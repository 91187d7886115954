#pragma once
/// \file
/// What the analysis must be told of a kernel, with what its code says of it.

#include "analyzer/flow/coalescing.hpp"
#include "assembly/flow/control_flow_graph.hpp"
#include "models/architecture/architecture.hpp"
#include "models/launch/launch.hpp"

#include <optional>
#include <string>

namespace warpbound::analyzer {

/// Blocks of which shape the facts are for, and on which machine.
struct BlocksOnMachine {
    BlockShape shape;
    const models::Architecture* architecture = nullptr;
};

/// A template of flow facts with every loop and memory access of the kernel, and what its branches
/// exclude (in such a launch, where one is given); `?` stands where the user must write. With
/// `blocks`, passes of accesses and where lanes decide differently, as far as they follow; `words`
/// are constants that somebody states, and what follows with them only is printed as unchecked.
/// What it states holds wherever lanes part; what follows only where they never do is a comment.
std::string flow_facts_template(const assembly::Program& program,
                                const assembly::Function& function,
                                const assembly::ControlFlowGraph& graph,
                                const std::optional<models::Launch>& launch = {},
                                const std::optional<BlocksOnMachine>& blocks = {},
                                const KernelParameters& words = {});

} // namespace warpbound::analyzer
