#include "harness/simulator/machine_run.hpp"

#include "assembly/support/stop_token.hpp"
#include "harness/simulator/machine_parts.hpp"
#include "harness/simulator/windows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace warpbound::harness::simulator {

namespace {

/// Runs all parts with one clock. Returns the last cycle; none: the limit was reached.
std::optional<std::int64_t> run_with_one_clock(MachineParts& parts, std::int64_t limit) {
    Clock& clock = parts.clock();
    std::int64_t now = 0;
    clock.advance(now);
    for (;;) {
        check_stop("the simulated run");
        if (!parts.dispatcher().ended().empty()) parts.complete_launches(now);
        const std::int64_t next = clock.next();
        if (next == never) return now;
        if (parts.log().has_listener()) parts.log().flush(now);
        // A wake time in the past would stop the clock; no component leaves one.
        now = std::max(next, now + 1);
        if (now > limit) return std::nullopt;
        clock.advance(now);
    }
}

Result<WorkloadObservation> run(MachineParts& parts, const RunPlan& plan, const RunOptions& options,
                                bool own_clocks) {
    const std::int64_t limit = std::min(run_limit, options.longest);
    const auto last = own_clocks ? Windows{parts, lookahead_of(plan), limit, options.threads}.run()
                                 : run_with_one_clock(parts, limit);
    if (!last) return Failure{fmt::format("the run takes more than {} cycles", limit), "", 0, 0};
    return parts.result(*last);
}

} // namespace

Result<models::Observation> run_once(const KernelCode& code, const RunOptions& options,
                                     const Listener& listener, const TickOrder& order,
                                     Clocks clocks) {
    if (code.recorded != nullptr && !options.path.empty())
        return Failure{"a recorded launch has its own paths; expected no path in the options", "",
                       0, 0};
    if (const auto checked = code.paths.check(options.path); !checked) return checked.as_failure();
    const RunPlan plan = plan_of(code);
    const bool own_clocks = clocks == Clocks::Own && lookahead_of(plan) > 0;
    MachineParts parts{plan, options, listener, order, own_clocks};
    const auto observed = run(parts, plan, options, own_clocks);
    if (!observed) return observed.as_failure();
    return models::Observation{.seed = options.seed,
                               .execution_time = models::Cycles{observed.value().makespan},
                               .warps = std::move(parts.finished())};
}

Result<WorkloadObservation> run_workload(const RunPlan& plan, const RunOptions& options,
                                         const Listener& listener, const TickOrder& order) {
    if (!options.path.empty())
        return Failure{
            "the kernels of a workload choose their own paths; expected no path in the options", "",
            0, 0};
    MachineParts parts{plan, options, listener, order, false};
    return run(parts, plan, options, false);
}

} // namespace warpbound::harness::simulator
