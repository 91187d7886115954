#pragma once
/// \file
/// Workloads of small operations, run and checked.

#include "tests/support/event_checker/workload_checker.hpp"
#include "tests/unit/harness/simulator/machines.hpp"
#include "tests/unit/harness/simulator/runs.hpp"

#include <gmock/gmock.h>

#include <map>

namespace warpbound::harness::simulator::test {

inline constexpr std::size_t stream_a = 0;
inline constexpr std::size_t stream_b = 1;
inline constexpr std::optional<std::size_t> null_stream = std::nullopt;

inline models::HostOperation launch(std::size_t kernel, std::optional<std::size_t> stream,
                                    std::int64_t at = 0) {
    return {
        .kind = models::HostOperationKind::Launch, .stream = stream, .kernel = kernel, .at = at};
}
inline models::HostOperation to_device(std::int64_t bytes, std::optional<std::size_t> stream) {
    return {.kind = models::HostOperationKind::CopyToDevice, .stream = stream, .bytes = bytes};
}
inline models::HostOperation to_host(std::int64_t bytes, std::optional<std::size_t> stream) {
    return {.kind = models::HostOperationKind::CopyToHost, .stream = stream, .bytes = bytes};
}

/// The small machine with two block slots per SM, a launch cost of 100 and one copy engine. With a
/// clock of 1 MHz and 1 kB/ms a copy of n bytes takes n cycles, to the device 10 more.
inline models::Architecture host_machine(std::int64_t multiprocessors = 1) {
    auto machine = small_machine(models::IssueControl::Interlocked);
    set(machine.geometry, "multiprocessors", multiprocessors);
    set(machine.geometry, "core-clock", 1000);
    set(machine.limits, "max-blocks", 2);
    set(machine.blocks, "launch", 100);
    set(machine.transfers, "host-to-device-start", 10'000);
    set(machine.transfers, "host-to-device-bandwidth", 1000);
    set(machine.transfers, "device-to-host-start", 0);
    set(machine.transfers, "device-to-host-bandwidth", 1000);
    set(machine.transfers, "engines", 1);
    set(machine.blocks, "start", 5);
    set(machine.blocks, "replacement", 50);
    return machine;
}

/// Issues at 0, 18 and 24 from its start; completes at 18 + 22 = 40.
inline TestProgram short_program() {
    return straight_line({add(1, 0, 0), cosine(2, 1)});
}

struct WorkloadRun {
    WorkloadObservation observation;
    std::vector<Event> events;

    const OperationTimes& operator[](std::size_t operation) const {
        return observation.operations.at(operation);
    }
    /// Starts of warps by warp number.
    [[nodiscard]] std::map<int, WarpStarted> starts() const {
        std::map<int, WarpStarted> found;
        for (const Event& event : events)
            if (const auto* started = std::get_if<WarpStarted>(&event))
                found[started->warp] = *started;
        return found;
    }
};

/// Fails the test when the workload is refused or its log violates a rule.
inline WorkloadRun run(const Workload& workload, const models::Architecture& machine,
                       std::int64_t multiprocessors = 1, const RunOptions& options = {},
                       const models::WarpPolicy& policy = {}) {
    WorkloadRun result;
    const auto prepared = WorkloadMachine::prepare(machine, workload, policy, multiprocessors);
    if (!prepared) {
        ADD_FAILURE() << prepared.error().what;
        return result;
    }
    auto observed =
        prepared.value()->run(options, [&](const Event& event) { result.events.push_back(event); });
    if (!observed) {
        ADD_FAILURE() << observed.error().what;
        return result;
    }
    result.observation = std::move(observed.value());
    EXPECT_THAT(tests::violations(workload, machine, policy,
                                  {result.events, result.observation.makespan,
                                   static_cast<int>(multiprocessors), std::nullopt}),
                testing::IsEmpty())
        << "seed " << options.seed << ", draw " << to_string(options.draw);
    return result;
}

inline std::string refusal(const Workload& workload, const models::Architecture& machine,
                           const StatedLaunchCost& cost = {}) {
    const auto prepared = WorkloadMachine::prepare(machine, workload, {}, 1, cost);
    return prepared ? std::string{} : prepared.error().what;
}

} // namespace warpbound::harness::simulator::test
