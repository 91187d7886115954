#include "certification/verify/interference/executed_between.hpp"

#include <algorithm>

namespace warpbound::certification::verify {

namespace {

using PerBlock = std::vector<std::optional<std::size_t>>;

bool waits_at_barrier(const TimedCode& code, std::size_t i) {
    return code.reachable[i] && code.timings[i].value().is_barrier_wait;
}

std::vector<std::size_t> barriers_by_block(const TimedCode& code, const std::vector<bool>& live) {
    const ControlFlow& flow = code.upper_flow;
    std::vector<std::size_t> barriers(live.size(), 0);
    for (std::size_t block = 0; block < live.size(); ++block)
        for (std::size_t i = flow.first[block]; live[block] && i <= flow.last[block]; ++i)
            if (waits_at_barrier(code, i)) ++barriers[block];
    return barriers;
}

/// Barriers that a path has passed when it comes to each block; none where paths differ in that.
std::optional<PerBlock> passed_before(const ControlFlow& flow, const std::vector<bool>& live,
                                      const std::vector<std::size_t>& barriers) {
    PerBlock passed(live.size());
    passed[0] = 0;
    std::vector<std::size_t> work{0};
    while (!work.empty()) {
        const std::size_t block = work.back();
        work.pop_back();
        const std::size_t after = *passed[block] + barriers[block];
        for (const std::size_t to : flow.blocks[block].successors) {
            if (!live[to]) continue;
            if (passed[to] && *passed[to] != after) return std::nullopt;
            if (passed[to]) continue;
            passed[to] = after;
            work.push_back(to);
        }
    }
    return passed;
}

} // namespace

std::optional<ExecutedBetween> executed_between_barriers(const TimedCode& code) {
    const ControlFlow& flow = code.upper_flow;
    const std::vector<bool> live = live_blocks(flow, std::nullopt);
    const std::vector<std::size_t> barriers = barriers_by_block(code, live);
    const auto passed = passed_before(flow, live, barriers);
    if (!passed) return std::nullopt;
    std::size_t all = 0;
    for (const std::size_t of_block : barriers)
        all += of_block;
    ExecutedBetween between;
    between.instructions.assign(all + 1, std::vector<bool>(code.timings.size(), false));
    std::optional<std::int64_t> shortest;
    for (std::size_t block = 0; block < live.size(); ++block) {
        if (!live[block] || !(*passed)[block]) continue;
        std::size_t interval = *(*passed)[block];
        for (std::size_t i = flow.first[block]; i <= flow.last[block]; ++i) {
            between.instructions[interval][i] = code.reachable[i];
            if (!waits_at_barrier(code, i)) continue;
            ++interval;
            const std::int64_t release = code.timings[i].value().latency.lo;
            shortest = std::min(shortest.value_or(release), release);
        }
        // One of several barriers that exclude each other is left out.
        if (flow.blocks[block].exits && interval != all) return std::nullopt;
    }
    between.shortest_release = shortest.value_or(0);
    return between;
}

} // namespace warpbound::certification::verify
