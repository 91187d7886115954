#include "tests/support/event_checker/active_sets.hpp"
#include "tests/support/event_checker/checks.hpp"
#include "tests/support/event_checker/latches.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

namespace warpbound::tests {

namespace {

/// Issue slots and C19.
class SchedulerChoices {
public:
    SchedulerChoices(RecordedLaunch& run, const SharedUse& shared)
        : run_{run}, shared_{shared}, latches_{run} {
        if (!run_.loads.empty()) load_entries_ = memory_value(run_.machine, "l1", "queue").lo;
        if (!run_.stores.empty())
            store_entries_ = value_of(run_.machine.write_buffer, "entries").lo;
    }

    void check() {
        std::map<int, std::vector<const Issue*>> choices;
        std::map<int, std::vector<const WarpRecord*>> members;
        for (const WarpRecord& warp : run_.warps) {
            members[run_.scheduler_of(warp)].push_back(&warp);
            for (const Issue& issue : warp.issues)
                if (!issue.paired) choices[run_.scheduler_of(issue)].push_back(&issue);
        }
        for (auto& [scheduler, chosen] : choices) {
            std::sort(chosen.begin(), chosen.end(), [](const Issue* a, const Issue* b) {
                return a->event.cycle < b->event.cycle;
            });
            const std::int64_t slot = value_of(run_.machine.schedulers, "issue-slot").lo;
            for (std::size_t index = 1; index < chosen.size(); ++index)
                if (chosen[index]->event.cycle < chosen[index - 1]->event.cycle + slot)
                    run_.report_issue(*chosen[index],
                                      fmt::format("slot: scheduler {} chose at {}", scheduler,
                                                  chosen[index - 1]->event.cycle));
            if (!run_.found.empty()) continue; // Which issues were possible is then uncertain.
            if (models::guarantee_of(run_.policy) == models::PolicyGuarantee::WorkConserving)
                check_idle(chosen, members[scheduler]);
            check_policy(chosen, members[scheduler]);
        }
    }

private:
    /// The first cycle from `from` on that the warp's own conditions allow.
    static std::int64_t warp_earliest(const Issue& issue, std::int64_t from) {
        const StallEnds& stalls = issue.event.stalls;
        const std::int64_t others =
            std::max({from, stalls[Stall::Gap], stalls[Stall::Barrier], stalls[Stall::Fetch],
                      stalls[Stall::Register], stalls[Stall::Constant]});
        const std::int64_t unseen = std::max(others, issue.clear_unseen);
        return unseen <= issue.unseen_until ? unseen : std::max(others, stalls[Stall::Scoreboard]);
    }

    /// A lower bound of the first cycle from `cycle` on in which the issue was possible, apart from
    /// the scheduler's choices and if `instead` had not issued; `cycle` when it was possible then.
    std::int64_t held_until(const Issue& issue, std::int64_t cycle,
                            const Issue* instead = nullptr) const {
        if (const auto own = warp_earliest(issue, cycle); own > cycle) return own;
        if (const auto free = run_.control_free_at(issue, cycle); free > cycle) return free;
        if (!issue.event.executed) return cycle;
        const std::int64_t free = run_.collects() ? latches_.free_at(issue, cycle, instead)
                                                  : shared_.port_free_at(issue, cycle, instead);
        if (free > cycle || run_.accesses_at_unit()) return free;
        const int multiprocessor = run_.multiprocessor_of(issue.event.warp);
        if (run_.is_cached_load(issue)) {
            const bool loads = instead != nullptr && run_.is_cached_load(*instead);
            return shared_.queued(cycle, multiprocessor) - (loads ? 1 : 0) < load_entries_
                       ? cycle
                       : shared_.after_leaving(cycle, multiprocessor);
        }
        if (!run_.is_store(issue)) return cycle;
        const bool stores = instead != nullptr && run_.is_store(*instead);
        return shared_.buffered(cycle, multiprocessor) - (stores ? 1 : 0) < store_entries_
                   ? cycle
                   : shared_.after_drain(cycle, multiprocessor);
    }
    bool could_issue(const Issue& issue, std::int64_t cycle, const Issue* instead) const {
        const auto looked_up = look_up_of(issue);
        if (!looked_up || *looked_up <= cycle) return held_until(issue, cycle, instead) == cycle;
        return held_until(without_constants(issue), cycle, instead) == cycle;
    }
    /// When its constants were looked up, if they were not there (C82).
    [[nodiscard]] std::optional<std::int64_t> look_up_of(const Issue& issue) const {
        const auto found = run_.looked_up.find({issue.event.warp, issue.event.number});
        return found == run_.looked_up.end() ? std::nullopt : std::optional{found->second};
    }
    /// The issue as its scheduler saw it before that look-up.
    static Issue without_constants(Issue issue) {
        issue.event.stalls[Stall::Constant] = 0;
        return issue;
    }
    /// The end of what holds the scheduler in the cycle; else the cycle.
    [[nodiscard]] std::int64_t hold_until(int scheduler, std::int64_t cycle) const {
        const auto holds = run_.holds.find(scheduler);
        if (holds == run_.holds.end()) return cycle;
        const auto after = holds->second.upper_bound(cycle);
        return after == holds->second.begin() ? cycle : std::max(cycle, std::prev(after)->second);
    }

