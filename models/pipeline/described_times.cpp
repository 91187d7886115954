#include "models/pipeline/described_times.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <limits>
#include <string>

namespace warpbound::models {

Result<Bounds<Nanoseconds>> described_copy(const Architecture& machine,
                                           const PipelineStage& stage) {
    const std::string direction{to_string(stage.kind)};
    const auto value = [&](const std::string& name) {
        return require(machine, machine.transfers, "transfers", direction + name);
    };
    const auto start = value("-start");
    const auto width = value("-bandwidth");
    for (const auto* known : {&start, &width})
        if (!*known)
            return Failure{
                fmt::format("{}; expected its time, at-most=\"2ms\"", known->error().what)};
    constexpr std::int64_t nanoseconds = 1'000'000; // Bytes per ms to bytes per ns.
    __extension__ using Wide = __int128;
    const auto moved = [&](std::int64_t bandwidth, bool up) -> Wide {
        return (Wide{stage.bytes} * nanoseconds + (up ? bandwidth - 1 : 0)) / bandwidth;
    };
    const Wide least = start.value().lo + moved(width.value().hi, false);
    const Wide most = start.value().hi + moved(width.value().lo, true);
    if (most > std::numeric_limits<std::int64_t>::max())
        return Failure{fmt::format("a copy of {} bytes takes 2^63 ns or more at the described "
                                   "bandwidth; expected its time, at-most=\"2ms\"",
                                   stage.bytes)};
    return Bounds{Nanoseconds{static_cast<std::int64_t>(least)},
                  Nanoseconds{static_cast<std::int64_t>(most)}};
}

Result<Bounds<Cycles>> with_launch(const Architecture& machine, const Bounds<Cycles>& execution,
                                   std::string_view attribute) {
    const auto cost = require(machine, machine.blocks, "blocks", "launch");
    if (!cost)
        return Failure{
            fmt::format("{}; expected what a launch costs, {}", cost.error().what, attribute)};
    return Bounds{execution.lower() + Cycles{cost.value().lo},
                  execution.upper() + Cycles{cost.value().hi}};
}

Result<Bounds<Cycles>> with_launch(const Architecture& machine, const PipelineStage& stage,
                                   const Bounds<Cycles>& execution) {
    if (stage.cost) return execution;
    return with_launch(machine, execution, "launch-at-most=\"10us\"");
}

} // namespace warpbound::models
