#include "tests/support/event_checker/active_sets.hpp"
#include "tests/support/event_checker/checks.hpp"
#include "tests/support/event_checker/latches.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

namespace warpbound::tests {

namespace {

/// Issue slots and C19.
class Choices {
public:
    Choices(RecordedLaunch& run, const SharedUse& shared)
        : run_{run}, shared_{shared}, latches_{run} {
        if (!run_.loads.empty()) load_places_ = memory_value(run_.machine, "l1", "queue").lo;
        if (!run_.stores.empty()) store_places_ = value_of(run_.machine.write_buffer, "entries").lo;
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
            for (std::size_t place = 1; place < chosen.size(); ++place)
                if (chosen[place]->event.cycle < chosen[place - 1]->event.cycle + slot)
                    run_.complain(*chosen[place],
                                  fmt::format("slot: scheduler {} chose at {}", scheduler,
                                              chosen[place - 1]->event.cycle));
            if (!run_.found.empty()) continue; // What may issue is not known for certain.
            if (models::guarantee_of(run_.policy) == models::PolicyGuarantee::WorkConserving)
                check_idle(chosen, members[scheduler]);
            check_policy(chosen, members[scheduler]);
        }
    }

private:
    /// The first cycle that the warp's own conditions allow.
    static std::int64_t own_earliest(const Issue& issue) {
        const StallEnds& waits = issue.event.waits;
        return std::max({waits[Stall::Gap], waits[Stall::Barrier], waits[Stall::Fetch],
                         waits[Stall::Register], waits[Stall::Scoreboard], waits[Stall::Constant]});
    }

    /// The issue could not have been made in earlier cycles from `cycle` on, choices aside, had
    /// `instead` not been made: `cycle` itself when it could have been made then.
    std::int64_t held_until(const Issue& issue, std::int64_t cycle,
                            const Issue* instead = nullptr) const {
        if (own_earliest(issue) > cycle) return own_earliest(issue);
        if (!issue.event.executed) return cycle;
        const std::int64_t free = run_.collects() ? latches_.free_at(issue, cycle, instead)
                                                  : shared_.port_free_at(issue, cycle, instead);
        if (free > cycle || run_.accesses_at_unit()) return free;
        const int multiprocessor = run_.multiprocessor_of(issue.event.warp);
        if (run_.is_cached_load(issue)) {
            const bool loads = instead != nullptr && run_.is_cached_load(*instead);
            return shared_.queued(cycle, multiprocessor) - (loads ? 1 : 0) < load_places_
                       ? cycle
                       : shared_.after_leaving(cycle, multiprocessor);
        }
        if (!run_.is_store(issue)) return cycle;
        const bool stores = instead != nullptr && run_.is_store(*instead);
        return shared_.buffered(cycle, multiprocessor) - (stores ? 1 : 0) < store_places_
                   ? cycle
                   : shared_.after_drain(cycle, multiprocessor);
    }
    bool may_issue(const Issue& issue, std::int64_t cycle, const Issue* instead) const {
        return held_until(issue, cycle, instead) == cycle;
    }

    void check_idle(const std::vector<const Issue*>& chosen,
                    const std::vector<const WarpRecord*>& members) {
        const auto all = [](const WarpRecord&, std::size_t) { return true; };
        check_idle_of(chosen, members, all);
    }

    /// Whether the scheduler leaves a cycle unused in which one of the issues that count could have
    /// been made. `counts`: warp and place of the issue.
    template <typename Counts>
    void check_idle_of(const std::vector<const Issue*>& chosen,
                       const std::vector<const WarpRecord*>& members, const Counts& counts) {
        const std::int64_t slot = value_of(run_.machine.schedulers, "issue-slot").hi;
        // When the scheduler may choose again after its last choice up to a cycle.
        const auto chooses_at = [&](std::int64_t cycle) {
            const auto after = std::upper_bound(
                chosen.begin(), chosen.end(), cycle,
                [](std::int64_t at, const Issue* issue) { return at < issue->event.cycle; });
            return after == chosen.begin() ? cycle : (*(after - 1))->event.cycle + slot;
        };
        for (const WarpRecord* warp : members)
            for (std::size_t place = 0; place < warp->issues.size(); ++place) {
                if (!counts(*warp, place)) continue;
                const Issue& issue = warp->issues[place];
                for (std::int64_t cycle = std::max(own_earliest(issue), issue.event.since);
                     cycle < issue.event.cycle;) {
                    const std::int64_t from = std::max(cycle, chooses_at(cycle));
                    const std::int64_t until = from > cycle ? from : held_until(issue, cycle);
                    if (until == cycle) {
                        run_.complain(issue, fmt::format("C19: idle in {}", cycle));
                        return;
                    }
                    cycle = until;
                }
            }
    }

