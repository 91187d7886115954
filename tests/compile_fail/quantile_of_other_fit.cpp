// The type of a fit decides the quantile formula: excesses are no block maxima.
#include "models/statistics/per_run.hpp"

namespace {

using namespace warpbound::models;

[[maybe_unused]] double time() {
#ifdef WARPBOUND_CORRECT
    return quantile_per_run(ThresholdFit<GeneralizedPareto>{{10, -0.1}, 100, 0.1}, 1e-6).value();
#else
    return quantile_per_run(BlockMaximaFit<GeneralizedPareto>{{10, -0.1}, 50}, 1e-6).value();
#endif
}

} // namespace
