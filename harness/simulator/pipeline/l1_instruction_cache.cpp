#include "harness/simulator/pipeline/l1_instruction_cache.hpp"

#include <algorithm>
#include <utility>

namespace warpbound::harness::simulator {

L1InstructionCache::L1InstructionCache(Ports links, std::size_t multiprocessor,
                                       const MachineShape& machine, const RunOptions& options,
                                       EventLog& log)
    : links_{std::move(links)}, multiprocessor_{static_cast<int>(multiprocessor)},
      shape_{*machine.instruction_caches}, log_{&log},
      random_{options.draw, RandomStream{options.seed, StreamOf::InstructionCache, multiprocessor}},
      cache_{shape_.l1.sets, static_cast<std::size_t>(random_.draw_capacity(shape_.l1.ways))} {
    for (const std::uint64_t line : shape_.entered)
        cache_.fill(line);
    for (const auto& requests : links_.requests)
        requests.read_by(*this);
}

void L1InstructionCache::fill(std::int64_t until) {
    std::vector<OutstandingLine> due;
    for (const OutstandingLine& fill : fills_)
        if (fill.at <= until) due.push_back(fill);
    if (due.empty()) return;
    std::stable_sort(
        due.begin(), due.end(),
        [](const OutstandingLine& a, const OutstandingLine& b) { return a.at < b.at; });
    for (const OutstandingLine& fill : due)
        cache_.fill(fill.line);
    std::erase_if(fills_, [until](const OutstandingLine& fill) { return fill.at <= until; });
}

std::int64_t L1InstructionCache::look_up(std::uint64_t line, int warp, std::int64_t at) {
    fill(at);
    LineAccessed access{.cycle = at,
                        .warp = warp,
                        .level = CacheLevel::InstructionL1,
                        .unit = multiprocessor_,
                        .address = line * shape_.line};
    const std::int64_t present_at = simulator::look_up(
        cache_, fills_, line, access, [&] { return random_.draw(shape_.l1.miss); });
    if (access.missed != 0 && log_->has_listener())
        log_->add(LineFilled{.cycle = present_at,
                             .warp = 0,
                             .level = CacheLevel::InstructionL1,
                             .unit = multiprocessor_,
                             .address = line * shape_.line,
                             .sectors = 1});
    if (log_->has_listener()) log_->add(access);
    return present_at;
}

void L1InstructionCache::tick(std::int64_t now) {
    for (std::size_t scheduler = 0; scheduler < links_.requests.size(); ++scheduler)
        for (const LineRequest& request : links_.requests[scheduler].messages()) {
            LineArrivals arrivals{.number = request.number, .first = request.first, .at = {}};
            for (std::size_t i = 0; i < request.count; ++i) {
                const std::int64_t at = std::max(now, free_at_);
                free_at_ = at + random_.draw(shape_.service);
                arrivals.at.push_back(look_up(request.first + i, request.warp, at) +
                                      random_.draw(shape_.l0.miss));
            }
            links_.answers[scheduler].put(arrivals);
        }
}

} // namespace warpbound::harness::simulator
