#pragma once
/// \file
/// Values of a description as experiments use them, and what a loop adds to their times.

#include "models/architecture/architecture.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace warpbound::harness::contract {

/// Looks values up by path. The first one that is absent or unknown is kept as a refusal; numbers
/// after that mean nothing.
class ContractValues {
public:
    explicit ContractValues(const models::Architecture& architecture)
        : architecture_{&architecture} {}

    models::Interval of(std::string_view path);
    [[nodiscard]] const std::optional<Failure>& missing() const { return missing_; }
    [[nodiscard]] const models::Architecture& architecture() const { return *architecture_; }
    [[nodiscard]] bool interlocks() const {
        return architecture_->issue_control == models::IssueControl::Interlocked;
    }

    /// The most by which the two clock reads of a region may shift its time: what their latencies
    /// differ by. `Unit:` core cycles.
    std::int64_t clock_error();
    /// Issue distance of two instructions of a warp that need no result. With encoded control
    /// fields: at least 1, at most the largest stall count.
    models::Interval gap();

private:
    const models::Architecture* architecture_;
    std::optional<Failure> missing_;
};

/// "4..6", or "4".
std::string text_of(const models::Interval& interval);

/// By how much the loop control and the fetch of instructions may make one region longer than
/// another that has the same loop and a shorter body. `Unit:` core cycles. `Side:` upper.
struct LoopError {
    std::int64_t each_iteration = 0;
    std::int64_t once = 0;
};
/// `operations`: of the longer body. `same_code`: the bodies differ in addresses only, so that a
/// compiler gives them the same stall counts. None where no upper side is known: stages before or
/// behind the issue are described that have no bounds, or the loop does not fit the L0.
/// `Sound when:` a compiler issues an operation as soon as the described latency allows, and the
/// loop control takes at most three instructions of the largest stall count. Of AMD's machines: it
/// is three scalar instructions (`emit_amd`).
std::optional<LoopError> loop_error(ContractValues& values, std::int64_t operations,
                                    bool same_code);

} // namespace warpbound::harness::contract
