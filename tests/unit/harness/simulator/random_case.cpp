#include "tests/unit/harness/simulator/random_case.hpp"

#include "assembly/isa/function_effects.hpp"
#include "tests/support/instruction_forms.hpp"
#include "tests/support/random_source.hpp"

#include <algorithm>

namespace warpbound::harness::simulator::test {

namespace {

class CaseDice {
public:
    explicit CaseDice(std::uint64_t seed) : random_source_{seed} {}
    int operator()(int sides) { return static_cast<int>(random_source_.whole(0, sides - 1)); }

private:
    tests::RandomSource random_source_;
};

assembly::Instruction random_instruction(CaseDice& dice, bool may_block) {
    const int to = dice(6);
    const int a = dice(6);
    const int b = dice(6);
    switch (dice(9)) {
    case 0:
        return add(to, a, b);
    case 1:
        return float_add(to, a, b);
    case 2:
        return cosine(to, a);
    case 3:
        return load_shared(to, a);
    case 4:
        return store_shared(a, b);
    case 5:
        return load_global(to, a);
    case 6:
        return store_global(a, b);
    case 7:
        return may_block ? barrier() : add(to, a, b);
    default:
        return dice(4) == 0 ? read_clock(to) : guarded(add(to, a, b), dice(2));
    }
}

/// Counters that see increments late (C85), and instructions that wait for what the one before them
/// announces.
void hide_increments(Case& made, CaseDice& dice) {
    set(made.machine.schedulers, "counter-delay", Values{dice(2), 1});
    auto& code = made.program.function.instructions;
    for (std::size_t i = 0; i + 1 < code.size(); ++i) {
        if (!code[i].control || !code[i + 1].control || dice(2) == 0) continue;
        for (const auto& scoreboard :
             {code[i].control->write_barrier, code[i].control->read_barrier})
            if (scoreboard) {
                code[i].control->stall = 1;
                code[i + 1].control->wait_mask |= static_cast<std::uint8_t>(1U << *scoreboard);
            }
    }
}

} // namespace

Case random_case(std::uint64_t seed) {
    CaseDice dice{seed};
    const bool encoded = dice(2) == 0;
    Case result{
        small_machine(encoded ? models::IssueControl::Encoded : models::IssueControl::Interlocked),
        {},
        {1 + dice(2), 32 * (1 + dice(7))}};
    set(result.machine.schedulers, "count", 1 + dice(4));
    set(result.machine.schedulers, "issue-slot", 1 + dice(2));
    set(result.machine.schedulers, "same-warp-interval", 1 + dice(6));
    set(result.machine.write_buffer, "entries", 1 + dice(3));
    for (auto& [opcode_class, timing] : result.machine.classes) {
        set(timing.values, "initiation", dice(5));
        set(timing.values, "source-read", dice(5));
    }
    std::vector<std::vector<assembly::Instruction>> blocks(3);
    for (auto& block : blocks)
        for (int count = 1 + dice(8); count > 0; --count) {
            auto instruction = random_instruction(dice, &block != &blocks[1]);
            if (instruction.opcode_class != assembly::OpcodeClass::Barrier && dice(6) == 0)
                instruction = dice(3) == 0 ? predicated_off(instruction) : guarded(instruction);
            block.push_back(instruction);
        }
    blocks[0].push_back(guarded(branch()));
    blocks[2].push_back(exit());
    for (auto& block : blocks)
        for (auto& instruction : block) {
            // Barriers with a thread count: all warps of the block, ended or not.
            if (instruction.opcode_class == assembly::OpcodeClass::Barrier && seed % 3 == 0)
                instruction.operands = {number(1), number(result.launch.threads)};
            if (!encoded) continue;
            assembly::Control control = stall(1 + dice(6));
            if (dice(5) == 0) {
                control.stall = 0;
                control.dual_issue = true;
            }
            if (dice(3) == 0) control.write_barrier = dice(6);
            if (dice(4) == 0) control.read_barrier = dice(6);
            if (dice(3) == 0) control.wait_mask = static_cast<std::uint8_t>(dice(64));
            instruction.control = control;
        }
    using enum assembly::EdgeKind;
    result.program = program_of(blocks, {{0, 1, FallThrough}, {0, 2, Taken}, {1, 2, FallThrough}});
    for (std::size_t index = 0; index < result.program.function.instructions.size(); ++index) {
        const auto opcode_class = result.program.function.instructions[index].opcode_class;
        const std::int64_t passes = 1 + dice(4);
        if (opcode_class >= assembly::OpcodeClass::LoadShared &&
            opcode_class <= assembly::OpcodeClass::StoreGlobal)
            result.program.set_passes(index, passes, passes,
                                      static_cast<models::MemoryLevel>(dice(4)));
    }
    return result;
}

Case random_pipeline_case(std::uint64_t seed) {
    CaseDice dice{seed + 1'000'000};
    Case result = random_case(seed);
    models::Architecture& machine = result.machine;
    if (dice(5) > 0) {
        set(machine.fetch, "buffer", 1 + dice(4));
        set(machine.fetch, "width", 1 + dice(3));
        set(machine.fetch, "ports", 1 + dice(2));
        if (dice(2) == 0) {
            set(machine.fetch, "cache-sets", 1 + dice(3));
            set(machine.fetch, "cache-ways", 1 + dice(2));
            set(machine.fetch, "cache-line", 8 << dice(3));
            set(machine.fetch, "cache-miss", Values{1 + dice(20), 40});
        }
        if (dice(5) == 0) return result;
    }
    add_collectors(machine, [&](std::string_view) { return 1 + dice(4); });
    return result;
}

Case random_ports_case(std::uint64_t seed) {
    CaseDice dice{seed + 3'000'000};
    Case result = random_case(seed);
    models::ValueGroup& file = result.machine.register_file;
    set(file, "banks", 1 + dice(3));
    set(file, "read-ports", 1);
    set(file, "read-window", dice(2) == 0 ? 3 : 1 + dice(4));
    set(file, "reuse-slots", dice(4));
    if (dice(2) == 0) { // Little else delays an instruction.
        set(result.machine.schedulers, "issue-slot", 1);
        set(result.machine.schedulers, "same-warp-interval", 1);
        for (auto& [opcode_class, timing] : result.machine.classes)
            set(timing.values, "initiation", 1);
    }
    for (auto& instruction : result.program.function.instructions) {
        if (instruction.control && dice(2) == 0) instruction.control->stall = 1;
        if (instruction.opcode_class != assembly::OpcodeClass::IntegerAdd) continue;
        if (dice(2) == 0) {
            instruction.mnemonic = "IADD3";
            instruction.operands.push_back(reg(dice(6)));
        }
        for (std::size_t operand = 1; operand < instruction.operands.size(); ++operand)
            if (dice(2) == 0)
                std::get<assembly::RegisterOperand>(instruction.operands[operand]).suffixes = {
                    "reuse"};
    }
    assembly::set_effects(result.program.function);
    if (dice(2) == 0) hide_increments(result, dice);
    if (result.machine.issue_control == models::IssueControl::Encoded && dice(2) == 0)
        set(file, "write-ports", 1);
    return result;
}

Case random_writes_case(std::uint64_t seed) {
    Case result = random_ports_case(seed);
    if (result.machine.issue_control != models::IssueControl::Encoded) return result;
    models::ValueGroup& file = result.machine.register_file;
    set(file, "banks", 1);
    set(file, "write-ports", 1);
    for (auto& [opcode_class, timing] : result.machine.classes)
        set(timing.values, "latency", Values{4, 5});
    return result;
}

Case random_queued_reads_case(std::uint64_t seed) {
    CaseDice dice{seed + 9'000'000};
    Case result = random_ports_case(seed);
    if (result.machine.issue_control != models::IssueControl::Encoded) return result;
    models::ValueGroup& file = result.machine.register_file;
    set(file, "banks", 2 - dice(2));
    set(file, "variable-latency-reads", 1);
    for (auto& [opcode_class, timing] : result.machine.classes) {
        const auto sources = 1 + dice(9);
        set(timing.values, "source-read", Values{sources, sources + dice(3)});
        const auto* latency = timing.values.find("latency");
        if (latency != nullptr && latency->interval->lo == 0)
            set(timing.values, "latency", Values{1, latency->interval->hi + 1});
    }
    for (auto& instruction : result.program.function.instructions)
        if (instruction.control && dice(3) == 0) instruction.control->stall = 1;
    return result;
}

Case random_queue_case(std::uint64_t seed) {
    CaseDice dice{seed + 4'000'000};
    Case result = seed % 3 == 0 ? random_ports_case(seed) : random_case(seed);
    models::ValueGroup& queue = result.machine.memory_queue;
    const auto values = [&](int lo, int sides) {
        const int from = lo + dice(sides);
        return Values{from, from + (dice(2) == 0 ? dice(4) : 0)};
    };
    set(queue, "places", 1 + dice(5));
    set(queue, "interval", values(1, 5));
    set(queue, "path-interval", values(1, 4));
    if (dice(2) == 0) set(queue, "load-return", values(1, 3));
    const bool is_quick = dice(2) == 0; // Little else delays an instruction.
    if (is_quick) {
        set(result.machine.schedulers, "issue-slot", 1);
        set(result.machine.schedulers, "same-warp-interval", 1);
    }
    result.machine.classes[assembly::OpcodeClass::LoadShared].unit = "core-unit";
    for (auto& [opcode_class, timing] : result.machine.classes) {
        if (timing.unit != "core-unit") continue;
        set(timing.values, "entry", values(2, 12));
        if (is_quick) set(timing.values, "initiation", 1 + dice(2));
    }
    for (auto& instruction : result.program.function.instructions) {
        if (instruction.control && dice(2) == 0) instruction.control->stall = 1;
        if (instruction.control && is_quick && dice(2) == 0) instruction.control->wait_mask = 0;
    }
    assembly::set_effects(result.program.function);
    return result;
}

Case random_forms_case(std::uint64_t seed) {
    using enum assembly::OpcodeClass;
    tests::RandomSource random{seed + 5'000'000};
    Case result = seed % 3 == 0   ? random_queue_case(seed)
                  : seed % 3 == 1 ? random_ports_case(seed)
                                  : random_case(seed);
    // IMAD.WIDE writes two registers, which C108 refuses of one bank.
    models::ValueGroup& file = result.machine.register_file;
    if (const auto* banks = file.find("banks"); banks != nullptr && banks->interval->lo == 1)
        std::erase_if(file.values, [](const auto& value) { return value.name == "write-ports"; });
    set_class(result.machine, {IntegerMultiply, "alu", 6, 2});
    set_class(result.machine, {MemoryFence, "control", 1, 1});
    set(result.machine.classes[LoadShared].values, "latency", Values{20, 40});
    set(*std::find_if(result.machine.memories.begin(), result.machine.memories.end(),
                      [](const auto& memory) { return memory.name == "l1"; }),
        "latency", Values{30, 60});
    for (const auto opcode_class : {LoadShared, StoreShared, LoadGlobal, StoreGlobal})
        set(result.machine.classes[opcode_class].values, "source-read", Values{2, 20});
    set(result.machine.control_flow, "stall-zero-yield", Values{9, 12});
    tests::put_forms(result.machine, random, false);
    result.program.function.target = assembly::Target{75};
    tests::mix_forms(result.program.function, random);
    return result;
}

Case random_instruction_cache_case(std::uint64_t seed) {
    CaseDice dice{seed + 3'000'000};
    Case result = random_case(seed);
    models::ValueGroup& fetch = result.machine.fetch;
    set(fetch, "line", 8 << dice(3));
    set(fetch, "stream", dice(4));
    for (const char* level : {"l0", "l1"}) {
        set(fetch, std::string{level} + "-sets", 1 + dice(3));
        set(fetch, std::string{level} + "-ways", 1 + dice(3));
        set(fetch, std::string{level} + "-miss", Values{1 + dice(20), 30});
    }
    set(fetch, "l1-service", Values{dice(2), 1 + dice(3)});
    return result;
}

Case random_constant_case(std::uint64_t seed) {
    CaseDice dice{seed + 2'000'000};
    Case result = seed % 2 == 0 ? random_pipeline_case(seed) : random_case(seed);
    set_memory(result.machine, "constant", "sets", 1 + dice(3));
    set_memory(result.machine, "constant", "ways", 1 + dice(2));
    set_memory(result.machine, "constant", "line", 16 << dice(3));
    set_memory(result.machine, "constant", "miss", Values{1 + dice(20), 40});
    for (auto& instruction : result.program.function.instructions) {
        using enum assembly::OpcodeClass;
        if (instruction.opcode_class != IntegerAdd && instruction.opcode_class != FloatAdd &&
            instruction.opcode_class != SpecialFunction)
            continue;
        for (std::size_t operand = 1; operand < instruction.operands.size(); ++operand)
            if (dice(2) == 0) instruction.operands[operand] = constant(dice(2), 4 * dice(32));
    }
    return result;
}

Case random_operand_case(std::uint64_t seed) {
    CaseDice dice{seed + 4'000'000};
    Case result = random_constant_case(2 * seed + 1);
    set_memory(result.machine, "constant", "miss", Values{1 + dice(20), 60});
    set_memory(result.machine, "constant", "hold", Values{1 + dice(4), 4 + dice(30)});
    if (dice(4) == 0) set_memory(result.machine, "constant", "warm", 1);
    return result;
}

} // namespace warpbound::harness::simulator::test
