#include "analyzer/memory/fifo_tandem.hpp"

#include "models/formulas/whole_numbers.hpp"

#include <algorithm>

namespace warpbound::analyzer {

namespace {

/// A step back in the order: for so many cycles it passes at least so many accesses.
struct Step {
    std::int64_t cycles = 0;
    std::int64_t passed = 1;
};

class InOrder {
public:
    InOrder(const FifoTandem& loads, const MemoryParameters& caches,
            const std::optional<ResponseLink>& response_link)
        : loads_{loads}, caches_{caches}, links_back_{response_link} {
        const std::int64_t wait = links_back_ ? links_back_->wait : 0;
        loads_.way = (models::Cycles{loads_.way} + models::Cycles{wait}).count();
        if (loads_.limit)
            loads_.limit = models::plus(*loads_.limit, models::times(wait, loads_.requests));
    }

    std::vector<BoundTerm> terms() {
        const std::int64_t server =
            std::max(caches_.link_service.hi, loads_.slices_follow ? caches_.slice_service.hi : 0);
        any_.push_back({std::max(caches_.first_level_service.hi, loads_.occupancy)});
        requests_.push_back({server});
        if (loads_.link_fills) requests_.push_back({caches_.transit.hi, caches_.link_queue});
        add_arrivals();
        add_full_entries();
        const models::Cycles apart =
            loads_.slices_follow ? models::Cycles{0} : models::Cycles{caches_.slice_service.hi};
        if (links_back_) {
            add("services at slices that follow no order, for a transaction of a load",
                loads_.requests, apart.count());
            // That of each load's own transaction is missing in its time without waits.
            add("link back of a load of the chain", loads_.of_chain,
                (models::Cycles{links_back_->wait} + models::Cycles{caches_.link_service.hi})
                    .count());
            add("links back, while transactions pass that DRAM brings nothing for", 1,
                links_back_->busier);
        } else {
            add("services at links back, and at slices that follow no order, for a transaction of "
                "a load",
                loads_.requests, (models::Cycles{caches_.link_service.hi} + apart).count());
        }
        if (!loads_.passes_all) {
            const models::Cycles services =
                models::Cycles{caches_.link_service.hi} +
                models::Cycles{loads_.slices_follow ? caches_.slice_service.hi : 0};
            const models::Cycles left = models::Cycles{loads_.of_chain} *
                                        std::min(caches_.link_queue, loads_.requests) * server;
            add("transactions that a load of the chain left behind on a link", 1,
                std::min(left, services * loads_.requests).count());
        }
        return std::move(terms_);
    }

private:
    void add(const char* text, std::int64_t count, std::int64_t cycles) {
        if (count > 0 && cycles > 0) terms_.push_back({text, count, cycles});
    }
    /// Cycles in which `count` accesses are passed by steps of these kinds, rounded up.
    static std::int64_t passing(std::int64_t count, const std::vector<Step>& steps) {
        std::int64_t most = 0;
        for (const Step& step : steps)
            most = std::max(most, models::divide_up((models::Cycles{count} * step.cycles).count(),
                                                    step.passed));
        return most;
    }
    /// Of all line accesses, those with transactions included.
    [[nodiscard]] std::int64_t passing_all(const std::vector<Step>& any,
                                           std::vector<Step> requests) const {
        requests.insert(requests.end(), any.begin(), any.end());
        return (models::Cycles{passing(loads_.requests, requests)} +
                models::Cycles{passing(loads_.lines - loads_.requests, any)})
            .count();
    }

    void add_arrivals() {
        const std::int64_t passed =
            (models::Cycles{caches_.load_queue - 1} * loads_.least_lines).count();
        std::vector<Step> jumps = any_;
        std::vector<Step> steps = any_;
        steps.push_back({loads_.pass_cost});
        if (loads_.queue_fills && passed > 0) jumps.push_back({loads_.arrival, passed});
        const models::Cycles further =
            models::Cycles{loads_.arrival} + models::Cycles{loads_.arrival_short};
        const bool jump = (!loads_.queue_fills || passed > 0) &&
                          models::Cycles{passing_all(jumps, requests_)} + further <
                              models::Cycles{passing_all(steps, requests_)};
        any_ = jump ? std::move(jumps) : std::move(steps);
        if (jump)
            add("lines of a load that arrive at the L1 one after another", 1, further.count());
    }

    void add_full_entries() {
        const std::int64_t services = passing_all(any_, requests_);
        add(loads_.occupancy > 0
                ? "line accesses of loads, one behind another through the port, the L1 and its link"
                : "line accesses of loads, one behind another through the L1 and its link",
            1, services);
        std::vector<Step> any = any_;
        std::vector<Step> requests = requests_;
        // Accesses that are gone over to, and what they take beyond the services that they pass.
        models::Cycles times{0};
        models::Cycles further{0};
        if (loads_.least_held) {
            const Step step{loads_.way, *loads_.least_held};
            requests.push_back(step);
            further = models::Cycles{passing(loads_.further_sectors, {step})};
            times = models::Cycles{
                (models::Cycles{loads_.requests} + models::Cycles{loads_.further_sectors}).count() /
                step.passed};
        }
        if (loads_.least_sharers) {
            const Step step{
                loads_.way,
                (models::Cycles{*loads_.least_sharers - 1} * loads_.least_lines).count() + 1};
            any.push_back(step);
            times += models::Cycles{loads_.lines / step.passed};
        }
        // What is passed so may be passed once more, for the load of the chain before.
        std::int64_t again = loads_.of_chain;
        if (loads_.returns) again = std::min(again, times.count());
        if (times.count() > 0) further += models::Cycles{loads_.way} * again;
        further += models::Cycles{passing_all(any, requests) - services};
        std::int64_t wait = further.count();
        if (loads_.returns) {
            wait = std::min(wait, (times * loads_.way).count());
            if (loads_.limit) wait = std::min(wait, *loads_.limit);
        }
        add("full miss entries of an L1, while the oldest access in them goes on", 1, wait);
        if (loads_.link_fills)
            add("full link, while a transaction on it goes on that a load left behind",
                std::min(loads_.of_chain, loads_.requests / caches_.link_queue),
                caches_.transit.hi);
    }

    FifoTandem loads_;
    const MemoryParameters& caches_;
    std::optional<ResponseLink> links_back_; ///< None: everything that they serve counts.
    std::vector<Step> any_;                  ///< That pass any line accesses.
    std::vector<Step> requests_;             ///< That pass only transactions.
    std::vector<BoundTerm> terms_;
};

} // namespace

std::vector<BoundTerm> waits_in_order(const FifoTandem& loads, const MemoryParameters& caches) {
    auto terms = InOrder{loads, caches, std::nullopt}.terms();
    if (loads.response_link)
        if (auto others = InOrder{loads, caches, loads.response_link}.terms();
            sum_of(others) < sum_of(terms))
            terms = std::move(others);
    return terms;
}

} // namespace warpbound::analyzer
