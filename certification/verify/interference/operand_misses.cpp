#include "certification/verify/interference/operand_misses.hpp"

#include "certification/verify/certificate_ids.hpp"
#include "certification/verify/flow/control_flow.hpp"
#include "certification/verify/interference/barrier_intervals.hpp"
#include "certification/verify/interference/critical_path.hpp"
#include "certification/verify/machine_values.hpp"
#include "models/units.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace warpbound::certification::verify {

namespace {

using models::times;
using Lines = std::set<std::int64_t>;

bool has_operand_caches(const TimedCode& code) {
    return code.kernel.architecture.has_operand_caches();
}

/// The group `memories/constant`, and the lines of the text in the sets of a cache.
class OperandText {
public:
    explicit OperandText(const TimedCode& code)
        : code_{code}, group_{*code.kernel.architecture.memory("constant")}, bytes_{number("line")},
          sets_{number("sets")}, ways_{known("ways").lo} {
        for (std::size_t i = 0; i < code.kernel.function->instructions.size(); ++i)
            for (const std::int64_t line : lines_at(i))
                members_[line % sets_].insert(line);
    }

    /// C51, C81. Throws `Finding` when the instruction can be reached and its line is not known.
    [[nodiscard]] Lines lines_at(std::size_t index) const {
        constexpr std::int64_t bytes_of_bank = 1 << 16;
        const assembly::Instruction& instruction = code_.kernel.function->instructions[index];
        Lines lines;
        if (instruction.opcode_class == assembly::OpcodeClass::LoadConstant) return lines;
        for (const assembly::Operand& operand : instruction.operands) {
            const auto* constant = std::get_if<assembly::ConstantOperand>(&operand);
            if (constant == nullptr) continue;
            const bool is_shown = !constant->uniform_register && !constant->bank_register &&
                                  constant->index_register.value_or(-1) < 0;
            if (is_shown)
                lines.insert((constant->bank * bytes_of_bank + constant->offset) / bytes_);
            else if (code_.reachable[index])
                refuted(code_.kernel.id + ": the address of a constant operand is in a "
                                          "register, about which S42 claims nothing");
        }
        return lines;
    }
    /// S42: a set whose lines all have a way never loses one of them.
    [[nodiscard]] bool stays(std::int64_t line) const {
        const auto set = members_.find(line % sets_);
        return set != members_.end() && static_cast<std::int64_t>(set->second.size()) <= ways_;
    }
    [[nodiscard]] bool all_stay_of(std::size_t index) const {
        const Lines lines = lines_at(index);
        return std::all_of(lines.begin(), lines.end(),
                           [&](std::int64_t line) { return stays(line); });
    }
    /// Lines that stay and that one of the instructions looks up; none where they begin present.
    template <class Among> [[nodiscard]] std::int64_t first_misses(const Among& is_among) const {
        if (begins_warm()) return 0;
        Lines missed;
        for (std::size_t i = 0; i < code_.kernel.function->instructions.size(); ++i) {
            if (!is_among(i)) continue;
            for (const std::int64_t line : lines_at(i))
                if (stays(line)) missed.insert(line);
        }
        return static_cast<std::int64_t>(missed.size());
    }
    [[nodiscard]] std::int64_t miss() const { return known("miss").hi; }
    /// A hold ends when the line is there.
    [[nodiscard]] std::int64_t hold() const { return std::min(known("hold").hi, miss()); }

private:
    [[nodiscard]] std::int64_t number(const char* name, std::int64_t least = 1) const {
        return exact_number(code_.kernel, group_, "memories/constant", name, least);
    }
    [[nodiscard]] models::Interval known(const char* name) const {
        const models::Interval value = known_value(code_.kernel, group_, "memories/constant", name);
        if (value.lo < 1 || value.hi > largest_exact_number)
            refuted(code_.kernel.id + ": memories/constant/" + name + " is out of range");
        return value;
    }
    [[nodiscard]] bool begins_warm() const {
        if (group_.find("warm") == nullptr) return false;
        const std::int64_t stated = number("warm", 0);
        if (stated > 1) refuted(code_.kernel.id + ": memories/constant/warm is neither 0 nor 1");
        return stated == 1;
    }

