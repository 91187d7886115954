#include "analyzer/memory/fifo_tandem.hpp"

#include "models/formulas/whole_numbers.hpp"

#include <algorithm>

namespace warpbound::analyzer {

namespace {

/// One step of the critical path back in the service order: in `cycles` it passes at least `passed`
/// accesses.
struct TandemStep {
    std::int64_t cycles = 0;
    std::int64_t passed = 1;
};

class TandemDelay {
public:
    TandemDelay(const FifoTandem& loads, const MemoryParameters& caches,
                const std::optional<ResponseLink>& response_link)
        : loads_{loads}, caches_{caches}, response_link_{response_link} {
        const std::int64_t wait = response_link_ ? response_link_->delay : 0;
        loads_.latency = (models::Cycles{loads_.latency} + models::Cycles{wait}).count();
        if (loads_.limit)
            loads_.limit = models::plus(*loads_.limit, models::times(wait, loads_.requests));
    }

    std::vector<BoundTerm> terms() {
        add_servers();
        add_arrivals();
        add_full_mshrs();
        const models::Cycles unordered_services = loads_.slices_in_l1_order
                                                      ? models::Cycles{0}
                                                      : models::Cycles{caches_.slice_service.hi};
        if (response_link_) {
            add("services at slices without a fixed order, for a transaction of a load",
                loads_.requests, unordered_services.count());
            // The unloaded time of a load does not contain the response link of its own
            // transaction.
            add("response link of a load on the critical path", loads_.on_critical_path,
                (models::Cycles{response_link_->delay} + models::Cycles{caches_.link_service.hi})
                    .count());
            add("response links, while they carry transactions that need no DRAM transfer", 1,
                response_link_->extra_delay);
        } else {
            add("services at response links, and at slices without a fixed order, for a "
                "transaction "
                "of a load",
                loads_.requests,
                (models::Cycles{caches_.link_service.hi} + unordered_services).count());
        }
        if (!loads_.completes_in_order) {
            const models::Cycles services =
                models::Cycles{caches_.link_service.hi} +
                models::Cycles{loads_.slices_in_l1_order ? caches_.slice_service.hi : 0};
            const models::Cycles left = models::Cycles{loads_.on_critical_path} *
                                        std::min(caches_.link_queue, loads_.requests) *
                                        ordered_service();
            add("transactions that are on a link when a load of the critical path completes", 1,
                std::min(left, services * loads_.requests).count());
        }
        return std::move(terms_);
    }

    /// The same with the response link as a server of the trace, which no segment interrupts (S57).
    std::vector<BoundTerm> terms_of_single_trace() {
        add_servers();
        add_arrivals();
        add(loads_.occupancy > 0 ? "line accesses of loads, one after another through the port, "
                                   "the L1, its MSHRs and links"
                                 : "line accesses of loads, one after another through the L1, its "
                                   "MSHRs and links",
            1, time_of_single_trace());
        const std::int64_t service = caches_.link_service.hi;
        add("response link of a load on the critical path", loads_.on_critical_path, service);
        // Of a holder that was reached from beyond the issue at which another segment goes on.
        const bool mshrs_fill = loads_.least_sectors_in_mshr || loads_.least_merged_loads;
        const std::int64_t holder = mshrs_fill          ? loads_.latency
                                    : loads_.link_fills ? caches_.transit.hi
                                                        : 0;
        const models::Cycles paid = models::Cycles{loads_.unloaded} + models::Cycles{service};
        add("oldest access in full MSHRs, beyond the latency of a load on the critical path",
            loads_.on_critical_path, (models::Cycles{holder} - paid).count());
        return std::move(terms_);
    }

private:
    /// Longest service of a transaction at the servers that keep the order of the L1.
    [[nodiscard]] std::int64_t ordered_service() const {
        return std::max(caches_.link_service.hi,
                        loads_.slices_in_l1_order ? caches_.slice_service.hi : 0);
    }
    void add_servers() {
        any_.push_back({std::max(caches_.first_level_service.hi, loads_.occupancy)});
        requests_.push_back({ordered_service()});
        if (loads_.link_fills) requests_.push_back({caches_.transit.hi, caches_.link_queue});
    }
    /// Of all steps: each line access counts at one server, or as one of those that hold entries.
    [[nodiscard]] std::int64_t time_of_single_trace() const {
        const std::int64_t service = caches_.link_service.hi;
        std::vector<TandemStep> requests = requests_;
        models::Cycles further{0};
        if (loads_.least_sectors_in_mshr) {
            const TandemStep step{
                (models::Cycles{loads_.latency} + models::Cycles{service}).count(),
                *loads_.least_sectors_in_mshr};
            requests.push_back(step);
            further = models::Cycles{time_to_pass(loads_.further_sectors, {step})};
        }
        models::Cycles all{time_to_pass_all(any_, requests)};
        if (loads_.least_merged_loads) {
            const TandemStep step = merge_step();
            // Those that merge may have passed the response link, too.
            const std::int64_t waits =
                std::min({loads_.lines / step.passed, loads_.requests,
                          loads_.most_merge_waits.value_or(loads_.requests)});
            const models::Cycles apart = models::Cycles{loads_.latency} * waits;
            std::vector<TandemStep> any = any_;
            any.push_back(step);
            requests.push_back(
                {(models::Cycles{loads_.latency} + models::Cycles{service} * step.passed).count(),
                 step.passed});
            all = std::min(all + apart, models::Cycles{time_to_pass_all(any, requests)});
        }
        return (all + further).count();
    }
    /// From an access that waits to merge to the oldest one in the entry.
    [[nodiscard]] TandemStep merge_step() const {
        return {loads_.latency,
                (models::Cycles{*loads_.least_merged_loads - 1} * loads_.least_lines).count() + 1};
    }
    void add(const char* text, std::int64_t count, std::int64_t cycles) {
        if (count > 0 && cycles > 0) terms_.push_back({text, count, cycles});
    }
    /// Longest time, rounded up, in which these steps pass `count` accesses.
    static std::int64_t time_to_pass(std::int64_t count, const std::vector<TandemStep>& steps) {
        std::int64_t most = 0;
        for (const TandemStep& step : steps)
            most = std::max(most, models::divide_up((models::Cycles{count} * step.cycles).count(),
                                                    step.passed));
        return most;
    }
    /// The same for all line accesses, including those with transactions.
    [[nodiscard]] std::int64_t time_to_pass_all(const std::vector<TandemStep>& any,
                                                std::vector<TandemStep> requests) const {
        requests.insert(requests.end(), any.begin(), any.end());
        return (models::Cycles{time_to_pass(loads_.requests, requests)} +
                models::Cycles{time_to_pass(loads_.lines - loads_.requests, any)})
            .count();
    }