    void check_idle(const std::vector<const Issue*>& chosen,
                    const std::vector<const WarpRecord*>& members) {
        const auto all = [](const WarpRecord&, std::size_t) { return true; };
        check_idle_of(chosen, members, all);
    }

    /// Whether the scheduler leaves a cycle unused in which an issue was possible. `counts`:
    /// whether to consider an issue, by warp and index.
    template <typename Counts>
    void check_idle_of(const std::vector<const Issue*>& chosen,
                       const std::vector<const WarpRecord*>& members, const Counts& counts) {
        const std::int64_t slot = value_of(run_.machine.schedulers, "issue-slot").hi;
        // When the scheduler may choose again after its last choice up to the cycle.
        const auto chooses_at = [&](std::int64_t cycle) {
            const auto after = std::upper_bound(
                chosen.begin(), chosen.end(), cycle,
                [](std::int64_t at, const Issue* issue) { return at < issue->event.cycle; });
            const std::int64_t held = hold_until(run_.scheduler_of(*members.front()), cycle);
            return after == chosen.begin() ? held
                                           : std::max(held, (*(after - 1))->event.cycle + slot);
        };
        // Whether it was possible in a cycle before `end`.
        const auto was_possible = [&](const Issue& issue, std::int64_t end) {
            for (std::int64_t cycle = warp_earliest(issue, issue.event.since); cycle < end;) {
                const std::int64_t from = std::max(cycle, chooses_at(cycle));
                const std::int64_t until = from > cycle ? from : held_until(issue, cycle);
                if (until == cycle) {
                    run_.report_issue(issue, fmt::format("C19: idle in {}", cycle));
                    return true;
                }
                cycle = until;
            }
            return false;
        };
        for (const WarpRecord* warp : members)
            for (std::size_t index = 0; index < warp->issues.size(); ++index) {
                if (!counts(*warp, index)) continue;
                const Issue& issue = warp->issues[index];
                const auto looked_up = look_up_of(issue);
                if (looked_up && was_possible(without_constants(issue), *looked_up)) return;
                if (was_possible(issue, issue.event.cycle)) return;
            }
    }

    /// Orders warp slots by the round robin that starts after the last chosen one.
    static int rotation_key(int slot, int last) { return slot > last ? slot : slot + (1 << 20); }

