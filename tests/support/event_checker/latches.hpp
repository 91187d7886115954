#pragma once
/// \file
/// Which issues occupied the latches of the operand collectors, and when (C47).

#include "tests/support/event_checker/recorded_launch.hpp"

#include <map>
#include <tuple>
#include <vector>

namespace warpbound::tests {

class Latches {
public:
    /// Unit, SM, scheduler (0 where all schedulers share the pool).
    using Pool = std::tuple<std::size_t, int, int>;

    /// The launch must be collected and outlive this.
    explicit Latches(RecordedLaunch& run);

    [[nodiscard]] static Pool pool_of(const RecordedLaunch& run, const Issue& issue);
    /// A value of the operand collectors that an issue goes through.
    [[nodiscard]] static std::int64_t value_for(const RecordedLaunch& run, const Issue& issue,
                                                std::string_view name);

    /// A lower bound of the cycle from `cycle` on in which the latch has a free entry for this
    /// issue, if `except` had not issued; `cycle` itself when one is free then.
    [[nodiscard]] std::int64_t free_at(const Issue& issue, std::int64_t cycle,
                                       const Issue* except) const;

private:
    RecordedLaunch& run_;
    std::map<Pool, std::vector<const Issue*>> users_; ///< In issue order.
};

} // namespace warpbound::tests
