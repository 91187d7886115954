#include "models/formulas/bsp.hpp"

#include "models/formulas/input_check.hpp"
#include "models/formulas/whole_numbers.hpp"

namespace warpbound::models::bsp {
namespace {

double shared_accesses(const Work& work) {
    return work.shared_loads + work.shared_stores;
}

/// Global accesses that no cache serves.
double misses(const Work& work) {
    return work.global_loads + work.global_stores - work.l1_hits - work.l2_hits;
}

std::optional<Failure> objection(std::int64_t threads, const Work& work, const Machine& machine,
                                 double lambda) {
    const Latencies& latencies = machine.latencies;
    InputCheck check{"bsp"};
    check.count("threads", threads, 1, std::int64_t{1} << 42)
        .not_negative("computation", work.computation)
        .not_negative("shared loads", work.shared_loads)
        .not_negative("shared stores", work.shared_stores)
        .not_negative("global loads", work.global_loads)
        .not_negative("global stores", work.global_stores)
        .not_negative("L1 hits", work.l1_hits)
        .not_negative("L2 hits", work.l2_hits)
        .require(misses(work) >= 0, "more cache hits than global accesses")
        .positive("clock", machine.clock)
        .count("cores", machine.cores, 1)
        .positive("lambda", lambda);
    const auto used = [&](const char* name, double accesses, double latency) {
        if (accesses > 0) check.positive(name, latency);
    };
    used("latency of shared memory", shared_accesses(work), latencies.shared);
    used("latency of global memory", misses(work), latencies.global);
    used("latency of the L1 cache", work.l1_hits, latencies.l1);
    used("latency of the L2 cache", work.l2_hits, latencies.l2);
    check.require(work.computation > 0 || shared_accesses(work) > 0 ||
                      work.global_loads + work.global_stores > 0,
                  "a thread without work");
    return check.failure();
}

} // namespace

Result<KernelTime> kernel_time(std::int64_t threads, const Work& work, const Machine& machine,
                               double lambda) {
    if (const auto wrong = objection(threads, work, machine, lambda)) return *wrong;
    const Latencies& latencies = machine.latencies;
    const auto cost = [](double accesses, double latency) {
        return accesses > 0 ? accesses * latency : 0; // An unused level may have any latency.
    };
    const double shared = cost(shared_accesses(work), latencies.shared);
    const double global = cost(misses(work), latencies.global) + cost(work.l1_hits, latencies.l1) +
                          cost(work.l2_hits, latencies.l2);
    const double cycles = real(threads) * (work.computation + global + shared);
    return KernelTime{
        .time = Estimate<Seconds>{cycles / (machine.clock * real(machine.cores) * lambda)},
        .shared = shared,
        .global = global};
}

std::vector<ExplainedSymbol> explain(std::int64_t threads, const Work& work, const Machine& machine,
                                     double lambda, const KernelTime& result) {
    return {
        {"t", real(threads), "threads", "launch"},
        {"comp", work.computation, "cycles/thread", "kernel"},
        {"comm_SM", result.shared, "cycles/thread", "A15, from memory"},
        {"comm_GM", result.global, "cycles/thread", "A15, from memory"},
        {"R", machine.clock, "cycles/s", "machine"},
        {"P", real(machine.cores), "cores", "machine"},
        {"lambda", lambda, "1", "calibration"},
        {"T_k", result.time.value(), "s", "G17 eq. 3.1"},
    };
}

} // namespace warpbound::models::bsp
