#include "harness/protocol/warm_up.hpp"

#include <algorithm>

namespace warpbound::harness {

Result<WarmUp>
warm_up(std::optional<std::int64_t> count,
        const std::function<Result<std::optional<std::int64_t>>(std::int64_t)>& time_of,
        const std::function<bool()>& stop) {
    WarmUp done;
    std::optional<std::int64_t> best;
    std::optional<std::int64_t> best_before;
    while (done.runs < count.value_or(most_warm_up)) {
        if (stop && stop()) {
            done.settled = false;
            return done;
        }
        const auto time = time_of(done.runs + 1);
        if (!time) return time.as_failure();
        ++done.runs;
        if (count) continue;
        if (time.value()) best = best ? std::min(*best, *time.value()) : *time.value();
        if (done.runs % warm_up_window != 0) continue;
        // A window without times decides nothing.
        if (best && best_before && *best >= *best_before) return done;
        if (best) best_before = best_before ? std::min(*best_before, *best) : *best;
        best.reset();
    }
    done.settled = count.has_value();
    return done;
}

} // namespace warpbound::harness
