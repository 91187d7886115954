#include "harness/pipeline/pipeline_simulation.hpp"

#include "harness/pipeline/shared_traffic.hpp"
#include "harness/simulator/clock/random.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <limits>
#include <optional>
#include <queue>
#include <tuple>
#include <utility>

namespace warpbound::harness {

namespace {

using models::PipelineStage;
using models::PipelineSystem;
using models::ServerOrder;
using simulator::RandomStream;
using simulator::StreamOf;

constexpr std::int64_t most_events = 200'000;
constexpr std::int64_t least_urgent = std::numeric_limits<std::int64_t>::max();

struct Job {
    std::size_t pipeline = 0;
    std::int64_t nominal = 0;
    std::vector<std::size_t> waits_for; ///< Stages before that have not ended. Shape: [stage].
    std::vector<ObservedStage> stages;
    std::size_t left = 0; ///< Stages that have not ended.
};

/// An operation at a server, of a job's stage or of a client.
struct Operation {
    std::optional<std::size_t> job;
    std::size_t stage = 0;
    std::size_t client = 0;
    std::size_t repeated = 0; ///< Of a client: which of its operations.
    std::int64_t priority = 0;
    std::int64_t arrival = 0;
    std::uint64_t tie = 0;
    std::int64_t work = 0;  ///< Own time that is left.
    std::int64_t stall = 0; ///< Time that others' transactions still hold it up.
    bool has_started = false;
    std::vector<Transfer> transfers; ///< Still to come, the next one last.
};

struct Server {
    std::vector<Operation> waiting;
    std::optional<Operation> running;
    std::int64_t since = 0; ///< The running operation's work is that of this instant.
    std::uint64_t version = 0;
};

enum class EventKind { Nominal, Ready, HostEnd, Milestone, ClientArrival, Budget };

struct Event {
    std::int64_t time = 0;
    std::uint64_t tie = 0; ///< Events of one instant come in any order.
    EventKind kind = EventKind::Ready;
    std::size_t first = 0;
    std::size_t second = 0;
    std::uint64_t version = 0;

    friend bool operator>(const Event& a, const Event& b) {
        return std::tie(a.time, a.tie) > std::tie(b.time, b.tie);
    }
};

class Simulation {
public:
    Simulation(const PipelineSystem& system, const PipelineRun& run,
               std::vector<ObservedPipeline>& observed)
        : system_{system}, run_{run}, observed_{observed}, random_{run.seed, StreamOf::Host, 0},
          servers_(system.servers.size()), ready_(system.pipelines.size()),
          active_(system.pipelines.size(), 0), next_nominal_(system.pipelines.size(), 0),
          ended_(system.pipelines.size(), 0), traffic_{system} {
        observed_.resize(system.pipelines.size());
        for (std::size_t p = 0; p < system.pipelines.size(); ++p)
            observed_[p].responses.resize(system.pipelines[p].stages.size());
    }

    void run() {
        begin();
        for (std::int64_t count = 0; !events_.empty() && count < most_events; ++count) {
            const Event event = events_.top();
            events_.pop();
            now_ = event.time;
            act(event);
            if (std::all_of(ended_.begin(), ended_.end(),
                            [&](std::int64_t jobs) { return jobs >= run_.jobs; }))
                return;
        }
    }

private:
    void post(std::int64_t time, EventKind kind, std::size_t first, std::size_t second = 0,
              std::uint64_t version = 0) {
        events_.push({time, random_.next(), kind, first, second, version});
    }

    void begin() {
        std::int64_t largest_jitter = 0;
        for (const auto& pipeline : system_.pipelines)
            largest_jitter = std::max(largest_jitter, pipeline.jitter.count());
        for (std::size_t p = 0; p < system_.pipelines.size(); ++p) {
            const auto& pipeline = system_.pipelines[p];
            next_nominal_[p] = run_.starts_together ? largest_jitter - pipeline.jitter.count()
                                                    : random_.uniform(0, pipeline.distance.count());
            post(next_nominal_[p], EventKind::Nominal, p);
        }
        for (std::size_t c = 0; c < system_.clients.size(); ++c)
            for (std::size_t i = 0; i < system_.clients[c].operations.size(); ++i)
                post(run_.starts_together ? largest_jitter : random_.uniform(0, 1 + largest_jitter),
                     EventKind::ClientArrival, c, i);
        if (traffic_.has_budgets()) post(0, EventKind::Budget, 0);
    }

