/// \file
/// The chain of blocks of docs/theory, S74, against machines of warps, schedulers and one port that
/// know nothing but the model of S11: whatever the warps wait for, demand and in which order they
/// are chosen, no launch takes longer. Likewise with stores that drain while a block slot is
/// refilled (S82).

#include "analyzer/interference/covering_chain.hpp"
#include "analyzer/interference/critical_path.hpp"
#include "analyzer/interference/unawaited_drains.hpp"
#include "tests/support/campaign.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <utility>
#include <vector>

namespace warpbound {
namespace {

using analyzer::Interference;
using analyzer::LaunchGeometry;
using models::ThreadBlocks;
using tests::RandomSource;

/// A warp waits by itself, then issues, one instruction a cycle. `Unit:` core cycles.
struct Phase {
    std::int64_t wait = 0;
    std::int64_t issues = 0;
    bool in_port = false; ///< Each instruction holds the port of the multiprocessor for its cycle.
    bool stores = false;  ///< Each holds the port and enters the write buffer (C15).
};

struct Warp {
    std::vector<Phase> phases;
    std::int64_t priority = 0; ///< Of those that may issue, the least is chosen.
    std::int64_t drain = 0;    ///< Of each of its stores.
};

/// Of a multiprocessor. No entries: no stores.
struct Buffer {
    std::int64_t entries = 0;
    std::int64_t drain = 0; ///< At most.
    std::int64_t port = 0;  ///< For how long a store holds the port, at most as long as it drains.
};

struct Launch {
    LaunchGeometry shape;
    Buffer buffer;
    Interference most; ///< What no warp exceeds.
    std::vector<std::vector<Warp>> blocks;
    std::vector<std::int64_t> refills; ///< By block, where it waits for a block slot.
};

std::int64_t below(RandomSource& random, std::int64_t most) {
    return random.whole(0, most);
}

/// One of so many, from 0.
std::size_t one_of(RandomSource& random, std::size_t count) {
    return static_cast<std::size_t>(random.whole(0, static_cast<std::int64_t>(count) - 1));
}

/// Random times that add up to no more than the most of the launch, mostly to just that.
Warp random_warp(RandomSource& random, const Interference& most, const Buffer& buffer) {
    const auto often_all = [&](std::int64_t all) {
        return below(random, 3) > 0 ? all : below(random, all);
    };
    std::int64_t wait = often_all(most.stall);
    std::int64_t in_port = often_all(most.other_schedulers);
    const std::int64_t most_stores = buffer.entries == 0 ? 0 : most.drain / buffer.drain;
    std::int64_t issues = often_all(most.own_scheduler - most.other_schedulers - most_stores);
    std::int64_t stores = most_stores == 0 ? 0 : often_all(most_stores);
    Warp warp;
    warp.priority = below(random, 1000);
    if (stores > 0) warp.drain = below(random, 3) > 0 ? buffer.drain : below(random, buffer.drain);
    const std::int64_t phases = 1 + below(random, 2);
    for (std::int64_t i = 1; i <= phases; ++i) {
        const auto part = [&](std::int64_t& left) {
            const std::int64_t taken = i == phases ? left : below(random, left);
            left -= taken;
            return taken;
        };
        warp.phases.push_back({part(wait), part(issues), false});
        warp.phases.push_back({0, part(in_port), true});
        if (stores > 0) warp.phases.push_back({0, part(stores), false, true});
    }
    if (below(random, 3) == 0) std::reverse(warp.phases.begin(), warp.phases.end());
    return warp;
}

/// What S82 takes from each refill.
std::int64_t drained_in_refill(const Launch& launch) {
    const Buffer& buffer = launch.buffer;
    const analyzer::UnawaitedDrains unawaited{buffer.entries - 1, buffer.drain - buffer.port,
                                              buffer.port};
    return unawaited.in_refill(launch.most.drain * launch.shape.warps_per_block.count());
}

/// Each store takes an issue slot besides.
void add_stores(RandomSource& random, Launch& launch) {
    Buffer& buffer = launch.buffer;
    buffer.entries = 1 + below(random, 5);
    buffer.drain = 1 + below(random, 7);
    buffer.port = below(random, 1) > 0 ? 1 : 1 + below(random, buffer.drain - 1);
    Interference& most = launch.most;
    const std::int64_t stores = 1 + below(random, 1);
    most.own_scheduler += stores;
    most.barrier_interval += stores;
    most.drain = stores * buffer.drain;
    most.left_in_buffer =
        std::max<std::int64_t>(0, buffer.entries * buffer.drain - launch.shape.refill.hi);
    most.drained_in_refill = drained_in_refill(launch);
}

Launch random_launch(RandomSource& random, bool has_stores) {
    Launch launch;
    LaunchGeometry& shape = launch.shape;
    shape.multiprocessors = 1 + below(random, 1);
    shape.resident = ThreadBlocks{1 + below(random, 3)};
    shape.schedulers = 2 + below(random, 2);
    shape.warps_per_block = models::Warps{1 + below(random, 2 * shape.schedulers - 1)};
    const std::int64_t block_slots = shape.block_slots().count();
    shape.blocks = ThreadBlocks{block_slots + 1 + below(random, 3 * block_slots - 1)};
    const std::int64_t refill =
        !has_stores && below(random, 2) > 0 ? 0 : below(random, has_stores ? 20 : 6);
    shape.refill = {0, refill, refill};
    Interference& most = launch.most;
    most.stall = below(random, 12);
    most.prefix_stall = most.stall;
    most.own_scheduler = 1 + below(random, 7);
    most.other_schedulers = below(random, 2) > 0 ? 0 : below(random, most.own_scheduler);
    most.barrier_interval = most.own_scheduler - most.other_schedulers;
    if (has_stores) add_stores(random, launch);
    for (std::int64_t block = 0; block < shape.blocks.count(); ++block) {
        launch.refills.push_back(below(random, refill));
        std::vector<Warp>& warps = launch.blocks.emplace_back();
        for (std::int64_t warp = 0; warp < shape.warps_per_block.count(); ++warp)
            warps.push_back(random_warp(random, most, launch.buffer));
    }
    return launch;
}

/// A run, cycle by cycle.
class Run {
public:
    explicit Run(const Launch& launch)
        : launch_{launch}, memory_(static_cast<std::size_t>(launch.shape.multiprocessors)) {
        for (std::int64_t slot = 0; slot < launch.shape.resident.count(); ++slot)
            for (std::int64_t sm = 0; sm < launch.shape.multiprocessors; ++sm)
                slots_.push_back({sm, slot * launch.shape.warps_per_block.count()});
        for (Slot& slot : slots_)
            take_block(slot, 0);
    }

