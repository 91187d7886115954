#include "certification/verify/policies/two_level.hpp"

#include "certification/verify/certificate_ids.hpp"
#include "certification/verify/interference/demand.hpp"
#include "certification/verify/interference/memory_queue.hpp"
#include "models/launch/active_set.hpp"
#include "models/units.hpp"

#include <algorithm>
#include <deque>
#include <string>

namespace warpbound::certification::verify {

namespace {

using Timing = models::InstructionTiming;

/// What remains, in cycles, of each result, source read and port use of a warp's own, by its name.
using Remaining = std::map<std::string, std::int64_t>;

/// Uses of one unit's port are told apart by the instruction that uses it.
std::string port_use_name(std::size_t unit, std::size_t instruction) {
    return "port " + std::to_string(unit) + " " + std::to_string(instruction);
}

std::string scoreboard_name(int scoreboard) {
    return "SB" + std::to_string(scoreboard);
}

/// S78: what a memory queue may delay. It remains as long, whatever time passes: the cycles in
/// which the queue delays it are taken out.
constexpr std::string_view queue_prefix = "queue ";
std::string behind_queue_name(const std::string& name) {
    return std::string{queue_prefix} + name;
}

/// What one instruction waits for and what it begins (C4 to C7).
class IssueRules {
public:
    IssueRules(const TimedCode& code, std::size_t index)
        : code_{code}, instruction_{code.kernel.function->instructions[index]},
          timing_{code.timings[index].value()}, index_{index} {}

    /// The least latency is no less than the use of the port, so whoever waited for a result finds
    /// the port free.
    [[nodiscard]] bool frees_port_before_result() const {
        // Both have the same number of passes. The use of the port is convex in it, the result
        // linear, so its two ends decide.
        for (const std::int64_t passes : {timing_.passes.lo, timing_.passes.hi})
            if (port_occupancy(timing_, passes) >
                models::plus(timing_.latency.lo, models::times(timing_.pass_cost.lo, passes - 1)))
                return false;
        return true;
    }
    [[nodiscard]] std::vector<std::string> results() const {
        std::vector<std::string> names;
        for (const auto& reg : instruction_.effects.writes)
            names.push_back(assembly::to_string(reg));
        if (instruction_.control && instruction_.control->write_barrier)
            names.push_back(scoreboard_name(*instruction_.control->write_barrier));
        return names;
    }
    [[nodiscard]] std::string name_of_port() const { return port_use_name(timing_.unit, index_); }

    /// At its issue all that it waited for is over, also when it is predicated off.
    void add_issue(Remaining& remaining) const {
        for (const std::string& name : certain_waits()) {
            remaining.erase(name);
            remaining.erase(behind_queue_name(name));
        }
        const auto begin = [&](const std::string& name, std::int64_t cycles) {
            std::int64_t& longest = remaining[name];
            longest = std::max(longest, cycles);
        };
        const auto begin_here = [&](const std::string& name, const models::Interval& first) {
            begin(timing_.queue ? behind_queue_name(name) : name,
                  longest_without_backlog(code_, timing_, first));
        };
        if (!timing_.queue) begin(name_of_port(), port_occupancy(timing_));
        const bool waits_inside = !models::leaves_active_set(instruction_.opcode_class);
        if (waits_inside && timing_.waits_for_registers)
            for (const auto& reg : instruction_.effects.writes)
                begin_here(assembly::to_string(reg), timing_.latency);
        if (!instruction_.control) return;
        if (const auto scoreboard = instruction_.control->write_barrier; scoreboard && waits_inside)
            begin_here(scoreboard_name(*scoreboard), timing_.latency);
        if (const auto scoreboard = instruction_.control->read_barrier)
            begin_here(scoreboard_name(*scoreboard), timing_.source_read);
    }

    /// The longest that remains of what it may wait for behind a memory queue.
    [[nodiscard]] std::int64_t longest_wait_behind_queue(const Remaining& remaining) const {
        std::int64_t longest = 0;
        for (const std::string& name : possible_waits())
            if (const auto found = remaining.find(behind_queue_name(name));
                found != remaining.end())
                longest = std::max(longest, found->second);
        return longest;
    }

    /// The longest that remains of what else it may wait for.
    [[nodiscard]] std::int64_t longest_wait(const Remaining& remaining) const {
        std::int64_t longest = 0;
        const std::string first_use = port_use_name(timing_.unit, 0);
        const std::string_view of_unit{first_use.data(), first_use.size() - 1};
        for (const auto& [name, cycles] : remaining)
            if (name.starts_with(of_unit)) longest = std::max(longest, cycles);
        for (const std::string& name : possible_waits())
            if (const auto found = remaining.find(name); found != remaining.end())
                longest = std::max(longest, found->second);
        return longest;
    }

    [[nodiscard]] std::vector<std::string> possible_waits() const {
        std::vector<std::string> names = certain_waits();
        // Which scoreboards DEPBAR waits for is not decoded: it may be any of them.
        if (instruction_.opcode_class == assembly::OpcodeClass::DependenceBarrier)
            for (int scoreboard = 0; scoreboard < assembly::scoreboard_count; ++scoreboard)
                names.push_back(scoreboard_name(scoreboard));
        return names;
    }

