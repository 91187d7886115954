#pragma once
/// \file
/// Experiments on the queue model, as observed workloads.

#include "harness/hypotheses/scheduling_device.hpp"
#include "tests/support/queue_model/queue_model.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace warpbound::tests {

inline constexpr std::int64_t model_length = 1000; ///< Of a block of length 1.
inline constexpr std::int64_t model_latency = 20;

/// The most urgent streams have priority -1.
inline harness::hypotheses::ObservedWorkload
observe_play(const ModelledDevice& device, const harness::hypotheses::Experiment& experiment) {
    using harness::hypotheses::Filling;
    std::vector<ModelledOperation> operations;
    for (const auto& planned : experiment.operations) {
        ModelledOperation one{.kind = planned.kind,
                              .stream = planned.stream,
                              .priority = planned.is_urgent ? -1 : 0,
                              .call = std::llround(planned.call * model_length),
                              .threads = device.threads / 2,
                              .length = std::llround(planned.length * model_length)};
        std::int64_t room = 2;
        if (planned.filling != Filling::Threads) one.threads = 32;
        if (planned.filling == Filling::SharedMemory) one.shared_memory = device.shared_memory / 2;
        if (planned.filling == Filling::BlockSlots) room = device.blocks;
        one.blocks = std::max<std::int64_t>(
            1, std::llround(planned.waves * static_cast<double>(room * device.multiprocessors)));
        operations.push_back(one);
    }
    const auto times = play(device, operations);
    harness::hypotheses::ObservedWorkload run;
    run.experiment = experiment.name;
    run.latency = model_latency;
    run.calls_in_order = true;
    run.interruption = model_length / 2;
    run.copy_engines = device.copy_engines;
    run.limits = {.multiprocessors = device.multiprocessors,
                  .threads = device.threads,
                  .blocks = device.blocks,
                  .registers = 65536,
                  .shared_memory = device.shared_memory};
    for (std::size_t i = 0; i < operations.size(); ++i) {
        harness::hypotheses::ObservedOperation one{
            .kind = operations[i].kind,
            .name = std::string{experiment.operations[i].name},
            .stream = operations[i].stream,
            .priority = operations[i].priority,
            .issued = {operations[i].call, operations[i].call},
            .begin = {times[i].begin, times[i].begin},
            .end = {times[i].end, times[i].end}};
        if (one.is_launch()) {
            one.threads = operations[i].threads;
            one.shared_memory = operations[i].shared_memory;
            one.registers = 16;
        }
        for (const ModelledBlock& block : times[i].blocks)
            one.blocks.push_back({block.begin, block.end, block.multiprocessor,
                                  device.fault == Fault::BlocksAreInterrupted ? 700 : 4});
        run.operations.push_back(std::move(one));
    }
    if (const auto completed = complete(run); !completed)
        throw std::logic_error{completed.error().what};
    return run;
}

} // namespace warpbound::tests
