#include "tests/support/lane_interpreter.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <string_view>

namespace warpbound::tests {

namespace {

using assembly::Instruction;
using assembly::Operand;

bool compare(const Instruction& instruction, std::uint32_t a, std::uint32_t b) {
    const std::int64_t left =
        instruction.has_modifier("U32") ? std::int64_t{a} : static_cast<std::int32_t>(a);
    const std::int64_t right =
        instruction.has_modifier("U32") ? std::int64_t{b} : static_cast<std::int32_t>(b);
    const std::string& name = instruction.modifiers.front();
    return name == "LT"   ? left < right
           : name == "LE" ? left <= right
           : name == "EQ" ? left == right
           : name == "NE" ? left != right
           : name == "GE" ? left >= right
                          : left > right;
}

/// Of a load of at most one word; null for other instructions.
const assembly::MemoryOperand* address_of_word(const Instruction& instruction) {
    const auto& memory = instruction.effects.memory;
    if ((instruction.mnemonic != "LDS" && instruction.mnemonic != "LDG") || !memory ||
        memory->bytes_per_lane > 4)
        return nullptr;
    return std::get_if<assembly::MemoryOperand>(&instruction.operands.back());
}

/// I2F.U32.RP
float rounded_up(std::uint32_t number) {
    const auto near = static_cast<float>(number);
    return static_cast<double>(near) < static_cast<double>(number) ? std::nextafter(near, 5e9F)
                                                                   : near;
}

} // namespace

LaneInterpreter::LaneInterpreter(const assembly::Function& function,
                                 const assembly::ControlFlowGraph& graph,
                                 RandomSource& random_source, const models::Launch& launch,
                                 const LaneInputs& inputs)
    : function_{function}, graph_{graph}, random_source_{random_source}, launch_{launch},
      constants_{inputs.constants}, special_{inputs.special}, memory_{inputs.memory},
      others_write_predicates_{inputs.others_write_predicates} {
    for (int reg = 0; reg < 32; ++reg)
        numbers_[{assembly::RegisterFile::General, reg}] =
            static_cast<Number>(random_source.whole(0, 0xffffffff));
}

LaneRun LaneInterpreter::run(int max_blocks) {
    LaneRun run;
    run.edges.assign(graph_.edges.size(), 0);
    std::size_t block = 0;
    enter(run, std::nullopt, block);
    for (int remaining = max_blocks; remaining > 0; --remaining) {
        bool executed = false;
        for (std::size_t i = graph_.blocks[block].first; i <= graph_.blocks[block].last; ++i) {
            const Instruction& instruction = function_.instructions[i];
            LaneStep step{i};
            const auto& operands = instruction.operands;
            const auto memory = std::find_if(operands.begin(), operands.end(), [](const auto& in) {
                return std::holds_alternative<assembly::MemoryOperand>(in);
            });
            if (memory != operands.end())
                step.address = address(std::get<assembly::MemoryOperand>(*memory));
            step.executes = executed = execute(instruction);
            if (memory != operands.end() || instruction.guard) run.steps.push_back(step);
        }
        const auto& last = function_.instructions[graph_.blocks[block].last];
        if (last.control_flow == assembly::ControlFlow::Exit && executed) {
            run.ended = true;
            break;
        }
        const bool taken = last.control_flow == assembly::ControlFlow::Branch && executed;
        const auto& out = graph_.blocks[block].out;
        const auto next = std::find_if(out.begin(), out.end(), [&](std::size_t edge) {
            return (graph_.edges[edge].kind == assembly::EdgeKind::Taken) == taken;
        });
        if (next == out.end()) break;
        ++run.edges[*next];
        const std::size_t to = graph_.edges[*next].to;
        enter(run, block, to);
        block = to;
    }
    return run;
}

void LaneInterpreter::enter(LaneRun& run, std::optional<std::size_t> from, std::size_t to) {
    run.path.push_back(to);
    if (others_write_predicates_)
        std::erase_if(predicates_, [](const auto& one) {
            return one.first.file == assembly::RegisterFile::UniformPredicate;
        });
    for (std::size_t loop = 0; loop < graph_.loops.size(); ++loop) {
        const auto& blocks = graph_.loops[loop].blocks;
        const auto inside = [&](std::size_t block) {
            return std::binary_search(blocks.begin(), blocks.end(), block);
        };
        if (from && inside(*from) && !inside(to)) {
            run.header_counts[loop].push_back(header_count_[loop]);
            header_count_[loop] = 0;
        }
        if (graph_.loops[loop].header == to) ++header_count_[loop];
    }
}

float LaneInterpreter::reciprocal(float number) {
    const double exact = 1.0 / static_cast<double>(number);
    auto near = static_cast<float>(exact);
    // The other neighbour is at most one unit of the last place away, too.
    const bool is_below = static_cast<double>(near) < exact;
    if (static_cast<double>(near) != exact && random_source_.whole(0, 1) == 1)
        near = std::nextafter(near, is_below ? 2.0F : 0.0F);
    return near;
}

LaneInterpreter::Number LaneInterpreter::value(const Operand& operand) {
    const auto random = [&] { return static_cast<Number>(random_source_.whole(0, 0xffffffff)); };
    if (const auto* reg = std::get_if<assembly::RegisterOperand>(&operand)) {
        const Number plain = reg->index ? numbers_[{reg->file, *reg->index}] : 0;
        const Number negated = reg->negated ? 0 - plain : plain;
        return reg->inverted ? ~negated : negated;
    }
    if (const auto* immediate = std::get_if<assembly::ImmediateOperand>(&operand))
        return static_cast<Number>(immediate->integer.value_or(0));
    if (const auto* word = std::get_if<assembly::ConstantOperand>(&operand)) {
        const auto [entry, inserted] = constants_.emplace(word->offset, 0);
        if (inserted)
            entry->second = word->offset >= 0x160
                                ? static_cast<Number>(random_source_.whole(-6, 14))
                                : random();
        return entry->second;
    }
    if (const auto* special = std::get_if<assembly::SpecialRegisterOperand>(&operand)) {
        const auto [entry, inserted] = special_.emplace(special->name, 0);
        if (!inserted) return entry->second;
        if (special->name == "SR_TID.X")
            entry->second = static_cast<Number>(random_source_.whole(0, launch_.threads - 1));
        else if (special->name == "SR_CTAID.X")
            entry->second = static_cast<Number>(random_source_.whole(0, launch_.blocks - 1));
        else if (special->name == "SR_LANEID")
            entry->second = static_cast<Number>(random_source_.whole(0, 31));
        else
            entry->second = random();
        return entry->second;
    }
    return random();
}

bool LaneInterpreter::predicate(assembly::Register reg) {
    const auto [entry, inserted] = predicates_.emplace(reg, false);
    if (inserted) entry->second = random_source_.whole(0, 1) == 1;
    return entry->second;
}

bool LaneInterpreter::truth(const Operand& operand) {
    const auto& reg = std::get<assembly::RegisterOperand>(operand);
    return (!reg.index || predicate({reg.file, *reg.index})) != reg.negated;
}

LaneInterpreter::Number LaneInterpreter::address(const assembly::MemoryOperand& operand) {
    auto sum = static_cast<Number>(operand.offset);
    for (const auto& reg : {operand.base, operand.uniform}) {
        if (!reg || !reg->index) continue;
        Number factor = 1;
        for (const std::string& suffix : reg->suffixes)
            if (suffix.front() == 'X') factor = static_cast<Number>(std::stoul(suffix.substr(1)));
        sum += factor * numbers_[{reg->file, *reg->index}];
    }
    return sum;
}

void LaneInterpreter::multiply_wide(const Instruction& instruction) {
    const auto& operands = instruction.operands;
    const auto wide = [&](const Operand& operand) {
        const Number number = value(operand);
        return instruction.has_modifier("U32")
                   ? std::uint64_t{number}
                   : static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(number)});
    };
    std::uint64_t high = 0;
    if (const auto* reg = std::get_if<assembly::RegisterOperand>(&operands[3])) {
        if (reg->index) high = numbers_[{reg->file, *reg->index + 1}];
    } else {
        auto word = std::get<assembly::ConstantOperand>(operands[3]);
        word.offset += 4;
        high = value(word);
    }
    const std::uint64_t sum =
        wide(operands[1]) * wide(operands[2]) + ((high << 32U) | std::uint64_t{value(operands[3])});
    const auto& into = std::get<assembly::RegisterOperand>(operands[0]);
    numbers_[{into.file, *into.index}] = static_cast<Number>(sum);
    numbers_[{into.file, *into.index + 1}] = static_cast<Number>(sum >> 32U);
}