    void add_arrivals() {
        const std::int64_t passed =
            (models::Cycles{caches_.load_queue - 1} * loads_.least_lines).count();
        std::vector<TandemStep> jumps = any_;
        std::vector<TandemStep> steps = any_;
        steps.push_back({loads_.pass_cost});
        if (loads_.queue_fills && passed > 0) jumps.push_back({loads_.arrival, passed});
        const models::Cycles further =
            models::Cycles{loads_.arrival} + models::Cycles{loads_.arrival_short};
        const bool jump = (!loads_.queue_fills || passed > 0) &&
                          models::Cycles{time_to_pass_all(jumps, requests_)} + further <
                              models::Cycles{time_to_pass_all(steps, requests_)};
        any_ = jump ? std::move(jumps) : std::move(steps);
        if (jump)
            add("lines of a load that arrive at the L1 one after another", 1, further.count());
    }

    void add_full_mshrs() {
        const std::int64_t services = time_to_pass_all(any_, requests_);
        add(loads_.occupancy > 0
                ? "line accesses of loads, one after another through the port, the L1 and its link"
                : "line accesses of loads, one after another through the L1 and its link",
            1, services);
        std::vector<TandemStep> any = any_;
        std::vector<TandemStep> requests = requests_;
        // Outstanding accesses that the critical path changes to, and their time beyond the
        // services that they pass.
        models::Cycles changes{0};
        models::Cycles further{0};
        if (loads_.least_sectors_in_mshr) {
            const TandemStep step{loads_.latency, *loads_.least_sectors_in_mshr};
            requests.push_back(step);
            further = models::Cycles{time_to_pass(loads_.further_sectors, {step})};
            changes = models::Cycles{
                (models::Cycles{loads_.requests} + models::Cycles{loads_.further_sectors}).count() /
                step.passed};
        }
        if (loads_.least_merged_loads) {
            const TandemStep step = merge_step();
            any.push_back(step);
            changes += models::Cycles{loads_.lines / step.passed};
        }
        // The accesses passed in such a step may be passed again for the previous load of the path.
        std::int64_t again = loads_.on_critical_path;
        if (loads_.revisits) again = std::min(again, changes.count());
        if (changes.count() > 0) further += models::Cycles{loads_.latency} * again;
        further += models::Cycles{time_to_pass_all(any, requests) - services};
        std::int64_t wait = further.count();
        if (loads_.revisits) {
            wait = std::min(wait, (changes * loads_.latency).count());
            if (loads_.limit) wait = std::min(wait, *loads_.limit);
        }
        add("full MSHRs of an L1, while their oldest access is outstanding", 1, wait);
        if (loads_.link_fills)
            add("full link, while an earlier transaction on it is in transit",
                std::min(loads_.on_critical_path, loads_.requests / caches_.link_queue),
                caches_.transit.hi);
    }

    FifoTandem loads_;
    const MemoryParameters& caches_;
    std::optional<ResponseLink> response_link_; ///< None: all their services count.
    std::vector<TandemStep> any_;               ///< Steps that pass any line accesses.
    std::vector<TandemStep> requests_;          ///< Steps that pass only transactions.
    std::vector<BoundTerm> terms_;
};

} // namespace

std::vector<BoundTerm> tandem_delay(const FifoTandem& loads, const MemoryParameters& caches) {
    auto terms = TandemDelay{loads, caches, std::nullopt}.terms();
    if (loads.response_link)
        if (auto others = TandemDelay{loads, caches, loads.response_link}.terms();
            sum_of(others) < sum_of(terms))
            terms = std::move(others);
    if (loads.single_trace)
        if (auto single = TandemDelay{loads, caches, std::nullopt}.terms_of_single_trace();
            sum_of(single) < sum_of(terms))
            terms = std::move(single);
    return terms;
}

} // namespace warpbound::analyzer
