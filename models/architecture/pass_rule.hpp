#pragma once
/// \file
/// Rules that give the number of passes of an access from its addresses.

#include "assembly/isa/program.hpp"
#include "models/architecture/architecture.hpp"
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
    std::uint64_t bytes = 4;  ///< Of each lane.
    std::uint64_t line = 0;   ///< Of the L1.
    std::uint64_t sector = 0; ///< Of the L1; of global atomics only, 0: not described.
    std::uint64_t banks = 0;  ///< Of shared memory, with their width.
    std::uint64_t width = 0;
    /// Of a load: lines that one pass may look up, with the banks of the L1's data. At most 1: each
    /// line takes a pass.
    std::uint64_t lines_per_pass = 0;
};
std::int64_t passes_of(const AccessRule& rule, const LaneAddresses& lanes);
/// The passes that C22 allows at these addresses: those of `passes_of`, and of a global atomic up
/// to as many as its sectors take.
PassRange possible_passes(const AccessRule& rule, const LaneAddresses& lanes);

/// Passes of a load of so many lines, from below (C22).
std::int64_t fewest_passes(std::int64_t lines, std::uint64_t lines_per_pass);
/// `l1/lines-per-pass`, where that counts for the passes of the instruction (C22): of loads from
/// global and local memory; else 0.
std::uint64_t lines_per_pass_of(const assembly::Instruction& instruction,
                                const Architecture& architecture);

/// The sectors that count for global atomics (C22): `l1/sector`, if it is one number; else 0.
std::uint64_t sector_of_atomics(const Architecture& architecture);

/// Whether the passes are bank conflicts of shared memory.
bool uses_banks(PassRule rule);

/// Of loads: the L1 does not serve it, as it is coherent with more than one SM or cached in the L2
/// only (C23).
bool passes_the_l1(const assembly::Instruction& instruction);

/// Rule of an access of this class with one address per lane.
PassRule pass_rule(assembly::OpcodeClass opcode_class);

/// Why the passes of a pattern cannot be found by this rule, with its sizes and this many lanes:
/// sizes that are no powers of two, more lanes than a pattern has, lanes wider than all banks or
/// than a line.
std::optional<std::string> objection_to(const AccessRule& rule, std::int64_t lanes);

} // namespace warpbound::models
