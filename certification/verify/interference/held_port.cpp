#include "certification/verify/interference/held_port.hpp"

#include "assembly/isa/branch_guard.hpp"
#include "assembly/isa/opcode.hpp"
#include "assembly/isa/operand_reads.hpp"
#include "assembly/isa/target.hpp"
#include "certification/verify/certificate_ids.hpp"
#include "certification/verify/interference/register_reads.hpp"
#include "certification/verify/machine_values.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <vector>

namespace warpbound::certification::verify {

namespace {

using Class = assembly::OpcodeClass;
using Timing = models::InstructionTiming;

const std::set<Class>& arithmetic() {
    static const std::set<Class> classes{Class::Move,           Class::Logic,
                                         Class::Shift,          Class::IntegerAdd,
                                         Class::Half,           Class::IntegerMultiply,
                                         Class::IntegerCompare, Class::FloatAdd,
                                         Class::FloatMultiply,  Class::FloatMultiplyAdd,
                                         Class::FloatCompare};
    return classes;
}

/// What is held, and what issues meanwhile.
class HeldPort {
public:
    explicit HeldPort(const TimedCode& code)
        : code_{code}, grants_{code.kernel.architecture.has_read_ports()
                                   ? cycles_per_grant(code)
                                   : DemandTable(code.timings.size(), 0)} {
        if (!speaks_of_launch()) return;
        std::map<std::size_t, std::int64_t> longest; // By unit, of those of a scheduler.
        for (std::size_t i = 0; i < code.timings.size(); ++i)
            if (is_of_scheduler(i)) {
                std::int64_t& of_unit = longest[timing(i).unit];
                of_unit = std::max(of_unit, port_occupancy(timing(i)));
            }
        for (const auto& [unit, cycles] : longest)
            if (cycles > hold_) {
                hold_ = cycles;
                held_ = unit;
            }
        for (const auto& [unit, cycles] : longest)
            if (unit != held_) other_hold_ = std::max(other_hold_, cycles);
        if (held_) by_path_ = most_by_path();
    }

    /// Of the instructions behind it in its block, up to `last`.
    [[nodiscard]] std::int64_t in_hold(std::size_t holder, std::size_t last,
                                       const DemandTable& own) const {
        if (!is_holder(holder)) return 0;
        const std::int64_t hold = port_occupancy(timing(holder));
        if (least_port_occupancy(timing(holder)) != hold) return 0;
        std::int64_t sum = 0;
        std::int64_t begin = std::max(timing(holder).gap.hi, grants_[holder]);
        for (std::size_t i = holder + 1; i <= last && issues_by_itself(i); ++i) {
            if (begin + own[i] > hold - by_path_) break;
            sum += own[i];
            begin += std::max(timing(i).gap.hi, own[i]);
        }
        return sum;
    }

private:
    [[nodiscard]] bool speaks_of_launch() const {
        const models::Architecture& machine = code_.kernel.architecture;
        const bool has_other_stages = machine.has_write_ports() || machine.has_memory_queue() ||
                                      machine.has_variable_latency_reads() ||
                                      machine.has_operand_caches() || machine.has_fetch_ports();
        if (has_other_stages || is_amd(machine.target) || code_.geometry.issue_slot.hi != 1 ||
            machine.issue_control != models::IssueControl::Encoded ||
            models::guarantee_of(code_.kernel.policy) != models::PolicyGuarantee::WorkConserving)
            return false;
        for (std::size_t i = 0; i < code_.timings.size(); ++i)
            if (code_.reachable[i] && least_pause(i) == 0) return false;
        return true;
    }
    [[nodiscard]] const Timing& timing(std::size_t i) const { return code_.timings[i].value(); }
    [[nodiscard]] std::int64_t least_pause(std::size_t i) const {
        return std::min(timing(i).gap_taken.lo, timing(i).gap.lo);
    }
    [[nodiscard]] bool is_of_scheduler(std::size_t i) const {
        return code_.reachable[i] && !is_port_of_warp(code_, timing(i)) &&
               !is_port_of_multiprocessor(code_, timing(i));
    }
    [[nodiscard]] bool may_not_execute(std::size_t i) const {
        return assembly::is_guarded(code_.kernel.function->instructions[i]);
    }
    /// It is sure to hold the port.
    [[nodiscard]] bool is_holder(std::size_t i) const {
        return held_ && is_of_scheduler(i) && timing(i).unit == *held_ && !may_not_execute(i);
    }
    /// After the gap before it, whatever else its warp does.
    [[nodiscard]] bool issues_by_itself(std::size_t i) const {
        if (!is_of_scheduler(i) || may_not_execute(i) || starts_line_[i]) return false;
        const assembly::Instruction& instruction = code_.kernel.function->instructions[i];
        return instruction.control && instruction.control->wait_mask == 0 &&
               arithmetic().count(instruction.opcode_class) != 0 &&
               assembly::has_fixed_latency(instruction) && timing(i).unit != *held_;
    }
    /// For how long a port is held after its warp may go on.
    [[nodiscard]] std::int64_t outlasts_pause(std::size_t i) const {
        if (!is_of_scheduler(i) || timing(i).unit == *held_) return 0;
        return std::max<std::int64_t>(0, port_occupancy(timing(i)) -
                                             std::max(grants_[i], least_pause(i)));
    }

