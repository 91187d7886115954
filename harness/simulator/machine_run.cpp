#include "harness/simulator/machine_run.hpp"

#include "harness/simulator/adversary.hpp"
#include "harness/simulator/block_dispatcher.hpp"
#include "harness/simulator/memory/memory_system.hpp"
#include "harness/simulator/multiprocessor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>

namespace warpbound::harness::simulator {

namespace {

/// The machine of one run: clock, event log, SMs, and what they share.
class MachineRun {
public:
    MachineRun(const KernelCode& code, const RunOptions& options, const Listener& listener,
               const TickOrder& order);

    Result<models::Observation> run();

private:
    [[nodiscard]] std::optional<Failure> failure() const;
    [[nodiscard]] Failure deadlock(std::int64_t now) const;

    const MachineShape& machine_;
    Adversary adversary_;
    RunOptions options_; ///< As the adversary decided.
    std::vector<Grid> grids_;
    EventLog log_;
    Clock clock_;
    std::deque<Link<Placement>> placements_;
    std::deque<Link<BlockEnded>> ends_;
    std::deque<Link<MemoryRequest>> memory_requests_;
    std::deque<Link<MemoryAnswer>> memory_answers_;
    std::vector<models::WarpObservation> finished_;
    std::deque<MultiProcessor> multiprocessors_;
    std::optional<BlockDispatcher> dispatcher_;
    std::optional<MemorySystem> memory_;
};

MachineRun::MachineRun(const KernelCode& code, const RunOptions& options, const Listener& listener,
                       const TickOrder& order)
    : machine_{code.machine}, adversary_{adversary_of(options)}, options_{options},
      grids_{Grid{&code, 0}}, log_{listener}, clock_{order},
      finished_(static_cast<std::size_t>(code.blocks * code.demand.warps)) {
    options_.draw = adversary_.values;
    BlockDispatcher::Plugs plugs;
    MemorySystem::Plugs to_memory;
    for (std::size_t number = 0; number < machine_.multiprocessors; ++number) {
        auto& placement = placements_.emplace_back(clock_.board());
        auto& ended = ends_.emplace_back(clock_.board());
        plugs.placements.emplace_back(placement);
        plugs.ends.emplace_back(ended);
        MultiProcessor::Plugs to_multiprocessor{Sink{placement}, Source{ended}, {}};
        if (machine_.memory) {
            auto& request = memory_requests_.emplace_back(clock_.board());
            auto& answer = memory_answers_.emplace_back(clock_.board());
            to_memory.requests.emplace_back(request);
            to_memory.answers.emplace_back(answer);
            to_multiprocessor.memory.emplace(
                MultiProcessor::Plugs::Memory{Source{request}, Sink{answer}});
        }
        multiprocessors_.emplace_back(number, to_multiprocessor, machine_, options_,
                                      adversary_.precedence, clock_, log_, finished_);
    }
    clock_.add(
        dispatcher_.emplace(std::move(plugs), machine_, grids_, options_, adversary_.piles_up));
    if (machine_.memory)
        clock_.add(memory_.emplace(std::move(to_memory), machine_, options_, log_));
}

std::optional<Failure> MachineRun::failure() const {
    for (const MultiProcessor& multiprocessor : multiprocessors_)
        if (auto failed = multiprocessor.failure()) return failed;
    return std::nullopt;
}

Failure MachineRun::deadlock(std::int64_t now) const {
    std::vector<std::string> waiting;
    for (const MultiProcessor& multiprocessor : multiprocessors_)
        for (std::string& words : multiprocessor.waiting())
            waiting.push_back(std::move(words));
    return Failure{
        fmt::format("deadlock at cycle {}: {} wait for each other", now, fmt::join(waiting, ", ")),
        "", 0, 0};
}

Result<models::Observation> MachineRun::run() {
    std::int64_t now = 0;
    clock_.advance(now);
    while (clock_.next() != never) {
        if (log_.is_heard()) log_.flush(now);
        // A wake-up that has passed would stop time; no search leaves one.
        now = std::max(clock_.next(), now + 1);
        if (now > run_limit)
            return Failure{fmt::format("the run takes more than {} cycles", run_limit), "", 0, 0};
        clock_.advance(now);
    }
    if (auto failed = failure()) return std::move(*failed);
    if (!dispatcher_->is_done()) {
        if (log_.is_heard()) log_.flush(now);
        return deadlock(now);
    }
    if (log_.is_heard()) log_.flush(never);
    std::int64_t completion = dispatcher_->completion(0);
    for (const MultiProcessor& multiprocessor : multiprocessors_)
        completion = std::max(
            {completion, multiprocessor.late_completion(), multiprocessor.memory_completion(0)});
    return models::Observation{.seed = options_.seed,
                               .execution_time = models::Cycles{completion},
                               .warps = std::move(finished_)};
}

} // namespace

Result<models::Observation> run_once(const KernelCode& code, const RunOptions& options,
                                     const Listener& listener, const TickOrder& order) {
    if (code.recorded != nullptr && !options.path.empty())
        return Failure{"a recorded launch has its own paths; expected none", "", 0, 0};
    if (const auto checked = code.paths.check(options.path); !checked) return checked.as_failure();
    return MachineRun{code, options, listener, order}.run();
}

} // namespace warpbound::harness::simulator
