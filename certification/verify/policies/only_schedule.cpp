#include "certification/verify/policies/only_schedule.hpp"

#include "certification/verify/interference/memory_queue.hpp"
#include "certification/verify/policies/issue_rules.hpp"
#include "certification/verify/policies/only_path.hpp"
#include "models/units.hpp"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

namespace warpbound::certification::verify {

namespace {

constexpr std::int64_t most_turns = std::int64_t{1} << 20U;

/// Whether every turn issues one instruction and waits for no other warp.
bool has_one_issue_per_turn(const TimedCode& code) {
    for (std::size_t i = 0; i < code.timings.size(); ++i) {
        if (!code.reachable[i]) continue;
        const models::InstructionTiming& timing = code.timings[i].value();
        if (timing.is_barrier_wait || timing.gap.lo == 0 || timing.gap_taken.lo == 0) return false;
    }
    return true;
}

struct WarpInTurns {
    Outstanding left;
    std::int64_t issued = 0; ///< Cycle of its last issue.
};

/// The k-th turn of each warp is the k-th step.
class Turns {
public:
    Turns(const TimedCode& code, std::int64_t warps, bool upper)
        : code_{code}, rules_{code, upper},
          warps_(static_cast<std::size_t>(warps)), slot_{upper ? code.geometry.issue_slot.hi
                                                               : code.geometry.issue_slot.lo} {}

    /// Until the last one completes (C2).
    std::int64_t take(const std::vector<IssueStep>& steps) {
        for (const IssueStep& step : steps)
            for (WarpInTurns& warp : warps_)
                take_turn(step, warp);
        std::int64_t end = 0;
        for (const WarpInTurns& warp : warps_)
            end =
                std::max(end, models::plus(warp.issued, std::max<std::int64_t>(1, warp.left.end)));
        return end;
    }

private:
    void take_turn(const IssueStep& step, WarpInTurns& warp) {
        const models::InstructionTiming& timing = code_.timings[step.next].value();
        const std::int64_t use = rules_.use_of_port(step.next);
        const bool shares_port = use > 0 && !is_port_of_warp(code_, timing);
        std::int64_t cycle = free_from_;
        if (step.before)
            cycle = std::max(cycle, models::plus(warp.issued, rules_.wait(warp.left, step)));
        if (shares_port) cycle = std::max(cycle, ports_[timing.unit]);
        warp.left.pass(cycle - warp.issued);
        rules_.issue(warp.left, step);
        warp.issued = cycle;
        free_from_ = models::plus(cycle, slot_);
        if (shares_port) {
            std::int64_t& free = ports_[timing.unit];
            free = std::max(free, models::plus(cycle, use));
        }
    }

    const TimedCode& code_;
    WarpRules rules_;
    std::vector<WarpInTurns> warps_;
    std::int64_t slot_;
    std::int64_t free_from_ = 0; ///< The scheduler.
    std::map<std::size_t, std::int64_t> ports_;
};

/// From below a lane is followed, whose gaps need not be those of its warp: the shorter of both
/// counts (S19d).
TimedCode with_shorter_gaps(TimedCode code) {
    for (auto& timing : code.timings) {
        if (!timing) continue;
        std::int64_t& of_fall = timing.value().gap.lo;
        std::int64_t& of_transfer = timing.value().gap_taken.lo;
        of_fall = of_transfer = std::min(of_fall, of_transfer);
    }
    return code;
}

} // namespace

std::optional<std::int64_t> time_of_only_schedule(const TimedCode& code, std::int64_t warps,
                                                  bool upper) {
    // S78: neither places nor hand-overs are followed.
    if (!has_one_issue_per_turn(code) || has_queued_instructions(code)) return std::nullopt;
    const bool is_of_lane = !upper && !code.kernel.serialized.empty();
    // Of all lanes: what some lanes issue alone takes turns, after which others need not wait.
    const ControlFlow& flow = upper        ? code.upper_flow
                              : is_of_lane ? code.lower_flow
                                           : *code.represented_flow;
    const auto steps = only_path_of(code, flow, upper ? EarlyEnds::Allowed : EarlyEnds::None,
                                    static_cast<std::size_t>(most_turns / warps));
    if (!steps) return std::nullopt;
    if (!is_of_lane) return Turns{code, warps, upper}.take(*steps);
    const TimedCode of_lane = with_shorter_gaps(code);
    return Turns{of_lane, warps, upper}.take(*steps);
}

} // namespace warpbound::certification::verify
