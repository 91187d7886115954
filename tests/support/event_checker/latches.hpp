#pragma once
/// \file
/// Who stood in the latches before the operand collectors, and when (C47).

#include "tests/support/event_checker/recorded_launch.hpp"

#include <map>
#include <tuple>
#include <vector>

namespace warpbound::tests {

class Latches {
public:
    /// Unit, SM, scheduler (0 where all share it).
    using Pool = std::tuple<std::size_t, int, int>;

    /// The launch must be collected and outlive this.
    explicit Latches(RecordedLaunch& run);

    [[nodiscard]] static Pool pool_of(const RecordedLaunch& run, const Issue& issue);
    /// A value of the operand collectors that an issue goes through.
    [[nodiscard]] static std::int64_t value_for(const RecordedLaunch& run, const Issue& issue,
                                                std::string_view name);

    /// When the others leave a place for this issue: the cycle itself, or one before which they do
    /// not, had `except` not been made.
    [[nodiscard]] std::int64_t free_at(const Issue& issue, std::int64_t cycle,
                                       const Issue* except) const;

private:
    RecordedLaunch& run_;
    std::map<Pool, std::vector<const Issue*>> users_; ///< In the order of issue.
};

} // namespace warpbound::tests