    /// Which of two places comes first after the one chosen last, going round.
    static int round_from(int place, int last) { return place > last ? place : place + (1 << 20); }

    void check_policy(const std::vector<const Issue*>& chosen,
                      const std::vector<const WarpRecord*>& members) {
        using enum models::PolicyKind;
        if (run_.policy.kind == StrictRoundRobin) return check_turns(chosen, members);
        if (run_.policy.kind == VariableRate) return check_slots(chosen, members);
        if (run_.policy.kind == TwoLevel) return check_active_set(chosen, members);
        if (run_.policy.kind != LooseRoundRobin && run_.policy.kind != GreedyThenOldest &&
            run_.policy.kind != OldestFirst)
            return;
        std::map<const WarpRecord*, std::size_t> next;
        const WarpRecord* last = nullptr;
        for (const Issue* issue : chosen) {
            const WarpRecord* const by = &run_.warps[static_cast<std::size_t>(issue->event.warp)];
            for (const WarpRecord* other : members) {
                std::size_t& place = next[other];
                while (place < other->issues.size() &&
                       (other->issues[place].event.cycle < issue->event.cycle ||
                        (other == by && other->issues[place].event.cycle == issue->event.cycle)))
                    ++place;
                if (other == by || place == other->issues.size()) continue;
                const Issue& waiting = other->issues[place];
                if (waiting.event.since > issue->event.cycle ||
                    !may_issue(waiting, issue->event.cycle, issue))
                    continue;
                if (!comes_first(*by, *other, last))
                    run_.complain(*issue,
                                  fmt::format("C19: warp {} comes first", waiting.event.warp));
            }
            last = by;
        }
    }

    /// Two-level, as far as a log shows who is active: from an issue to the next one of the warp if
    /// nothing in between makes it leave the set. At most N are; the scheduler does not stay idle
    /// when one of them may issue; among them it goes round by place.
    void check_active_set(const std::vector<const Issue*>& chosen,
                          const std::vector<const WarpRecord*>& members) {
        std::map<const WarpRecord*, std::vector<bool>> stays;
        std::map<std::int64_t, std::int64_t> changes; // Of the number that is active, by cycle.
        for (const WarpRecord* warp : members) {
            const auto& linked = stays[warp] = stays_active(run_, *warp);
            for (std::size_t place = 0; place < linked.size(); ++place) {
                if (place == 0 || !linked[place - 1]) ++changes[warp->issues[place].event.cycle];
                if (!linked[place]) --changes[warp->issues[place].event.cycle + 1];
            }
        }
        std::int64_t active = 0;
        for (const auto& [cycle, change] : changes)
            if ((active += change) > run_.policy.active)
                return run_.say(
                    fmt::format("C19: {} warps of a scheduler are active at {}", active, cycle));
        const auto is_active = [&](const WarpRecord& warp, std::size_t place) {
            return place > 0 && stays[&warp][place - 1];
        };
        const bool all_fit = static_cast<std::int64_t>(members.size()) <= run_.policy.active;
        check_idle_of(chosen, members, [&](const WarpRecord& warp, std::size_t place) {
            return all_fit || is_active(warp, place);
        });
        std::map<const WarpRecord*, std::size_t> next;
        for (std::size_t choice = 1; choice < chosen.size(); ++choice) {
            const Issue& issue = *chosen[choice];
            const int last = place_of(*chosen[choice - 1]);
            for (const WarpRecord* other : members) {
                std::size_t& place = next[other];
                while (place < other->issues.size() &&
                       other->issues[place].event.cycle <= issue.event.cycle)
                    ++place;
                if (place == other->issues.size() || !is_active(*other, place)) continue;
                const Issue& waiting = other->issues[place];
                if (waiting.event.warp == issue.event.warp ||
                    waiting.event.since > issue.event.cycle ||
                    !may_issue(waiting, issue.event.cycle, &issue))
                    continue;
                if (round_from(place_of(waiting), last) < round_from(place_of(issue), last))
                    run_.complain(issue,
                                  fmt::format("C19: warp {} comes first", waiting.event.warp));
            }
        }
    }

