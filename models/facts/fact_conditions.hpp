#pragma once
/// \file
/// The launch for which facts of a file were derived: where it counts, they hold for no other.

#include "assembly/support/result.hpp"
#include "models/launch/launch.hpp"
#include "models/xml/xml_reader.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace warpbound::models {

/// What is stated of a launch, as attributes of `<flow-facts>`; what is not stated, the facts do
/// not depend on.
struct FactConditions {
    std::optional<BlockShape> block;    ///< `block`
    std::optional<GridShape> grid;      ///< `grid`
    std::optional<std::int64_t> blocks; ///< `blocks`: of a launch whose grid was not stated.
    ArgumentWords arguments;            ///< `arguments`
    friend bool operator==(const FactConditions&, const FactConditions&) = default;
};

/// Those of facts that are derived for the launch.
FactConditions conditions_of(const Launch& launch);

/// The attributes, in the order in which files have them: name and text.
std::vector<std::pair<std::string, std::string>> attributes_of(const FactConditions& conditions);

/// Reads the attributes of the element; others are left alone. Refuses malformed ones, and `grid`
/// together with `blocks`.
Result<FactConditions> read_conditions(const XmlElement& element);

/// What the launch or its arguments have otherwise, as a sentence that says both; none: the facts
/// apply. Arguments that the launch does not state are no contradiction: the file states them.
std::optional<std::string> contradiction(const FactConditions& conditions, const Launch& launch);

/// What two files have otherwise, as a sentence that says both.
std::optional<std::string> contradiction(const FactConditions& known, const FactConditions& made);

} // namespace warpbound::models
