#include "models/formulas/prediction/store_delays.hpp"

#include "models/formulas/prediction/predictors.hpp"
#include "models/formulas/whole_numbers.hpp"

#include <algorithm>

namespace warpbound::models::prediction {
namespace {

/// Least distance between two consecutive stores, from the gaps alone. None with fewer
/// than two stores.
std::optional<Cycles> least_distance(const Steps& steps, std::span<const TimedStep> timed) {
    std::optional<Cycles> least;
    std::optional<Cycles> since; // The last store's issue.
    for (const Steps::Kind kind : steps.order()) {
        if (is_global_store(steps.kinds()[kind].opcode_class)) {
            if (since) least = std::min(least.value_or(*since), *since);
            since = Cycles{};
        }
        if (since) *since += timed[kind].gap;
    }
    return least;
}

/// The largest passes of a store. Those of a pattern are means; a lane touches two lines at most.
double most_passes(const Steps& steps, std::span<const TimedStep> timed, double lanes) {
    double most = 1;
    for (std::size_t kind = 0; kind < timed.size(); ++kind) {
        const ProfileStep& step = steps.kinds()[kind];
        if (is_global_store(step.opcode_class))
            most = std::max(most, step.pattern ? 2 * lanes : timed[kind].passes);
    }
    return most;
}

class Asker {
public:
    explicit Asker(const Question& question)
        : question_{question}, steps_{question.profile.steps} {}

    StoreDelays ask(std::int64_t stores) {
        StoreDelays found{.stores = stores};
        find_recurrence(found);
        if (found.missing.empty() && found.refusal.empty()) find_guarantee(found);
        return found;
    }

private:
    void keep(const Inputs& inputs, StoreDelays& found) const {
        for (const auto& what : inputs.missing())
            if (std::ranges::find(found.missing, what) == found.missing.end())
                found.missing.push_back(what);
    }

    void find_recurrence(StoreDelays& found) {
        Inputs inputs{question_.setting.architecture, question_.setting.stated, Variant::Typical};
        const auto timed = timed_steps_of(question_, inputs);
        const auto residency = residency_of(question_, inputs);
        if (!residency) {
            found.refusal = to_string(residency.error());
            return;
        }
        const auto entries = inputs.described("write-buffer/entries");
        const auto drain = inputs.described("write-buffer/drain");
        const auto slot = inputs.described("schedulers/issue-slot");
        keep(inputs, found);
        if (timed.empty() || !residency.value() || !entries || !drain || !slot) return;
        where_ = *residency.value();
        found.warps = where_.warps();
        const auto trace = issue_trace_of(question_, timed, 1);
        if (!trace) {
            found.refusal = to_string(trace.error());
            return;
        }
        std::vector<write_buffer::Store> stores;
        Cycles now;
        for (std::size_t at = 0; at < steps_.size(); ++at) {
            if (at > 0) now += trace.value().gaps[at - 1].cycles;
            const TimedStep& step = timed[steps_.order()[at]];
            if (!is_global_store(steps_[at].opcode_class)) continue;
            for (std::int64_t warp = 0; warp < found.warps; ++warp)
                stores.push_back({now, round_up(step.passes * *drain)});
        }
        const auto answer =
            write_buffer::completion(stores, Cycles{}, static_cast<std::int64_t>(*entries));
        if (!answer) {
            found.refusal = to_string(answer.error());
            return;
        }
        found.recurrence = answer.value();
        found.symbols = write_buffer::explain(stores, Cycles{}, static_cast<std::int64_t>(*entries),
                                              answer.value());
    }

    void find_guarantee(StoreDelays& found) const {
        // With one access through them, all stores are in the buffer a cycle longer.
        if (std::ranges::any_of(steps_.kinds(), through_caches)) {
            found.refusal = "with accesses through the caches, stores may wait for the request "
                            "link to the L2, and all are in the buffer longer (C26)";
            return;
        }
        Inputs best{question_.setting.architecture, question_.setting.stated, Variant::Best};
        Inputs worst{question_.setting.architecture, question_.setting.stated, Variant::Worst};
        const auto early = timed_steps_of(question_, best);
        const auto late = timed_steps_of(question_, worst);
        const auto fastest = best.described("write-buffer/drain");
        const auto slowest = worst.described("write-buffer/drain");
        const auto lanes = worst.described("geometry/warp-size");
        keep(best, found);
        keep(worst, found);
        if (early.empty() || late.empty() || !fastest || !slowest || !lanes) return;
        const double passes = most_passes(steps_, late, *lanes);
        const Bounds<Cycles> drain{Cycles{static_cast<std::int64_t>(*fastest)},
                                   round_up(passes * *slowest)};
        // A block that follows another may store at once.
        const auto apart =
            where_.blocks > where_.slots ? std::nullopt : least_distance(steps_, early);
        const std::int64_t each = apart ? apart->count() / found.warps : 0;
        const write_buffer::ArrivalCurve arrivals =
            apart && Cycles{each} >= drain.upper()
                ? write_buffer::ArrivalCurve{found.warps, Cycles{each}}
                : write_buffer::ArrivalCurve{where_.blocks * where_.warps_per_block * found.stores,
                                             drain.upper()};
        const write_buffer::ServiceCurve service{Cycles{}, drain};
        const auto answer = write_buffer::guarantee(arrivals, service);
        if (!answer) {
            found.refusal = to_string(answer.error());
            return;
        }
        found.guarantee = answer.value();
        for (auto& symbol : write_buffer::explain(arrivals, service, answer.value()))
            found.symbols.push_back(std::move(symbol));
    }

    const Question& question_;
    const Steps& steps_;
    Residency where_;
};

} // namespace

std::optional<StoreDelays> store_delays(const Question& question) {
    const Steps& steps = question.profile.steps;
    std::int64_t stores = 0;
    for (std::size_t kind = 0; kind < steps.kinds().size(); ++kind)
        if (is_global_store(steps.kinds()[kind].opcode_class)) stores += steps.executions()[kind];
    if (stores == 0) return std::nullopt;
    return Asker{question}.ask(stores);
}

} // namespace warpbound::models::prediction
