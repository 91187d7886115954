#include "models/formulas/write_buffer.hpp"

#include "models/formulas/input_check.hpp"
#include "models/formulas/whole_numbers.hpp"

#include <algorithm>

namespace warpbound::models::write_buffer {
namespace {

constexpr std::int64_t longest = std::int64_t{1} << 40; // Cycles of one time of the input.

} // namespace

Result<Completion> completion(std::span<const Store> stores, Cycles gap, std::int64_t entries) {
    InputCheck check{"write-buffer"};
    check.require(!stores.empty(), "no stores")
        .count("entries", entries, 1)
        .count("gap between stores", gap.count(), 0, longest);
    for (const auto& store : stores)
        check.count("ready time of a store", store.ready.count(), 0, longest)
            .count("drain of a store", store.drain.count(), 0, longest);
    if (check.failure()) return *check.failure();

    const auto capacity = static_cast<std::size_t>(entries);
    std::vector<Passage> passages;
    for (std::size_t j = 0; j < stores.size(); ++j) {
        Passage passage{.entered = stores[j].ready, .drained = {}};
        Cycles way_out_free;
        if (j > 0) {
            passage.entered = std::max(passage.entered, passages[j - 1].entered + gap);
            way_out_free = passages[j - 1].drained;
        }
        if (j >= capacity)
            passage.entered = std::max(passage.entered, passages[j - capacity].drained);
        passage.drained = std::max(passage.entered, way_out_free) + stores[j].drain;
        passages.push_back(passage);
    }
    const Passage last = passages.back();
    return Completion{.last_entered = Estimate<Cycles>{real(last.entered.count())},
                      .last_drained = Estimate<Cycles>{real(last.drained.count())},
                      .passages = std::move(passages)};
}

Result<Guarantee> guarantee(const ArrivalCurve& arrivals, const ServiceCurve& service) {
    if (const auto wrong =
            InputCheck{"write-buffer"}
                .count("burst", arrivals.burst, 1)
                .count("interval between stores", arrivals.interval.count(), 1, longest)
                .count("latency", service.latency.count(), 0, longest)
                .count("drain", service.drain.lower().count(), 0, longest)
                .require(service.drain.upper() <= arrivals.interval,
                         "stores may come faster than they drain")
                .failure())
        return *wrong;
    const std::int64_t during_latency =
        divide_up(service.latency.count(), arrivals.interval.count());
    return Guarantee{
        .delay = {service.drain.lower(), service.latency + arrivals.burst * service.drain.upper()},
        .backlog = {1, arrivals.burst + during_latency}};
}

std::vector<ExplainedSymbol> explain(const ArrivalCurve& arrivals, const ServiceCurve& service,
                                     const Guarantee& result) {
    return {
        {"b", real(arrivals.burst), "stores", "arrival curve"},
        {"1/r", real(arrivals.interval.count()), "cycles/store", "arrival curve"},
        {"T", real(service.latency.count()), "cycles", "service curve"},
        {"1/R", real(service.drain.upper().count()), "cycles/store", "service curve"},
        {"delay", real(result.delay.upper().count()), "cycles", "network calculus, T + b/R"},
        {"backlog", real(result.backlog.upper()), "stores", "network calculus, b + rT"},
    };
}

std::vector<ExplainedSymbol> explain(std::span<const Store> stores, Cycles gap,
                                     std::int64_t entries, const Completion& result) {
    return {
        {"n", real(static_cast<std::int64_t>(stores.size())), "stores", "kernel"},
        {"a", real(gap.count()), "cycles/store",
         gap == Cycles{} ? "none: each store has its own time" : "V14 Table 7"},
        {"K", real(entries), "entries", "calibration"},
        {"t_n", result.last_entered.value(), "cycles", "V14 eq. 13, inferred"},
        {"done_n", result.last_drained.value(), "cycles", "V14 eq. 13, inferred"},
    };
}

} // namespace warpbound::models::write_buffer
