#include "analyzer/pipeline/latency.hpp"

#include "analyzer/pipeline/response_time.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <utility>

namespace warpbound::analyzer {

namespace {

using models::Pipeline;
using models::PipelineStage;
using models::PipelineSystem;
using models::plus;
using models::ServerOrder;

constexpr int most_rounds = 1000;
constexpr std::int64_t most_distances = 1000; ///< Longest latency that is sought, in distances.

std::int64_t upper_time(const PipelineStage& stage) {
    return stage.time->upper().count();
}

/// Of lower times: not above their sum, which may be beyond all limits.
std::int64_t lower_sum(std::int64_t a, std::int64_t b) {
    std::int64_t sum = 0;
    return __builtin_add_overflow(a, b, &sum) ? std::numeric_limits<std::int64_t>::max() : sum;
}

/// Which stages precede others of their pipeline. Shape: [stage][stage before it].
std::vector<std::vector<bool>> order_of(const Pipeline& pipeline) {
    const std::size_t count = pipeline.stages.size();
    std::vector<std::vector<bool>> before(count, std::vector<bool>(count, false));
    for (std::size_t i = 0; i < count; ++i)
        for (const std::size_t direct : pipeline.stages[i].after) {
            before[i][direct] = true;
            for (std::size_t j = 0; j < count; ++j)
                if (before[direct][j]) before[i][j] = true;
        }
    return before;
}

/// The holistic analysis: response times follow from jitter, jitter from response times.
class HolisticAnalysis {
public:
    explicit HolisticAnalysis(const PipelineSystem& system) : system_{system} {
        for (const Pipeline& pipeline : system.pipelines) {
            before_.push_back(order_of(pipeline));
            LatencyBounds bounds;
            bounds.stages.resize(pipeline.stages.size());
            result_.pipelines.push_back(std::move(bounds));
            fixed_point_.emplace_back(pipeline.stages.size());
        }
    }

    SystemLatency solve() {
        result_.utilisation.resize(system_.servers.size());
        earliest_arrivals();
        try {
            return fixed_point_of_all();
        } catch (const std::overflow_error&) {
            return without_uppers("a sum of times or of traffic is beyond 2^63");
        }
    }

    /// Of the last round. Requires: solved.
    std::vector<std::vector<StageFixedPoint>> fixed_point() { return std::move(fixed_point_); }

private:
    SystemLatency fixed_point_of_all() {
        for (int round = 0;; ++round) {
            changed_ = false;
            if (!arrivals()) return without_uppers({});
            for (std::size_t server = 0; server < system_.servers.size(); ++server)
                if (!respond(server)) return without_uppers({});
            if (!result_.missing.empty()) return without_uppers({});
            for (std::size_t p = 0; p < system_.pipelines.size(); ++p)
                if (!ends_in_time(p)) return without_uppers({});
            if (!changed_) break;
            if (round == most_rounds)
                return without_uppers("response times and jitter reached no fixed point");
        }
        for (std::size_t p = 0; p < system_.pipelines.size(); ++p)
            conclude(system_.pipelines[p], result_.pipelines[p]);
        return std::move(result_);
    }

    struct Place {
        std::size_t pipeline;
        std::size_t stage;
    };
    /// Stages of the only job at a server, of which one may wait for the others.
    struct OneJob {
        std::size_t pipeline;
        const std::vector<std::size_t>& stages;
    };

    [[nodiscard]] const PipelineStage& stage_at(Place place) const {
        return system_.pipelines[place.pipeline].stages[place.stage];
    }
    StageLatency& latency_at(Place place) {
        return result_.pipelines[place.pipeline].stages[place.stage];
    }

    void earliest_arrivals() {
        for (std::size_t p = 0; p < system_.pipelines.size(); ++p) {
            LatencyBounds& bounds = result_.pipelines[p];
            const auto& stages = system_.pipelines[p].stages;
            for (std::size_t i = 0; i < stages.size(); ++i) {
                std::int64_t& earliest = bounds.stages[i].earliest;
                for (const std::size_t before : stages[i].after)
                    earliest = std::max(earliest, lower_sum(bounds.stages[before].earliest,
                                                            stages[before].time->lower().count()));
                bounds.lower =
                    std::max(bounds.lower, lower_sum(earliest, stages[i].time->lower().count()));
            }
        }
    }

