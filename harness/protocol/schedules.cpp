#include "harness/protocol/schedules.hpp"

#include "assembly/support/stop_token.hpp"
#include "harness/protocol/worker_pool.hpp"

#include <algorithm>
#include <cmath>
#include <set>

namespace warpbound::harness {

namespace {

constexpr std::int64_t batch_of_runs = 64;

/// FNV-1a hash of the warp numbers in issue order.
class IssueOrder {
public:
    void add(int warp) {
        constexpr std::uint64_t prime = 0x100000001b3ULL;
        hash_ = (hash_ ^ static_cast<std::uint64_t>(warp)) * prime;
    }
    [[nodiscard]] std::uint64_t value() const { return hash_; }

private:
    std::uint64_t hash_ = 0xcbf29ce484222325ULL;
};

double jain_index(const std::vector<models::WarpObservation>& warps) {
    double sum = 0;
    double squares = 0;
    for (const auto& warp : warps) {
        // An EXIT that issues in cycle 0 ends at the end of that cycle.
        const auto end = static_cast<double>(warp.finished.count() + 1);
        sum += end;
        squares += end * end;
    }
    return squares > 0 ? sum * sum / (static_cast<double>(warps.size()) * squares) : 1;
}

Result<ScheduledRun> one_run(const simulator::Machine& machine, const Protocol& protocol,
                             std::int64_t number, unsigned threads) {
    ScheduledRun run;
    IssueOrder order;
    RunOptions options{seed_of_run(protocol.seed, number), protocol.draw, {}};
    options.threads = threads;
    const auto observed = machine.run(options, [&](const simulator::Event& event) {
        const auto* issued = std::get_if<simulator::Issued>(&event);
        if (issued == nullptr) return;
        ++run.instructions;
        order.add(issued->warp);
    });
    if (!observed) return observed.as_failure();
    const auto& warps = observed.value().warps;
    run.time = observed.value().execution_time.count();
    run.order = order.value();
    run.fairness = jain_index(warps);
    const auto [first, last] =
        std::minmax_element(warps.begin(), warps.end(),
                            [](const auto& a, const auto& b) { return a.finished < b.finished; });
    run.first_end = first->finished.count();
    run.last_end = last->finished.count();
    return run;
}

} // namespace

Result<std::vector<ScheduledRun>> run_schedules(const simulator::Machine& machine,
                                                const Protocol& protocol, unsigned threads,
                                                const Progress& progress) {
    std::vector<ScheduledRun> runs;
    const auto done = [&] { return static_cast<std::int64_t>(runs.size()); };
    while (done() < protocol.repetitions) {
        const std::int64_t count = std::min(batch_of_runs, protocol.repetitions - done());
        const unsigned of_each = threads_of_each(threads, count);
        const auto run = [&](std::int64_t number) {
            return one_run(machine, protocol, number, of_each);
        };
        const Batch<ScheduledRun> batch = WorkerPool<ScheduledRun>{run, done(), count}.run(threads);
        if (batch.exception) std::rethrow_exception(batch.exception);
        if (batch.failure) return *batch.failure;
        runs.insert(runs.end(), batch.done.begin(), batch.done.end());
        if ((progress && !progress(done(), protocol.repetitions)) || stop_requested()) break;
    }
    return runs;
}

Result<Timeline> timeline_of(const simulator::Machine& machine, const Protocol& protocol,
                             std::int64_t run) {
    Timeline timeline;
    timeline.seed = seed_of_run(protocol.seed, run);
    const auto observed =
        machine.run({timeline.seed, protocol.draw, {}}, [&](const simulator::Event& event) {
            const auto* issued = std::get_if<simulator::Issued>(&event);
            if (issued == nullptr) return;
            const auto warp = static_cast<std::size_t>(issued->warp);
            if (timeline.issues.size() <= warp) timeline.issues.resize(warp + 1);
            timeline.issues[warp].push_back(issued->cycle);
        });
    if (!observed) return observed.as_failure();
    timeline.time = observed.value().execution_time.count();
    return timeline;
}

ScheduleSummary summarise_schedules(const std::vector<ScheduledRun>& runs) {
    ScheduleSummary summary;
    std::vector<std::int64_t> times;
    std::set<std::uint64_t> orders;
    const auto count = static_cast<double>(runs.size());
    const auto cpi = [](const ScheduledRun& run) {
        return static_cast<double>(run.time) / static_cast<double>(run.instructions);
    };
    summary.mean_fairness = 0;
    for (const ScheduledRun& run : runs) {
        if (run.time > runs[static_cast<std::size_t>(summary.worst_run)].time)
            summary.worst_run = static_cast<std::int64_t>(times.size());
        times.push_back(run.time);
        orders.insert(run.order);
        summary.mean_cpi += cpi(run) / count;
        summary.mean_fairness += run.fairness / count;
        summary.widest_spread = std::max(summary.widest_spread, run.last_end - run.first_end);
    }
    double squares = 0;
    for (const ScheduledRun& run : runs)
        squares += (cpi(run) - summary.mean_cpi) * (cpi(run) - summary.mean_cpi);
    if (runs.size() > 1) summary.deviation_cpi = std::sqrt(squares / (count - 1));
    summary.times = summarise(times);
    summary.orders = static_cast<std::int64_t>(orders.size());
    return summary;
}

} // namespace warpbound::harness
