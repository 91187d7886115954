#pragma once
/// \file
/// A small machine, and the timing of one instruction on it.

#include "assembly/isa/function_effects.hpp"
#include "models/architecture/instruction_timing.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace warpbound::models::timed {

using assembly::OpcodeClass;

inline SourcedValue value(std::string name, std::int64_t lo, std::int64_t hi,
                          Grade grade = Grade::PeerReviewed) {
    SourcedValue made;
    made.name = std::move(name);
    made.unit = "cycles";
    made.interval = Interval{.lo = lo, .typical = std::nullopt, .hi = hi};
    made.source = "test";
    made.grade = grade;
    return made;
}

inline SourcedValue unknown(std::string name) {
    SourcedValue made;
    made.name = std::move(name);
    made.unit = "cycles";
    return made;
}

inline Architecture machine(IssueControl control) {
    Architecture made;
    made.name = "m";
    made.target = {.sm = control == IssueControl::Encoded ? 75 : 20};
    made.issue_control = control;
    made.units = {{.name = "alu", .scope = UnitScope::Partition},
                  {.name = "path", .scope = UnitScope::Core}};
    made.schedulers.values = {value("same-warp-interval", 6, 6)};
    made.control_flow.values = {value("branch-taken", 32, 32, Grade::Inferred),
                                value("branch-not-taken", 28, 28)};
    const auto add = [&made](OpcodeClass opcode_class, std::string unit,
                             std::vector<SourcedValue> values) {
        values.push_back(value("initiation", 2, 3));
        made.classes[opcode_class] = {.unit = std::move(unit),
                                      .values = {.name = {}, .values = std::move(values)}};
    };
    add(OpcodeClass::Move, "alu", {value("latency", 18, 18, Grade::Assumed)});
    add(OpcodeClass::Branch, "alu", {});
    add(OpcodeClass::Exit, "alu", {});
    add(OpcodeClass::Reconvergence, "alu", {value("latency", 1, 1)});
    add(OpcodeClass::Barrier, "alu", {});
    add(OpcodeClass::Double, "alu", {unknown("latency")});
    add(OpcodeClass::LoadShared, "path",
        {value("latency", 26, 50), value("pass-cost", 2, 2), value("source-read", 9, 11)});
    add(OpcodeClass::LoadConstant, "path", {value("latency", 26, 50), value("pass-cost", 1, 9)});
    add(OpcodeClass::LoadGlobal, "path", {value("pass-cost", 4, 4)});
    add(OpcodeClass::StoreGlobal, "path", {value("pass-cost", 4, 4)});
    add(OpcodeClass::AtomicGlobal, "path", {value("latency", 99, 99)});
    made.memories = {{.name = "l1", .values = {value("latency", 30, 35)}},
                     {.name = "l2", .values = {value("latency", 190, 230), value("atomic", 1, 9)}},
                     {.name = "dram", .values = {value("latency", 350, 500)}}};
    made.write_buffer.values = {value("entries", 8, 8), value("drain", 2, 9, Grade::Assumed)};
    return made;
}

inline Result<InstructionTiming> timing_of(const assembly::Instruction& one,
                                           const Architecture& architecture,
                                           const FlowFacts& facts = {}) {
    assembly::Function function;
    function.target = architecture.target;
    function.instructions = {one};
    assembly::set_effects(function);
    return instruction_timings(function, architecture, facts, 32).front();
}

} // namespace warpbound::models::timed
