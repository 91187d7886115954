#pragma once
/// \file
/// Small programs built instruction by instruction, and graphs built edge by edge, without a
/// reader.

#include "assembly/flow/control_flow_graph.hpp"
#include "assembly/isa/function_effects.hpp"
#include "assembly/isa/program.hpp"
#include "harness/device.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace warpbound::harness::simulator::test {

inline assembly::Operand reg(int index) {
    assembly::RegisterOperand operand;
    operand.index = index;
    return operand;
}

inline assembly::Operand number(std::int64_t value) {
    return assembly::ImmediateOperand{std::to_string(value), value};
}

inline assembly::Operand constant(std::int64_t bank, std::int64_t offset) {
    assembly::ConstantOperand operand;
    operand.bank = bank;
    operand.offset = offset;
    return operand;
}

inline assembly::Operand memory(int base) {
    assembly::MemoryOperand operand;
    operand.base = std::get<assembly::RegisterOperand>(reg(base));
    return operand;
}

inline assembly::Instruction make(std::string mnemonic, assembly::OpcodeClass opcode_class,
                                  std::vector<assembly::Operand> operands = {}) {
    assembly::Instruction instruction;
    instruction.mnemonic = std::move(mnemonic);
    instruction.opcode_class = opcode_class;
    instruction.operands = std::move(operands);
    return instruction;
}

inline assembly::Instruction add(int to, int a, int b) {
    return make("IADD", assembly::OpcodeClass::IntegerAdd, {reg(to), reg(a), reg(b)});
}
inline assembly::Instruction float_add(int to, int a, int b) {
    return make("FADD", assembly::OpcodeClass::FloatAdd, {reg(to), reg(a), reg(b)});
}
inline assembly::Instruction cosine(int to, int from) {
    auto instruction = make("MUFU", assembly::OpcodeClass::SpecialFunction, {reg(to), reg(from)});
    instruction.modifiers = {"COS"};
    return instruction;
}
inline assembly::Instruction shift(int to, int from) {
    return make("SHL", assembly::OpcodeClass::Shift, {reg(to), reg(from), number(1)});
}
inline assembly::Instruction read_clock(int to) {
    return make("S2R", assembly::OpcodeClass::ClockRead,
                {reg(to), assembly::SpecialRegisterOperand{"SR_CLOCKLO"}});
}
inline assembly::Instruction load_shared(int to, int base) {
    return make("LDS", assembly::OpcodeClass::LoadShared, {reg(to), memory(base)});
}
inline assembly::Instruction store_shared(int base, int from) {
    return make("STS", assembly::OpcodeClass::StoreShared, {memory(base), reg(from)});
}
inline assembly::Instruction load_global(int to, int base) {
    return make("LDG", assembly::OpcodeClass::LoadGlobal, {reg(to), memory(base)});
}
inline assembly::Instruction store_global(int base, int from) {
    return make("STG", assembly::OpcodeClass::StoreGlobal, {memory(base), reg(from)});
}
inline assembly::Instruction barrier(std::int64_t id = 0) {
    auto instruction = make("BAR", assembly::OpcodeClass::Barrier, {number(id)});
    instruction.modifiers = {"SYNC"};
    return instruction;
}
inline assembly::Instruction branch() {
    auto instruction = make("BRA", assembly::OpcodeClass::Branch);
    instruction.control_flow = assembly::ControlFlow::Branch;
    return instruction;
}
inline assembly::Instruction exit() {
    auto instruction = make("EXIT", assembly::OpcodeClass::Exit);
    instruction.control_flow = assembly::ControlFlow::Exit;
    return instruction;
}
inline assembly::Instruction guarded(assembly::Instruction instruction, int predicate = 0) {
    assembly::Guard guard;
    guard.predicate.file = assembly::RegisterFile::Predicate;
    guard.predicate.index = predicate;
    instruction.guard = guard;
    return instruction;
}
inline assembly::Instruction predicated_off(assembly::Instruction instruction) {
    assembly::Guard guard;
    guard.predicate.file = assembly::RegisterFile::Predicate;
    guard.predicate.negated = true;
    instruction.guard = guard;
    return instruction;
}
inline assembly::Instruction with(assembly::Instruction instruction, assembly::Control control) {
    instruction.control = control;
    return instruction;
}
/// The plain control field with a stall count.
inline assembly::Control stall(int cycles) {
    assembly::Control control;
    control.stall = cycles;
    return control;
}

