#pragma once
/// \file
/// Look-up of the numbers of one prediction, with a record of used and missing values.

#include "models/architecture/architecture.hpp"
#include "models/formulas/explanation.hpp"
#include "models/formulas/prediction/stated.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpbound::models::prediction {

/// End of the intervals that a prediction uses. No variant makes an estimate a bound.
enum class Variant {
    Best,    ///< The smallest values, along the shortest path.
    Typical, ///< Typical values, else the middle of the interval, along a typical path.
    Worst    ///< The largest values, along the longest path.
};
std::string_view to_string(Variant variant);

/// The number of an interval that a variant uses.
double choose(const Interval& interval, Variant variant);

/// Looks values up by name. An unknown value is noted as missing and not returned: it is never
/// replaced by another number.
class Inputs {
public:
    Inputs(const Architecture& architecture, const Stated& stated, Variant variant)
        : architecture_{architecture}, stated_{stated}, variant_{variant} {}

    /// The description's value at a path, as `find_value`. For a rate the best variant takes the
    /// largest number.
    std::optional<double> described(std::string_view path);
    std::optional<double> described_rate(std::string_view path);
    /// The same, not noted as missing.
    std::optional<double> described_if_known(std::string_view path);
    /// A stated value.
    std::optional<double> stated(std::string_view name);
    /// A stated value if there is one; not noted as missing.
    std::optional<double> stated_if_any(std::string_view name);
    /// A stated value, else the description's.
    std::optional<double> stated_or_described(std::string_view name, std::string_view path);

    /// Notes another missing input.
    void miss(std::string what);
    /// Notes a number from another source.
    void use(ExplainedSymbol symbol);

    [[nodiscard]] const Architecture& architecture() const { return architecture_; }
    [[nodiscard]] Variant variant() const { return variant_; }
    /// `Shape:` each once, in the order of use.
    [[nodiscard]] const std::vector<ExplainedSymbol>& used() const { return used_; }
    [[nodiscard]] const std::vector<std::string>& missing() const { return missing_; }

private:
    std::optional<double> look_up(std::string_view path, Variant end);
    [[nodiscard]] bool is_used(std::string_view name) const;

    const Architecture& architecture_;
    const Stated& stated_;
    Variant variant_;
    std::vector<ExplainedSymbol> used_;
    std::vector<std::string> missing_;
};

} // namespace warpbound::models::prediction
