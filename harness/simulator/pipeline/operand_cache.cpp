#include "harness/simulator/pipeline/operand_cache.hpp"

#include <algorithm>

namespace warpbound::harness::simulator {

OperandCache::OperandCache(const OperandCacheShape& shape, int unit, RandomSource random,
                           EventLog& log)
    : shape_{shape}, unit_{unit}, log_{&log}, random_{random},
      cache_{shape.sets, static_cast<std::size_t>(random_.draw_capacity(shape.ways))} {
    for (const std::uint64_t line : shape.entered)
        cache_.fill(line);
}

void OperandCache::fill(std::int64_t now) {
    std::stable_sort(
        outstanding_.begin(), outstanding_.end(),
        [](const OutstandingLine& a, const OutstandingLine& b) { return a.at < b.at; });
    for (const OutstandingLine& line : outstanding_)
        if (line.at <= now) cache_.fill(line.line);
    std::erase_if(outstanding_, [now](const OutstandingLine& line) { return line.at <= now; });
}

OperandCache::Answer OperandCache::look_up(const std::vector<std::uint64_t>& lines, int warp,
                                           std::int64_t now) {
    fill(now);
    std::vector<LineAccessed> accesses;
    Answer answer{.at = now, .held_until = now};
    for (const std::uint64_t line : lines) {
        LineAccessed access{.cycle = now,
                            .warp = warp,
                            .level = CacheLevel::Operand,
                            .unit = unit_,
                            .address = line * shape_.line};
        const std::int64_t at = simulator::look_up(cache_, outstanding_, line, access,
                                                   [&] { return random_.draw(shape_.miss); });
        answer.at = std::max(answer.at, at);
        accesses.push_back(access);
        if (access.missed != 0 && log_->has_listener())
            log_->add(LineFilled{.cycle = at,
                                 .warp = 0,
                                 .level = CacheLevel::Operand,
                                 .unit = unit_,
                                 .address = access.address,
                                 .sectors = 1});
    }
    if (answer.at > now) answer.held_until = std::min(answer.at, now + random_.draw(shape_.hold));
    if (log_->has_listener())
        for (LineAccessed& access : accesses) {
            access.held_until = answer.held_until;
            log_->add(access);
        }
    return answer;
}

} // namespace warpbound::harness::simulator
