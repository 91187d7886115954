#pragma once
/// \file
/// The kernels that models and simulated device are compared on: generated ones that each stress
/// one thing, and the compiled examples.

#include "assembly/flow/control_flow_graph.hpp"
#include "assembly/isa/program.hpp"
#include "models/architecture/architecture.hpp"
#include "models/facts/flow_facts.hpp"

#include <memory>
#include <string>
#include <vector>

namespace warpbound::tests {

/// What a kernel's time is mostly made of.
/// Streams, strides and random accesses have address patterns and go through the caches.
enum class Stress { Arithmetic, Shared, Coalesced, Divergent, Streams, Strides, Random, Compiled };
std::string_view to_string(Stress stress);
inline constexpr Stress all_stresses[]{Stress::Arithmetic, Stress::Shared,  Stress::Coalesced,
                                       Stress::Divergent,  Stress::Streams, Stress::Strides,
                                       Stress::Random,     Stress::Compiled};

struct AccuracyKernel {
    std::string name; ///< "load-dram-t8-a4 on turing-t4"
    Stress stress = Stress::Arithmetic;
    std::string architecture;
    assembly::Program program;
    const assembly::Function* function = nullptr; ///< Into `program`.
    assembly::ControlFlowGraph graph;
    models::FlowFacts facts; ///< Every access has passes and every load a level, or a pattern.

    /// Its accesses go through the caches, which the machine `architecture` must describe.
    [[nodiscard]] bool is_cached() const {
        return stress == Stress::Streams || stress == Stress::Strides || stress == Stress::Random;
    }
};

/// All kernels, in a fixed order. Throws `std::runtime_error` when one cannot be read: the kernels
/// are ours.
std::vector<std::unique_ptr<AccuracyKernel>> accuracy_kernels();

} // namespace warpbound::tests