    struct Sums {
        std::int64_t anywhere = 0; ///< Within the reach of some moment of the block.
        std::int64_t at_end = 0;   ///< Within that of its end.
    };
    /// Of a block that begins with such a sum.
    [[nodiscard]] Sums sums_of(std::size_t first, std::size_t last, std::int64_t inherited) const {
        const std::int64_t reach = hold_ + other_hold_;
        std::map<std::int64_t, std::int64_t> since{{0, inherited}}; // By moment.
        std::int64_t moment = 0;
        const auto reaching = [&] {
            std::int64_t sum = 0;
            for (auto one = since.upper_bound(moment - reach); one != since.end(); ++one)
                sum += one->second;
            return sum;
        };
        Sums sums{inherited, 0};
        for (std::size_t i = first; i <= last; ++i) {
            if (!code_.reachable[i]) continue;
            if (is_holder(i) && least_port_occupancy(timing(i)) >= other_hold_) since.clear();
            since[moment] += outlasts_pause(i);
            sums.anywhere = std::max(sums.anywhere, reaching());
            moment += least_pause(i);
        }
        sums.at_end = reaching();
        return sums;
    }
    /// The most that ports are so held within one hold, by the warp of the path.
    [[nodiscard]] std::int64_t most_by_path() const {
        const ControlFlow& flow = code_.upper_flow;
        for (std::int64_t inherited = 0;;) {
            Sums most{inherited, inherited};
            for (std::size_t block = 0; block < flow.blocks.size(); ++block) {
                const Sums sums = sums_of(flow.first[block], flow.last[block], inherited);
                most.anywhere = std::max(most.anywhere, sums.anywhere);
                most.at_end = std::max(most.at_end, sums.at_end);
            }
            if (most.at_end == inherited || most.anywhere >= hold_) return most.anywhere;
            inherited = most.at_end;
        }
    }

    const TimedCode& code_;
    DemandTable grants_;
    std::vector<bool> starts_line_ = starts_of_lines();
    std::optional<std::size_t> held_; ///< A unit.
    std::int64_t hold_ = 0;           ///< Longest occupancy of its port.
    std::int64_t other_hold_ = 0;     ///< The same of the ports of all other units of a scheduler.
    std::int64_t by_path_ = 0;

    [[nodiscard]] std::vector<bool> starts_of_lines() const {
        const KernelCase& kernel = code_.kernel;
        const auto& text = kernel.function->instructions;
        std::vector<bool> starts(text.size(), false);
        if (!kernel.architecture.has_instruction_caches()) return starts;
        const std::int64_t bytes = exact_number(kernel, kernel.architecture.fetch, "fetch", "line");
        for (std::size_t i = 1; i < text.size(); ++i)
            starts[i] = text[i].address / bytes != text[i - 1].address / bytes;
        return starts;
    }
};

} // namespace

void subtract_from_holders(const TimedCode& code, DemandTables& tables) {
    const HeldPort port{code};
    DemandTable& own = tables.at(certificate_id::own_scheduler);
    std::map<std::size_t, std::int64_t> least; // Blocks may share instructions.
    const ControlFlow& flow = code.upper_flow;
    for (std::size_t block = 0; block < flow.blocks.size(); ++block)
        for (std::size_t i = flow.first[block]; i <= flow.last[block]; ++i) {
            const std::int64_t here = port.in_hold(i, flow.last[block], own);
            const auto [known, is_new] = least.emplace(i, here);
            if (!is_new) known->second = std::min(known->second, here);
        }
    for (const auto& [i, cycles] : least)
        own[i] -= cycles;
}

std::int64_t longest_hold(const TimedCode& code) {
    DemandTables tables = work_conserving_demand_of(code);
    if (code.kernel.architecture.has_memory_queue()) return 0;
    add_read_port_demand(code, tables);
    const DemandTable whole = tables.at(certificate_id::own_scheduler);
    subtract_from_holders(code, tables);
    std::int64_t longest = 0;
    const DemandTable& own = tables.at(certificate_id::own_scheduler);
    for (std::size_t i = 0; i < own.size(); ++i)
        if (own[i] < whole[i]) longest = std::max(longest, whole[i]);
    return longest;
}

} // namespace warpbound::certification::verify
