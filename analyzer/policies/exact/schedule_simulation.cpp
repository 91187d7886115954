#include "analyzer/policies/exact/schedule_simulation.hpp"

#include "analyzer/interference/barrier_alignment.hpp"
#include "analyzer/policies/exact/single_path.hpp"
#include "analyzer/policies/time_division/blocking.hpp"

#include <algorithm>

namespace warpbound::analyzer {

namespace {

using Times = models::Bounds<models::Cycles>;

constexpr std::int64_t most_issues = std::int64_t{1} << 20U;

/// Cycles between which something lies.
struct Range {
    std::int64_t lower = 0;
    std::int64_t upper = 0;
};

/// The warps of one scheduler, none of which waits for anything outside.
class Scheduler {
public:
    Scheduler(const AnalysisContext& context, const PipelinePair& rules,
              const std::vector<PathStep>& path)
        : context_{context}, rules_{rules}, path_{path} {}

    /// In slots, with `warps` warps in the first places, when the run starts `start` cycles into a
    /// round. Nothing when the cycle of an
    /// issue is open, or too many slots passed in all starts.
    std::optional<Times> run(const SlotTable& order, std::int64_t warps, std::int64_t start) {
        begin(order.places());
        auto left = static_cast<std::size_t>(warps);
        for (std::size_t place = left; place < warps_.size(); ++place)
            warps_[place].next = path_.size();
        const std::int64_t slot = order.slot();
        for (std::int64_t k = start / slot; left > 0; ++k) {
            if (--slots_left_ < 0) return std::nullopt;
            Warp& owner = warps_[static_cast<std::size_t>(
                order.owners()[static_cast<std::size_t>(k % order.round())])];
            if (owner.next == path_.size()) continue;
            const std::int64_t first = std::max(k * slot - start, next_choice_);
            const std::int64_t last = (k + 1) * slot - start - 1;
            const Range may = may_issue(owner);
            if (may.lower > last) continue;
            const std::int64_t at = std::max(first, may.lower);
            if (std::max(first, may.upper) != at) return std::nullopt;
            next_choice_ = at + slot;
            if (!issue(owner, at)) return std::nullopt;
            if (owner.next == path_.size()) --left;
        }
        return Times{models::Cycles{completion_.lower}, models::Cycles{completion_.upper}};
    }

    /// One after another, each as soon as its turn came and it may issue. Requires: no instruction
    /// may issue in the cycle of the one before; `rules` are twice those of one side.
    models::Cycles run_in_turn(std::int64_t warps, std::int64_t slot) {
        begin(warps);
        for (std::size_t choice = 0; choice < path_.size(); ++choice)
            for (Warp& warp : warps_) {
                const std::int64_t at = std::max(next_choice_, may_issue(warp).upper);
                next_choice_ = at + slot;
                issue_one(warp, at);
            }
        return models::Cycles{completion_.upper};
    }

private:
    struct Warp {
        PipelineState lower; ///< Both enclose what is outstanding.
        PipelineState upper;
        Range ready;           ///< When the next instruction may issue, but for ports of others.
        std::int64_t last = 0; ///< Issue.
        std::size_t next = 0;  ///< Of the path.
    };

    void begin(std::int64_t warps) {
        const Warp fresh{rules_.lower.start(), rules_.upper.start(), {}, 0, 0};
        warps_.assign(static_cast<std::size_t>(warps), fresh);
        ports_.assign(context_.request.architecture->units.size(), {});
        completion_ = {};
        next_choice_ = 0;
    }

    [[nodiscard]] Range may_issue(const Warp& warp) const {
        const std::size_t instruction = path_[warp.next].instruction;
        const PortUse lower = rules_.lower.port_use(instruction);
        const PortUse upper = rules_.upper.port_use(instruction);
        Range may = warp.ready;
        if (is_of_warp(lower.unit)) return may;
        if (lower.executes) may.lower = std::max(may.lower, ports_[lower.unit].lower);
        if (upper.executes) may.upper = std::max(may.upper, ports_[upper.unit].upper);
        return may;
    }

    [[nodiscard]] bool is_of_warp(std::size_t unit) const {
        return context_.request.architecture->units[unit].scope == models::UnitScope::Warp;
    }

    /// With all that follow in the same cycle (C4); false when it is open whether they do.
    bool issue(Warp& warp, std::int64_t at) {
        while (true) {
            issue_one(warp, at);
            if (warp.next == path_.size()) return true;
            const Range may = may_issue(warp);
            if (may.lower > at) return true;
            if (may.upper > at) return false;
        }
    }