    /// The nominal instant of the next job of a pipeline.
    void release(std::size_t p) {
        const auto& pipeline = system_.pipelines[p];
        const bool is_first = released_[p]++ == 0;
        std::int64_t late = drawn(0, pipeline.jitter.count());
        if (run_.starts_together) late = is_first ? pipeline.jitter.count() : 0;
        Job job;
        job.pipeline = p;
        job.nominal = next_nominal_[p];
        job.left = pipeline.stages.size();
        job.stages.resize(pipeline.stages.size());
        for (const PipelineStage& stage : pipeline.stages)
            job.waits_for.push_back(stage.after.size());
        jobs_.push_back(std::move(job));
        post(now_ + late, EventKind::Ready, jobs_.size() - 1);
        next_nominal_[p] += pipeline.distance.count();
        if (!pipeline.is_periodic && !run_.starts_together && random_.uniform(0, 1) == 1)
            next_nominal_[p] += random_.uniform(0, pipeline.distance.count());
        post(next_nominal_[p], EventKind::Nominal, p);
    }

    void act(const Event& event) {
        switch (event.kind) {
        case EventKind::Nominal:
            release(event.first);
            break;
        case EventKind::Ready:
            become_ready(event.first);
            break;
        case EventKind::HostEnd:
            end_stage(event.first, event.second);
            break;
        case EventKind::Milestone:
            if (servers_[event.first].version == event.version) reach_milestone(event.first);
            break;
        case EventKind::ClientArrival:
            client_arrives(event.first, event.second);
            break;
        case EventKind::Budget:
            if (random_.uniform(0, 2) > 0) spend_budgets();
            post(now_ + random_.uniform(1, traffic_.typical_gap()), EventKind::Budget, 0);
            break;
        }
    }

    void become_ready(std::size_t job) {
        const std::size_t p = jobs_[job].pipeline;
        ready_[p].push_back(job);
        start_jobs(p);
    }
    void start_jobs(std::size_t p) {
        while (!ready_[p].empty() && (system_.pipelines[p].overlaps || active_[p] == 0)) {
            // One after another, in the order of their nominal instants.
            const auto next = std::min_element(ready_[p].begin(), ready_[p].end());
            if (!system_.pipelines[p].overlaps && *next != first_unstarted(p)) return;
            const std::size_t job = *next;
            ready_[p].erase(next);
            ++active_[p];
            started_.resize(jobs_.size(), false);
            started_[job] = true;
            for (std::size_t i = 0; i < jobs_[job].waits_for.size(); ++i)
                if (jobs_[job].waits_for[i] == 0) start_stage(job, i);
        }
    }
    std::size_t first_unstarted(std::size_t p) {
        started_.resize(jobs_.size(), false);
        for (std::size_t& job = cursor_[p];; ++job)
            if (jobs_[job].pipeline == p && !started_[job]) return job;
    }

    void start_stage(std::size_t job, std::size_t index) {
        const PipelineStage& stage = system_.pipelines[jobs_[job].pipeline].stages[index];
        ObservedStage& seen = jobs_[job].stages[index];
        seen.arrival = seen.start = now_ - jobs_[job].nominal;
        const std::int64_t time =
            run_.takes_longest ? stage.time->upper().count()
                               : drawn(stage.time->lower().count(), stage.time->upper().count());
        if (!stage.server) {
            post(now_ + time, EventKind::HostEnd, job, index);
            return;
        }
        Operation operation;
        operation.job = job;
        operation.stage = index;
        operation.priority = stage.priority;
        operation.work = time;
        operation.transfers = traffic_.transfers_of(stage, time, random_);
        arrive(*stage.server, std::move(operation));
    }

