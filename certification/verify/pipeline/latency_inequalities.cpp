#include "certification/verify/pipeline/latency_inequalities.hpp"

#include "certification/verify/pipeline/queue_inequalities.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace warpbound::certification::verify {

namespace {

void check_arrivals(const ClaimedSystem& of, std::size_t p, std::size_t i) {
    const ClaimedStage& claimed = of.claimed(p, i);
    Exact earliest = 0;
    Exact latest = of.system.pipelines[p].jitter.count();
    for (const std::size_t before : of.stage(p, i).after) {
        const ClaimedStage& one = of.claimed(p, before);
        earliest = std::max(earliest, sum(one.earliest, one.own_lower));
        latest = std::max(latest, Exact{one.end});
    }
    if (claimed.earliest != earliest)
        refuted(fmt::format("{}: it arrives {} ns after the nominal instant at least, not {}",
                            claimed.where, digits(earliest), claimed.earliest));
    if (claimed.latest < latest || claimed.latest < claimed.earliest)
        refuted(fmt::format("{}: it may arrive {} ns after the nominal instant, {} is claimed",
                            claimed.where, digits(latest), claimed.latest));
    if (claimed.response < claimed.own_upper ||
        claimed.end < sum(claimed.latest, claimed.own_upper))
        refuted(fmt::format("{}: it takes {} ns on its own, more than is claimed of it together "
                            "with others",
                            claimed.where, claimed.own_upper));
}

void check_interference(const ClaimedSystem& of, const TrafficOfOthers& others, std::size_t p,
                        std::size_t i) {
    const ClaimedStage& claimed = of.claimed(p, i);
    if (claimed.interference != others.as_claimed(of.system, claimed.response))
        refuted(fmt::format("{}: the traffic of others is not that of the description and of the "
                            "other claims",
                            claimed.where));
}

bool is_used_by_clients(const models::PipelineSystem& system, std::size_t server) {
    for (const auto& client : system.clients)
        for (const auto& operation : client.operations)
            if (operation.server == server) return true;
    return false;
}

/// Places of the stages at a server.
struct Place {
    std::size_t pipeline;
    std::size_t stage;
};
std::vector<Place> places_at(const ClaimedSystem& of, std::size_t server) {
    std::vector<Place> places;
    for (std::size_t p = 0; p < of.system.pipelines.size(); ++p)
        for (std::size_t i = 0; i < of.system.pipelines[p].stages.size(); ++i)
            if (of.stage(p, i).server == server) places.push_back({p, i});
    return places;
}

/// S61, one job: only stages of the job that are not ordered with this one are waited for.
void check_in_one_job(const ClaimedSystem& of, std::size_t server, const std::vector<Place>& places,
                      Place own) {
    const auto& pipeline = of.system.pipelines[own.pipeline];
    const ClaimedStage& claimed = of.claimed(own.pipeline, own.stage);
    PendingTogether pending{own.pipeline, {}};
    Exact work = 0;
    for (const Place& place : places) {
        if (one_precedes(pipeline, own.stage, place.stage)) continue;
        pending.stages.push_back(place.stage);
        work = sum(work, of.claimed(place.pipeline, place.stage).own_upper);
    }
    const TrafficOfOthers others = traffic_beside(of, server, &pending);
    check_interference(of, others, own.pipeline, own.stage);
    if (sum(work, others.delay_within(claimed.response)) > claimed.response)
        refuted(fmt::format("{}: a response time of {} ns does not follow", claimed.where,
                            claimed.response));
    if (claimed.end < sum(claimed.latest, claimed.response))
        refuted(fmt::format("{}: its end by {} ns does not follow", claimed.where, claimed.end));
}

void queue_clients(const ClaimedSystem& of, std::size_t server, Queue& queue) {
    for (const auto& client : of.system.clients)
        for (const auto& operation : client.operations) {
            if (operation.server != server) continue;
            const Exact longest = operation.longest.count();
            if (queue.order == models::ServerOrder::Priority)
                queue.longest_of_clients = std::max(queue.longest_of_clients, longest);
            else if (operation.distance)
                queue.clients.push_back({longest, operation.distance->count(), 0});
            else
                refuted(fmt::format("the description does not state how often client '{}' uses "
                                    "'{}'",
                                    client.name, queue.server));
        }
}

void check_server(const ClaimedSystem& of, std::size_t server) {
    const auto places = places_at(of, server);
    if (places.empty()) return;
    const std::size_t first = places.front().pipeline;
    if (!of.system.pipelines[first].overlaps && !is_used_by_clients(of.system, server) &&
        std::all_of(places.begin(), places.end(),
                    [&](const Place& place) { return place.pipeline == first; })) {
        for (const Place& place : places)
            check_in_one_job(of, server, places, place);
        return;
    }
    Queue queue{of.system.servers[server].name,     of.system.servers[server].order, {}, {}, 0,
                traffic_beside(of, server, nullptr)};
    for (const Place& place : places) {
        const ClaimedStage& claimed = of.claimed(place.pipeline, place.stage);
        check_interference(of, queue.others, place.pipeline, place.stage);
        queue.stages.push_back(
            {{claimed.own_upper, of.system.pipelines[place.pipeline].distance.count(),
              Exact{claimed.latest} - claimed.earliest},
             of.stage(place.pipeline, place.stage).priority,
             &claimed});
    }
    queue_clients(of, server, queue);
    check_queue(queue);
}

/// S62: a job that ends within a distance of its start leaves the next one its start.
void check_jobs_in_turn(const ClaimedSystem& of, std::size_t p) {
    const auto& pipeline = of.system.pipelines[p];
    if (pipeline.overlaps) return;
    std::vector<Exact> ends;
    for (std::size_t i = 0; i < pipeline.stages.size(); ++i) {
        Exact begin = 0;
        for (const std::size_t before : pipeline.stages[i].after)
            begin = std::max(begin, ends[before]);
        ends.push_back(sum(begin, of.claimed(p, i).response));
        if (ends.back() > pipeline.distance.count())
            refuted(fmt::format("a job of '{}' may take longer than the {} ns until the next one, "
                                "which waits for it",
                                pipeline.name, pipeline.distance.count()));
    }
}

void check_latency(const ClaimedSystem& of, std::size_t p) {
    const auto& pipeline = of.system.pipelines[p];
    const ClaimedPipeline& claimed = of.claims.pipelines[p];
    Exact lower = 0;
    Exact upper = 0;
    for (const ClaimedStage& stage : claimed.stages) {
        lower = std::max(lower, sum(stage.earliest, stage.own_lower));
        upper = std::max(upper, Exact{stage.end});
    }
    if (claimed.upper != upper || claimed.lower != lower)
        refuted(fmt::format("the latency of '{}' is from {} to {} ns, {} to {} is claimed",
                            pipeline.name, digits(lower), digits(upper), claimed.lower,
                            claimed.upper));
    const bool has_deadline = pipeline.deadline.has_value();
    if (claimed.deadline.has_value() != has_deadline ||
        (has_deadline && *claimed.deadline != pipeline.deadline->count()) ||
        claimed.criticality != (!has_deadline      ? ""
                                : pipeline.is_soft ? "soft"
                                                   : "hard"))
        refuted(fmt::format("the deadline of '{}' is not that of the description", pipeline.name));
    if (claimed.verdict != verdict_of(pipeline, claimed))
        refuted(fmt::format("the deadline of '{}' is claimed to be {}", pipeline.name,
                            claimed.verdict));
}

/// What was observed is no bound: nor is what depends on it.
void check_kinds(const ClaimedSystem& of) {
    bool measured = false;
    for (const auto& pipeline : of.system.pipelines)
        for (const auto& stage : pipeline.stages)
            measured = measured || stage.basis == models::TimeBasis::Measured;
    const char* const kind = measured ? "hybrid-estimate" : "bound-under-assumptions";
    for (const auto& claimed : of.claims.pipelines)
        if (claimed.kind != kind)
            refuted(fmt::format("the latency of '{}' is of kind {}, {} is claimed", claimed.name,
                                kind, claimed.kind));
    if (of.claims.kind != kind)
        refuted(fmt::format("the verdict on all pipelines is of kind {}, {} is claimed", kind,
                            of.claims.kind));
}

} // namespace

