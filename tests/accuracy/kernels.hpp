#pragma once
/// \file
/// The kernels that models and simulated device are compared on: generated ones that each stress
/// one thing, and the compiled examples.

#include "assembly/flow/control_flow_graph.hpp"
#include "assembly/isa/program.hpp"
#include "models/architecture/architecture.hpp"
#include "models/flow_facts.hpp"

#include <memory>
#include <string>
#include <vector>

namespace warpbound::tests {

/// What a kernel's time is mostly made of.
enum class Stress { Arithmetic, Shared, Coalesced, Divergent, Compiled };
std::string_view to_string(Stress stress);
inline constexpr Stress all_stresses[]{Stress::Arithmetic, Stress::Shared, Stress::Coalesced,
                                       Stress::Divergent, Stress::Compiled};

struct AccuracyKernel {
    std::string name; ///< "load-dram-t8-a4 on turing-t4"
    Stress stress = Stress::Arithmetic;
    std::string architecture;
    assembly::Program program;
    const assembly::Function* function = nullptr; ///< Into `program`.
    assembly::ControlFlowGraph graph;
    models::FlowFacts facts; ///< Every access has passes, every load a level.
};

/// All kernels, in a fixed order. Throws `std::runtime_error` when one cannot be read: the kernels
/// are ours.
std::vector<std::unique_ptr<AccuracyKernel>> accuracy_kernels();

/// The description with every value at its typical number (the middle where there is none), one
/// multiprocessor, and without limits that the timing contract does not have: DRAM bandwidth is the
/// largest that a description may state. Block start and replacement, which no description has, are
/// 0.
models::Architecture exact_machine(const std::string& name);

} // namespace warpbound::tests
