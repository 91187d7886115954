#include "tests/support/bottleneck_accesses.hpp"

#include "tests/support/random_source.hpp"
#include "tests/unit/harness/simulator/machines.hpp"
#include "tests/unit/harness/simulator/programs.hpp"

#include <random>
#include <utility>
#include <vector>

namespace warpbound::tests {

using namespace harness::simulator::test;

namespace {

/// Stores to lines that the L2 may have to write back.
void set_stored_lines(RandomAccesses& result, std::size_t store, RandomSource& choose) {
    auto& stored = result.program.set_pattern(store);
    stored.base = std::uint64_t{1} << static_cast<unsigned>(choose.whole(20, 21));
    stored.thread_stride = 4;
    stored.warp_stride = 128;
    stored.block_stride = static_cast<std::uint64_t>(choose.whole(0, 1)) * 6 * 128;
    stored.iteration_stride = 18 * 128;
    set_memory(result.machine, "l2", "sets", 1 << choose.whole(0, 6));
    set_memory(result.machine, "l2", "ways", 1 << choose.whole(0, 4));
    set(result.machine.write_buffer, "entries", choose.whole(1, 8));
    set(result.machine.write_buffer, "drain", choose.whole(1, 4));
}

} // namespace

std::string_view to_string(Bottleneck bottleneck) {
    switch (bottleneck) {
    case Bottleneck::Port:
        return "port";
    case Bottleneck::ChannelAndLink:
        return "channel-and-link";
    case Bottleneck::L1:
        return "l1";
    case Bottleneck::Link:
        return "link";
    case Bottleneck::Slice:
        return "slice";
    case Bottleneck::Channel:
        return "channel";
    case Bottleneck::Banks:
        return "banks";
    case Bottleneck::MshrEntries:
        return "mshr-entries";
    case Bottleneck::MshrMerges:
        return "mshr-merges";
    case Bottleneck::LoadQueue:
        return "load-queue";
    case Bottleneck::LinkQueue:
        break;
    }
    return "link-queue";
}

RandomAccesses bottleneck_accesses(Bottleneck bottleneck, std::uint64_t seed, bool stores) {
    using enum assembly::EdgeKind;
    std::mt19937_64 random{seed};
    const auto number = [&](std::int64_t lo, std::int64_t hi) {
        return lo + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(hi - lo + 1));
    };
    std::vector<assembly::Instruction> body{load_global(10, 0), add(20, 20, 10), branch()};
    if (stores) body.insert(body.begin() + 2, store_global(0, 20));
    RandomAccesses result{program_of({{add(1, 0, 0)}, std::move(body), {exit()}},
                                     {{0, 1, FallThrough}, {1, 2, FallThrough}, {1, 1, Taken}}),
                          cached_machine(models::IssueControl::Interlocked),
                          {number(2, 3), 32 * number(4, 6)}};
    const std::int64_t iterations = number(3, 8);
    add_loop(result.program, 1, {1}, iterations, iterations);
    const std::int64_t lines =
        bottleneck == Bottleneck::LoadQueue ? number(3, 8) : number(1, 2) * number(1, 3);
    const bool shares = bottleneck == Bottleneck::MshrMerges; // Lines that evict each other.
    auto& pattern = result.program.set_pattern(1);
    pattern.base = std::uint64_t{1} << 20U;
    pattern.thread_stride = 4 * static_cast<std::uint64_t>(lines);
    pattern.warp_stride = shares ? 0 : 32 * pattern.thread_stride;
    pattern.block_stride = 6 * pattern.warp_stride;
    pattern.iteration_stride = shares ? 0 : 18 * 32 * pattern.thread_stride;
    const bool drawn = number(0, 1) == 1; // Some values are intervals.
    const auto give = [&](const char* memory, const char* name, std::int64_t value,
                          std::int64_t less = 0) {
        set_memory(result.machine, memory, name, Values{drawn ? value - less : value, value});
    };
    const auto is = [&](Bottleneck which, std::int64_t lo, std::int64_t hi, std::int64_t plenty) {
        return bottleneck == which ? number(lo, hi) : plenty;
    };
    set_class(result.machine, {assembly::OpcodeClass::LoadGlobal, "warp-unit", 0});
    auto& timing = result.machine.classes[assembly::OpcodeClass::LoadGlobal];
    set(timing.values, "pass-cost", is(Bottleneck::LoadQueue, 20, 60, 1));
    if (bottleneck == Bottleneck::Port) { // Lines arrive as fast as the port accepts them.
        timing.unit = number(0, 2) == 0 ? "alu" : "core-unit";
        const std::int64_t initiation = number(20, 50);
        set(timing.values, "initiation", initiation);
        set(timing.values, "pass-cost", initiation);
        give("l1", "latency", 50 + number(0, 10), 10);
    }
    give("l1", "sector", 128);
    give("l2", "sector", 128);
    const std::int64_t service = is(Bottleneck::L1, 20, 50, 1);
    give("l1", "service", service, service / 4);
    const std::int64_t link = bottleneck == Bottleneck::ChannelAndLink
                                  ? number(15, 30)
                                  : is(Bottleneck::Link, 20, 50, number(0, 2));
    give("interconnect", "service", link, link / 4);
    const std::int64_t slice = is(Bottleneck::Slice, 20, 50, 1);
    give("l2", "service", slice, slice / 4);
    give("l1", "mshr-entries", is(Bottleneck::MshrEntries, 1, 4, 512));
    if (shares) {
        give("l1", "sets", 1);
        give("l1", "ways", 1);
    }
    give("l1", "mshr-merges", is(Bottleneck::MshrMerges, 1, 4, 64));
    give("l1", "queue", is(Bottleneck::LoadQueue, 1, 3, 64));
    give("interconnect", "queue", is(Bottleneck::LinkQueue, 1, 4, 512));
    const std::int64_t transit = is(Bottleneck::LinkQueue, 100, 190, 20);
    give("interconnect", "latency", transit,
         bottleneck == Bottleneck::Banks ? 0 : number(0, 1) * transit / 8);
    const bool far = bottleneck == Bottleneck::Channel || bottleneck == Bottleneck::ChannelAndLink;
    give("l2", "latency", far ? 100 : 400, 10);
    give("dram", "latency", 400, 10);
    give("l2", "slices", number(1, 2));
    give("l2", "mshr-entries", 1024);
    give("l2", "mshr-merges", 64);
    give("dram", "channels", 1);
    give("dram", "banks", 64);
    give("dram", "queue", 512);
    const std::int64_t transfer = bottleneck == Bottleneck::ChannelAndLink
                                      ? link + number(0, 8)
                                      : is(Bottleneck::Channel, 20, 60, 1);
    if (bottleneck == Bottleneck::ChannelAndLink &&
        number(0, 1) == 1) { // Some lines are present already.
        pattern.random = seed;
        pattern.footprint = std::uint64_t{4096} << static_cast<unsigned>(number(3, 8));
    }
    give("dram", "row-hit", transfer, bottleneck == Bottleneck::ChannelAndLink ? 0 : transfer / 4);
    give("dram", "row-miss", transfer);
    if (bottleneck == Bottleneck::Banks) { // The lines of a load are in some rows of a few banks.
        if (drawn) {
            pattern.random = seed;
            pattern.footprint = std::uint64_t{4096} << static_cast<unsigned>(number(0, 6));
        }
        give("interconnect", "service", 1);
        give("l2", "latency", 100);
        const std::int64_t channels = number(1, 3);
        give("l2", "slices", channels);
        give("dram", "channels", channels);
        give("dram", "latency", 150, 10);
        give("dram", "banks", number(1, 6));
        give("dram", "row", 128 << number(0, 4));
        give("dram", "row-hit", number(1, 4), number(0, 1));
        give("dram", "row-miss", number(40, 120));
        give("dram", "queue", number(32, 64));
        give("l1", "mshr-entries", number(1, 96));
        give("interconnect", "queue", number(8, 128));
    }
    if (stores) {
        RandomSource choose{seed};
        set_stored_lines(result, 3, choose);
    }
    return result;
}

