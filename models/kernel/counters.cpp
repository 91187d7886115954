#include "models/kernel/counters.hpp"

#include "assembly/isa/source_places.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <optional>

namespace warpbound::models {
namespace {

using assembly::Instruction;
using Counts = std::array<int, assembly::scoreboard_count>;

constexpr int largest_count = 63;

/// What a DEPBAR leaves outstanding on its scoreboard.
struct Remainder {
    std::size_t scoreboard = 0;
    int count = 0;
};

std::optional<Remainder> remainder_of(const Instruction& instruction) {
    if (instruction.opcode_class != assembly::OpcodeClass::DependenceBarrier) return std::nullopt;
    std::optional<Remainder> found;
    int count = 0;
    for (const assembly::Operand& operand : instruction.operands) {
        if (const auto* named = std::get_if<assembly::ScoreboardOperand>(&operand);
            named != nullptr && named->index >= 0 && named->index < assembly::scoreboard_count)
            found = Remainder{static_cast<std::size_t>(named->index), 0};
        else if (const auto* limit = std::get_if<assembly::ImmediateOperand>(&operand);
                 limit != nullptr && limit->integer)
            count = static_cast<int>(std::clamp<std::int64_t>(*limit->integer, 0, largest_count));
    }
    if (found) found->count = count;
    return found;
}

/// Operations that an instruction adds.
Counts added_by(const Instruction& instruction) {
    Counts added{};
    if (!instruction.control) return added;
    for (const auto& scoreboard :
         {instruction.control->write_barrier, instruction.control->read_barrier})
        if (scoreboard && *scoreboard >= 0 && *scoreboard < assembly::scoreboard_count)
            ++added[static_cast<std::size_t>(*scoreboard)];
    return added;
}

/// Operations outstanding in front of an instruction, and those of them that the instruction before
/// it added: it may not see them, and so not wait for them.
struct Outstanding {
    Counts all{};
    Counts unseen{};

    /// Takes the larger counts. Returns whether any grew.
    bool join(const Outstanding& other) {
        const Outstanding before = *this;
        for (std::size_t i = 0; i < all.size(); ++i) {
            all[i] = std::max(all[i], other.all[i]);
            unseen[i] = std::max(unseen[i], other.unseen[i]);
        }
        return before.all != all || before.unseen != unseen;
    }
};

/// Passes an instruction. Returns whether no count is too large.
bool pass(const Instruction& instruction, Outstanding& outstanding) {
    const unsigned mask = instruction.control ? instruction.control->wait_mask : 0;
    const auto left = remainder_of(instruction);
    const Counts added = added_by(instruction);
    bool fits = true;
    for (std::size_t scoreboard = 0; scoreboard < added.size(); ++scoreboard) {
        int& count = outstanding.all[scoreboard];
        const int unseen = outstanding.unseen[scoreboard];
        if ((mask >> scoreboard & 1U) != 0) count = std::min(count, unseen);
        if (left && left->scoreboard == scoreboard) count = std::min(count, left->count + unseen);
        count = std::min(count + added[scoreboard], largest_count + 1);
        fits = fits && count <= largest_count;
    }
    outstanding.unseen = added;
    return fits;
}

Failure refusal_of(const assembly::Function& function, std::size_t index,
                   const Architecture& architecture) {
    const Instruction& instruction = function.instructions[index];
    return {fmt::format("{} at {}: more than {} operations may be outstanding on its scoreboard; "
                        "architecture {} describes schedulers/counter-delay, and what its counters "
                        "do then is not known (C85); expected an instruction before it that waits "
                        "for the scoreboard",
                        assembly::opcode_text(instruction),
                        assembly::place_of(function, instruction), largest_count,
                        architecture.name),
            function.name, instruction.position.line, instruction.position.column};
}

} // namespace

Result<void> check_counters(const assembly::Function& function, const Architecture& architecture,
                            const std::vector<BlockOfCounters>& blocks) {
    if (architecture.schedulers.find("counter-delay") == nullptr)
        return boost::outcome_v2::success();
    std::vector<std::optional<Outstanding>> before(blocks.size());
    before.front() = Outstanding{};
    std::vector<std::size_t> changed{0};
    while (!changed.empty()) {
        const std::size_t block = changed.back();
        changed.pop_back();
        Outstanding outstanding = *before[block];
        for (std::size_t i = blocks[block].first; i <= blocks[block].last; ++i)
            if (!pass(function.instructions[i], outstanding))
                return refusal_of(function, i, architecture);
        for (const std::size_t next : blocks[block].next) {
            const bool is_new = !before[next];
            if (is_new) before[next] = outstanding;
            if (before[next]->join(outstanding) || is_new) changed.push_back(next);
        }
    }
    return boost::outcome_v2::success();
}

} // namespace warpbound::models
