#include "harness/execution/prepared_launch.hpp"

#include "harness/device.hpp"
#include "harness/execution/launch_constants.hpp"
#include "harness/execution/semantics.hpp"
#include "models/facts/flow_facts.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <utility>

namespace warpbound::harness::execution {

namespace {

/// The most that a block can have on any machine; used where the size is not stated.
constexpr std::size_t most_shared_memory = std::size_t{227} << 10U;

Failure missing_arguments(const assembly::Function& function,
                          const std::vector<std::int64_t>& words) {
    std::vector<std::string> stated;
    for (const std::int64_t word : words)
        stated.push_back(fmt::format("--arg 0x{:x}=VALUE", word));
    return Failure{fmt::format("{} reads arguments that are not stated; expected each of its "
                               "parameters by name, or these words: {}",
                               function.name, fmt::join(stated, " "))};
}

} // namespace

Result<PreparedLaunch> PreparedLaunch::make(LaunchInputs inputs) {
    PreparedLaunch prepared;
    LaunchState& state = prepared.state_;
    const assembly::Function& function = *inputs.function;
    const auto layout = constant_layout(function.target);
    if (!layout) return layout.as_failure();
    const models::Launch& launch = inputs.launch;
    state.memory = std::move(inputs.memory);
    state.block = models::block_shape_of(launch).threads;
    state.grid = launch.grid ? launch.grid->blocks : Extents{launch.blocks, 1, 1};
    state.sm = function.target.sm;
    state.warps_per_block = launch.warps_per_block(recorded_lane_count);
    const auto& shared = launch.shared_memory ? launch.shared_memory : function.shared_memory;
    prepared.checks_shared_ = shared.has_value();
    state.shared_bytes = shared ? static_cast<std::size_t>(*shared) : most_shared_memory;
    auto operations = decode_operations(function, *inputs.graph);
    if (!operations) return operations.as_failure();
    state.constants[0] = launch_constants(layout.value(), launch, state.block, state.grid);
    const auto unknown = unknown_arguments(function, layout.value(), state.constants[0]);
    if (!unknown.empty()) return missing_arguments(function, unknown);
    for (const auto& [bank, bytes] : inputs.constants)
        state.constants[bank] = {bytes, std::vector<bool>((bytes.size() + 3) / 4, true)};
    for (const std::int64_t bank : named_banks(function))
        if (!state.constants.contains(bank))
            return Failure{fmt::format("{} reads constant bank {}, whose contents are not stated; "
                                       "expected --constants {}=buffer:TYPE:SIZES:VALUES",
                                       function.name, bank, bank)};
    const models::FlowFacts no_facts;
    Kernel kernel;
    kernel.function = &function;
    kernel.graph = inputs.graph;
    kernel.facts = &no_facts;
    auto points = simulator::find_reconvergence_points(
        kernel, std::vector<bool>(inputs.graph->blocks.size(), true));
    if (!points) return points.as_failure();
    prepared.code_ = ExecutedCode{&function,
                                  inputs.graph,
                                  std::move(operations).value(),
                                  std::move(points).value(),
                                  inputs.instruction_limit,
                                  inputs.listener};
    prepared.coverage_.blocks.resize(inputs.graph->blocks.size());
    prepared.coverage_.edges.resize(inputs.graph->edges.size());
    return prepared;
}

Result<RecordedBlock> PreparedLaunch::run(std::int64_t number) {
    return run_block(code_, state_, number, coverage_);
}

} // namespace warpbound::harness::execution
