#pragma once
/// \file
/// The rule by which addresses become passes, where only the class of an instruction is known.

#include "assembly/isa/program.hpp"
#include "models/facts/address_pattern.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace warpbound::models {

/// What decides the passes of an access from the addresses of its lanes.
enum class PassRule { None, Banks, SharedAtomic, Lines, GlobalAtomic, Words };
PassRule pass_rule(const assembly::Instruction& instruction);

/// How addresses of lanes become passes (C22). `Unit:` of sizes, bytes; those that the rule does
/// not use are 0.
struct AccessRule {
    PassRule rule = PassRule::None;
    std::uint64_t bytes = 4; ///< Of each lane.
    std::uint64_t line = 0;  ///< Of the L1.
    std::uint64_t banks = 0; ///< Of shared memory, with their width.
    std::uint64_t width = 0;
};
std::int64_t passes_of(const AccessRule& rule, const LaneAddresses& lanes);

/// Whether the banks of shared memory make the passes.
bool uses_banks(PassRule rule);

/// Of an access of this class whose lanes address memory one by one.
PassRule pass_rule(assembly::OpcodeClass opcode_class);

/// Why the passes of a pattern cannot be found by this rule, with its sizes and this many lanes:
/// sizes that are no powers of two, more lanes than a pattern has, lanes wider than all banks or
/// than a line.
std::optional<std::string> objection_to(const AccessRule& rule, std::int64_t lanes);

} // namespace warpbound::models
