#include "harness/simulator/pipeline/constant_cache.hpp"

#include <algorithm>
#include <utility>

namespace warpbound::harness::simulator {

ConstantCache::ConstantCache(Ports links, std::size_t multiprocessor, const MachineShape& machine,
                             const RunOptions& options, EventLog& log)
    : links_{std::move(links)}, multiprocessor_{multiprocessor}, shape_{*machine.constants},
      schedulers_{machine.schedulers}, log_{&log},
      random_{options.draw, RandomStream{options.seed, StreamOf::Constants, multiprocessor}},
      cache_{shape_} {
    for (const auto& requests : links_.requests)
        requests.read_by(*this);
}

void ConstantCache::fill(std::int64_t now) {
    std::erase_if(fills_, [&](const OutstandingLine& fill) {
        if (fill.at > now) return false;
        cache_.fill(fill.line);
        if (log_->has_listener())
            log_->add(LineFilled{.cycle = fill.at,
                                 .warp = 0,
                                 .level = CacheLevel::Constant,
                                 .unit = static_cast<int>(multiprocessor_),
                                 .address = fill.line * shape_.line,
                                 .sectors = 1});
        return true;
    });
}

std::int64_t ConstantCache::look_up(std::uint64_t line, int warp, std::int64_t now) {
    LineAccessed access{.cycle = now,
                        .warp = warp,
                        .level = CacheLevel::Constant,
                        .unit = static_cast<int>(multiprocessor_),
                        .address = line * shape_.line};
    const std::int64_t at =
        simulator::look_up(cache_, fills_, line, access, [&] { return random_.draw(shape_.miss); });
    if (log_->has_listener()) log_->add(access);
    return at;
}

void ConstantCache::look_up(const ConstantRequest& request, std::int64_t now) {
    std::int64_t at = now;
    for (const std::uint64_t line : request.lines)
        at = std::max(at, look_up(line, request.warp, now));
    links_.answers[request.warp_slot % schedulers_].put(
        ConstantAnswer{.warp_slot = request.warp_slot / schedulers_, .at = at});
}

void ConstantCache::tick(std::int64_t now) {
    fill(now);
    for (const auto& requests : links_.requests)
        pending_.insert(pending_.end(), requests.messages().begin(), requests.messages().end());
    std::sort(pending_.begin(), pending_.end(),
              [](const ConstantRequest& a, const ConstantRequest& b) {
                  return a.warp_slot < b.warp_slot;
              });
    for (const ConstantRequest& request : pending_)
        if (request.from <= now) look_up(request, now);
    std::erase_if(pending_, [&](const ConstantRequest& request) { return request.from <= now; });
    wake_ = never;
    for (const ConstantRequest& request : pending_)
        wake_ = std::min(wake_, request.from);
    for (const OutstandingLine& fill : fills_)
        wake_ = std::min(wake_, fill.at);
}

} // namespace warpbound::harness::simulator