std::optional<LaneInterpreter::Number> LaneInterpreter::result(const Instruction& instruction) {
    const auto& operands = instruction.operands;
    const auto number = [&](std::size_t index) { return value(operands[index]); };
    const auto is = [&](std::string_view modifier) { return instruction.has_modifier(modifier); };
    std::string name = instruction.mnemonic == "S2UR" ? "S2R" : instruction.mnemonic;
    if (name.front() == 'U') name.erase(0, 1); // The variant for uniform registers.
    if (name == "MOV" || name == "LDC" || name == "S2R") return number(1);
    if (name == "IADD3") return number(1) + number(2) + number(3);
    if (name == "IMAD" && is("WIDE")) return std::nullopt;
    if (name == "IMAD" && is("HI")) {
        const auto& pair = std::get<assembly::RegisterOperand>(operands[3]);
        const std::uint64_t high = pair.index ? numbers_[{pair.file, *pair.index + 1}] : Number{0};
        const std::uint64_t added = high << 32U | number(3);
        const std::uint64_t product =
            is("U32")
                ? std::uint64_t{number(1)} * number(2)
                : static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(number(1))} *
                                             static_cast<std::int32_t>(number(2)));
        return static_cast<Number>((product + added) >> 32U);
    }
    if (name == "IMAD") return number(1) * number(2) + number(3);
    if (name == "LEA" && is("SX32"))
        return static_cast<Number>(std::int64_t{static_cast<std::int32_t>(number(1))} >>
                                   (32 - number(3))) +
               number(2);
    if (name == "LEA" && is("HI"))
        return static_cast<Number>(((std::uint64_t{number(3)} << 32U | number(1)) << number(4)) >>
                                   32U) +
               number(2);
    if (name == "LEA") return (number(1) << number(3)) + number(2);
    if (name == "SHF" && is("L")) return number(1) << number(2);
    if (name == "SHF" && is("S32"))
        return static_cast<Number>(static_cast<std::int32_t>(number(3)) >> number(2));
    if (name == "SHF") return number(3) >> number(2);
    if (name == "SEL") return truth(operands[3]) ? number(1) : number(2);
    if (name == "IMNMX") {
        const bool less =
            is("U32") ? number(1) < number(2)
                      : static_cast<std::int32_t>(number(1)) < static_cast<std::int32_t>(number(2));
        return less == truth(operands[3]) ? number(1) : number(2);
    }
    if (name == "VIADD") return number(1) + number(2);
    if (name == "VIADDMNMX") {
        const Number sum = number(1) + number(2);
        const bool less =
            is("U32") ? sum < number(3)
                      : static_cast<std::int32_t>(sum) < static_cast<std::int32_t>(number(3));
        return less == truth(operands[4]) ? sum : number(3);
    }
    if (name == "IABS") {
        const Number plain = number(1);
        return static_cast<std::int32_t>(plain) < 0 ? 0 - plain : plain;
    }
    if (name == "I2F") return std::bit_cast<Number>(rounded_up(number(1)));
    if (name == "MUFU" && is("RCP"))
        return std::bit_cast<Number>(reciprocal(std::bit_cast<float>(number(1))));
    if (name == "F2I") {
        const auto whole = static_cast<double>(std::bit_cast<float>(number(1)));
        return whole <= 0 ? 0 : static_cast<Number>(std::min(whole, 4294967295.0));
    }
    if (name == "POPC") return static_cast<Number>(std::popcount(number(1)));
    if (name == "FLO") {
        const auto zeros = static_cast<Number>(std::countl_zero(number(1)));
        if (zeros == 32) return ~Number{0};
        return is("SH") ? zeros : 31 - zeros;
    }
    if (name == "PRMT") {
        const std::uint64_t bytes = std::uint64_t{number(3)} << 32U | number(1);
        Number chosen = 0;
        for (unsigned place = 0; place < 4; ++place) {
            const unsigned digit = number(2) >> (4 * place) & 0xfU;
            auto byte = static_cast<Number>(bytes >> (8 * (digit & 7U)) & 0xffU);
            if ((digit & 8U) != 0) byte = (byte & 0x80U) != 0 ? 0xffU : 0U;
            chosen |= byte << (8 * place);
        }
        return chosen;
    }
    if (name == "LOP3") {
        // After one or two destinations: three numbers, the table, a predicate.
        const std::size_t first = operands.size() - 5;
        Number bits = 0;
        for (unsigned bit = 0; bit < 32; ++bit) {
            const unsigned row = ((number(first) >> bit) & 1U) * 4 +
                                 ((number(first + 1) >> bit) & 1U) * 2 +
                                 ((number(first + 2) >> bit) & 1U);
            bits |= ((number(first + 3) >> row) & 1U) << bit;
        }
        return bits;
    }
    return std::nullopt;
}

