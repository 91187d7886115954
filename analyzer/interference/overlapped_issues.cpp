#include "analyzer/interference/overlapped_issues.hpp"

#include "analyzer/interference/resource_demand.hpp"
#include "assembly/isa/branch_guard.hpp"
#include "assembly/isa/operand_reads.hpp"
#include "models/units.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

namespace warpbound::analyzer {

namespace {

using models::plus;

bool is_arithmetic(assembly::OpcodeClass one) {
    using enum assembly::OpcodeClass;
    switch (one) {
    case IntegerAdd:
    case IntegerMultiply:
    case Logic:
    case Shift:
    case Move:
    case IntegerCompare:
    case FloatAdd:
    case FloatMultiply:
    case FloatMultiplyAdd:
    case FloatCompare:
    case Half:
        return true;
    default:
        return false;
    }
}

/// Holds of ports by instructions of one warp, each at a moment.
class RecentHolds {
public:
    /// `reach`: how long a hold counts. `before`: of those before the first instruction.
    RecentHolds(std::int64_t reach, std::int64_t before) : reach_{reach}, holds_{{0, before}} {}

    void forget() { holds_.clear(); }
    /// Returns what counts, with this instruction.
    std::int64_t add(std::int64_t hold, std::int64_t gap) {
        if (hold > 0) holds_.push_back({now_, hold});
        std::erase_if(holds_, [&](const Hold& one) { return plus(one.at, reach_) <= now_; });
        const std::int64_t all = sum();
        now_ = plus(now_, gap);
        return all;
    }
    [[nodiscard]] std::int64_t sum() const {
        std::int64_t sum = 0;
        for (const Hold& one : holds_)
            if (plus(one.at, reach_) > now_) sum = plus(sum, one.cycles);
        return sum;
    }

private:
    struct Hold {
        std::int64_t at = 0;
        std::int64_t cycles = 0;
    };
    std::int64_t reach_;
    std::vector<Hold> holds_;
    std::int64_t now_ = 0;
};

class Overlaps {
public:
    Overlaps(const TimedKernel& kernel, const LaunchGeometry& shape, const InstructionCosts& own)
        : kernel_{kernel}, shape_{shape}, own_{own}, distances_{grant_distances(kernel, shape)} {}

    [[nodiscard]] bool are_known() const {
        const models::Architecture& machine = *kernel_.architecture;
        return machine.issue_control == models::IssueControl::Encoded && !is_amd(machine.target) &&
               shape_.issue_slot.hi == 1 && !machine.has_write_ports() &&
               !machine.has_variable_latency_reads() && !machine.has_memory_queue() &&
               !machine.has_operand_caches() && !machine.has_fetch_ports() && every_gap_is_one();
    }
    /// The unit of the longest occupancy, of those that each scheduler has.
    [[nodiscard]] std::optional<std::size_t> held_unit() const {
        std::optional<std::size_t> unit;
        std::int64_t longest = 0;
        for (std::size_t i = 0; i < own_.size(); ++i) {
            if (!is_used(i) || !is_of_scheduler(timing(i).unit)) continue;
            const std::int64_t occupancy = models::occupancy_of_port(timing(i)).hi;
            const bool is_first = occupancy == longest && unit && timing(i).unit < *unit;
            if (occupancy > longest || is_first) {
                unit = timing(i).unit;
                longest = occupancy;
            }
        }
        return unit;
    }

    /// Demand of the instructions right behind the holder, up to `last`, that its occupancy
    /// contains whatever else issues. `late`: by how much the path's own instructions may delay
    /// them.
    [[nodiscard]] std::int64_t behind(std::size_t holder, std::size_t last, std::size_t held,
                                      std::int64_t late) const {
        const models::Interval occupancy = models::occupancy_of_port(timing(holder));
        if (timing(holder).unit != held || occupancy.lo != occupancy.hi || is_guarded(holder))
            return 0;
        std::int64_t demand = 0;
        std::int64_t at = std::max(distances_[holder], timing(holder).gap.hi);
        for (std::size_t i = holder + 1; i <= last && is_overlapped(i, held); ++i) {
            if (plus(plus(at, own_[i]), late) > occupancy.hi) break;
            demand = plus(demand, own_[i]);
            at = plus(at, std::max(own_[i], timing(i).gap.hi));
        }
        return demand;
    }