    void check_policy(const std::vector<const Issue*>& chosen,
                      const std::vector<const WarpRecord*>& members) {
        using enum models::PolicyKind;
        if (run_.policy.kind == StrictRoundRobin) return check_rotation(chosen, members);
        if (run_.policy.kind == VariableRate) return check_time_slots(chosen, members);
        if (run_.policy.kind == TwoLevel) return check_active_set(chosen, members);
        if (run_.policy.kind == Unknown) return;
        std::map<const WarpRecord*, std::size_t> next;
        const WarpRecord* last = nullptr;
        for (const Issue* issue : chosen) {
            const WarpRecord* const by = &run_.warps[static_cast<std::size_t>(issue->event.warp)];
            for (const WarpRecord* other : members) {
                std::size_t& index = next[other];
                while (index < other->issues.size() &&
                       (other->issues[index].event.cycle < issue->event.cycle ||
                        (other == by && other->issues[index].event.cycle == issue->event.cycle)))
                    ++index;
                if (other == by || index == other->issues.size()) continue;
                const Issue& waiting = other->issues[index];
                if (waiting.event.since > issue->event.cycle ||
                    !could_issue(waiting, issue->event.cycle, issue))
                    continue;
                if (!comes_first(*by, *other, last))
                    run_.report_issue(*issue,
                                      fmt::format("C19: warp {} comes first", waiting.event.warp));
            }
            last = by;
        }
    }

    /// Two-level, as far as the log shows the active set: a warp is active from an issue to its
    /// next one if nothing in between makes it leave the set. At most N warps are active. The
    /// scheduler is not idle when an active warp may issue, and chooses among them round robin by
    /// warp slot.
    void check_active_set(const std::vector<const Issue*>& chosen,
                          const std::vector<const WarpRecord*>& members) {
        std::map<const WarpRecord*, std::vector<bool>> remains;
        std::map<std::int64_t, std::int64_t> changes; // Of the number of active warps, by cycle.
        for (const WarpRecord* warp : members) {
            const auto& linked = remains[warp] = remains_active(run_, *warp);
            for (std::size_t index = 0; index < linked.size(); ++index) {
                if (index == 0 || !linked[index - 1]) ++changes[warp->issues[index].event.cycle];
                if (!linked[index]) --changes[warp->issues[index].event.cycle + 1];
            }
        }
        std::int64_t active = 0;
        for (const auto& [cycle, change] : changes)
            if ((active += change) > run_.policy.active)
                return run_.report(
                    fmt::format("C19: {} warps of a scheduler are active at {}", active, cycle));
        const auto is_active = [&](const WarpRecord& warp, std::size_t index) {
            return index > 0 && remains[&warp][index - 1];
        };
        const bool all_fit = static_cast<std::int64_t>(members.size()) <= run_.policy.active;
        check_idle_of(chosen, members, [&](const WarpRecord& warp, std::size_t index) {
            return all_fit || is_active(warp, index);
        });
        std::map<const WarpRecord*, std::size_t> next;
        for (std::size_t choice = 1; choice < chosen.size(); ++choice) {
            const Issue& issue = *chosen[choice];
            const int last = warp_slot_of(*chosen[choice - 1]);
            for (const WarpRecord* other : members) {
                std::size_t& index = next[other];
                while (index < other->issues.size() &&
                       other->issues[index].event.cycle <= issue.event.cycle)
                    ++index;
                if (index == other->issues.size() || !is_active(*other, index)) continue;
                const Issue& waiting = other->issues[index];
                if (waiting.event.warp == issue.event.warp ||
                    waiting.event.since > issue.event.cycle ||
                    !could_issue(waiting, issue.event.cycle, &issue))
                    continue;
                if (rotation_key(warp_slot_of(waiting), last) <
                    rotation_key(warp_slot_of(issue), last))
                    run_.report_issue(issue,
                                      fmt::format("C19: warp {} comes first", waiting.event.warp));
            }
        }
    }

