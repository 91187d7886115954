#pragma once
/// \file
/// Tests of a sample in run order against slow drift and changes of state.

#include "harness/protocol/order_tests.hpp"

#include <cstddef>
#include <optional>
#include <span>

namespace warpbound::harness {

/// "kpss": cumulative sums of the differences from the mean, squared and added, over the variance.
/// `lags`: correlations with so many preceding runs enter the variance (Bartlett weights); 0 tests
/// against independence. The p-value is that of the limit distribution. Needs 20 runs.
/// `Source:` Kwiatkowski, Phillips, Schmidt and Shin 1992, eq. 11 to 13.
OrderTest kpss_test(std::span<const double> values, std::size_t lags = 0);

/// "change point": the largest cumulative sum of the ranks' differences from their mean; the note
/// names the last run before the change. The p-value is that of the limit distribution, which errs
/// large. Needs 20 runs. `Source:` Pettitt 1979, with the variance of the ranks where there are
/// ties.
OrderTest change_point_test(std::span<const double> values);

} // namespace warpbound::harness
