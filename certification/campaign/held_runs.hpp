#pragma once
/// \file
/// Runs of a user's kernel beside the bounds of its launch.

#include "harness/campaign/series.hpp"

#include <cstdint>
#include <string>

namespace warpbound::certification {

/// How the runs of a series stand to the bounds of its launch. `Unit:` that of the series, ns or
/// core cycles.
struct HeldRuns {
    harness::SeriesKey key; ///< With the quantity that is compared.
    std::string release;    ///< How its runs are released.
    std::string bound;      ///< What was bounded: "976..4906 cycles on turing-t4, .."
    std::string clock;      ///< Empty: times are in cycles.
    std::int64_t lower = 0;
    std::int64_t upper = 0;
    std::int64_t inside = 0; ///< Numbers of runs.
    std::int64_t below = 0;
    std::int64_t above = 0;
    std::int64_t undecided = 0; ///< Above by less than what a launch takes.
    std::string
        not_held; ///< Why the bounds are not those of these runs; then there are no numbers.
};

} // namespace warpbound::certification
