#pragma once
/// \file
/// Parameters of formulas that no description of a machine and no profile has: somebody states
/// them.

#include "assembly/support/result.hpp"

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace warpbound::models::prediction {

/// What may be stated, in which unit and range.
struct StatedRule {
    std::string_view name;
    std::string_view unit;
    double minimum = 0;
    double maximum = 0;
    bool whole = false; ///< A whole number.
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
