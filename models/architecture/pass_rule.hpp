#pragma once
/// \file
/// The rule by which addresses become passes, where only the class of an instruction is known.

#include "models/architecture/instruction_timing.hpp"

#include <optional>
#include <string>

namespace warpbound::models {

/// Whether the banks of shared memory make the passes.
bool uses_banks(PassRule rule);

/// Of an access of this class whose lanes address memory one by one.
PassRule pass_rule(assembly::OpcodeClass opcode_class);

/// Why the passes of a pattern cannot be found by this rule, with its sizes and this many lanes:
/// sizes that are no powers of two, more lanes than a pattern has, lanes wider than all banks or
/// than a line.
std::optional<std::string> objection_to(const AccessRule& rule, std::int64_t lanes);

} // namespace warpbound::models