    /// Latest arrivals from the ends of the stages before. False: beyond all limits.
    bool arrivals() {
        for (std::size_t p = 0; p < system_.pipelines.size(); ++p) {
            const Pipeline& pipeline = system_.pipelines[p];
            const std::int64_t latest_start = pipeline.jitter.count();
            for (std::size_t i = 0; i < pipeline.stages.size(); ++i) {
                StageLatency& stage = latency_at({p, i});
                std::int64_t latest = latest_start;
                for (const std::size_t before : pipeline.stages[i].after)
                    latest = std::max(latest, latency_at({p, before}).end);
                raise(stage.latest, latest);
                if (!pipeline.stages[i].server)
                    raise(stage.response, upper_time(pipeline.stages[i]));
                raise(stage.end,
                      plus(stage.latest, pipeline.stages[i].server ? upper_time(pipeline.stages[i])
                                                                   : stage.response));
                if (stage.end > models::longest_latency.count()) {
                    result_.refusal = fmt::format(
                        "the latency of '{}' grows beyond 2^57 ns, four and a half years",
                        pipeline.name);
                    return false;
                }
                if (stage.end / most_distances > pipeline.distance.count() + latest_start) {
                    result_.refusal = fmt::format(
                        "the latency of '{}' grows beyond {} times the distance of its jobs",
                        pipeline.name, most_distances);
                    return false;
                }
            }
        }
        return true;
    }
    void raise(std::int64_t& value, std::int64_t to) {
        if (to <= value) return;
        value = to;
        changed_ = true;
    }

    [[nodiscard]] std::vector<Place> stages_on(std::size_t server) const {
        std::vector<Place> places;
        for (std::size_t p = 0; p < system_.pipelines.size(); ++p)
            for (std::size_t i = 0; i < system_.pipelines[p].stages.size(); ++i)
                if (system_.pipelines[p].stages[i].server == server) places.push_back({p, i});
        return places;
    }

    /// The one pipeline that uses the server, when its jobs come one after another and no client
    /// does: then no two jobs meet there.
    [[nodiscard]] bool serves_one_job(std::size_t server, const std::vector<Place>& places) const {
        for (const auto& client : system_.clients)
            for (const auto& operation : client.operations)
                if (operation.server == server) return false;
        return !system_.pipelines[places.front().pipeline].overlaps &&
               std::all_of(places.begin(), places.end(), [&](const Place& place) {
                   return place.pipeline == places.front().pipeline;
               });
    }

    bool respond(std::size_t server) {
        const std::vector<Place> places = stages_on(server);
        if (places.empty()) return true;
        if (serves_one_job(server, places)) {
            for (const Place& place : places)
                if (!respond_alone(server, places, place)) return false;
            return true;
        }
        ServerLoad load;
        load.order = system_.servers[server].order;
        for (const Place& place : places) {
            const StageLatency& stage = latency_at(place);
            load.operations.push_back({upper_time(stage_at(place)),
                                       system_.pipelines[place.pipeline].distance.count(),
                                       stage.earliest, stage.latest, stage_at(place).priority});
        }
        add_clients(server, load);
        load.memory = interference(server, nullptr);
        result_.utilisation[server] = utilisation(load);
        if (!result_.missing.empty()) return true;
        const ResponseTimes times = response_times(load);
        if (!times.refusal.empty()) {
            result_.refusal =
                fmt::format("'{}' is overloaded: {}", system_.servers[server].name, times.refusal);
            return false;
        }
        for (std::size_t i = 0; i < places.size(); ++i)
            keep(places[i], times.bounds[i], load.memory);
        return true;
    }
    void keep(Place place, const ResponseTime& time, const MemoryInterference& memory) {
        StageLatency& stage = latency_at(place);
        fixed_point_[place.pipeline][place.stage] = {time.busy_period, time.starts, memory};
        if (time.from_arrival > stage.response) stage.memory = time.memory;
        raise(stage.response, time.from_arrival);
        raise(stage.end, std::min(time.from_release, plus(stage.latest, time.from_arrival)));
    }

    /// Whether one of the stages precedes the other.
    [[nodiscard]] bool are_ordered(std::size_t pipeline, std::size_t a, std::size_t b) const {
        return before_[pipeline][a][b] || before_[pipeline][b][a];
    }

