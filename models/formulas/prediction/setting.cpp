#include "models/formulas/prediction/setting.hpp"

#include <fmt/format.h>

namespace warpbound::models::prediction {

std::string Prediction::why() const {
    if (!refused()) return {};
    if (!refusal.empty()) return refusal;
    return fmt::format("needs {}", fmt::join(missing, "; "));
}

} // namespace warpbound::models::prediction