    void client_arrives(std::size_t c, std::size_t i) {
        const auto& repeated = system_.clients[c].operations[i];
        Operation operation;
        operation.client = c;
        operation.repeated = i;
        operation.priority = least_urgent;
        operation.work =
            run_.takes_longest ? repeated.longest.count() : drawn(0, repeated.longest.count());
        // Without a distance the next one comes when this one has ended.
        if (repeated.distance) {
            std::int64_t gap = repeated.distance->count();
            if (!run_.starts_together) gap += random_.uniform(0, gap / 4);
            post(now_ + gap, EventKind::ClientArrival, c, i);
        }
        arrive(repeated.server, std::move(operation));
    }

    void end_stage(std::size_t job, std::size_t index) {
        ObservedPipeline& seen = observed_[jobs_[job].pipeline];
        ObservedStage& stage = jobs_[job].stages[index];
        stage.end = now_ - jobs_[job].nominal;
        seen.responses[index].add(stage.end - stage.arrival);
        const auto& stages = system_.pipelines[jobs_[job].pipeline].stages;
        for (std::size_t i = index + 1; i < stages.size(); ++i)
            for (const std::size_t before : stages[i].after)
                if (before == index && --jobs_[job].waits_for[i] == 0) start_stage(job, i);
        if (--jobs_[job].left == 0) end_job(job);
    }
    void end_job(std::size_t job) {
        const std::size_t p = jobs_[job].pipeline;
        const std::int64_t latency = now_ - jobs_[job].nominal;
        ObservedPipeline& seen = observed_[p];
        if (seen.latency.count == 0 || latency > seen.latency.worst)
            seen.slowest = jobs_[job].stages;
        seen.latency.add(latency);
        ++seen.latencies[latency_class(latency)];
        const auto& deadline = system_.pipelines[p].deadline;
        if (deadline && latency > deadline->count()) ++seen.late;
        ++ended_[p];
        --active_[p];
        jobs_[job].stages.clear();
        start_jobs(p);
    }

    // Servers.

    void arrive(std::size_t s, Operation operation) {
        Server& server = servers_[s];
        operation.arrival = now_;
        operation.tie = random_.next();
        server.waiting.push_back(std::move(operation));
        if (server.running && system_.servers[s].order == ServerOrder::Any &&
            random_.uniform(0, 1) == 1) {
            advance(s);
            server.waiting.push_back(std::move(*server.running));
            server.running.reset();
        }
        if (!server.running) take_next(s);
    }

    /// Brings the running operation's work up to now.
    void advance(std::size_t s) {
        Server& server = servers_[s];
        std::int64_t passed = now_ - server.since;
        server.since = now_;
        if (!server.running) return;
        const std::int64_t stalled = std::min(passed, server.running->stall);
        server.running->stall -= stalled;
        server.running->work -= passed - stalled;
    }

    void take_next(std::size_t s) {
        Server& server = servers_[s];
        if (server.waiting.empty()) return;
        auto& waiting = server.waiting;
        auto chosen = waiting.begin();
        const auto earlier = [](const Operation& a, const Operation& b) {
            return std::tie(a.arrival, a.tie) < std::tie(b.arrival, b.tie);
        };
        switch (system_.servers[s].order) {
        case ServerOrder::Any:
            chosen += random_.uniform(0, static_cast<std::int64_t>(waiting.size()) - 1);
            break;
        case ServerOrder::Fifo:
            chosen = std::min_element(waiting.begin(), waiting.end(), earlier);
            break;
        case ServerOrder::Priority:
            chosen = std::min_element(
                waiting.begin(), waiting.end(), [&](const Operation& a, const Operation& b) {
                    return a.priority != b.priority ? a.priority < b.priority : earlier(a, b);
                });
            break;
        }
        server.running = std::move(*chosen);
        waiting.erase(chosen);
        server.since = now_;
        if (server.running->job && !server.running->has_started)
            jobs_[*server.running->job].stages[server.running->stage].start =
                now_ - jobs_[*server.running->job].nominal;
        server.running->has_started = true;
        schedule(s);
        if (traffic_.has_budgets() && random_.uniform(0, 1) == 1) spend_budgets();
    }

