#include "models/pipeline/system.hpp"

#include <algorithm>

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

bool needs_derived_traffic(const PipelineSystem& system, const PipelineStage& stage) {
    if (!stage.code || system.memory.is_excluded) return false;
    const auto is_open = [](const auto& bytes) { return !bytes; };
    if (std::none_of(stage.traffic.begin(), stage.traffic.end(), is_open)) return false;
    const auto is_elsewhere = [&](const PipelineStage& other) {
        return other.server && other.server != stage.server;
    };
    return std::any_of(
        system.pipelines.begin(), system.pipelines.end(), [&](const Pipeline& pipeline) {
            return std::any_of(pipeline.stages.begin(), pipeline.stages.end(), is_elsewhere);
        });
}

void take_derived_traffic(PipelineStage& stage, const PerMemory<std::int64_t>& bytes) {
    for (std::size_t m = 0; m < shared_memories.size(); ++m) {
        if (stage.traffic.at(m)) continue;
        stage.traffic.at(m) = bytes.at(m);
        stage.is_traffic_derived.at(m) = true;
    }
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