    const TimedCode& code_;
    const models::ValueGroup& group_;
    std::int64_t bytes_;
    std::int64_t sets_;
    std::int64_t ways_; ///< A cache has no fewer.
    std::map<std::int64_t, Lines> members_;
};

/// How many warps there are whose look-ups may hold a scheduler while the critical path is on it.
std::int64_t warps_that_hold(const TimedCode& code) {
    const LaunchGeometry& launch = code.geometry;
    if (launch.waves == 1) {
        const std::int64_t together =
            times(std::min(launch.blocks, launch.block_slots), launch.warps_per_block);
        // Without barriers the path stays in one warp, which does not hold its own scheduler.
        return most_barriers_of_a_path(code) > 0 ? together : launch.per_scheduler(together) - 1;
    }
    const std::int64_t blocks =
        std::min(launch.blocks, launch.blocks_before_last() + launch.block_slots);
    return times(blocks, launch.warps_per_block);
}

} // namespace

bool all_operands_stay(const TimedCode& code) {
    if (!has_operand_caches(code)) return true;
    const OperandText text{code};
    for (std::size_t i = 0; i < code.kernel.function->instructions.size(); ++i)
        if (!text.all_stay_of(i)) return false;
    return true;
}

std::int64_t lines_of_operands(const TimedCode& code) {
    if (!has_operand_caches(code)) return 0;
    const OperandText text{code};
    Lines used;
    for (std::size_t i = 0; i < code.reachable.size(); ++i) {
        if (!code.reachable[i]) continue;
        if (!text.all_stay_of(i)) refuted(code.kernel.id + ": a line of constants may be replaced");
        used.merge(text.lines_at(i));
    }
    return static_cast<std::int64_t>(used.size());
}

void add_operand_demand(const TimedCode& code, DemandTables& tables) {
    if (!has_operand_caches(code)) return;
    const OperandText text{code};
    const auto of_look_ups = [&](std::int64_t cycles) {
        return demand_table(code, [&](const models::InstructionTiming&, std::size_t i) {
            return text.all_stay_of(i) ? 0 : cycles;
        });
    };
    tables[certificate_id::operand_waits] = of_look_ups(text.miss());
    tables[certificate_id::operand_holds] = of_look_ups(text.hold());
}

std::vector<Term> operand_terms_of(const TimedCode& code) {
    if (!has_operand_caches(code)) return {};
    const OperandText text{code};
    const std::int64_t lines = text.first_misses([](std::size_t) { return true; });
    const bool all_stay = all_operands_stay(code);
    std::vector<Term> terms;
    if (lines > 0) terms.push_back({times(schedulers_of_path(code), lines), text.miss(), ""});
    if (all_stay) return terms;
    // S12a: where a warp ends early, the path passes its block once more.
    const std::int64_t passed = times(code.geometry.waves, early_ends_of_a_block(code) + 1);
    terms.push_back({passed, 0, certificate_id::operand_waits});
    if (const std::int64_t warps = warps_that_hold(code); warps > 0)
        terms.push_back({warps, 0, certificate_id::operand_holds});
    return terms;
}

std::vector<Term> operand_terms_between(const TimedCode& code,
                                        const std::pair<std::size_t, std::size_t>& blocks) {
    if (!has_operand_caches(code)) return {};
    const OperandText text{code};
    const ControlFlow& flow = code.upper_flow;
    const auto& instructions = code.kernel.function->instructions;
    std::vector<bool> is_between(instructions.size(), false);
    const std::vector<bool> live = live_blocks(flow, blocks);
    const auto is_read = [&](std::size_t i) {
        return instructions[i].opcode_class == assembly::OpcodeClass::ClockRead;
    };
    for (std::size_t block = 0; block < flow.blocks.size(); ++block) {
        if (!live[block]) continue;
        std::size_t from = flow.first[block];
        std::size_t to = flow.last[block] + 1;
        if (block == blocks.first)
            while (!is_read(from))
                ++from;
        if (block == blocks.second)
            while (!is_read(to - 1))
                --to;
        for (std::size_t i = from; i < to; ++i)
            is_between[i] = true;
    }
    std::vector<Term> terms;
    if (const std::int64_t lines = text.first_misses([&](std::size_t i) { return is_between[i]; });
        lines > 0)
        terms.push_back({lines, text.miss(), ""});
    for (std::size_t i = 0; i < instructions.size(); ++i)
        if (is_between[i] && !text.all_stay_of(i)) {
            terms.push_back({1, 0, certificate_id::operand_waits});
            break;
        }
    return terms;
}

} // namespace warpbound::certification::verify
