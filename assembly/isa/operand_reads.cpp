#include "assembly/isa/operand_reads.hpp"

#include "assembly/isa/register_limits.hpp"
#include "assembly/isa/register_roles.hpp"

#include <algorithm>

namespace warpbound::assembly {

namespace {

bool is_reused(const RegisterOperand& operand) {
    return std::find(operand.suffixes.begin(), operand.suffixes.end(), "reuse") !=
           operand.suffixes.end();
}

/// The registers of a named group that exist, as far as its width is known.
OperandRead read_of(const Instruction& instruction, const RegisterOperand& operand,
                    std::size_t index, std::size_t ordinal, Target target) {
    Width width = width_of(instruction, index, ordinal, target);
    if (*operand.index % width.alignment() != 0 || !instruction.effects.exact) width.known = false;
    if (!width.known) width.registers = std::max(width.registers, widest_operand);
    const int limit = assembly::register_count(RegisterFile::General, target);
    return OperandRead{.position = std::nullopt,
                       .first = *operand.index,
                       .registers = std::max(1, std::min(width.registers, limit - *operand.index)),
                       .has_width = width.known,
                       .is_reused = is_reused(operand)};
}

/// Registers that the instruction reads beyond those of `reads`: of an address, say. The effects of
/// an inexact instruction name what it writes among what it reads.
void add_unnamed(const Instruction& instruction, const OperandSet& written,
                 std::vector<OperandRead>& reads) {
    const std::size_t named = reads.size();
    const auto is_destination = [&](int index) {
        for (std::size_t i = 0; i < instruction.operands.size(); ++i)
            if (const auto* reg = std::get_if<RegisterOperand>(&instruction.operands[i]);
                written.test(i) && reg != nullptr && reg->index == index)
                return !instruction.effects.exact;
        return false;
    };
    for (const Register& reg : instruction.effects.reads) {
        if (reg.file != RegisterFile::General || is_destination(reg.index)) continue;
        const bool known = std::any_of(
            reads.begin(), reads.begin() + static_cast<std::ptrdiff_t>(named),
            [&](const OperandRead& read) {
                return read.first <= reg.index && reg.index < read.first + read.registers;
            });
        if (!known) reads.push_back({.position = std::nullopt, .first = reg.index});
    }
}

} // namespace

std::vector<OperandRead> operand_reads(const Instruction& instruction, Target target) {
    const Destinations destinations = destinations_of(instruction);
    std::vector<OperandRead> reads;
    std::size_t ordinal = 0;
    int position = 0;
    for (std::size_t i = 0; i < instruction.operands.size(); ++i) {
        const Operand& operand = instruction.operands[i];
        const bool written = destinations.written.test(i);
        const auto* reg = std::get_if<RegisterOperand>(&operand);
        const bool is_general =
            reg != nullptr && reg->file == RegisterFile::General && reg->index.has_value();
        if (is_general && (!written || !destinations.known)) {
            reads.push_back(read_of(instruction, *reg, i, ordinal, target));
            if (!written) reads.back().position = position;
        }
        if (!written && !is_predicate(operand)) ++position;
        if (!written || !is_predicate(operand)) ++ordinal;
    }
    add_unnamed(instruction, destinations.written, reads);
    return reads;
}

bool has_fixed_latency(const Instruction& instruction) {
    const bool names_scoreboard = instruction.control && (instruction.control->write_barrier ||
                                                          instruction.control->read_barrier);
    return !instruction.effects.memory && !names_scoreboard;
}

bool has_result(const Instruction& instruction) {
    return !instruction.effects.writes.empty() ||
           (instruction.control && instruction.control->write_barrier);
}

} // namespace warpbound::assembly