    /// Strict round robin: from the place after the one chosen last on nobody is passed over but
    /// who has ended, has not started or waits at a barrier.
    void check_turns(const std::vector<const Issue*>& chosen,
                     const std::vector<const WarpRecord*>& members) {
        const auto passes = [](const WarpRecord& warp, std::int64_t cycle) {
            // What happens in the cycle itself may come before the choice or behind it.
            if (warp.starts.front().placed >= cycle) return true;
            if (warp.ends.front() < cycle) return true;
            const auto next =
                std::find_if(warp.issues.begin(), warp.issues.end(),
                             [&](const Issue& issue) { return issue.event.cycle >= cycle; });
            return next == warp.issues.end() || next->event.waits[Stall::Barrier] > cycle;
        };
        for (std::size_t place = 1; place < chosen.size(); ++place) {
            const Issue& issue = *chosen[place];
            const int last = place_of(*chosen[place - 1]);
            const int by = round_from(place_of(issue), last);
            for (const WarpRecord* other : members)
                if (round_from(other->starts.front().place, last) < by &&
                    !passes(*other, issue.event.cycle))
                    run_.complain(issue, fmt::format("C19: it is the turn of place {}",
                                                     other->starts.front().place));
        }
    }

    /// Slots of the variable-rate policy: some cycle of some slot at the start gives every issue to
    /// its owner.
    void check_slots(const std::vector<const Issue*>& chosen,
                     const std::vector<const WarpRecord*>& members) {
        if (run_.policy.conserving || run_.run.multiprocessors > 1) return; // Others may issue too;
        std::int64_t places = 0; // places that stay empty leave no trace.
        for (const WarpRecord* warp : members)
            places = std::max(places, std::int64_t{warp->starts.front().place} + 1);
        if (places < 2) return;
        const std::int64_t slot = value_of(run_.machine.schedulers, "issue-slot").hi;
        const std::int64_t every = run_.policy.every;
        const std::int64_t fast = run_.policy.fast % places;
        const auto owner = [&](std::int64_t number) {
            if (number % every == 0) return fast;
            const std::int64_t other = (number - number / every - 1) % (places - 1);
            return other < fast ? other : other + 1;
        };
        for (std::int64_t start = 0; start < every * (places - 1) * slot; ++start)
            if (std::all_of(chosen.begin(), chosen.end(), [&](const Issue* issue) {
                    return owner((start + issue->event.cycle) / slot) == place_of(*issue);
                }))
                return;
        run_.complain(*chosen.front(),
                      "C19: no sequence of slots gives all issues to their owners");
    }

    int place_of(const Issue& issue) const {
        return run_.warps[static_cast<std::size_t>(issue.event.warp)].starts.front().place;
    }

    /// Whether the policy puts `a` before `b`. `last`: chosen before, if any.
    bool comes_first(const WarpRecord& a, const WarpRecord& b, const WarpRecord* last) const {
        const WarpStarted& first = a.starts.front();
        const WarpStarted& second = b.starts.front();
        if (run_.policy.kind == models::PolicyKind::LooseRoundRobin) {
            if (last == nullptr) return true; // Where the round begins is not determined.
            const int from = last->starts.front().place;
            return round_from(first.place, from) < round_from(second.place, from);
        }
        if (run_.policy.kind == models::PolicyKind::GreedyThenOldest && (&a == last || &b == last))
            return &a == last;
        return std::pair{first.cycle, first.place} < std::pair{second.cycle, second.place};
    }

    RecordedLaunch& run_;
    const SharedUse& shared_;
    Latches latches_;
    std::int64_t load_places_ = 0;  ///< In the load queue, where there are loads for it.
    std::int64_t store_places_ = 0; ///< In the write buffer, likewise; the least number.
};

} // namespace

void check_choices(RecordedLaunch& run, const SharedUse& shared) {
    Choices{run, shared}.check();
}

} // namespace warpbound::tests
