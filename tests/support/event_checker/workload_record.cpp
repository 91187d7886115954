#include "tests/support/event_checker/workload_record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

namespace warpbound::tests {

using harness::simulator::DramServed;
using harness::simulator::LineAccessed;
using harness::simulator::LineFilled;
using harness::simulator::OperationStep;
using harness::simulator::OperationStepped;

namespace {

constexpr std::size_t reported_workload_limit = 20;

/// Not for events without a warp, and those that several warps may have caused.
bool is_of_a_warp(const Event& event) {
    return !std::holds_alternative<OperationStepped>(event) &&
           !std::holds_alternative<LineFilled>(event) && !std::holds_alternative<DramServed>(event);
}

} // namespace

WorkloadRecord::WorkloadRecord(const harness::Workload& of_workload,
                               const models::Architecture& on_machine,
                               const models::WarpPolicy& under_policy,
                               const RecordedWorkload& of_run)
    : workload{of_workload}, machine{on_machine}, policy{under_policy}, run{of_run},
      steps(workload.operations.size()) {
    for (std::size_t index = 0; index < workload.operations.size(); ++index) {
        if (workload.operations[index].kind != models::HostOperationKind::Launch) continue;
        launches.emplace_back().operation = index;
        blocks += kernel_of(launches.size() - 1).launch.blocks;
    }
}

void WorkloadRecord::report(std::string text) {
    if (found.size() < reported_workload_limit) found.push_back(std::move(text));
}

void WorkloadRecord::check_fifo(std::string_view rule, std::size_t first, std::size_t second) {
    const OperationRecord& a = steps[first];
    const OperationRecord& b = steps[second];
    const bool both_new =
        a.queued == b.queued && a.issued == a.queued && b.issued == b.queued && first > second;
    if (a.queued > b.queued || both_new)
        report(fmt::format("{}: operation {} overtakes operation {}", rule, first, second));
}

bool WorkloadRecord::collect_steps() {
    std::vector<std::map<OperationStep, int>> times(steps.size());
    std::int64_t last = 0;
    for (const Event& event : run.events) {
        const std::int64_t cycle = std::visit([](const auto& what) { return what.cycle; }, event);
        if (cycle < last) report(fmt::format("order: event of cycle {} after {}", cycle, last));
        last = std::max(last, cycle);
        const auto* step = std::get_if<OperationStepped>(&event);
        if (step == nullptr) continue;
        if (step->operation >= steps.size()) {
            report(fmt::format("order: there is no operation {}", step->operation));
            return false;
        }
        OperationRecord& record = steps[step->operation];
        ++times[step->operation][step->step];
        switch (step->step) {
        case OperationStep::Issued:
            record.issued = cycle;
            break;
        case OperationStep::Queued:
            record.queued = cycle;
            break;
        case OperationStep::Started:
            record.started = cycle;
            break;
        case OperationStep::Dispatched:
            record.dispatched = cycle;
            break;
        case OperationStep::Ended:
            record.ended = cycle;
            break;
        case OperationStep::Left:
            record.left = cycle;
            break;
        }
    }
    for (std::size_t index = 0; index < steps.size(); ++index) {
        const bool launch = workload.operations[index].kind == models::HostOperationKind::Launch;
        for (const OperationStep step :
             {OperationStep::Issued, OperationStep::Queued,
              launch ? OperationStep::Dispatched : OperationStep::Started, OperationStep::Ended,
              OperationStep::Left})
            if (times[index][step] != 1)
                report(fmt::format("C33: step {} of operation {} occurs {} times",
                                   static_cast<int>(step), index, times[index][step]));
    }
    return found.empty();
}

/// Assigns the events to their launches; each launch numbers its warps from 0 on.
void WorkloadRecord::split() {
    const std::int64_t warp_size = value_of(machine.geometry, "warp-size").lo;
    std::vector<int> first_warp;
    int warps = 0;
    for (std::size_t launch = 0; launch < launches.size(); ++launch) {
        first_warp.push_back(warps);
        const models::Launch& grid = kernel_of(launch).launch;
        warps += static_cast<int>(grid.blocks * grid.warps_per_block(warp_size));
    }
    for (const Event& event : run.events) {
        if (!is_of_a_warp(event)) continue;
        const int warp = std::visit([](const auto& what) { return what.warp; }, event);
        const auto next = std::upper_bound(first_warp.begin(), first_warp.end(), warp);
        if (warp < 0 || warp >= warps) {
            report(fmt::format("order: there is no warp {}", warp));
            return;
        }
        const auto launch = static_cast<std::size_t>(next - first_warp.begin()) - 1;
        Event own = event;
        std::visit([&](auto& what) { what.warp -= first_warp[launch]; }, own);
        launches[launch].run.events.push_back(own);
    }
}

bool WorkloadRecord::collect_blocks(LaunchRecord& launch) {
    RecordedLaunch& recorded = *launch.recorded;
    for (std::size_t index = 0; index < recorded.warps.size(); ++index) {
        const WarpRecord& warp = recorded.warps[index];
        const WarpStarted& started = warp.starts.front();
        if (index % static_cast<std::size_t>(recorded.warps_per_block) == 0)
            launch.blocks.push_back({started.multiprocessor, started.placed, started.cycle, 0, {}});
        BlockRecord& block = launch.blocks.back();
        if (started.multiprocessor != block.multiprocessor || started.cycle != block.start ||
            started.placed != block.placed) {
            report("C1: warps of one block do not start in the same cycle");
            return false;
        }
        if (started.multiprocessor < 0 || started.multiprocessor >= run.multiprocessors) {
            report(fmt::format("C31: there is no SM {}", started.multiprocessor));
            return false;
        }
        block.end = std::max(block.end, warp.ends.front());
        block.warp_slots.push_back(std::int64_t{started.warp_slot} * recorded.schedulers +
                                   started.scheduler);
    }
    return true;
}

bool WorkloadRecord::collect() {
    if (!collect_steps()) return false;
    split();
    for (std::size_t index = 0; index < launches.size(); ++index) {
        LaunchRecord& launch = launches[index];
        launch.run.execution_time = steps[launch.operation].ended;
        launch.run.multiprocessors = run.multiprocessors;
        launch.recorded =
            std::make_unique<RecordedLaunch>(kernel_of(index), machine, policy, launch.run);
        if (!launch.recorded->collect()) {
            for (const std::string& wrong : launch.recorded->found)
                report(wrong);
            return false;
        }
        has_caches = has_caches || launch.recorded->has_caches;
        for (const auto& drain : launch.recorded->drains)
            steps[launch.operation].drained =
                std::max(steps[launch.operation].drained.value_or(0), std::get<0>(drain));
        if (!collect_blocks(launch)) return false;
    }
    return found.empty();
}

} // namespace warpbound::tests
