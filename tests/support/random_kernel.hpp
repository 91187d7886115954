#pragma once
/// \file
/// Random kernels for property tests: structured control flow, predicates, loads and stores, and
/// flow facts for them.

#include "assembly/flow/control_flow_graph.hpp"
#include "assembly/isa/program.hpp"
#include "models/facts/flow_facts.hpp"
#include "tests/support/random_kernel_text.hpp"

#include <cstdint>
#include <memory>
#include <string>

namespace warpbound::tests {

/// A kernel as input of the analyzer and the simulator.
struct ReadKernel {
    assembly::Program program;
    const assembly::Function* function = nullptr; ///< Into `program`.
    assembly::ControlFlowGraph graph;
    models::FlowFacts facts;

    /// Random facts, which may exclude every path.
    [[nodiscard]] bool has_further_facts() const {
        return !facts.nevers.empty() || !facts.exclusives.empty() || !facts.constraints.empty();
    }
};
Result<std::unique_ptr<ReadKernel>> read(const RandomKernel& kernel);

RandomKernel random_kernel(std::uint64_t seed, const RandomKernelOptions& options);

} // namespace warpbound::tests
