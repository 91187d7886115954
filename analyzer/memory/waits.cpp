#include "analyzer/memory/waits.hpp"

#include "analyzer/warp_work.hpp"
#include "assembly/isa/program.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace warpbound::analyzer {

namespace {

class Waits {
public:
    explicit Waits(const Problem& problem) : problem_{problem}, caches_{*problem.caches} {
        loads_ = most([&](const models::InstructionTiming& timing) {
            return is_load(timing) ? timing.passes.hi : 0;
        });
        stores_ = most([&](const models::InstructionTiming& timing) {
            return is_store(timing) ? timing.passes.hi : 0;
        });
    }

    /// Loads wait on the chain for what they miss.
    std::vector<BoundTerm> beside_misses(models::Cycles unloaded) {
        const std::int64_t lines = lines_of_loads() + lines_of_stores();
        add("services at the L1, links, slices and DRAM for the loads of a warp",
            problem_.shape.warps(), most([&](const models::InstructionTiming& timing) {
                return is_load(timing)
                           ? l1_of_load(timing) + (way_of_transaction() * timing.passes.hi).count()
                           : 0;
            }));
        // Nobody waits for an entry while all accesses that can be under way fit.
        const std::int64_t places = std::min(under_way_in_l1(), under_way_in_slice());
        if (most_under_way() > places)
            add("full miss entries, while all accesses in them go on", 1,
                (models::Cycles{caches_.round_trip} * lines_of_loads()).count() / places);
        add_stores(lines);
        add_refreshes(unloaded + sum_of(terms_), lines);
        return std::move(terms_);
    }

    /// Loads wait on the chain as if all hit, and each transaction counts with its whole way.
    std::vector<BoundTerm> beside_hits(models::Cycles unloaded) {
        const std::int64_t transactions =
            (models::Cycles{*problem_.touched->transactions} * problem_.shape.multiprocessors)
                .count();
        add("services at the L1 for the loads of a warp", problem_.shape.warps(),
            most([&](const models::InstructionTiming& timing) {
                return is_load(timing) ? l1_of_load(timing) : 0;
            }));
        add("ways of the transactions of loads to the L2 or DRAM and back", transactions,
            (way_of_transaction() + models::Cycles{caches_.round_trip}).count());
        add_stores(lines_of_stores());
        add_refreshes(unloaded + sum_of(terms_), transactions + lines_of_stores());
        return std::move(terms_);
    }

private:
    template <class Cost> std::int64_t most(Cost cost) const {
        InstructionCosts costs(problem_.timings.size(), 0);
        for (std::size_t i = 0; i < costs.size(); ++i)
            if (problem_.used[i] && problem_.timings[i])
                costs[i] = cost(problem_.timings[i].value());
        return extreme_sum(problem_, block_costs(problem_, costs), Side::Upper);
    }
    void add(const char* text, std::int64_t count, std::int64_t cycles) {
        if (count > 0 && cycles > 0) terms_.push_back({text, count, cycles});
    }
    static bool is_load(const models::InstructionTiming& timing) {
        return timing.through_caches && !timing.enters_write_buffer;
    }
    static bool is_store(const models::InstructionTiming& timing) {
        return timing.through_caches && timing.enters_write_buffer;
    }
    [[nodiscard]] std::int64_t lines_of_loads() const {
        return (models::Cycles{loads_} * problem_.shape.warps()).count();
    }

    [[nodiscard]] std::int64_t lines_of_stores() const {
        return (models::Cycles{stores_} * problem_.shape.warps()).count();
    }

    /// Services, and the time until the next line of the load arrives.
    [[nodiscard]] std::int64_t l1_of_load(const models::InstructionTiming& timing) const {
        return (models::Cycles{caches_.first_level_service} * timing.passes.hi +
                models::Cycles{timing.pass_cost.hi} * (timing.passes.hi - 1))
            .count();
    }
    /// Services behind the L1.
    [[nodiscard]] models::Cycles way_of_transaction() const {
        return models::Cycles{caches_.slice_service} + models::Cycles{caches_.link_service} * 2 +
               models::Cycles{caches_.transfer};
    }
    /// With so many transactions that may fill the link.
    void add_stores(std::int64_t transactions) {
        add("services at links, slices and DRAM for the stores of a warp, and the cycle of each "
            "drain",
            problem_.shape.warps(), most([&](const models::InstructionTiming& timing) {
                return timing.enters_write_buffer ? service_of_store(timing) : 0;
            }));
        if (transactions > caches_.link_queue)
            add("full link, while all transactions on it go on", 1,
                (models::Cycles{caches_.transit} * transactions).count() / caches_.link_queue);
    }
    [[nodiscard]] std::int64_t service_of_store(const models::InstructionTiming& timing) const {
        if (!timing.through_caches) return 1;
        const models::Cycles line = models::Cycles{caches_.slice_service} +
                                    models::Cycles{caches_.link_service} +
                                    models::Cycles{caches_.transfer};
        return (line * timing.passes.hi + models::Cycles{1}).count();
    }

