#include "analyzer/host/end_to_end.hpp"

#include "models/architecture/schema.hpp"

#include <boost/multiprecision/cpp_int.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace warpbound::analyzer {

namespace {

using models::Interval;

std::int64_t endpoint_of(const Interval& interval, Side side) {
    return side == Side::Upper ? interval.hi : interval.lo;
}

/// a b / c, rounded up. Requires: none negative, c not 0.
std::int64_t scaled(std::int64_t a, std::int64_t b, std::int64_t c) {
    const boost::multiprecision::cpp_int quotient =
        (boost::multiprecision::cpp_int{a} * b + (c - 1)) / c;
    if (quotient > std::numeric_limits<std::int64_t>::max())
        throw std::overflow_error{"a copy takes too many cycles to count"};
    return static_cast<std::int64_t>(quotient);
}

/// An operation of the host.
struct HostStep {
    std::string text;
    Interval cycles; ///< From its entry into its queue to its end in the stream.
};

class HostTimelineBounds {
public:
    explicit HostTimelineBounds(const Request& request)
        : machine_{*request.architecture}, host_{*request.host} {}

    Result<EndToEnd> bound(const Envelope& execution) {
        if (auto known = read(execution); !known) return known.as_failure();
        EndToEnd all;
        all.envelope.lower = side(Side::Lower, execution.lower);
        all.envelope.upper = side(Side::Upper, execution.upper);
        all.assumptions = assumptions_;
        return all;
    }

private:
    Result<void> read(const Envelope& execution) {
        for (const auto& copy : host_.before)
            if (auto added = add_copy(copy); !added) return added;
        if (auto added = add_launch(execution); !added) return added;
        for (const auto& copy : host_.after)
            if (auto added = add_copy(copy); !added) return added;
        if (steps_.size() == 1) return boost::outcome_v2::success();
        const models::SourcedValue* const call = machine_.transfers.find("call");
        if (call == nullptr || !call->interval) {
            assumptions_.emplace_back("The host needs no time from one call to the next: "
                                      "transfers/call is not described.");
            return boost::outcome_v2::success();
        }
        auto cycles = in_cycles(*call->interval);
        if (!cycles) return cycles.as_failure();
        call_ = cycles.value();
        return boost::outcome_v2::success();
    }

    /// Converts nanoseconds to core cycles (C36).
    Result<Interval> in_cycles(const Interval& nanoseconds) {
        constexpr std::int64_t per_kilohertz = 1'000'000;
        const auto clock = models::require(machine_, machine_.geometry, "geometry", "core-clock");
        if (!clock) return clock.as_failure();
        return Interval{scaled(nanoseconds.lo, clock.value().lo, per_kilohertz), std::nullopt,
                        scaled(nanoseconds.hi, clock.value().hi, per_kilohertz)};
    }

    Result<void> add_copy(const models::HostOperation& copy) {
        const std::string direction{to_string(copy.kind)};
        if (copy.bytes < 1 || copy.bytes > models::most_copy_bytes)
            return Failure{fmt::format("a copy of {} bytes; expected 1 to {}", copy.bytes,
                                       models::most_copy_bytes),
                           direction};
        const auto start =
            models::require(machine_, machine_.transfers, "transfers", direction + "-start");
        if (!start) return start.as_failure();
        const auto width =
            models::require(machine_, machine_.transfers, "transfers", direction + "-bandwidth");
        if (!width) return width.as_failure();
        const auto clock = models::require(machine_, machine_.geometry, "geometry", "core-clock");
        if (!clock) return clock.as_failure();
        const auto begun = in_cycles(start.value());
        if (!begun) return begun.as_failure();
        steps_.push_back({fmt::format("copy of {} bytes, {} (C36)", copy.bytes, direction),
                          {models::plus(begun.value().lo,
                                        scaled(copy.bytes, clock.value().lo, width.value().hi)),
                           std::nullopt,
                           models::plus(begun.value().hi,
                                        scaled(copy.bytes, clock.value().hi, width.value().lo))}});
        return boost::outcome_v2::success();
    }

    Result<void> add_launch(const Envelope& execution) {
        if (host_.launch_cost) {
            cost_ = *host_.launch_cost;
            assumptions_.push_back(
                fmt::format("A launch costs {} cycles before its first blocks, as stated.",
                            cost_.lo == cost_.hi ? fmt::format("{}", cost_.lo)
                                                 : fmt::format("{} to {}", cost_.lo, cost_.hi)));
        } else {
            const auto cost = models::require(machine_, machine_.blocks, "blocks", "launch");
            if (!cost)
                return Failure{cost.error().what + "; state what a launch costs with --launch-cost",
                               cost.error().where};
            cost_ = cost.value();
        }
        launch_ = steps_.size();
        const models::Cycles hi =
            execution.upper.proved + models::Cycles{cost_.hi} + models::Cycles{extra_drain()};
        const models::Cycles lo = execution.lower.proved + models::Cycles{cost_.lo};
        steps_.push_back({"", {lo.count(), std::nullopt, hi.count()}});
        return boost::outcome_v2::success();
    }

    /// The launch ends in its stream when its last store has left the write buffer, at most one
    /// cycle after its completion (C26, C33); later copies wait for that. `Unit:` core cycles.
    [[nodiscard]] std::int64_t extra_drain() const { return host_.after.empty() ? 0 : 1; }

    /// An operation enters its queue when its call was made and the previous operation has ended.
    /// So there is a last operation that waits for its call only; all later ones follow back to
    /// back.
    [[nodiscard]] SideResult side(Side side, const SideResult& execution) const {
        const std::int64_t call = endpoint_of(call_, side);
        models::Cycles end{0};
        std::size_t from = 0;
        for (std::size_t i = 0; i < steps_.size(); ++i) {
            const models::Cycles issued = models::Cycles{call} * static_cast<std::int64_t>(i);
            if (end < issued) from = i;
            end = std::max(end, issued) + models::Cycles{endpoint_of(steps_[i].cycles, side)};
        }
        SideResult result;
        result.outcome = execution.outcome;
        result.proved = end;
        result.proof = execution.proof;
        if (from > 0)
            result.terms.push_back(
                {"calls of the host before the last operation that waits only for its call (C32)",
                 static_cast<std::int64_t>(from), call});
        for (std::size_t i = from; i < steps_.size(); ++i) {
            if (i != launch_) {
                result.terms.push_back({steps_[i].text, 1, endpoint_of(steps_[i].cycles, side)});
                continue;
            }
            result.terms.push_back({"cost of the launch (C34)", 1, endpoint_of(cost_, side)});
            result.terms.push_back({"execution time of the launch", 1, execution.proved.count()});
            if (side == Side::Upper && extra_drain() > 0)
                result.terms.push_back(
                    {"until its last store has left the write buffer (C33)", 1, extra_drain()});
        }
        return result;
    }

    const models::Architecture& machine_;
    const HostTimeline& host_;
    std::vector<HostStep> steps_;
    std::size_t launch_ = 0; ///< Index of the launch in `steps_`.
    Interval cost_;
    Interval call_;
    std::vector<std::string> assumptions_;
};

} // namespace

Result<EndToEnd> bound_end_to_end(const Request& request, const Envelope& execution) {
    return HostTimelineBounds{request}.bound(execution);
}

} // namespace warpbound::analyzer