    std::int64_t time() {
        for (std::int64_t cycle = 0;; ++cycle) {
            for (Slot& slot : slots_)
                while (proceed(slot, cycle)) {
                }
            if (ended_ == launch_.shape.blocks.count()) return last_drain(cycle);
            for (std::int64_t sm = 0; sm < launch_.shape.multiprocessors; ++sm)
                choose(sm, cycle);
            for (Slot& slot : slots_)
                for (Running& warp : slot.warps)
                    wait(warp);
        }
    }

private:
    struct Running {
        const Warp* warp = nullptr;
        std::int64_t scheduler = 0;
        std::size_t phase = 0;
        Phase left{};
        bool issued = false; ///< In this cycle.

        [[nodiscard]] bool has_ended() const { return phase == warp->phases.size(); }
        [[nodiscard]] bool is_ready() const { return !has_ended() && left.wait == 0; }
    };
    /// Of a multiprocessor.
    struct Memory {
        std::int64_t port_is_free = 0;
        std::deque<std::int64_t> drains{}; ///< When entries of the write buffer leave it.

        [[nodiscard]] bool has_entry(std::int64_t entries, std::int64_t cycle) const {
            return std::ssize(drains) < entries ||
                   drains[drains.size() - static_cast<std::size_t>(entries)] <= cycle;
        }
    };
    struct Slot {
        std::int64_t multiprocessor = 0;
        std::int64_t first_warp = 0; ///< Warp slot; the warps of a block follow each other.
        bool taken = false;
        std::int64_t start = 0;
        std::size_t block = 0;
        std::vector<Running> warps{};
    };

    void take_block(Slot& slot, std::int64_t start) {
        slot.taken = next_ < launch_.blocks.size();
        slot.start = start;
        slot.warps.clear();
        if (slot.taken) slot.block = next_++;
    }