    /// Sectors of the L1 that a line access asks for.
    [[nodiscard]] std::int64_t sectors() const {
        return problem_.touched ? problem_.touched->most_sectors
                                : static_cast<std::int64_t>(caches_.line / caches_.sector);
    }
    /// Whoever waits for `needed` entries finds fewer free, and each access has at most so many of
    /// them.
    static std::int64_t holders(std::int64_t entries, std::int64_t needed) {
        return (entries - needed) / needed + 1;
    }
    /// Line accesses that are under way whenever one waits for an entry or a place in one.
    [[nodiscard]] std::int64_t under_way_in_l1() const {
        return std::min(holders(caches_.entries, sectors()), caches_.merges);
    }
    [[nodiscard]] std::int64_t under_way_in_slice() const {
        const auto line = static_cast<std::int64_t>(
            std::max<std::uint64_t>(1, caches_.line / caches_.second_sector));
        const auto of_one = static_cast<std::int64_t>(
            std::max<std::uint64_t>(1, caches_.sector / caches_.second_sector));
        const std::int64_t held =
            holders(caches_.slice_entries, std::min(line, sectors() * of_one));
        // An L1 asks for a sector once until it comes.
        const bool once = caches_.second_sector <= caches_.sector &&
                          problem_.shape.multiprocessors <= caches_.slice_merges;
        return once ? held : std::min(held, caches_.slice_merges);
    }

    /// Line accesses of loads that can be under way together. On an interlocked machine a load
    /// waits for the one before that writes the same registers.
    [[nodiscard]] std::int64_t most_under_way() const {
        const std::int64_t all = lines_of_loads();
        if (problem_.request.architecture->issue_control != models::IssueControl::Interlocked)
            return all;
        std::map<assembly::Register, std::int64_t> lines;
        for (std::size_t i = 0; i < problem_.timings.size(); ++i) {
            if (!problem_.used[i] || !problem_.timings[i] || !is_load(problem_.timings[i].value()))
                continue;
            const auto& writes = problem_.request.function->instructions[i].effects.writes;
            if (writes.empty()) return all;
            auto& most = lines[writes.front()];
            most = std::max(most, problem_.timings[i].value().passes.hi);
        }
        models::Cycles of_warp{0};
        for (const auto& [reg, most] : lines)
            of_warp += models::Cycles{most};
        return std::min(all, (of_warp * problem_.shape.warps()).count());
    }

    /// A channel that refreshes starts nothing; behind each refresh that something waits for, one
    /// of the transfers starts before the next.
    void add_refreshes(models::Cycles time, std::int64_t transfers) {
        const models::Cycles duration{caches_.refresh_duration};
        if (duration == models::Cycles{0} || transfers == 0) return;
        std::int64_t refreshes = transfers;
        // Or as often as there is time for them, where that does not chase itself.
        if ((models::Cycles{caches_.channels} * caches_.refresh_duration).count() <=
            caches_.refresh_interval / 2)
            for (std::int64_t before = 0, needed = 1; needed > before;) {
                before = needed;
                const models::Cycles until = time + duration * before;
                needed = (models::Cycles{until.count() / caches_.refresh_interval + 1} *
                          caches_.channels)
                             .count();
                refreshes = std::min(transfers, needed);
            }
        add("refreshes of a DRAM channel", refreshes, duration.count());
    }

    const Problem& problem_;
    const CacheValues& caches_;
    std::int64_t loads_ = 0;  ///< Lines of a warp's loads, at most.
    std::int64_t stores_ = 0; ///< Of its stores.
    std::vector<BoundTerm> terms_;
};

} // namespace

std::vector<BoundTerm> waits_beside_misses(const Problem& problem, models::Cycles unloaded) {
    return Waits{problem}.beside_misses(unloaded);
}

std::vector<BoundTerm> waits_beside_hits(const Problem& problem, models::Cycles unloaded) {
    return Waits{problem}.beside_hits(unloaded);
}

Problem with_hits(const Problem& problem) {
    Problem hits = problem;
    for (auto& timing : hits.timings)
        if (timing && timing.value().through_caches && !timing.value().enters_write_buffer)
            timing.value().latency.lo = timing.value().latency.hi =
                hits.caches->first_level_latency;
    return hits;
}

} // namespace warpbound::analyzer
