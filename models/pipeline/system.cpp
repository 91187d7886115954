#include "models/pipeline/system.hpp"

namespace warpbound::models {

std::string_view to_string(ServerOrder order) {
    constexpr std::array<std::string_view, 3> names{"any", "fifo", "priority"};
    return names.at(static_cast<std::size_t>(order));
}

std::string_view to_string(StageKind kind) {
    constexpr std::array<std::string_view, 4> names{"kernel", "host-to-device", "device-to-host",
                                                    "host"};
    return names.at(static_cast<std::size_t>(kind));
}

std::string_view to_string(TimeBasis basis) {
    constexpr std::array<std::string_view, 3> names{"stated", "measured", "bounded"};
    return names.at(static_cast<std::size_t>(basis));
}

void use_clock(PipelineSystem& system, const ClockRange& clock) {
    system.clock = clock;
    for (Pipeline& pipeline : system.pipelines)
        for (PipelineStage& stage : pipeline.stages) {
            if (!stage.cycles) continue;
            const auto execution = time_of(*stage.cycles, clock);
            const auto cost = stage.cost.value_or(Bounds{Nanoseconds{}, Nanoseconds{}});
            stage.time.emplace(cost.lower() + execution.lower(), cost.upper() + execution.upper());
        }
}

PipelineSystem alone(const PipelineSystem& system, std::size_t pipeline) {
    PipelineSystem one = system;
    one.pipelines = {system.pipelines.at(pipeline)};
    one.clients.clear();
    return one;
}

} // namespace warpbound::models
