#include "tests/support/event_checker/event_checker.hpp"

#include "tests/support/event_checker/checks.hpp"

#include <utility>

namespace warpbound::tests {

std::vector<std::string> violations(const harness::Kernel& kernel,
                                    const models::Architecture& machine,
                                    const models::WarpPolicy& policy, const RecordedRun& run) {
    RecordedLaunch launch{kernel, machine, policy, run};
    if (!launch.collect()) return std::move(launch.found);
    SharedUse shared{launch};
    check_residency(launch);
    check_warps(launch);
    check_forms(launch);
    if (run.trace != nullptr)
        check_recorded(launch);
    else
        check_lanes(launch);
    check_barriers(launch);
    check_fetches(launch);
    check_lines(launch);
    check_collectors(launch);
    check_read_ports(launch);
    check_queued_reads(launch);
    check_write_ports(launch);
    check_memory_queues(launch);
    check_constants(launch);
    check_operands(launch);
    shared.check_ports();
    shared.check_buffer();
    shared.check_queue();
    check_memory(launch);
    check_atomics(launch);
    check_choices(launch, shared);
    check_end(launch);
    return std::move(launch.found);
}

} // namespace warpbound::tests
