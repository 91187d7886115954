#include "harness/simulator/pipeline/l0_instruction_cache.hpp"

#include <algorithm>
#include <tuple>

namespace warpbound::harness::simulator {

L0InstructionCache::L0InstructionCache(const InstructionCacheShape& shape, int unit,
                                       RandomSource random, EventLog& log)
    : line_bytes_{shape.line}, stream_{static_cast<std::size_t>(
                                   random.draw_capacity(shape.stream))},
      unit_{unit}, log_{&log}, cache_{shape.l0.sets, static_cast<std::size_t>(
                                                         random.draw_capacity(shape.l0.ways))} {
    for (const std::uint64_t line : shape.entered)
        cache_.fill(line);
}

void L0InstructionCache::fill(std::int64_t now) {
    std::vector<const Line*> due;
    for (const Line& line : lines_)
        if (line.fills_at() <= now) due.push_back(&line);
    if (due.empty()) return;
    std::sort(due.begin(), due.end(), [](const Line* a, const Line* b) {
        return std::tuple{a->fills_at(), a->order} < std::tuple{b->fills_at(), b->order};
    });
    for (const Line* line : due)
        cache_.fill(line->line);
    std::erase_if(lines_, [now](const Line& line) { return line.fills_at() <= now; });
}

void L0InstructionCache::expect_fill(Line& line) {
    line.order = fills_++;
    if (log_->has_listener())
        log_->add(LineFilled{.cycle = line.fills_at(),
                             .warp = 0,
                             .level = CacheLevel::InstructionL0,
                             .unit = unit_,
                             .address = line.line * line_bytes_,
                             .sectors = 1});
}

LineRequest L0InstructionCache::request(const Need& need, std::int64_t now) {
    std::erase_if(lines_, [](const Line& line) { return line.needed_at == never; });
    const std::uint64_t number = requests_++;
    for (std::size_t i = 0; i <= stream_; ++i)
        lines_.push_back(
            Line{.line = need.line + i,
                 .request = number,
                 .at = never,
                 .needed_at = i == 0 ? now : never,
                 .order = 0,
                 .waiting = i == 0 ? std::vector{need.warp_slot} : std::vector<std::size_t>{}});
    return {.number = number, .warp = need.warp, .first = need.line, .count = stream_ + 1};
}

L0InstructionCache::Answer L0InstructionCache::look_up(const Need& need, std::int64_t now) {
    fill(now);
    LineAccessed access{.cycle = now,
                        .warp = need.warp,
                        .level = CacheLevel::InstructionL0,
                        .unit = unit_,
                        .address = need.line * line_bytes_};
    Answer answer;
    const auto coming = std::find_if(lines_.begin(), lines_.end(),
                                     [&](const Line& line) { return line.line == need.line; });
    if (cache_.find(need.line)) {
        access.hit = 1;
        answer.at = now;
    } else if (coming != lines_.end()) {
        access.merged = 1;
        const bool is_first = coming->needed_at == never;
        if (is_first) coming->needed_at = now;
        if (coming->at == never)
            coming->waiting.push_back(need.warp_slot);
        else
            answer.at = std::max(coming->at, now);
        if (is_first && coming->at != never) expect_fill(*coming);
    } else {
        access.missed = 1;
        access.streamed = stream_;
        answer.request = request(need, now);
    }
    if (log_->has_listener()) log_->add(access);
    return answer;
}

std::vector<L0InstructionCache::Arrival> L0InstructionCache::receive(const LineArrivals& arrivals) {
    std::vector<Arrival> known;
    for (Line& line : lines_) {
        if (line.request != arrivals.number) continue;
        line.at = arrivals.at[line.line - arrivals.first];
        for (const std::size_t warp_slot : line.waiting)
            known.push_back({.warp_slot = warp_slot, .at = line.at});
        line.waiting.clear();
        if (line.needed_at != never) expect_fill(line);
    }
    return known;
}

} // namespace warpbound::harness::simulator
