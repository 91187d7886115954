#include "tests/support/lane_interpreter.hpp"

#include <algorithm>

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

} // namespace

LaneInterpreter::LaneInterpreter(const assembly::Function& function,
                                 const assembly::ControlFlowGraph& graph, Chance& chance,
                                 const models::Launch& launch)
    : function_{function}, graph_{graph}, chance_{chance}, launch_{launch} {
    for (int reg = 0; reg < 32; ++reg)
        numbers_[reg] = static_cast<Number>(chance.whole(0, 0xffffffff));
}

LaneRun LaneInterpreter::run(int steps) {
    LaneRun run;
    run.edges.assign(graph_.edges.size(), 0);
    std::size_t block = 0;
    enter(run, std::nullopt, block);
    for (int step = 0; step < steps; ++step) {
        bool on = false;
        for (std::size_t i = graph_.blocks[block].first; i <= graph_.blocks[block].last; ++i)
            on = execute(function_.instructions[i]);
        const auto& last = function_.instructions[graph_.blocks[block].last];
        if (last.control_flow == assembly::ControlFlow::Exit && on) {
            run.ended = true;
            break;
        }
        const bool taken = last.control_flow == assembly::ControlFlow::Branch && on;
        const auto& out = graph_.blocks[block].out;
        const auto way = std::find_if(out.begin(), out.end(), [&](std::size_t edge) {
            return (graph_.edges[edge].kind == assembly::EdgeKind::Taken) == taken;
        });
        if (way == out.end()) break;
        ++run.edges[*way];
        const std::size_t to = graph_.edges[*way].to;
        enter(run, block, to);
        block = to;
    }
    return run;
}

void LaneInterpreter::enter(LaneRun& run, std::optional<std::size_t> from, std::size_t to) {
    run.path.push_back(to);
    for (std::size_t loop = 0; loop < graph_.loops.size(); ++loop) {
        const auto& blocks = graph_.loops[loop].blocks;
        const auto inside = [&](std::size_t block) {
            return std::binary_search(blocks.begin(), blocks.end(), block);
        };
        if (from && inside(*from) && !inside(to)) {
            run.turns[loop].push_back(turn_[loop]);
            turn_[loop] = 0;
        }
        if (graph_.loops[loop].header == to) ++turn_[loop];
    }
}

LaneInterpreter::Number LaneInterpreter::value(const Operand& operand) {
    const auto random = [&] { return static_cast<Number>(chance_.whole(0, 0xffffffff)); };
    if (const auto* reg = std::get_if<assembly::RegisterOperand>(&operand))
        return reg->index ? numbers_[*reg->index] : 0;
    if (const auto* immediate = std::get_if<assembly::ImmediateOperand>(&operand))
        return static_cast<Number>(immediate->integer.value_or(0));
    if (const auto* word = std::get_if<assembly::ConstantOperand>(&operand)) {
        const auto [place, fresh] = constants_.emplace(word->offset, 0);
        if (fresh)
            place->second =
                word->offset >= 0x160 ? static_cast<Number>(chance_.whole(-6, 14)) : random();
        return place->second;
    }
    if (const auto* special = std::get_if<assembly::SpecialRegisterOperand>(&operand)) {
        const auto [place, fresh] = special_.emplace(special->name, 0);
        if (!fresh) return place->second;
        if (special->name == "SR_TID.X")
            place->second = static_cast<Number>(chance_.whole(0, launch_.threads - 1));
        else if (special->name == "SR_CTAID.X")
            place->second = static_cast<Number>(chance_.whole(0, launch_.blocks - 1));
        else if (special->name == "SR_LANEID")
            place->second = static_cast<Number>(chance_.whole(0, 31));
        else
            place->second = random();
        return place->second;
    }
    return random();
}

bool LaneInterpreter::predicate(int index) {
    const auto [place, fresh] = predicates_.emplace(index, false);
    if (fresh) place->second = chance_.whole(0, 1) == 1;
    return place->second;
}

bool LaneInterpreter::truth(const Operand& operand) {
    const auto& reg = std::get<assembly::RegisterOperand>(operand);
    return (!reg.index || predicate(*reg.index)) != reg.negated;
}

bool LaneInterpreter::execute(const Instruction& instruction) {
    if (instruction.guard) {
        const auto& guard = instruction.guard->predicate;
        if ((!guard.index || predicate(*guard.index)) == guard.negated) return false;
    }
    const auto& operands = instruction.operands;
    const auto number = [&](std::size_t place) { return value(operands[place]); };
    const auto target = [&](std::size_t place) {
        return std::get<assembly::RegisterOperand>(operands[place]).index;
    };
    const auto write = [&](Number result) {
        if (target(0)) numbers_[*target(0)] = result;
    };
    const auto decide = [&](bool result) {
        if (target(0)) predicates_[*target(0)] = result;
    };
    const std::string& name = instruction.mnemonic;
    if (name == "MOV" || name == "S2R")
        write(number(1));
    else if (name == "IADD3")
        write(number(1) + number(2) + number(3));
    else if (name == "IMAD")
        write(number(1) * number(2) + number(3));
    else if (name == "ISETP") {
        const bool holds = compare(instruction, number(2), number(3));
        decide(instruction.has_modifier("OR") ? holds || truth(operands[4])
                                              : holds && truth(operands[4]));
    } else if (name == "PLOP3") {
        const unsigned row = (truth(operands[2]) ? 4U : 0U) + (truth(operands[3]) ? 2U : 0U) +
                             (truth(operands[4]) ? 1U : 0U);
        decide(((number(5) >> row) & 1U) != 0);
    } else {
        for (const assembly::Register written : instruction.effects.writes)
            if (written.file == assembly::RegisterFile::Predicate)
                predicates_[written.index] = chance_.whole(0, 1) == 1;
            else if (written.file == assembly::RegisterFile::General)
                numbers_[written.index] = static_cast<Number>(chance_.whole(0, 12));
    }
    return true;
}

} // namespace warpbound::tests
