#include "harness/pipeline/shared_traffic.hpp"

#include <algorithm>

namespace warpbound::harness {

namespace {
__extension__ using Wide = __int128; // Bytes times nanoseconds per second.
constexpr std::int64_t second = 1'000'000'000;
} // namespace

SharedTraffic::SharedTraffic(const models::PipelineSystem& system)
    : is_excluded_{system.memory.is_excluded} {
    for (std::size_t m = 0; m < bandwidth_.size(); ++m)
        bandwidth_.at(m) = system.memory.bandwidth.at(m).value_or(0);
    if (!is_excluded_)
        for (const auto& client : system.clients)
            for (std::size_t m = 0; m < client.traffic.size(); ++m)
                if (const auto& budget = client.traffic.at(m))
                    budgets_.push_back({m, *budget, budget->burst, 0});
    for (const auto& pipeline : system.pipelines)
        for (const auto& stage : pipeline.stages)
            typical_gap_ = std::max(typical_gap_, stage.time->upper().count() / 2);
}

std::int64_t SharedTraffic::service(std::size_t memory, std::int64_t bytes) const {
    if (bandwidth_.at(memory) == 0) return 0;
    return static_cast<std::int64_t>(static_cast<Wide>(bytes) * second / bandwidth_.at(memory));
}

std::vector<Transfer> SharedTraffic::transfers_of(const models::PipelineStage& stage,
                                                  std::int64_t work,
                                                  simulator::RandomStream& random) const {
    std::vector<Transfer> transfers;
    if (is_excluded_) return transfers;
    for (std::size_t m = 0; m < stage.traffic.size(); ++m) {
        std::int64_t bytes = stage.traffic.at(m).value_or(0);
        while (bytes > 0) {
            const std::int64_t part = transfers.size() >= 6 || random.uniform(0, 1) == 0
                                          ? bytes
                                          : random.uniform(1, bytes);
            bytes -= part;
            const std::int64_t where = random.uniform(0, 2);
            transfers.push_back({where == 0   ? 0
                                 : where == 1 ? work
                                              : random.uniform(0, work),
                                 service(m, part)});
        }
    }
    std::sort(transfers.begin(), transfers.end(),
              [](const Transfer& a, const Transfer& b) { return a.work_left < b.work_left; });
    return transfers;
}

std::int64_t SharedTraffic::spend(std::int64_t now) {
    std::int64_t sum = 0;
    for (Bucket& bucket : budgets_) {
        if (bucket.budget.rate > 0) {
            // Whole bytes only; the rest of the time counts for the next ones.
            const Wide added =
                static_cast<Wide>(now - bucket.filled_at) * bucket.budget.rate / second;
            const Wide total = bucket.bytes + added;
            if (total >= bucket.budget.burst) {
                bucket.bytes = bucket.budget.burst;
                bucket.filled_at = now;
            } else {
                bucket.bytes = static_cast<std::int64_t>(total);
                bucket.filled_at += static_cast<std::int64_t>(
                    (added * second + bucket.budget.rate - 1) / bucket.budget.rate);
            }
        }
        sum += service(bucket.memory, bucket.bytes);
        bucket.bytes = 0;
    }
    return sum;
}

} // namespace warpbound::harness
