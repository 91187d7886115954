#include "harness/simulator/pipeline/instruction_fetch.hpp"

#include <algorithm>
#include <utility>

namespace warpbound::harness::simulator {

InstructionFetch::InstructionFetch(Ports links, std::size_t multiprocessor,
                                   const MachineShape& machine, const RunOptions& options,
                                   EventLog& log)
    : links_{std::move(links)}, shape_{*machine.fetch}, schedulers_{machine.schedulers}, log_{&log},
      random_{options.draw, RandomStream{options.seed, StreamOf::Fetch, multiprocessor}},
      pending_(static_cast<std::size_t>(machine.warp_slots)),
      next_{static_cast<std::size_t>(random_.draw(0, machine.warp_slots - 1))} {
    if (shape_.cache) cache_.emplace(*shape_.cache);
    for (const auto& requests : links_.requests)
        requests.read_by(*this);
}

std::optional<std::int64_t> InstructionFetch::look_up(const PendingFetch& fetch, std::int64_t now) {
    if (!cache_ || fetch.missed) return std::nullopt;
    const std::uint64_t line = fetch.request.line;
    if (cache_->find(line)) return std::nullopt;
    const auto coming = std::find_if(fills_.begin(), fills_.end(),
                                     [&](const Fill& fill) { return fill.line == line; });
    if (coming != fills_.end()) return coming->at;
    fills_.push_back(Fill{.line = line, .at = now + random_.draw(shape_.cache->miss)});
    return fills_.back().at;
}

void InstructionFetch::serve(std::int64_t now) {
    for (const Fill& fill : fills_)
        if (fill.at <= now) cache_->fill(fill.line);
    fills_.erase(std::remove_if(fills_.begin(), fills_.end(),
                                [&](const Fill& fill) { return fill.at <= now; }),
                 fills_.end());
    for (std::size_t port = 0; port < shape_.ports; ++port) {
        std::size_t warp_slot = next_;
        std::size_t searched = 0;
        for (; searched < pending_.size() && pending_[warp_slot].from > now; ++searched)
            warp_slot = warp_slot + 1 == pending_.size() ? 0 : warp_slot + 1;
        if (searched == pending_.size()) return;
        next_ = warp_slot + 1 == pending_.size() ? 0 : warp_slot + 1;
        PendingFetch& fetch = pending_[warp_slot];
        if (const auto later = look_up(fetch, now)) {
            fetch.from = *later;
            fetch.missed = true;
            continue;
        }
        const FetchRequest& request = fetch.request;
        links_.answers[warp_slot % schedulers_].put(
            Fetched{.warp_slot = warp_slot / schedulers_, .count = request.count});
        if (log_->has_listener())
            log_->add(InstructionsFetched{.cycle = now,
                                          .warp = request.warp,
                                          .instruction = request.instruction,
                                          .count = static_cast<std::int64_t>(request.count)});
        fetch = PendingFetch{};
    }
}

void InstructionFetch::find_wake(std::int64_t now) {
    wake_ = never;
    for (const PendingFetch& fetch : pending_)
        wake_ = std::min(wake_, fetch.from);
    if (wake_ != never) wake_ = std::max(wake_, now + 1);
}

void InstructionFetch::tick(std::int64_t now) {
    bool changed = false;
    if (now > served_at_ && now >= wake_) {
        serve(now);
        changed = true;
    }
    served_at_ = now;
    for (const auto& requests : links_.requests)
        for (const FetchRequest& request : requests.messages()) {
            pending_[request.warp_slot] = PendingFetch{.request = request, .from = request.from};
            changed = true;
        }
    if (changed) find_wake(now);
}

} // namespace warpbound::harness::simulator
