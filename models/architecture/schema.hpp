#pragma once
/// \file
/// Which values a description may hold: per group their names, units and smallest sensible number.

#include "models/architecture/architecture.hpp"

#include <span>

namespace warpbound::models {

struct ValueRule {
    std::string_view name;
    std::string_view unit;
    std::int64_t minimum = 0;
    bool exact = false;   ///< A count that cannot vary between uses: lo = hi.
    bool of_form = false; ///< Of one form of the instructions of a class (C89, C90).
};

/// A group that occurs at most once, as the element `element`.
struct GroupRule {
    std::string_view element;
    ValueGroup Architecture::*member = nullptr;
    std::span<const ValueRule> values;
    bool may_cost_nothing = false; ///< What it describes only delays (C17).
};

/// In the order in which they are written.
std::span<const GroupRule> group_rules();
/// The values of `<class>`. Loads of global and local memory have no `latency`: it is that of the
/// memory level.
std::span<const ValueRule> class_rules(assembly::OpcodeClass opcode_class);

struct MemoryRule {
    std::string_view name;
    std::span<const ValueRule> values;
    bool may_cost_nothing = false; ///< What it describes only delays (C17).
};
std::span<const MemoryRule> memory_rules();
/// The values of `<operand-collector>`.
std::span<const ValueRule> collector_rules();

std::string_view to_string(UnitScope scope);
std::string_view to_string(IssueControl control);

/// Largest number of a description. Unit: that of the value.
inline constexpr std::int64_t largest_value = 1'000'000'000'000;
/// Largest number of cycles of a description: sums over a kernel stay far from overflow.
inline constexpr std::int64_t largest_cycles = 1'000'000'000;

} // namespace warpbound::models
