#pragma once
/// \file
/// Parameters that override those of a prediction: --set NAME=VALUE sets one value, --sweep
/// NAME=LO:HI[:STEP] a sequence of values.

#include "models/formulas/prediction/prediction.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace warpbound::cli {

/// The forms of NAME, for help texts and refusals.
extern const char* const setting_names;

/// Sets one parameter. NAME is `warps`, `launch.threads`, `launch.blocks`, a parameter of
/// the formulas or `architecture:` and the path of a description's value. Refuses another name and
/// a value out of range.
Result<void> apply_value(models::prediction::Setting& setting, std::string_view name, double value);

/// Reads NAME=VALUE and applies it.
Result<void> apply_assignment(models::prediction::Setting& setting, const std::string& text);

struct Sweep {
    std::string name;
    std::vector<double> values; ///< At least one, increasing.
};

/// Reads NAME=LO:HI[:STEP]; the step is 1 when it is left out, HI is included when a step hits it.
/// Refuses other text, LO above HI, steps that are not positive and more than 10,000 values. NAME
/// and values are checked when they are applied.
Result<Sweep> read_sweep(const std::string& text);

} // namespace warpbound::cli