    /// One job at a time: only stages that neither precede nor follow this one are pending.
    bool respond_alone(std::size_t server, const std::vector<Place>& places, Place own) {
        std::int64_t work = 0;
        std::int64_t served = 0;
        std::vector<std::size_t> together; ///< This stage, and those that it may wait for.
        for (const Place& place : places) {
            served = plus(served, upper_time(stage_at(place)));
            if (are_ordered(own.pipeline, own.stage, place.stage)) continue;
            work = plus(work, upper_time(stage_at(place)));
            together.push_back(place.stage);
        }
        const std::int64_t distance = system_.pipelines[own.pipeline].distance.count();
        const OneJob job{own.pipeline, together};
        ServerLoad load;
        load.memory = interference(server, &job);
        result_.utilisation[server] =
            static_cast<double>(served) / static_cast<double>(distance) + load.memory.utilisation();
        if (!result_.missing.empty()) return true;
        std::int64_t end = work;
        for (int step = 0;; ++step) {
            const std::int64_t next = plus(work, load.memory.delay(end));
            if (next <= end) break;
            end = next;
            if (step > most_rounds || load.memory.utilisation() >= 1) {
                result_.refusal =
                    fmt::format("traffic of others at the shared memories leaves no time to "
                                "stage '{}' of '{}'",
                                stage_at(own).name, system_.pipelines[own.pipeline].name);
                return false;
            }
        }
        keep(own, {end, plus(latency_at(own).latest, end), end - work}, load.memory);
        return true;
    }

    void add_clients(std::size_t server, ServerLoad& load) {
        std::int64_t least_urgent = 0;
        for (const RecurringOperation& each : load.operations)
            least_urgent = std::max(least_urgent, each.priority);
        for (const auto& client : system_.clients)
            for (const auto& operation : client.operations) {
                if (operation.server != server) continue;
                if (load.order == ServerOrder::Priority)
                    load.blocking = std::max(load.blocking, operation.longest.count());
                else if (operation.distance)
                    load.operations.push_back({operation.longest.count(),
                                               operation.distance->count(), 0, 0,
                                               least_urgent + 1});
                else
                    need(fmt::format("how often client '{}' uses '{}', which serves in the order "
                                     "\"{}\": distance=\"10ms\" on its element, or order "
                                     "\"priority\" there",
                                     client.name, system_.servers[server].name,
                                     to_string(load.order)));
            }
    }

    void need(std::string what) {
        if (std::find(result_.missing.begin(), result_.missing.end(), what) ==
            result_.missing.end())
            result_.missing.push_back(std::move(what));
    }

    /// Traffic of all that may run beside the operations of a server. `only`: the stages
    /// whose time together is asked for, when one job is there at a time.
    MemoryInterference interference(std::size_t server, const OneJob* only) {
        MemoryInterference sum;
        if (system_.memory.is_excluded) return sum;
        for (std::size_t m = 0; m < models::shared_memories.size(); ++m) {
            models::PerMemory<MemoryTraffic>& memories = sum.memories;
            for (std::size_t p = 0; p < system_.pipelines.size(); ++p)
                for (std::size_t i = 0; i < system_.pipelines[p].stages.size(); ++i)
                    add_stage(server, only, {p, i}, m, memories.at(m));
            for (const auto& client : system_.clients)
                add_budget(client, m, memories.at(m));
            if (memories.at(m).is_none()) continue;
            if (const auto bandwidth = system_.memory.bandwidth.at(m))
                memories.at(m).bandwidth = *bandwidth;
            else
                need(fmt::format("what the {} serves at least: <memory level=\"{}\" "
                                 "bandwidth=\"200GB/s\"/> in <device>",
                                 models::shared_memories.at(m), models::shared_memories.at(m)));
            if (!system_.memory.keeps_lines)
                need("that others evict no lines of the L2 which a kernel uses again: "
                     "l2-lines=\"kept\" on <device>");
        }
        return sum;
    }

    void add_stage(std::size_t server, const OneJob* only, Place other, std::size_t memory,
                   MemoryTraffic& sum) {
        const Pipeline& pipeline = system_.pipelines[other.pipeline];
        const PipelineStage& stage = stage_at(other);
        if (!stage.server || *stage.server == server) return;
        const bool is_own = only != nullptr && only->pipeline == other.pipeline;
        if (is_own && std::all_of(only->stages.begin(), only->stages.end(), [&](std::size_t one) {
                return are_ordered(other.pipeline, one, other.stage);
            }))
            return;
        if (!stage.traffic.at(memory)) {
            need(fmt::format("traffic of stage '{}' of '{}' at the {}: {}-traffic=\"4MB\" on its "
                             "element{}",
                             stage.name, pipeline.name, models::shared_memories.at(memory),
                             models::shared_memories.at(memory),
                             stage.traffic_refusal.empty()
                                 ? ""
                                 : " (from its code: " + stage.traffic_refusal + ")"));
            return;
        }
        if (*stage.traffic.at(memory) == 0) return;
        const StageLatency& latency = latency_at(other);
        const std::int64_t jitter = latency.latest - latency.earliest;
        const std::int64_t response = std::max(latency.response, upper_time(stage));
        sum.operations.push_back({*stage.traffic.at(memory), is_own ? 0 : pipeline.distance.count(),
                                  plus(response, jitter), other.pipeline, other.stage});
    }