    /// Begins the block of the slot, or ends it: true if that may continue in this cycle.
    bool proceed(Slot& slot, std::int64_t cycle) {
        if (!slot.taken || slot.start > cycle) return false;
        if (slot.warps.empty()) {
            std::int64_t index = slot.first_warp;
            for (const Warp& warp : launch_.blocks[slot.block])
                slot.warps.push_back(
                    {&warp, index++ % launch_.shape.schedulers, 0, warp.phases.front(), false});
        }
        bool ended = true;
        for (Running& warp : slot.warps) {
            while (!warp.has_ended() && warp.left.wait == 0 && warp.left.issues == 0)
                if (++warp.phase < warp.warp->phases.size())
                    warp.left = warp.warp->phases[warp.phase];
            ended = ended && warp.has_ended();
        }
        if (!ended) return false;
        ++ended_;
        const std::int64_t refill =
            next_ < launch_.refills.size() ? launch_.refills[next_] : std::int64_t{0};
        take_block(slot, cycle + refill);
        return true;
    }

    /// Every scheduler of a multiprocessor chooses a warp if one may issue; which one is first to
    /// use the port changes from cycle to cycle.
    void choose(std::int64_t multiprocessor, std::int64_t cycle) {
        Memory& memory = memory_[static_cast<std::size_t>(multiprocessor)];
        for (std::int64_t i = 0; i < launch_.shape.schedulers; ++i) {
            const std::int64_t scheduler = (i + cycle / 3) % launch_.shape.schedulers;
            Running* best = nullptr;
            for (Slot& slot : slots_)
                for (Running& warp : slot.warps) {
                    if (slot.multiprocessor != multiprocessor || warp.scheduler != scheduler ||
                        !warp.is_ready() || !is_free(memory, warp.left, cycle))
                        continue;
                    if (best == nullptr || warp.warp->priority < best->warp->priority) best = &warp;
                }
            if (best == nullptr) continue;
            if (best->left.in_port) memory.port_is_free = cycle + 1;
            if (best->left.stores) store(memory, best->warp->drain, cycle);
            best->issued = true;
        }
    }

    [[nodiscard]] bool is_free(const Memory& memory, const Phase& next, std::int64_t cycle) const {
        if ((next.in_port || next.stores) && memory.port_is_free > cycle) return false;
        return !next.stores || memory.has_entry(launch_.buffer.entries, cycle);
    }

    void store(Memory& memory, std::int64_t drain, std::int64_t cycle) const {
        memory.port_is_free = cycle + launch_.buffer.port;
        const std::int64_t before = memory.drains.empty() ? cycle : memory.drains.back();
        memory.drains.push_back(std::max(cycle, before) + drain);
    }

    [[nodiscard]] std::int64_t last_drain(std::int64_t time) const {
        for (const Memory& memory : memory_)
            if (!memory.drains.empty()) time = std::max(time, memory.drains.back());
        return time;
    }

    static void wait(Running& warp) {
        if (warp.issued)
            --warp.left.issues;
        else if (!warp.has_ended() && warp.left.wait > 0)
            --warp.left.wait;
        warp.issued = false;
    }