/// A function with its graph and facts, and a kernel that refers to them.
struct TestProgram {
    assembly::Function function;
    assembly::ControlFlowGraph graph;
    models::FlowFacts facts;

    [[nodiscard]] Kernel kernel(models::Launch launch = {1, 32}) const {
        return Kernel{&function, &graph, &facts, launch};
    }
    [[nodiscard]] bool is_store(std::size_t instruction) const {
        return function.instructions[instruction].opcode_class ==
               assembly::OpcodeClass::StoreGlobal;
    }
    /// Indices of the loads and stores of global memory, increasing.
    [[nodiscard]] std::vector<std::size_t> global_accesses() const {
        std::vector<std::size_t> accesses;
        for (std::size_t i = 0; i < function.instructions.size(); ++i)
            if (is_store(i) ||
                function.instructions[i].opcode_class == assembly::OpcodeClass::LoadGlobal)
                accesses.push_back(i);
        return accesses;
    }
    /// Passes of the access at an instruction.
    void set_passes(std::size_t instruction, std::int64_t min, std::int64_t max,
                    models::MemoryLevel level = models::MemoryLevel::Any) {
        models::MemoryFact fact;
        fact.at = function.instructions[instruction].address;
        fact.transactions = models::CountRange{min, max};
        fact.conflict_degree = fact.transactions;
        fact.level = level;
        facts.memory.push_back(fact);
    }
    /// Addresses of the access at an instruction.
    models::AddressPattern& set_pattern(std::size_t instruction) {
        models::MemoryFact fact;
        fact.at = function.instructions[instruction].address;
        fact.pattern.emplace();
        facts.memory.push_back(fact);
        return *facts.memory.back().pattern;
    }
};

/// One list of instructions per block; an edge is (from, to, kind). Blocks without an out edge and
/// the blocks in `guarded_exits` exit. `add_loop` adds loops, outer ones first.
using TestEdge = std::tuple<std::size_t, std::size_t, assembly::EdgeKind>;

inline TestProgram program_of(const std::vector<std::vector<assembly::Instruction>>& blocks,
                              const std::vector<TestEdge>& edges = {},
                              const std::vector<std::size_t>& guarded_exits = {}) {
    TestProgram program;
    program.function.name = "test";
    program.function.target = assembly::Target{20};
    for (const auto& instructions : blocks) {
        assembly::BasicBlock block;
        block.first = program.function.instructions.size();
        block.address = static_cast<std::int64_t>(block.first) * 8;
        for (auto instruction : instructions) {
            instruction.address =
                static_cast<std::int64_t>(program.function.instructions.size()) * 8;
            program.function.instructions.push_back(std::move(instruction));
        }
        block.last = program.function.instructions.size() - 1;
        program.graph.blocks.push_back(block);
    }
    assembly::set_effects(program.function);
    for (const auto& [from, to, kind] : edges) {
        const std::size_t edge = program.graph.edges.size();
        program.graph.edges.push_back(assembly::Edge{from, to, kind});
        program.graph.blocks[from].out.push_back(edge);
        program.graph.blocks[to].in.push_back(edge);
    }
    for (std::size_t block = 0; block < blocks.size(); ++block)
        program.graph.blocks[block].exits =
            program.graph.blocks[block].out.empty() ||
            std::find(guarded_exits.begin(), guarded_exits.end(), block) != guarded_exits.end();
    program.graph.immediate_dominator.resize(blocks.size());
    program.graph.innermost_loop.resize(blocks.size());
    return program;
}

inline TestProgram straight_line(std::vector<assembly::Instruction> instructions) {
    instructions.push_back(exit());
    return program_of({std::move(instructions)});
}

/// Adds a loop to the graph; an inner loop after its enclosing loop. Adds its bound as a fact when
/// `max` is positive.
inline void add_loop(TestProgram& program, std::size_t header, std::vector<std::size_t> blocks,
                     std::int64_t min, std::int64_t max) {
    assembly::Loop loop;
    loop.header = header;
    loop.blocks = std::move(blocks);
    loop.parent = program.graph.innermost_loop[header];
    loop.depth = loop.parent ? program.graph.loops[*loop.parent].depth + 1 : 1;
    for (const std::size_t block : loop.blocks)
        program.graph.innermost_loop[block] = program.graph.loops.size();
    program.graph.loops.push_back(loop);
    if (max <= 0) return;
    models::LoopFact fact;
    fact.header = program.graph.blocks[header].address;
    fact.min = min;
    fact.max = max;
    program.facts.loops.push_back(fact);
}

} // namespace warpbound::harness::simulator::test