    void add_budget(const models::BestEffortClient& client, std::size_t memory,
                    MemoryTraffic& sum) {
        if (!client.traffic.at(memory)) {
            need(fmt::format("traffic budget of client '{}' at the {}: <traffic level=\"{}\" "
                             "burst=\"1MB\" rate=\"10GB/s\"/> in <client>",
                             client.name, models::shared_memories.at(memory),
                             models::shared_memories.at(memory)));
            return;
        }
        sum.burst = plus(sum.burst, client.traffic.at(memory)->burst);
        sum.rate = plus(sum.rate, client.traffic.at(memory)->rate);
    }

    /// Where a job waits for the one before: whether a job ends before the next one may start. The
    /// times so far are not above those of the fixed point.
    bool ends_in_time(std::size_t p) {
        const Pipeline& pipeline = system_.pipelines[p];
        if (pipeline.overlaps) return true;
        std::vector<std::int64_t> since_start(pipeline.stages.size());
        std::int64_t longest = 0;
        for (std::size_t i = 0; i < pipeline.stages.size(); ++i) {
            std::int64_t start = 0;
            for (const std::size_t before : pipeline.stages[i].after)
                start = std::max(start, since_start[before]);
            since_start[i] = plus(start, latency_at({p, i}).response);
            longest = std::max(longest, since_start[i]);
        }
        if (longest <= pipeline.distance.count()) return true;
        result_.refusal = fmt::format(
            "a job of '{}' may take {} or more, above the {} until the next one, which waits for "
            "it; jobs=\"overlap\" with a stream for each operation lets it start",
            pipeline.name, models::to_string(models::rounded_down(models::Nanoseconds{longest})),
            models::to_string(pipeline.distance));
        return false;
    }

    /// Latency, and the chain that decides it.
    static void conclude(const Pipeline& pipeline, LatencyBounds& bounds) {
        std::size_t last = 0;
        for (std::size_t i = 0; i < pipeline.stages.size(); ++i)
            if (bounds.stages[i].end > bounds.stages[last].end) last = i;
        bounds.upper = bounds.stages[last].end;
        for (std::size_t at = last;;) {
            bounds.chain.push_back(at);
            const auto& after = pipeline.stages[at].after;
            if (after.empty()) break;
            at = *std::max_element(after.begin(), after.end(), [&](std::size_t a, std::size_t b) {
                return bounds.stages[a].end < bounds.stages[b].end;
            });
        }
        std::reverse(bounds.chain.begin(), bounds.chain.end());
    }

    SystemLatency without_uppers(const std::string& refusal) {
        if (!refusal.empty()) result_.refusal = refusal;
        for (LatencyBounds& bounds : result_.pipelines) {
            bounds.upper.reset();
            bounds.chain.clear();
            for (StageLatency& stage : bounds.stages)
                stage = {.earliest = stage.earliest};
        }
        return std::move(result_);
    }

    const PipelineSystem& system_;
    SystemLatency result_;
    std::vector<std::vector<StageFixedPoint>> fixed_point_;
    std::vector<std::vector<std::vector<bool>>> before_; ///< Shape: [pipeline][stage][stage].
    bool changed_ = false;
};

} // namespace

SystemLatency bound_latency(const PipelineSystem& system) {
    return HolisticAnalysis{system}.solve();
}

std::vector<std::vector<StageFixedPoint>> fixed_point_of(const PipelineSystem& system) {
    HolisticAnalysis analysis{system};
    (void)analysis.solve();
    return analysis.fixed_point();
}

std::optional<models::DeadlineVerdict> verdict_on(const Pipeline& pipeline,
                                                  const LatencyBounds& bounds) {
    if (!pipeline.deadline) return std::nullopt;
    if (bounds.lower > pipeline.deadline->count()) return models::DeadlineVerdict::Violated;
    if (bounds.upper && *bounds.upper <= pipeline.deadline->count())
        return models::DeadlineVerdict::Met;
    return models::DeadlineVerdict::Undecided;
}

} // namespace warpbound::analyzer