void check_latencies(const ClaimedSystem& of) {
    for (std::size_t p = 0; p < of.system.pipelines.size(); ++p) {
        for (std::size_t i = 0; i < of.system.pipelines[p].stages.size(); ++i) {
            check_arrivals(of, p, i);
            const ClaimedStage& claimed = of.claimed(p, i);
            const auto& server = of.stage(p, i).server;
            if (claimed.server != (server ? of.system.servers[*server].name : ""))
                refuted(fmt::format("{}: at another server than described", claimed.where));
        }
        check_jobs_in_turn(of, p);
        check_latency(of, p);
    }
    for (std::size_t server = 0; server < of.system.servers.size(); ++server)
        check_server(of, server);
    check_kinds(of);
    if (of.claims.verdict != verdict_of(of))
        refuted(fmt::format("the verdict on all pipelines is {}, {} is claimed", verdict_of(of),
                            of.claims.verdict));
}

std::string verdict_of(const models::Pipeline& pipeline, const ClaimedPipeline& claimed) {
    if (!pipeline.deadline) return "";
    const std::int64_t deadline = pipeline.deadline->count();
    if (claimed.lower > deadline) return "violated";
    return claimed.upper <= deadline ? "met" : "undecided";
}

std::string verdict_of(const ClaimedSystem& of) {
    std::string all = "none";
    for (std::size_t p = 0; p < of.system.pipelines.size(); ++p) {
        const auto one = verdict_of(of.system.pipelines[p], of.claims.pipelines[p]);
        if (one == "violated") return one;
        if (one == "undecided")
            all = one;
        else if (one == "met" && all == "none")
            all = "holds";
    }
    return all;
}

} // namespace warpbound::certification::verify
