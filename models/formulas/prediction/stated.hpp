#pragma once
/// \file
/// Parameters of formulas that neither a machine description nor a profile has: the user states
/// them.

#include "assembly/support/result.hpp"

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace warpbound::models::prediction {

/// A parameter that may be stated, with its unit and range.
struct StatedRule {
    std::string_view name;
    std::string_view unit;
    double minimum = 0;
    double maximum = 0;
    bool whole = false; ///< Whether it must be an integer.
    std::string_view meaning;
};

/// Sorted by name.
std::span<const StatedRule> stated_rules();

/// Stated values by name.
class Stated {
public:
    /// Refuses a name that is not in `stated_rules`, naming those, and a value outside its range.
    Result<void> set(std::string_view name, double value);
    [[nodiscard]] std::optional<double> find(std::string_view name) const;
    [[nodiscard]] const std::map<std::string, double, std::less<>>& all() const { return values_; }

private:
    std::map<std::string, double, std::less<>> values_;
};

/// The rule of a name; null when nothing of that name may be stated.
const StatedRule* find_rule(std::string_view name);

} // namespace warpbound::models::prediction
