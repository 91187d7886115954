#include "harness/execution/block_barriers.hpp"

#include <bit>

namespace warpbound::harness::execution {

bool BlockBarriers::arrive(Step& step) {
    // BAR.SYNC id[, threads]; BAR.RED.op id, predicate.
    const std::size_t count = step.source_count();
    const std::uint32_t index = count > 0 ? step.word(0)[first_lane(step.lanes)] : 0;
    if (index >= barrier_count) {
        step.fail("a block has 16 barriers");
        return false;
    }
    Barrier& barrier = barriers_[index];
    if (count > 1) {
        const std::uint32_t threads = step.word(1)[first_lane(step.lanes)];
        barrier.expected = (threads + lane_count - 1) / lane_count;
    }
    if (step.has(Modifier::RED)) {
        const auto& predicates =
            step.operation->trailing.empty() ? step.operation->leading : step.operation->trailing;
        const Lanes holds = predicates.empty() ? all_lanes : step.predicate(predicates.back());
        barrier.count += static_cast<std::uint32_t>(std::popcount(holds & step.lanes));
        barrier.threads += static_cast<std::uint32_t>(std::popcount(step.lanes));
        barrier.is_or = step.has(Modifier::OR);
        barrier.is_and = step.has(Modifier::AND);
    }
    const auto warp = static_cast<std::size_t>(step.warp.number);
    const bool waits = !step.has(Modifier::ARV);
    if (waits) {
        waiting_[warp] = static_cast<int>(index);
        generation_[warp] = barrier.opened;
    }
    ++barrier.arrived;
    open_if_complete(barrier);
    return waits;
}

void BlockBarriers::open_if_complete(Barrier& barrier) {
    const std::size_t expected = barrier.expected != 0 ? barrier.expected : live_;
    if (barrier.arrived == 0 || barrier.arrived < expected) return;
    barrier.result = barrier.is_or    ? std::uint32_t{barrier.count != 0}
                     : barrier.is_and ? std::uint32_t{barrier.count == barrier.threads}
                                      : barrier.count;
    barrier.arrived = 0;
    barrier.expected = 0;
    barrier.count = 0;
    barrier.threads = 0;
    ++barrier.opened;
}

bool BlockBarriers::may_pass(std::size_t warp) {
    const Barrier& barrier = barriers_[static_cast<std::size_t>(waiting_[warp])];
    if (barrier.opened == generation_[warp]) return false;
    passed_result_ = barrier.result;
    waiting_[warp] = no_barrier;
    return true;
}

void BlockBarriers::leave() {
    --live_;
    for (Barrier& barrier : barriers_)
        open_if_complete(barrier);
}

bool BlockBarriers::is_any_open() const {
    for (std::size_t warp = 0; warp < waiting_.size(); ++warp)
        if (waiting_[warp] != no_barrier &&
            barriers_[static_cast<std::size_t>(waiting_[warp])].opened != generation_[warp])
            return true;
    return false;
}

void record_access(RecordedWarp& warp, const Wides& addresses, Lanes lanes) {
    const std::size_t first = first_lane(lanes);
    RecordedAccess access{.base = addresses[first], .stride = 0, .active = lanes};
    const Lanes others = lanes & (lanes - 1);
    bool has_stride = true;
    if (others != 0) {
        const std::uint64_t stride = addresses[first_lane(others)] - addresses[first];
        access.stride = static_cast<std::int64_t>(stride);
        std::uint64_t expected = addresses[first];
        for_each_lane(lanes, [&](std::size_t lane) {
            has_stride = has_stride && addresses[lane] == expected;
            expected += stride;
        });
    }
    if (!has_stride) {
        access.first = static_cast<std::uint32_t>(warp.listed.size());
        for_each_lane(lanes, [&](std::size_t lane) { warp.listed.push_back(addresses[lane]); });
    }
    warp.accesses.push_back(access);
}

} // namespace warpbound::harness::execution
