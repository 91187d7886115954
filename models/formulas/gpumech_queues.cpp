#include "models/formulas/gpumech_queues.hpp"

#include "models/formulas/input_check.hpp"
#include "models/formulas/queues.hpp"
#include "models/formulas/whole_numbers.hpp"

#include <algorithm>

namespace warpbound::models::gpumech {
namespace {

std::optional<Failure> objection(std::int64_t requests, std::int64_t registers) {
    return InputCheck{"gpumech"}
        .count("requests", requests, 0)
        .count("miss registers", registers, 1)
        .failure();
}

} // namespace

Result<double> mshr_occupancy(std::int64_t requests, std::int64_t registers) {
    if (const auto wrong = objection(requests, registers)) return *wrong;
    if (requests <= registers) return 1.0;
    const double full = real(requests / registers); // Rounds in which all registers serve.
    const double rest = real(requests % registers);
    return (real(registers) * full * (full + 1) / 2 + rest * (full + 1)) / real(requests);
}

Result<std::int64_t> mshr_rounds(std::int64_t requests, std::int64_t registers) {
    if (const auto wrong = objection(requests, registers)) return *wrong;
    return divide_up(requests, registers);
}

Result<Estimate<Cycles>> mshr_delay(std::int64_t requests, std::int64_t registers,
                                    double miss_latency) {
    const auto occupancy = mshr_occupancy(requests, registers);
    if (!occupancy) return occupancy.as_failure();
    if (const auto wrong = InputCheck{"gpumech"}.positive("miss latency", miss_latency).failure())
        return *wrong;
    return Estimate<Cycles>{miss_latency * (occupancy.value() - 1)};
}

Result<double> miss_latency(double l2_latency, double l2_miss_rate, double dram_latency) {
    if (const auto wrong = InputCheck{"gpumech"}
                               .positive("L2 latency", l2_latency)
                               .within("L2 miss rate", l2_miss_rate, 0, 1)
                               .positive("DRAM latency", dram_latency)
                               .failure())
        return *wrong;
    return l2_latency + l2_miss_rate * dram_latency;
}

Result<Estimate<Cycles>> dram_delay(double requests, double miss_latency, const Dram& dram) {
    if (const auto wrong = InputCheck{"gpumech"}
                               .not_negative("DRAM requests", requests)
                               .positive("miss latency", miss_latency)
                               .positive("clock", dram.clock)
                               .positive("line size", dram.line_bytes)
                               .positive("DRAM bandwidth", dram.bandwidth)
                               .failure())
        return *wrong;
    const double service = dram.clock * dram.line_bytes / dram.bandwidth;
    const queues::Load load{.rate = requests / miss_latency, .service = service};
    const auto bulk = queues::batch_wait(requests, service);
    if (!bulk) return bulk.as_failure();
    if (load.rate * load.service >= 1) return bulk.value().mean;
    const auto queue = queues::constant_service_wait(load);
    if (!queue) return queue.as_failure();
    return Estimate<Cycles>{std::min(queue.value().value(), bulk.value().mean.value())};
}

} // namespace warpbound::models::gpumech