    /// For how many cycles of an occupancy of the held port a warp's own instructions may hold
    /// ports of other units beyond its gaps, at most.
    [[nodiscard]] std::int64_t longest_delay_by_path(std::size_t held) const {
        std::int64_t longest_hold = 0;
        std::int64_t longest_other = 0;
        for (std::size_t i = 0; i < own_.size(); ++i) {
            if (!is_used(i) || !is_of_scheduler(timing(i).unit)) continue;
            std::int64_t& longest = timing(i).unit == held ? longest_hold : longest_other;
            longest = std::max(longest, models::occupancy_of_port(timing(i)).hi);
        }
        // Behind any block may come any other one.
        std::int64_t before = 0;
        for (;;) {
            std::int64_t most = before;
            std::int64_t at_an_end = before;
            for (const assembly::BasicBlock& block : kernel_.graph->blocks) {
                RecentHolds recent{plus(longest_hold, longest_other), before};
                for (std::size_t i = block.first; i <= block.last; ++i) {
                    if (!is_used(i)) continue;
                    if (timing(i).unit == held && !is_guarded(i) &&
                        models::occupancy_of_port(timing(i)).lo >= longest_other)
                        recent.forget();
                    most = std::max(most, recent.add(beyond_gap(i, held), least_gap(i)));
                }
                at_an_end = std::max(at_an_end, recent.sum());
            }
            if (at_an_end == before || most >= longest_hold) return most;
            before = at_an_end;
        }
    }

private:
    [[nodiscard]] bool is_used(std::size_t i) const {
        return kernel_.used[i] && kernel_.timings[i].has_value();
    }
    [[nodiscard]] const models::InstructionTiming& timing(std::size_t i) const {
        return kernel_.timings[i].value();
    }
    [[nodiscard]] const assembly::Instruction& instruction(std::size_t i) const {
        return kernel_.function->instructions[i];
    }
    [[nodiscard]] bool is_guarded(std::size_t i) const {
        return assembly::is_guarded(instruction(i));
    }
    [[nodiscard]] bool is_of_scheduler(std::size_t unit) const {
        return kernel_.architecture->units[unit].scope == models::UnitScope::Partition;
    }
    [[nodiscard]] std::int64_t least_gap(std::size_t i) const {
        return std::min(timing(i).gap.lo, timing(i).gap_taken.lo);
    }
    [[nodiscard]] bool every_gap_is_one() const {
        for (std::size_t i = 0; i < own_.size(); ++i)
            if (is_used(i) && least_gap(i) < 1) return false;
        return true;
    }
    [[nodiscard]] std::int64_t line_of(std::size_t i) const {
        if (!kernel_.delivery.lines) return 0;
        return instruction(i).address / kernel_.delivery.lines->line;
    }
    /// For how long the instruction holds another port than the held one after its gap.
    [[nodiscard]] std::int64_t beyond_gap(std::size_t i, std::size_t held) const {
        if (timing(i).unit == held || !is_of_scheduler(timing(i).unit)) return 0;
        return std::max<std::int64_t>(0, models::occupancy_of_port(timing(i)).hi -
                                             std::max(distances_[i], least_gap(i)));
    }
    /// Whether it waits for nothing but the gap before it, and what its scheduler issues.
    [[nodiscard]] bool is_overlapped(std::size_t i, std::size_t held) const {
        if (!is_used(i)) return false;
        const auto& control = instruction(i).control;
        return control && control->wait_mask == 0 && !is_guarded(i) &&
               is_arithmetic(instruction(i).opcode_class) &&
               assembly::has_fixed_latency(instruction(i)) && timing(i).unit != held &&
               is_of_scheduler(timing(i).unit) && line_of(i) == line_of(i - 1);
    }

    const TimedKernel& kernel_;
    const LaunchGeometry& shape_;
    const InstructionCosts& own_;
    InstructionCosts distances_;
};

} // namespace

OverlappedIssues without_overlapped_issues(const TimedKernel& kernel, const ScheduledLaunch& launch,
                                           const InstructionCosts& own) {
    OverlappedIssues found{own, 0};
    const Overlaps overlaps{kernel, launch.shape, own};
    if (launch.guarantee() != models::PolicyGuarantee::WorkConserving || !overlaps.are_known())
        return found;
    const auto held = overlaps.held_unit();
    if (!held) return found;
    const std::int64_t late = overlaps.longest_delay_by_path(*held);
    std::vector<std::optional<std::int64_t>> least(own.size()); // Blocks may share code.
    for (const assembly::BasicBlock& block : kernel.graph->blocks)
        for (std::size_t i = block.first; i <= block.last; ++i) {
            if (!kernel.used[i] || !kernel.timings[i]) continue;
            const std::int64_t demand = overlaps.behind(i, block.last, *held, late);
            least[i] = std::min(least[i].value_or(demand), demand);
        }
    for (std::size_t i = 0; i < own.size(); ++i) {
        if (!least[i] || *least[i] == 0) continue;
        found.demand[i] -= *least[i];
        found.longest_occupancy = std::max(found.longest_occupancy, own[i]);
    }
    return found;
}

} // namespace warpbound::analyzer