    const Launch& launch_;
    std::vector<Memory> memory_;
    std::vector<Slot> slots_;
    std::size_t next_ = 0;
    std::int64_t ended_ = 0;
};

std::int64_t time_of(const Launch& launch) {
    return Run{launch}.time();
}

/// Another launch of the same shape, in which a warp or a block has changed.
Launch changed(RandomSource& random, Launch launch) {
    const std::size_t block = one_of(random, launch.blocks.size());
    auto& warps = launch.blocks[block];
    Warp& warp = warps[one_of(random, warps.size())];
    switch (below(random, 3)) {
    case 0:
        warp = random_warp(random, launch.most, launch.buffer);
        break;
    case 1:
        warp.priority = below(random, 1000);
        break;
    case 2:
        launch.refills[block] = below(random, launch.shape.refill.hi);
        break;
    default:
        std::swap(warps, launch.blocks[one_of(random, launch.blocks.size())]);
    }
    return launch;
}

/// Of so many changes those are kept that do not shorten the launch.
std::int64_t longest_found(RandomSource& random, Launch launch, int changes) {
    std::int64_t longest = time_of(launch);
    for (int i = 0; i < changes; ++i) {
        Launch other = changed(random, launch);
        const std::int64_t time = time_of(other);
        if (time < longest) continue;
        longest = time;
        launch = std::move(other);
    }
    return longest;
}

TEST(CoveringChain, NoLaunchOfItsModelTakesLonger) {
    const auto cases = static_cast<int>(tests::from_environment("WARPBOUND_PROPERTY_CASES", 200));
    int tighter = 0;
    double nearest = 0;
    tests::for_seeds(cases, [&](RandomSource& random) {
        const Launch launch = random_launch(random, false);
        const std::int64_t bound =
            value_of(analyzer::sum_of_covering_chain(launch.shape, launch.most)).count();
        Interference without = launch.most;
        without.prefix_stall.reset();
        if (bound < value_of(analyzer::upper_bound_of(launch.shape, without)).count()) ++tighter;
        const std::int64_t longest = longest_found(random, launch, 20);
        EXPECT_LE(longest, bound) << launch.shape.blocks.count() << " blocks of "
                                  << launch.shape.warps_per_block.count() << " warps, "
                                  << launch.shape.multiprocessors << " multiprocessors of "
                                  << launch.shape.resident.count() << " block slots and "
                                  << launch.shape.schedulers << " schedulers, waits of "
                                  << launch.most.stall << ", demand of "
                                  << launch.most.own_scheduler << " and "
                                  << launch.most.other_schedulers << ", refill "
                                  << launch.shape.refill.hi;
        nearest = std::max(nearest, static_cast<double>(longest) / static_cast<double>(bound));
    });
    testing::Test::RecordProperty("nearest", std::to_string(nearest));
    EXPECT_GT(tighter * 6, cases) << "hardly a launch for which the chain says more than S20";
    EXPECT_GT(nearest, 0.9) << "no run came near";
}

TEST(RefillDrains, AreNotWaitedForInAnyLaunchOfTheModel) {
    const auto cases = static_cast<int>(tests::from_environment("WARPBOUND_PROPERTY_CASES", 200));
    int tighter = 0;
    double nearest = 0;
    tests::for_seeds(cases, [&](RandomSource& random) {
        const Launch launch = random_launch(random, true);
        const auto bound_with = [&](std::int64_t drained) {
            Interference most = launch.most;
            most.drained_in_refill = drained;
            return value_of(analyzer::upper_bound_of(launch.shape, most)).count();
        };
        const std::int64_t bound = bound_with(launch.most.drained_in_refill);
        if (bound < bound_with(0)) ++tighter;
        const std::int64_t longest = longest_found(random, launch, 20);
        EXPECT_LE(longest, bound) << launch.shape.blocks.count() << " blocks of "
                                  << launch.shape.warps_per_block.count() << " warps, "
                                  << launch.shape.multiprocessors << " multiprocessors of "
                                  << launch.shape.resident.count() << " block slots and "
                                  << launch.shape.schedulers << " schedulers, waits of "
                                  << launch.most.stall << ", refill " << launch.shape.refill.hi
                                  << ", " << launch.buffer.entries << " entries, drain "
                                  << launch.buffer.drain << ", port " << launch.buffer.port;
        nearest = std::max(nearest, static_cast<double>(longest) / static_cast<double>(bound));
    });
    testing::Test::RecordProperty("nearest", std::to_string(nearest));
    EXPECT_GT(tighter * 6, cases) << "hardly a launch for which it says more";
    EXPECT_GT(nearest, 0.75) << "no run came near";
}

// One block after the other, each of four stores that drain for 20 cycles; all but the last three
// drain before the block ends.
TEST(RefillDrains, OfTwoStoresMoreWouldBeTooMany) {
    Launch launch;
    launch.shape.blocks = ThreadBlocks{100};
    launch.shape.resident = ThreadBlocks{1};
    launch.shape.warps_per_block = models::Warps{4};
    launch.shape.schedulers = 4;
    launch.shape.refill = {0, 100, 100};
    launch.buffer = {3, 20, 1};
    launch.most.prefix_stall = 0;
    launch.most.own_scheduler = 1;
    launch.most.drain = 20;
    launch.blocks.assign(100, std::vector<Warp>(4, Warp{{{0, 1, false, true}}, 0, 20}));
    launch.refills.assign(100, 100);
    const auto bound_with = [&](std::int64_t drained) {
        Interference most = launch.most;
        most.drained_in_refill = drained;
        return value_of(analyzer::upper_bound_of(launch.shape, most)).count();
    };
    const std::int64_t drained = drained_in_refill(launch);
    EXPECT_EQ(drained, 2 * (20 - 1));
    const std::int64_t time = time_of(launch);
    EXPECT_LE(time, bound_with(drained));
    EXPECT_GT(time, bound_with(drained + 2 * 20));
}

} // namespace
} // namespace warpbound
