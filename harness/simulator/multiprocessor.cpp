#include "harness/simulator/multiprocessor.hpp"

#include "harness/simulator/issue_arbiter.hpp"
#include "harness/simulator/resident_blocks.hpp"
#include "harness/simulator/warp_scheduler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <string>

namespace warpbound::harness::simulator {

namespace {

/// One run on one SM: links, components, wires, and the clock.
class MultiProcessor {
public:
    MultiProcessor(const KernelCode& code, const RunOptions& options, const Listener& listener,
                   std::span<const std::size_t> tick_order);

    Result<models::Observation> run();

private:
    void wire();
    [[nodiscard]] std::optional<Failure> failure() const;
    [[nodiscard]] Failure deadlock(std::int64_t now) const;
    [[nodiscard]] models::Observation observe() const;

    const KernelCode& code_;
    const RunOptions& options_;
    EventLog log_;
    Board board_;
    std::deque<Link<IssueRequest>> requests_;
    std::deque<Link<IssueAnswer>> answers_;
    std::deque<Link<WarpReport>> reports_;
    std::deque<Link<BlockOrder>> orders_;
    std::deque<Staged<std::int64_t>> ports_free_at_;
    Staged<std::int64_t> buffer_room_at_{board_, 0};
    std::deque<WarpScheduler> schedulers_;
    std::optional<IssueArbiter> arbiter_;
    std::optional<ResidentBlocks> blocks_;
    std::vector<Component*> components_;
    std::vector<models::WarpObservation> finished_;
};

MultiProcessor::MultiProcessor(const KernelCode& code, const RunOptions& options,
                               const Listener& listener, std::span<const std::size_t> tick_order)
    : code_{code}, options_{options}, log_{listener},
      finished_(static_cast<std::size_t>(code.blocks * code.warps_per_block)) {
    wire();
    if (tick_order.empty()) return;
    const std::vector<Component*> built = components_;
    std::transform(tick_order.begin(), tick_order.end(), components_.begin(),
                   [&](std::size_t place) { return built.at(place); });
}

void MultiProcessor::wire() {
    for (std::size_t port = 0; port < code_.core_ports; ++port)
        ports_free_at_.emplace_back(board_, 0);
    SharedView shared{.ports_free_at = {}, .buffer_room_at = &buffer_room_at_};
    IssueArbiter::Plugs to_arbiter{
        .requests = {}, .answers = {}, .ports_free_at = {}, .buffer_room_at = &buffer_room_at_};
    for (auto& port : ports_free_at_) {
        shared.ports_free_at.push_back(&port);
        to_arbiter.ports_free_at.push_back(&port);
    }
    ResidentBlocks::Plugs to_blocks;
    const auto warps = static_cast<std::size_t>(code_.slots * code_.warps_per_block);
    for (std::size_t index = 0; index < code_.schedulers; ++index) {
        auto& request = requests_.emplace_back(board_);
        auto& answer = answers_.emplace_back(board_);
        auto& report = reports_.emplace_back(board_);
        auto& order = orders_.emplace_back(board_);
        to_arbiter.requests.emplace_back(request);
        to_arbiter.answers.emplace_back(answer);
        to_blocks.reports.emplace_back(report);
        to_blocks.orders.emplace_back(order);
        const WarpScheduler::Config config{
            .index = index, .warps = (warps + code_.schedulers - 1 - index) / code_.schedulers};
        schedulers_.emplace_back(config,
                                 WarpScheduler::Plugs{.requests = Source{request},
                                                      .answers = Sink{answer},
                                                      .reports = Source{report},
                                                      .orders = Sink{order},
                                                      .shared = shared},
                                 code_, options_, log_, finished_);
        components_.push_back(&schedulers_.back());
    }
    components_.push_back(&arbiter_.emplace(std::move(to_arbiter), code_, options_, log_));
    components_.push_back(&blocks_.emplace(std::move(to_blocks), code_, options_));
}

std::optional<Failure> MultiProcessor::failure() const {
    for (const WarpScheduler& scheduler : schedulers_)
        if (scheduler.failure()) return scheduler.failure();
    return std::nullopt;
}

Failure MultiProcessor::deadlock(std::int64_t now) const {
    std::vector<std::pair<int, int>> waiting;
    for (const WarpScheduler& scheduler : schedulers_)
        for (const Warp& warp : scheduler.warps())
            if (warp.is_live() && warp.waits_at())
                waiting.emplace_back(warp.index(), *warp.waits_at());
    std::sort(waiting.begin(), waiting.end());
    std::string names;
    for (const auto& [warp, barrier] : waiting)
        names += fmt::format("{}warp {} of block {} at barrier {}", names.empty() ? "" : ", ",
                             warp % code_.warps_per_block, warp / code_.warps_per_block, barrier);
    return Failure{fmt::format("deadlock at cycle {}: {} wait for each other", now, names), "", 0,
                   0};
}

models::Observation MultiProcessor::observe() const {
    std::int64_t completion = arbiter_->last_drain();
    for (const WarpScheduler& scheduler : schedulers_)
        for (const Warp& warp : scheduler.warps())
            completion = std::max(completion, warp.completion());
    return models::Observation{
        .seed = options_.seed, .execution_time = models::Cycles{completion}, .warps = finished_};
}

Result<models::Observation> MultiProcessor::run() {
    std::int64_t now = 0;
    while (now != never) {
        do {
            for (Component* component : components_)
                component->tick(now);
        } while (board_.propagate());
        if (log_.is_heard()) log_.flush(now);
        std::int64_t next = never;
        for (const Component* component : components_)
            next = std::min(next, component->wake());
        if (next == never) break;
        // A wake-up that has passed would stop time; the search above leaves none.
        now = std::max(next, now + 1);
        if (now > run_limit)
            return Failure{fmt::format("the run takes more than {} cycles", run_limit), "", 0, 0};
    }
    if (auto failed = failure()) return std::move(*failed);
    if (!blocks_->is_done()) return deadlock(now);
    if (log_.is_heard()) log_.flush(never);
    return observe();
}

} // namespace

Result<models::Observation> run_once(const KernelCode& code, const RunOptions& options,
                                     const Listener& listener,
                                     std::span<const std::size_t> tick_order) {
    if (const auto checked = code.paths.check(options.path); !checked) return checked.as_failure();
    return MultiProcessor{code, options, listener, tick_order}.run();
}

} // namespace warpbound::harness::simulator