std::string_view to_string(StoreBottleneck bottleneck) {
    return bottleneck == StoreBottleneck::Writebacks ? "writebacks" : "link-queue";
}

RandomAccesses bottleneck_stores(StoreBottleneck bottleneck, std::uint64_t seed) {
    using enum assembly::EdgeKind;
    RandomSource choose{seed};
    RandomAccesses result{program_of({{add(1, 0, 0)}, {store_global(0, 20), branch()}, {exit()}},
                                     {{0, 1, FallThrough}, {1, 2, FallThrough}, {1, 1, Taken}}),
                          cached_machine(models::IssueControl::Interlocked),
                          {choose.whole(2, 3), 32 * choose.whole(4, 6)}};
    const std::int64_t iterations = choose.whole(3, 12);
    add_loop(result.program, 1, {1}, iterations, iterations);
    auto& pattern = result.program.set_pattern(1);
    pattern.thread_stride = 4 * static_cast<std::uint64_t>(choose.whole(1, 3));
    pattern.warp_stride = 32 * pattern.thread_stride;
    pattern.block_stride = 6 * pattern.warp_stride;
    pattern.iteration_stride = 18 * pattern.warp_stride;
    const auto give = [&](const char* memory, const char* name, std::int64_t value) {
        set_memory(result.machine, memory, name, value);
    };
    set(result.machine.write_buffer, "entries", choose.whole(1, 2));
    set(result.machine.write_buffer, "drain", 1);
    give("interconnect", "service", 0);
    give("l2", "service", 1);
    give("l2", "slices", 1);
    give("l2", "sector", 128);
    give("dram", "channels", 1);
    give("dram", "banks", 64);
    if (bottleneck == StoreBottleneck::LinkQueue) {
        give("l2", "latency", 400);
        give("interconnect", "latency", choose.whole(100, 200));
        give("interconnect", "queue", choose.whole(1, 4));
        give("l2", "sets", 64);
        give("l2", "ways", 64);
        return result;
    }
    give("l2", "sets", choose.whole(1, 4));
    give("l2", "ways", choose.whole(1, 4));
    give("interconnect", "latency", 1);
    give("interconnect", "queue", choose.whole(1, 4));
    give("dram", "queue", choose.whole(1, 4));
    const std::int64_t transfer = choose.whole(40, 90);
    give("dram", "row-hit", transfer);
    give("dram", "row-miss", transfer);
    return result;
}

} // namespace warpbound::tests