    [[nodiscard]] std::vector<std::string> certain_waits() const {
        std::vector<std::string> names;
        if (timing_.waits_for_registers)
            for (const auto* registers :
                 {&instruction_.effects.reads, &instruction_.effects.writes})
                for (const auto& reg : *registers)
                    names.push_back(assembly::to_string(reg));
        for (int scoreboard = 0; scoreboard < assembly::scoreboard_count; ++scoreboard)
            if (instruction_.control &&
                (static_cast<unsigned>(instruction_.control->wait_mask) >> scoreboard & 1U) != 0)
                names.push_back(scoreboard_name(scoreboard));
        return names;
    }

private:
    const TimedCode& code_;
    const assembly::Instruction& instruction_;
    const Timing& timing_;
    std::size_t index_;
};

void elapse_remaining(Remaining& remaining, std::int64_t cycles) {
    for (auto entry = remaining.begin(); entry != remaining.end();) {
        if (!entry->first.starts_with(queue_prefix)) entry->second -= cycles;
        entry = entry->second > 0 ? std::next(entry) : remaining.erase(entry);
    }
}

/// Raises each entry of `known` to that of `added`; whether one grew.
bool join_remaining(Remaining& known, const Remaining& added) {
    bool grew = false;
    for (const auto& [name, cycles] : added)
        if (std::int64_t& longest = known[name]; cycles > longest) {
            longest = cycles;
            grew = true;
        }
    return grew;
}

/// The waits within the active set before each instruction, as the fixed point over all paths.
class ActiveSetWaits {
public:
    explicit ActiveSetWaits(const TimedCode& code) : code_{code}, waits_(code.timings.size(), 0) {
        for (std::size_t i = 0; i < code.timings.size(); ++i)
            if (code.reachable[i] && rules(i).frees_port_before_result())
                for (const std::string& result : rules(i).results())
                    over_with_[result].push_back(rules(i).name_of_port());
    }

    /// Per instruction.
    std::vector<std::int64_t> find() {
        const ControlFlow& flow = code_.upper_flow;
        std::vector<std::optional<Remaining>> at_entry(flow.blocks.size());
        at_entry.front().emplace();
        std::deque<std::size_t> open{0};
        while (!open.empty()) {
            const std::size_t block = open.front();
            open.pop_front();
            Remaining remaining = *at_entry[block];
            rules(flow.first[block]).add_issue(remaining);
            for (std::size_t i = flow.first[block]; i < flow.last[block]; ++i) {
                step(i, i + 1, false, remaining);
                rules(i + 1).add_issue(remaining);
            }
            for (const std::size_t to : flow.blocks[block].successors) {
                if (!code_.reachable[flow.first[to]]) continue;
                Remaining after = remaining;
                step(flow.last[block], flow.first[to], true, after);
                const bool first_visit = !at_entry[to];
                if (first_visit) at_entry[to].emplace();
                if (join_remaining(*at_entry[to], after) || first_visit) open.push_back(to);
            }
        }
        return std::move(waits_);
    }

private:
    [[nodiscard]] IssueRules rules(std::size_t i) const { return {code_, i}; }

    /// From the issue of `before` to that of `i`, which may follow it.
    void step(std::size_t before, std::size_t i, bool may_transfer, Remaining& remaining) {
        const Timing& timing = code_.timings[before].value();
        // Until the result comes the warp waits for the result, or is outside.
        for (const std::string& awaited : rules(i).certain_waits())
            for (const std::string& use : over_with_[awaited])
                remaining.erase(use);
        std::int64_t wait = std::max(rules(i).longest_wait(remaining), timing.gap.hi);
        std::int64_t least_gap = timing.gap.lo;
        if (may_transfer) {
            wait = std::max(wait, timing.gap_taken.hi);
            least_gap = std::min(least_gap, timing.gap_taken.lo);
        }
        // The scheduler could not choose during the warp's own issue slot. After a barrier the wait
        // is counted from its opening on.
        if (timing.is_barrier_wait)
            wait = std::max(wait, with_passes(timing.latency.hi, timing));
        else
            wait -= code_.geometry.issue_slot.lo;
        // The queue may have delayed during that slot.
        waits_[i] = std::max({waits_[i], wait, rules(i).longest_wait_behind_queue(remaining)});
        elapse_remaining(remaining, least_gap);
    }

    const TimedCode& code_;
    std::vector<std::int64_t> waits_;
    /// By the name of a result: uses of ports that are over when it has come.
    std::map<std::string, std::vector<std::string>> over_with_;
};

} // namespace

bool exceeds_active_set(const TimedCode& code) {
    const LaunchGeometry& launch = code.geometry;
    return models::guarantee_of(code.kernel.policy) == models::PolicyGuarantee::SetLimited &&
           launch.per_scheduler(launch.resident_warps()) > code.kernel.policy.active;
}

std::vector<Term> active_set_terms_of(const TimedCode& code, std::int64_t warps) {
    const std::int64_t active = code.kernel.policy.active;
    return {{warps / active + (warps % active > 0 ? 1 : 0), 0, certificate_id::within_active_set},
            // Warps of the active set may wait for ports that the critical path's warp occupies.
            {code.geometry.waves, 0, certificate_id::residual_occupancy}};
}

DemandTables active_set_demand_of(const TimedCode& code) {
    const std::vector<std::int64_t> waits = ActiveSetWaits{code}.find();
    DemandTables tables;
    tables[certificate_id::within_active_set] =
        demand_table(code, [&](const Timing&, std::size_t i) { return waits[i]; });
    tables[certificate_id::residual_occupancy] =
        demand_table(code, [&](const Timing& timing, std::size_t) {
            return timing.queue ? 0 : occupancy_beyond_slot(code, timing);
        });
    return tables;
}

} // namespace warpbound::certification::verify