    void issue_one(Warp& warp, std::int64_t at) {
        const PathStep& step = path_[warp.next++];
        const std::int64_t elapsed = at - warp.last;
        rules_.lower.issue(warp.lower, step.instruction, elapsed);
        rules_.upper.issue(warp.upper, step.instruction, elapsed);
        const PortUse lower = rules_.lower.port_use(step.instruction);
        const PortUse upper = rules_.upper.port_use(step.instruction);
        Range& port = ports_[lower.unit];
        if (lower.executes) port.lower = at + lower.occupancy;
        if (upper.executes) port.upper = std::max(port.upper, at + upper.occupancy);
        warp.last = at;
        if (warp.next == path_.size()) {
            const Range end{at + rules_.lower.completion(warp.lower),
                            at + rules_.upper.completion(warp.upper)};
            completion_.lower = std::max(completion_.lower, end.lower);
            completion_.upper = std::max(completion_.upper, end.upper);
            return;
        }
        rules_.lower.leave(warp.lower, step.instruction, step.transferred);
        rules_.upper.leave(warp.upper, step.instruction, step.transferred);
        const std::size_t next = path_[warp.next].instruction;
        warp.ready = {at + rules_.lower.wait_of(warp.lower, next).cycles,
                      at + rules_.upper.wait_of(warp.upper, next).cycles};
    }

    const AnalysisContext& context_;
    const PipelinePair& rules_;
    const std::vector<PathStep>& path_;
    std::vector<Warp> warps_;
    std::vector<Range> ports_; ///< When each is free, by unit.
    Range completion_;
    std::int64_t next_choice_ = 0;
    std::int64_t slots_left_ = std::int64_t{1} << 23U; ///< Those in which nobody issues included.
};

/// Whether no scheduler's warps wait for those of another.
bool schedulers_are_apart(const AnalysisContext& context, std::size_t schedulers) {
    for (std::size_t i = 0; i < context.used.size(); ++i) {
        if (!context.used[i]) continue;
        const auto& timing = context.timings[i].value();
        const bool shared = schedulers > 1 && is_shared_by_all(context, i);
        if (timing.enters_write_buffer || shared) return false;
    }
    return first_common_barrier(context) == nullptr;
}

/// Whether every turn of a warp is one instruction, whatever is drawn.
bool turns_are_instructions(const AnalysisContext& context) {
    for (std::size_t i = 0; i < context.used.size(); ++i) {
        if (!context.used[i]) continue;
        const auto& timing = context.timings[i].value();
        if (timing.is_barrier_wait || timing.gap.lo == 0 || timing.gap_taken.lo == 0) return false;
    }
    return true;
}

} // namespace

std::optional<Times> simulated_times(const AnalysisContext& context, std::int64_t launches) {
    const LaunchGeometry& shape = context.shape;
    if (shape.waves() > 1 || !shape.issue_slot.is_exact()) return std::nullopt;
    const auto schedulers = schedulers_of(context.request.policy, shape);
    std::int64_t with_warps = 0;
    std::int64_t runs = 0; // Of one warp.
    for (const EquivalentSchedulers& alike : schedulers) {
        if (alike.warps > 0) with_warps += alike.count;
        runs += alike.order.round() * alike.order.slot() * alike.order.places();
    }
    if (!schedulers_are_apart(context, static_cast<std::size_t>(with_warps))) return std::nullopt;
    const auto path =
        single_path(context, static_cast<std::size_t>(most_issues / (runs * launches)));
    if (!path) return std::nullopt;
    const PipelinePair rules = pipelines_of(context, 1, {0, 0, 0});
    models::Cycles best{0};
    models::Cycles worst{0};
    for (const EquivalentSchedulers& alike : schedulers) {
        Scheduler scheduler{context, rules, *path};
        std::optional<models::Cycles> fastest;
        for (std::int64_t start = 0; start < alike.order.round() * alike.order.slot(); ++start) {
            const auto times = scheduler.run(alike.order, alike.warps, start);
            if (!times) return std::nullopt;
            fastest = std::min(fastest.value_or(times->lower()), times->lower());
            worst = std::max(worst, times->upper());
        }
        best = std::max(best, *fastest);
    }
    return Times{best, worst};
}

std::optional<models::Cycles> time_in_turn(const AnalysisContext& context, std::int64_t warps,
                                           Side side) {
    if (!turns_are_instructions(context)) return std::nullopt;
    // Who ends sooner leaves turns out, so that nothing is later.
    const auto path = single_path(context, static_cast<std::size_t>(most_issues / warps),
                                  side == Side::Upper ? Others::ThatEndSooner : Others::None);
    if (!path) return std::nullopt;
    const PipelinePair rules = pipelines_of(context, 1, {0, 0, 0});
    const PipelinePair twice{rules.of(side), rules.of(side)};
    const models::Interval& slot = context.shape.issue_slot;
    return Scheduler{context, twice, *path}.run_in_turn(warps,
                                                        side == Side::Upper ? slot.hi : slot.lo);
}

} // namespace warpbound::analyzer