    /// The next instant at which the running operation moves bytes or ends.
    void schedule(std::size_t s) {
        Server& server = servers_[s];
        const Operation& running = *server.running;
        const std::int64_t until =
            running.transfers.empty() ? 0 : running.transfers.back().work_left;
        post(now_ + running.stall + std::max<std::int64_t>(0, running.work - until),
             EventKind::Milestone, s, 0, ++server.version);
    }

    void reach_milestone(std::size_t s) {
        Server& server = servers_[s];
        advance(s);
        Operation& running = *server.running;
        if (!running.transfers.empty()) {
            const std::int64_t service = running.transfers.back().service;
            running.transfers.pop_back();
            stall_others(s, service);
            schedule(s);
            return;
        }
        const Operation ended = std::move(running);
        server.running.reset();
        ++server.version;
        // What the end lets arrive may come just before or just after the server looks.
        const bool looks_first = random_.uniform(0, 1) == 0;
        if (looks_first) take_next(s);
        if (ended.job)
            end_stage(*ended.job, ended.stage);
        else if (!system_.clients[ended.client].operations[ended.repeated].distance)
            post(now_ + 1 + random_.uniform(0, 1) * random_.uniform(0, traffic_.typical_gap()),
                 EventKind::ClientArrival, ended.client, ended.repeated);
        if (!looks_first && !server.running) take_next(s);
    }

    /// A shared memory serves a transaction of `from` (none: of a client): whoever waits for it
    /// elsewhere is held up.
    void stall_others(std::optional<std::size_t> from, std::int64_t service) {
        if (service == 0) return;
        for (std::size_t s = 0; s < servers_.size(); ++s) {
            if (from == s || !servers_[s].running) continue;
            if (!run_.takes_longest && random_.uniform(0, 3) == 0) continue;
            advance(s);
            servers_[s].running->stall += service;
            schedule(s);
        }
    }
    void spend_budgets() { stall_others(std::nullopt, traffic_.spend(now_)); }

    /// Often one of the ends.
    std::int64_t drawn(std::int64_t lo, std::int64_t hi) {
        switch (random_.uniform(0, 3)) {
        case 0:
            return lo;
        case 1:
            return hi;
        default:
            return random_.uniform(lo, hi);
        }
    }

    const PipelineSystem& system_;
    const PipelineRun& run_;
    std::vector<ObservedPipeline>& observed_;
    RandomStream random_;
    std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
    std::vector<Server> servers_;
    std::vector<Job> jobs_;
    std::vector<bool> started_;
    std::vector<std::vector<std::size_t>> ready_;
    std::vector<std::int64_t> active_; ///< Jobs that have started and not ended.
    std::vector<std::int64_t> next_nominal_;
    std::vector<std::int64_t> ended_;
    std::vector<std::int64_t> released_ = std::vector<std::int64_t>(ready_.size(), 0);
    /// Jobs before it, of whatever pipeline, are of no interest any more. Shape: [pipeline].
    std::vector<std::size_t> cursor_ = std::vector<std::size_t>(ready_.size(), 0);
    SharedTraffic traffic_;
    std::int64_t now_ = 0;
};

} // namespace

void ObservedTimes::add(std::int64_t time) {
    best = count == 0 ? time : std::min(best, time);
    worst = count == 0 ? time : std::max(worst, time);
    ++count;
}

std::int64_t latency_class(std::int64_t time) {
    constexpr int digits = 9;
    const auto more = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(time))) - digits;
    return more > 0 ? time >> more << more : time;
}

void simulate_pipelines(const PipelineSystem& system, const PipelineRun& run,
                        std::vector<ObservedPipeline>& observed) {
    Simulation{system, run, observed}.run();
}

} // namespace warpbound::harness
