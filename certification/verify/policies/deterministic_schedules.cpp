#include "certification/verify/policies/deterministic_schedules.hpp"

#include "models/units.hpp"

#include <algorithm>
#include <map>

namespace warpbound::certification::verify {

namespace {

/// A cycle, by the ends of all intervals.
struct CycleBySide {
    std::int64_t least = 0;
    std::int64_t most = 0;

    void raise(const CycleBySide& other) {
        least = std::max(least, other.least);
        most = std::max(most, other.most);
    }
};

/// Warps of a scheduler whose next issue is found from issue to issue: that of the warp which may
/// issue first in a time slot of its own.
class WarpsInOwnSlots {
public:
    WarpsInOwnSlots(const TimedCode& code, const std::vector<IssueStep>& path,
                    const SchedulerSlots& slots)
        : code_{code}, path_{path}, slots_{slots}, least_{code, false}, most_{code, true} {}

    /// Until they complete, where the run starts so many cycles after the beginning of time slot 0.
    std::optional<CycleBySide> complete(std::int64_t start) {
        warps_.assign(static_cast<std::size_t>(slots_.taken), {});
        ports_.clear();
        completion_ = {};
        free_from_ = start;
        for (Warp& warp : warps_)
            warp.issued = warp.ready.least = warp.ready.most = start;
        for (std::size_t left = warps_.size(); left > 0;) {
            const Choice next = next_choice();
            if (next.in_own_slot.most != next.in_own_slot.least) return std::nullopt;
            Warp& warp = warps_[next.warp];
            if (!issue_all(warp, next.in_own_slot.least)) return std::nullopt;
            if (warp.next == path_.size()) --left;
        }
        return CycleBySide{completion_.least - start, completion_.most - start};
    }

private:
    struct Warp {
        Outstanding least;
        Outstanding most;
        std::size_t next = 0; ///< Step of the path.
        std::int64_t issued = 0;
        CycleBySide ready; ///< By what the warp itself waits for.
    };
    struct Choice {
        std::size_t warp = 0;
        CycleBySide in_own_slot;
    };

    [[nodiscard]] bool shares_port(std::size_t instruction) const {
        return !is_port_of_warp(code_, code_.timings[instruction].value());
    }

    [[nodiscard]] CycleBySide unhindered_from(const Warp& warp) const {
        CycleBySide may = warp.ready;
        const std::size_t instruction = path_[warp.next].next;
        if (!shares_port(instruction)) return may;
        const auto port = ports_.find(code_.timings[instruction].value().unit);
        if (port == ports_.end()) return may;
        if (least_.use_of_port(instruction) > 0)
            may.least = std::max(may.least, port->second.least);
        if (most_.use_of_port(instruction) > 0) may.most = std::max(may.most, port->second.most);
        return may;
    }

    /// No two warps own a time slot.
    [[nodiscard]] Choice next_choice() const {
        std::optional<Choice> first;
        for (std::size_t i = 0; i < warps_.size(); ++i) {
            if (warps_[i].next == path_.size()) continue;
            const CycleBySide may = unhindered_from(warps_[i]);
            const auto own = [&](std::int64_t cycle) {
                return slots_.next_own(static_cast<std::int64_t>(i), std::max(cycle, free_from_));
            };
            const std::int64_t least = own(may.least);
            if (!first || least < first->in_own_slot.least)
                first = Choice{i, {least, own(may.most)}};
        }
        return first.value();
    }

    /// The next instruction, and those that follow in the same cycle (C4). False: it is open
    /// whether they do.
    bool issue_all(Warp& warp, std::int64_t cycle) {
        free_from_ = models::plus(cycle, slots_.duration);
        while (true) {
            issue(warp, cycle);
            if (warp.next == path_.size()) return true;
            const CycleBySide may = unhindered_from(warp);
            if (may.least > cycle) return true;
            if (may.most > cycle) return false;
        }
    }

    void issue(Warp& warp, std::int64_t cycle) {
        const IssueStep& step = path_[warp.next++];
        const std::int64_t passed = cycle - warp.issued;
        warp.issued = cycle;
        const auto begin = [&](const WarpRules& rules, Outstanding& left) {
            left.pass(passed);
            rules.issue(left, step);
            return models::plus(cycle, std::max<std::int64_t>(1, left.end));
        };
        const CycleBySide end{begin(least_, warp.least), begin(most_, warp.most)};
        if (shares_port(step.next)) {
            CycleBySide& port = ports_[code_.timings[step.next].value().unit];
            port.raise({models::plus(cycle, least_.use_of_port(step.next)),
                        models::plus(cycle, most_.use_of_port(step.next))});
        }
        if (warp.next == path_.size()) return completion_.raise(end);
        const IssueStep& then = path_[warp.next];
        warp.ready = {models::plus(cycle, least_.wait(warp.least, then)),
                      models::plus(cycle, most_.wait(warp.most, then))};
    }

    const TimedCode& code_;
    const std::vector<IssueStep>& path_;
    const SchedulerSlots& slots_;
    WarpRules least_;
    WarpRules most_;
    std::vector<Warp> warps_;
    std::map<std::size_t, CycleBySide> ports_; ///< When each is free, by unit.
    CycleBySide completion_;
    std::int64_t free_from_ = 0; ///< The scheduler.
};

} // namespace

std::optional<TimeRange> time_in_own_slots(const TimedCode& code,
                                           const std::vector<IssueStep>& path,
                                           const std::vector<SchedulerSlots>& schedulers,
                                           std::int64_t& issues_left) {
    CycleBySide last;
    for (std::size_t i = 0; i < schedulers.size(); ++i) {
        const SchedulerSlots& slots = schedulers[i];
        if (i > 0 && slots.is_like(schedulers[i - 1])) continue;
        const std::int64_t starts = slots.different_starts();
        issues_left -= models::times(models::times(static_cast<std::int64_t>(path.size()), starts),
                                     slots.taken);
        if (issues_left < 0) return std::nullopt;
        WarpsInOwnSlots warps{code, path, slots};
        std::optional<CycleBySide> any;
        for (std::int64_t start = 0; start < starts; ++start) {
            const auto end = warps.complete(start);
            if (!end) return std::nullopt;
            any =
                any ? CycleBySide{std::min(any->least, end->least), std::max(any->most, end->most)}
                    : *end;
        }
        last.raise(any.value());
    }
    return TimeRange{models::Cycles{last.least}, models::Cycles{last.most}};
}

} // namespace warpbound::certification::verify
