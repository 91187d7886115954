#include "harness/execution/executed_launch.hpp"

#include "harness/device.hpp"
#include "harness/execution/launch_constants.hpp"
#include "harness/execution/semantics.hpp"
#include "models/facts/flow_facts.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
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

Result<void> ExecutedLaunch::prepare(const LaunchInputs& inputs) {
    const assembly::Function& function = *inputs.function;
    const auto layout = constant_layout(function.target);
    if (!layout) return layout.as_failure();
    const models::Launch& launch = inputs.launch;
    state_.block = models::block_shape_of(launch).threads;
    state_.grid = launch.grid ? launch.grid->blocks : Extents{launch.blocks, 1, 1};
    state_.sm = function.target.sm;
    state_.warps_per_block = launch.warps_per_block(recorded_lane_count);
    const auto& shared = launch.shared_memory ? launch.shared_memory : function.shared_memory;
    checks_shared_ = shared.has_value();
    state_.shared_bytes = shared ? static_cast<std::size_t>(*shared) : most_shared_memory;
    auto operations = decode_operations(function, *inputs.graph);
    if (!operations) return operations.as_failure();
    state_.constants[0] = launch_constants(layout.value(), launch, state_.block, state_.grid);
    const auto unknown = unknown_arguments(function, layout.value(), state_.constants[0]);
    if (!unknown.empty()) return missing_arguments(function, unknown);
    for (const auto& [bank, bytes] : inputs.constants)
        state_.constants[bank] = {bytes, std::vector<bool>((bytes.size() + 3) / 4, true)};
    for (const std::int64_t bank : named_banks(function))
        if (!state_.constants.contains(bank))
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
    code_ = ExecutedCode{&function,
                         inputs.graph,
                         std::move(operations).value(),
                         std::move(points).value(),
                         inputs.instruction_limit,
                         inputs.listener};
    coverage_.blocks.resize(inputs.graph->blocks.size());
    coverage_.edges.resize(inputs.graph->edges.size());
    issued_.resize(function.instructions.size());
    return boost::outcome_v2::success();
}

Result<void> ExecutedLaunch::run_all(std::int64_t blocks, const Progress& progress) {
    for (std::int64_t number = 0; number < blocks; ++number) {
        if (progress && !progress(number)) return Failure{"stopped while the launch was executed"};
        auto recorded = run_block(code_, state_, number, coverage_);
        if (!recorded) return recorded.as_failure();
        for (const RecordedWarp& warp : recorded.value().warps)
            for (const RecordedStretch& stretch : warp.stretches)
                instructions_ += stretch.last - stretch.first + 1;
        if (code_.listener != nullptr)
            if (auto ended = code_.listener->block_ended(state_.index_of(number)); !ended)
                return ended;
        if (auto stored = store_.add(std::move(recorded).value()); !stored)
            return stored.as_failure();
    }
    for (std::size_t block = 0; block < coverage_.blocks.size(); ++block)
        if (coverage_.blocks[block] > 0)
            std::fill(
                issued_.begin() + static_cast<std::ptrdiff_t>(code_.graph->blocks[block].first),
                issued_.begin() + static_cast<std::ptrdiff_t>(code_.graph->blocks[block].last) + 1,
                true);
    return boost::outcome_v2::success();
}

Result<std::unique_ptr<ExecutedLaunch>>
ExecutedLaunch::run(LaunchInputs inputs, std::size_t kept_limit, const Progress& progress) {
    std::unique_ptr<ExecutedLaunch> launch{new ExecutedLaunch{kept_limit}};
    launch->state_.memory = std::move(inputs.memory);
    if (auto prepared = launch->prepare(inputs); !prepared) return prepared.as_failure();
    if (inputs.listener != nullptr)
        if (auto begun = inputs.listener->begun(*inputs.function, inputs.launch); !begun)
            return begun.as_failure();
    if (auto done = launch->run_all(inputs.launch.blocks, progress); !done)
        return done.as_failure();
    return launch;
}

} // namespace warpbound::harness::execution
