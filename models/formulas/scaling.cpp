#include "models/formulas/scaling.hpp"

#include "models/formulas/input_check.hpp"

namespace warpbound::models {

Result<double> scaling_factor(Estimate<Seconds> unscaled, Seconds measured) {
    if (const auto wrong = InputCheck{"scaling factor"}
                               .positive("time of the model", unscaled.value())
                               .positive("measured time", measured.count())
                               .failure())
        return *wrong;
    return unscaled.value() / measured.count();
}

} // namespace warpbound::models
