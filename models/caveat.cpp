#include "models/caveat.hpp"

namespace warpbound::models {

std::string caveat_of(const SourcedValue& value) {
    if (has_caveat(value.grade)) return std::string{to_string(value.grade)};
    // A measured number with a reason was derived from a range of samples.
    const bool range = value.interval && (!value.interval->is_exact() || !value.reason.empty());
    return value.grade == Grade::Measured && range ? "measured ranges, which may be too narrow"
                                                   : "";
}

} // namespace warpbound::models
