#include "harness/protocol/measure_workload.hpp"

#include "assembly/support/stop_token.hpp"
#include "harness/protocol/worker_pool.hpp"

#include <algorithm>
#include <iterator>

namespace warpbound::harness {

Result<MeasuredWorkload> measure_workload(const simulator::WorkloadMachine& machine,
                                          const Protocol& protocol, unsigned threads,
                                          const Progress& progress,
                                          const std::function<bool()>& stop) {
    constexpr std::int64_t batch_runs = 256;
    MeasuredWorkload measured;
    const auto done = [&] { return static_cast<std::int64_t>(measured.runs.size()); };
    const auto run = [&](std::int64_t number) {
        return machine.run(
            {.seed = seed_of_run(protocol.seed, number), .draw = protocol.draw, .path = {}});
    };
    while (done() < protocol.repetitions) {
        const std::int64_t count = std::min(batch_runs, protocol.repetitions - done());
        auto batch = WorkerPool<WorkloadObservation>{run, done(), count, stop}.run(threads);
        if (batch.exception) std::rethrow_exception(batch.exception);
        if (batch.failure) return *batch.failure;
        measured.runs.insert(measured.runs.end(), std::make_move_iterator(batch.done.begin()),
                             std::make_move_iterator(batch.done.end()));
        if ((progress && !progress(done(), protocol.repetitions)) || (stop && stop()) ||
            stop_requested())
            break;
    }
    measured.complete = done() >= protocol.repetitions;
    return measured;
}

} // namespace warpbound::harness
