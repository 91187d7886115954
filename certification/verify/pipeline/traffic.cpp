#include "certification/verify/pipeline/traffic.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace warpbound::certification::verify {

namespace {

constexpr Exact nanoseconds_of_a_second = 1'000'000'000;

[[noreturn]] void open_question(const std::string& what) {
    refuted("the description does not state " + what);
}

/// Whether operations of the stage can be served by the memory while those at the server wait.
bool may_interfere(const ClaimedSystem& of, std::size_t server, const PendingTogether* pending,
                   std::size_t p, std::size_t i) {
    const auto& pipeline = of.system.pipelines[p];
    if (!pipeline.stages[i].server || *pipeline.stages[i].server == server) return false;
    if (pending == nullptr || pending->pipeline != p) return true;
    return std::any_of(pending->stages.begin(), pending->stages.end(),
                       [&](std::size_t one) { return !one_precedes(pipeline, one, i); });
}

void add_source(const ClaimedSystem& of, const PendingTogether* pending, std::size_t p,
                std::size_t i, std::size_t memory, MemoryLoad& load) {
    const ClaimedStage& claimed = of.claimed(p, i);
    const auto& bytes = of.stage(p, i).traffic.at(memory);
    if (!bytes)
        open_question(fmt::format("the traffic of {} at the {}", claimed.where,
                                  models::shared_memories.at(memory)));
    if (*bytes == 0) return;
    const bool is_same_job = pending != nullptr && pending->pipeline == p;
    const Exact distance = is_same_job ? 0 : of.system.pipelines[p].distance.count();
    const Exact jitter = Exact{claimed.latest} - claimed.earliest;
    load.sources.push_back({p, i, *bytes, distance, sum(claimed.response, jitter)});
}

MemoryLoad load_of(const ClaimedSystem& of, std::size_t server, const PendingTogether* pending,
                   std::size_t memory) {
    MemoryLoad load;
    for (std::size_t p = 0; p < of.system.pipelines.size(); ++p)
        for (std::size_t i = 0; i < of.system.pipelines[p].stages.size(); ++i)
            if (may_interfere(of, server, pending, p, i))
                add_source(of, pending, p, i, memory, load);
    for (const auto& client : of.system.clients) {
        const auto& budget = client.traffic.at(memory);
        if (!budget)
            open_question(fmt::format("the budget of client '{}' at the {}", client.name,
                                      models::shared_memories.at(memory)));
        load.burst = sum(load.burst, budget->burst);
        load.rate = sum(load.rate, budget->rate);
    }
    if (load.is_empty()) return load;
    const auto& bandwidth = of.system.memory.bandwidth.at(memory);
    if (!bandwidth)
        open_question(
            fmt::format("what the {} serves at least", models::shared_memories.at(memory)));
    if (!of.system.memory.keeps_lines) open_question("that lines of the L2 are kept");
    load.bandwidth = *bandwidth;
    return load;
}

std::int64_t number(Exact value) {
    if (value > (Exact{1} << 62U)) refuted("a number beyond 2^62");
    return static_cast<std::int64_t>(value);
}

} // namespace

std::set<std::size_t> ancestors_of(const models::Pipeline& pipeline, std::size_t stage) {
    std::set<std::size_t> found;
    std::vector<std::size_t> open = pipeline.stages[stage].after;
    while (!open.empty()) {
        const std::size_t next = open.back();
        open.pop_back();
        if (!found.insert(next).second) continue;
        const auto& before = pipeline.stages[next].after;
        open.insert(open.end(), before.begin(), before.end());
    }
    return found;
}

bool one_precedes(const models::Pipeline& pipeline, std::size_t one, std::size_t other) {
    return ancestors_of(pipeline, one).count(other) != 0 ||
           ancestors_of(pipeline, other).count(one) != 0;
}

Exact MemoryLoad::served_within(Exact interval) const {
    if (is_empty()) return 0;
    Exact bytes = sum(burst, quotient_up(product(rate, interval), nanoseconds_of_a_second));
    for (const TrafficSource& source : sources) {
        const Exact operations =
            source.distance == 0 ? 1 : sum(interval, source.spread) / source.distance + 1;
        bytes = sum(bytes, product(source.bytes, operations));
    }
    // Whole seconds apart: the product of all bytes with a second may not fit.
    return sum(product(bytes / bandwidth, nanoseconds_of_a_second),
               quotient_up(product(bytes % bandwidth, nanoseconds_of_a_second), bandwidth));
}

Exact TrafficOfOthers::delay_within(Exact interval) const {
    Exact delay = 0;
    for (const MemoryLoad& load : memories)
        delay = sum(delay, load.served_within(interval));
    return delay;
}

nlohmann::json TrafficOfOthers::as_claimed(const models::PipelineSystem& system,
                                           Exact response) const {
    auto rows = nlohmann::json::array();
    for (std::size_t m = 0; m < memories.size(); ++m) {
        const MemoryLoad& load = memories.at(m);
        if (load.is_empty()) continue;
        auto operations = nlohmann::json::array();
        for (const TrafficSource& source : load.sources)
            operations.push_back(
                {{"pipeline", system.pipelines[source.pipeline].name},
                 {"stage", system.pipelines[source.pipeline].stages[source.stage].name},
                 {"bytes", number(source.bytes)},
                 {"distance", number(source.distance)},
                 {"spread", number(source.spread)}});
        rows.push_back({{"memory", models::shared_memories.at(m)},
                        {"bandwidth", number(load.bandwidth)},
                        {"burst", number(load.burst)},
                        {"rate", number(load.rate)},
                        {"operations", std::move(operations)},
                        {"delay", number(load.served_within(response))}});
    }
    return rows;
}

TrafficOfOthers traffic_beside(const ClaimedSystem& of, std::size_t server,
                               const PendingTogether* pending) {
    TrafficOfOthers others;
    if (of.system.memory.is_excluded) return others;
    for (std::size_t m = 0; m < others.memories.size(); ++m)
        others.memories.at(m) = load_of(of, server, pending, m);
    return others;
}

} // namespace warpbound::certification::verify
