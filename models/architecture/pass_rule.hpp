#pragma once
/// \file
/// Rules that give the number of passes of an access from its addresses.

#include "assembly/isa/program.hpp"
#include "models/facts/address_pattern.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace warpbound::models {

/// Rule that gives the passes of an access from the addresses of its lanes.
enum class PassRule { None, Banks, SharedAtomic, Lines, GlobalAtomic, Words };
PassRule pass_rule(const assembly::Instruction& instruction);

/// A pass rule with its sizes (C22). `Unit:` of sizes, bytes; sizes that the rule does not use are
/// 0.
struct AccessRule {
    PassRule rule = PassRule::None;
    std::uint64_t bytes = 4; ///< Of each lane.
    std::uint64_t line = 0;  ///< Of the L1.
    std::uint64_t banks = 0; ///< Of shared memory, with their width.
    std::uint64_t width = 0;
};
std::int64_t passes_of(const AccessRule& rule, const LaneAddresses& lanes);

/// Whether the passes are bank conflicts of shared memory.
bool uses_banks(PassRule rule);

/// Rule of an access of this class with one address per lane.
PassRule pass_rule(assembly::OpcodeClass opcode_class);

/// Why the passes of a pattern cannot be found by this rule, with its sizes and this many lanes:
/// sizes that are no powers of two, more lanes than a pattern has, lanes wider than all banks or
/// than a line.
std::optional<std::string> objection_to(const AccessRule& rule, std::int64_t lanes);

} // namespace warpbound::models