bool LaneInterpreter::execute(const Instruction& instruction) {
    if (instruction.guard) {
        const auto& guard = instruction.guard->predicate;
        if ((!guard.index || predicate({guard.file, *guard.index})) == guard.negated) return false;
    }
    const auto& operands = instruction.operands;
    const auto number = [&](std::size_t index) { return value(operands[index]); };
    const auto target = [&]() -> std::optional<assembly::Register> {
        const auto& reg = std::get<assembly::RegisterOperand>(operands[0]);
        if (!reg.index) return std::nullopt;
        return assembly::Register{reg.file, *reg.index};
    };
    const auto set_predicate = [&](bool holds) {
        if (target()) predicates_[*target()] = holds;
    };
    const std::string& name = instruction.mnemonic;
    if (name == "ISETP" || name == "UISETP") {
        const bool holds = compare(instruction, number(2), number(3));
        set_predicate(instruction.has_modifier("OR") ? holds || truth(operands[4])
                                                     : holds && truth(operands[4]));
    } else if (name == "PLOP3") {
        const unsigned row = (truth(operands[2]) ? 4U : 0U) + (truth(operands[3]) ? 2U : 0U) +
                             (truth(operands[4]) ? 1U : 0U);
        set_predicate(((number(5) >> row) & 1U) != 0);
    } else if (name == "IMAD" && instruction.has_modifier("WIDE")) {
        multiply_wide(instruction);
    } else if (name == "LDG" && instruction.has_modifier("U8")) {
        for (const assembly::Register written : instruction.effects.writes)
            numbers_[written] = static_cast<Number>(random_source_.whole(0, 255));
    } else if (const auto computed = result(instruction)) {
        for (const assembly::Register written : instruction.effects.writes)
            if (written.file == assembly::RegisterFile::Predicate) // Of LOP3.
                predicates_[written] = *computed != 0 || truth(operands.back());
            else
                numbers_[written] = *computed;
    } else if (const auto* loaded = memory_ ? address_of_word(instruction) : nullptr) {
        const std::uint32_t mixed = (address(*loaded) ^ *memory_) * 0x9e3779b1U;
        for (const assembly::Register written : instruction.effects.writes)
            numbers_[written] = (mixed >> 7U) % 40;
    } else {
        for (const assembly::Register written : instruction.effects.writes)
            if (written.file == assembly::RegisterFile::Predicate)
                predicates_[written] = random_source_.whole(0, 1) == 1;
            else if (written.file == assembly::RegisterFile::General)
                numbers_[written] = static_cast<Number>(random_source_.whole(0, 12));
    }
    return true;
}

} // namespace warpbound::tests