    /// Strict round robin: after the last chosen warp slot, only warps that have ended, have not
    /// started or wait at a barrier are skipped.
    void check_rotation(const std::vector<const Issue*>& chosen,
                        const std::vector<const WarpRecord*>& members) {
        const auto may_be_skipped = [](const WarpRecord& warp, std::int64_t cycle) {
            // Events of the cycle itself may come before or after the choice.
            if (warp.starts.front().placed >= cycle) return true;
            if (warp.ends.front() < cycle) return true;
            const auto next =
                std::find_if(warp.issues.begin(), warp.issues.end(),
                             [&](const Issue& issue) { return issue.event.cycle >= cycle; });
            return next == warp.issues.end() || next->event.stalls[Stall::Barrier] > cycle;
        };
        for (std::size_t index = 1; index < chosen.size(); ++index) {
            const Issue& issue = *chosen[index];
            const int last = warp_slot_of(*chosen[index - 1]);
            const int by = rotation_key(warp_slot_of(issue), last);
            for (const WarpRecord* other : members)
                if (rotation_key(other->starts.front().warp_slot, last) < by &&
                    !may_be_skipped(*other, issue.event.cycle))
                    run_.report_issue(issue, fmt::format("C19: it is the turn of warp slot {}",
                                                         other->starts.front().warp_slot));
        }
    }

    /// Time slots of the variable-rate policy: some phase at the start gives every issue to the
    /// owner of its time slot.
    void check_time_slots(const std::vector<const Issue*>& chosen,
                          const std::vector<const WarpRecord*>& members) {
        if (run_.policy.conserving || run_.run.multiprocessors > 1) return; // Others may issue too;
        std::int64_t warp_slots = 0; // warp_slots that stay empty leave no trace.
        for (const WarpRecord* warp : members)
            warp_slots = std::max(warp_slots, std::int64_t{warp->starts.front().warp_slot} + 1);
        if (warp_slots < 2) return;
        const std::int64_t slot = value_of(run_.machine.schedulers, "issue-slot").hi;
        const std::int64_t every = run_.policy.every;
        const std::int64_t fast = run_.policy.fast % warp_slots;
        const auto owner = [&](std::int64_t number) {
            if (number % every == 0) return fast;
            const std::int64_t other = (number - number / every - 1) % (warp_slots - 1);
            return other < fast ? other : other + 1;
        };
        for (std::int64_t start = 0; start < every * (warp_slots - 1) * slot; ++start)
            if (std::all_of(chosen.begin(), chosen.end(), [&](const Issue* issue) {
                    return owner((start + issue->event.cycle) / slot) == warp_slot_of(*issue);
                }))
                return;
        run_.report_issue(*chosen.front(),
                          "C19: no phase of the time slots gives all issues to their owners");
    }

    int warp_slot_of(const Issue& issue) const {
        return run_.warps[static_cast<std::size_t>(issue.event.warp)].starts.front().warp_slot;
    }

    /// Whether the policy puts `a` before `b`. `last`: chosen before, if any.
    bool comes_first(const WarpRecord& a, const WarpRecord& b, const WarpRecord* last) const {
        const WarpStarted& first = a.starts.front();
        const WarpStarted& second = b.starts.front();
        if (run_.policy.kind == models::PolicyKind::LooseRoundRobin) {
            if (last == nullptr) return true; // Where the rotation starts is not determined.
            const int from = last->starts.front().warp_slot;
            return rotation_key(first.warp_slot, from) < rotation_key(second.warp_slot, from);
        }
        const bool prefers_young = run_.policy.kind == models::PolicyKind::GreedyThenYoungest;
        const bool is_greedy =
            prefers_young || run_.policy.kind == models::PolicyKind::GreedyThenOldest;
        if (is_greedy && (&a == last || &b == last)) return &a == last;
        const bool is_older =
            std::pair{first.cycle, first.warp_slot} < std::pair{second.cycle, second.warp_slot};
        return is_older != prefers_young;
    }

    RecordedLaunch& run_;
    const SharedUse& shared_;
    Latches latches_;
    std::int64_t load_entries_ = 0; ///< Of the load queue; 0: no loads use it.
    std::int64_t store_entries_ =
        0; ///< Of the write buffer, the smallest number; 0: no stores use it.
};

} // namespace

void check_choices(RecordedLaunch& run, const SharedUse& shared) {
    SchedulerChoices{run, shared}.check();
}

} // namespace warpbound::tests
