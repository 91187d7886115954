#include "models/formulas/transfer.hpp"

#include "models/formulas/input_check.hpp"
#include "models/formulas/whole_numbers.hpp"

#include <numeric>

namespace warpbound::models::transfer {
Result<Estimate<Seconds>> time_of(std::int64_t bytes, const Direction& direction) {
    InputCheck check{"transfer"};
    check.count("bytes", bytes, 0, most_copy_bytes)
        .positive("start-up", direction.start.count())
        .positive("bandwidth", direction.bandwidth)
        .positive("lambda", direction.lambda)
        .require(bytes != 0 || direction.empty.has_value(),
                 "the measured time of a copy of 0 bytes is missing");
    if (direction.empty) check.not_negative("time of 0 bytes", direction.empty->count());
    if (check.failure()) return *check.failure();
    if (bytes == 0) return Estimate<Seconds>{direction.empty->count()};
    return Estimate<Seconds>{direction.start.count() +
                             real(bytes) / (direction.bandwidth * direction.lambda)};
}

Result<Seconds> start_from(std::span<const Seconds> times) {
    InputCheck check{"transfer"};
    check.require(!times.empty(), "no times");
    for (const Seconds time : times)
        check.positive("time", time.count());
    if (check.failure()) return *check.failure();
    return std::accumulate(times.begin(), times.end(), Seconds{0}) /
           static_cast<double>(times.size());
}

Result<double> lambda_from(std::int64_t bytes, Seconds time, Seconds start, double bandwidth) {
    if (const auto wrong = InputCheck{"transfer"}
                               .count("bytes", bytes, 1, most_copy_bytes)
                               .positive("start-up", start.count())
                               .positive("bandwidth", bandwidth)
                               .positive("time above the start-up", (time - start).count())
                               .failure())
        return *wrong;
    return real(bytes) / ((time - start).count() * bandwidth);
}

std::vector<ExplainedSymbol> explain(std::int64_t bytes, const Direction& direction,
                                     Estimate<Seconds> result) {
    return {
        {"n", real(bytes), "bytes", "launch"},
        {"t_s", direction.start.count(), "s", "calibration"},
        {"bw", direction.bandwidth, "bytes/s", "machine"},
        {"lambda", direction.lambda, "1", "calibration"},
        {"T", result.value(), "s", bytes == 0 ? "measured" : "G17 eq. 5.5"},
    };
}

} // namespace warpbound::models::transfer
