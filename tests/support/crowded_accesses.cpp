#include "tests/support/crowded_accesses.hpp"

#include "tests/support/random_source.hpp"
#include "tests/unit/harness/simulator/machines.hpp"
#include "tests/unit/harness/simulator/programs.hpp"

#include <random>
#include <utility>
#include <vector>

namespace warpbound::tests {

using namespace harness::simulator::test;

namespace {

/// Lines that an L2 may have to replace.
void set_stored_lines(RandomAccesses& made, std::size_t store, RandomSource& choose) {
    auto& stored = made.program.set_pattern(store);
    stored.base = std::uint64_t{1} << static_cast<unsigned>(choose.whole(20, 21));
    stored.thread_stride = 4;
    stored.warp_stride = 128;
    stored.block_stride = static_cast<std::uint64_t>(choose.whole(0, 1)) * 6 * 128;
    stored.iteration_stride = 18 * 128;
    set_memory(made.machine, "l2", "sets", 1 << choose.whole(0, 6));
    set_memory(made.machine, "l2", "ways", 1 << choose.whole(0, 4));
    set(made.machine.write_buffer, "entries", choose.whole(1, 8));
    set(made.machine.write_buffer, "drain", choose.whole(1, 4));
}

} // namespace

std::string_view to_string(Crowded crowded) {
    switch (crowded) {
    case Crowded::Port:
        return "port";
    case Crowded::ChannelAndLink:
        return "channel-and-link";
    case Crowded::L1:
        return "l1";
    case Crowded::Link:
        return "link";
    case Crowded::Slice:
        return "slice";
    case Crowded::Channel:
        return "channel";
    case Crowded::Banks:
        return "banks";
    case Crowded::Entries:
        return "entries";
    case Crowded::PlacesInEntry:
        return "places-in-entry";
    case Crowded::LoadQueue:
        return "load-queue";
    case Crowded::LinkQueue:
        break;
    }
    return "link-queue";
}

RandomAccesses crowded_accesses(Crowded crowded, std::uint64_t seed, bool stores) {
    using enum assembly::EdgeKind;
    std::mt19937_64 random{seed};
    const auto number = [&](std::int64_t lo, std::int64_t hi) {
        return lo + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(hi - lo + 1));
    };
    std::vector<assembly::Instruction> body{load_global(10, 0), add(20, 20, 10), branch()};
    if (stores) body.insert(body.begin() + 2, store_global(0, 20));
    RandomAccesses made{program_of({{add(1, 0, 0)}, std::move(body), {exit()}},
                                   {{0, 1, FallThrough}, {1, 2, FallThrough}, {1, 1, Taken}}),
                        cached_machine(models::IssueControl::Interlocked),
                        {number(2, 3), 32 * number(4, 6)}};
    const std::int64_t turns = number(3, 8);
    add_loop(made.program, 1, {1}, turns, turns);
    const std::int64_t lines =
        crowded == Crowded::LoadQueue ? number(3, 8) : number(1, 2) * number(1, 3);
    const bool shares = crowded == Crowded::PlacesInEntry; // Lines that put each other out.
    auto& pattern = made.program.set_pattern(1);
    pattern.base = std::uint64_t{1} << 20U;
    pattern.thread_stride = 4 * static_cast<std::uint64_t>(lines);
    pattern.warp_stride = shares ? 0 : 32 * pattern.thread_stride;
    pattern.block_stride = 6 * pattern.warp_stride;
    pattern.iteration_stride = shares ? 0 : 18 * 32 * pattern.thread_stride;
    const bool drawn = number(0, 1) == 1; // Some values are intervals.
    const auto give = [&](const char* memory, const char* name, std::int64_t value,
                          std::int64_t less = 0) {
        set_memory(made.machine, memory, name, Values{drawn ? value - less : value, value});
    };
    const auto is = [&](Crowded which, std::int64_t lo, std::int64_t hi, std::int64_t plenty) {
        return crowded == which ? number(lo, hi) : plenty;
    };
    set_class(made.machine, {assembly::OpcodeClass::LoadGlobal, "warp-unit", 0});
    auto& timing = made.machine.classes[assembly::OpcodeClass::LoadGlobal];
    set(timing.values, "pass-cost", is(Crowded::LoadQueue, 20, 60, 1));
    if (crowded == Crowded::Port) { // Lines arrive as fast as the port takes them.
        timing.unit = number(0, 2) == 0 ? "alu" : "core-unit";
        const std::int64_t initiation = number(20, 50);
        set(timing.values, "initiation", initiation);
        set(timing.values, "pass-cost", initiation);
        give("l1", "latency", 50 + number(0, 10), 10);
    }
    give("l1", "sector", 128);
    give("l2", "sector", 128);
    const std::int64_t service = is(Crowded::L1, 20, 50, 1);
    give("l1", "service", service, service / 4);
    const std::int64_t link = crowded == Crowded::ChannelAndLink
                                  ? number(15, 30)
                                  : is(Crowded::Link, 20, 50, number(0, 2));
    give("interconnect", "service", link, link / 4);
    const std::int64_t slice = is(Crowded::Slice, 20, 50, 1);
    give("l2", "service", slice, slice / 4);
    give("l1", "mshr-entries", is(Crowded::Entries, 1, 4, 512));
    if (shares) {
        give("l1", "sets", 1);
        give("l1", "ways", 1);
    }
    give("l1", "mshr-merges", is(Crowded::PlacesInEntry, 1, 4, 64));
    give("l1", "queue", is(Crowded::LoadQueue, 1, 3, 64));
    give("interconnect", "queue", is(Crowded::LinkQueue, 1, 4, 512));
    const std::int64_t transit = is(Crowded::LinkQueue, 100, 190, 20);
    give("interconnect", "latency", transit,
         crowded == Crowded::Banks ? 0 : number(0, 1) * transit / 8);
    const bool far = crowded == Crowded::Channel || crowded == Crowded::ChannelAndLink;
    give("l2", "latency", far ? 100 : 400, 10);
    give("dram", "latency", 400, 10);
    give("l2", "slices", number(1, 2));
    give("l2", "mshr-entries", 1024);
    give("l2", "mshr-merges", 64);
    give("dram", "channels", 1);
    give("dram", "banks", 64);
    give("dram", "queue", 512);
    const std::int64_t transfer =
        crowded == Crowded::ChannelAndLink ? link + number(0, 8) : is(Crowded::Channel, 20, 60, 1);
    if (crowded == Crowded::ChannelAndLink && number(0, 1) == 1) { // Some lines are there already.
        pattern.random = seed;
        pattern.footprint = std::uint64_t{4096} << static_cast<unsigned>(number(3, 8));
    }
    give("dram", "row-hit", transfer, crowded == Crowded::ChannelAndLink ? 0 : transfer / 4);
    give("dram", "row-miss", transfer);
    if (crowded == Crowded::Banks) { // Lines of a load on some of the rows of a few banks.
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
        set_stored_lines(made, 3, choose);
    }
    return made;
}

std::string_view to_string(CrowdedByStores crowded) {
    return crowded == CrowdedByStores::ReplacedLines ? "replaced-lines" : "link-queue";
}

RandomAccesses crowded_stores(CrowdedByStores crowded, std::uint64_t seed) {
    using enum assembly::EdgeKind;
    RandomSource choose{seed};
    RandomAccesses made{program_of({{add(1, 0, 0)}, {store_global(0, 20), branch()}, {exit()}},
                                   {{0, 1, FallThrough}, {1, 2, FallThrough}, {1, 1, Taken}}),
                        cached_machine(models::IssueControl::Interlocked),
                        {choose.whole(2, 3), 32 * choose.whole(4, 6)}};
    const std::int64_t turns = choose.whole(3, 12);
    add_loop(made.program, 1, {1}, turns, turns);
    auto& pattern = made.program.set_pattern(1);
    pattern.thread_stride = 4 * static_cast<std::uint64_t>(choose.whole(1, 3));
    pattern.warp_stride = 32 * pattern.thread_stride;
    pattern.block_stride = 6 * pattern.warp_stride;
    pattern.iteration_stride = 18 * pattern.warp_stride;
    const auto give = [&](const char* memory, const char* name, std::int64_t value) {
        set_memory(made.machine, memory, name, value);
    };
    set(made.machine.write_buffer, "entries", choose.whole(1, 2));
    set(made.machine.write_buffer, "drain", 1);
    give("interconnect", "service", 0);
    give("l2", "service", 1);
    give("l2", "slices", 1);
    give("l2", "sector", 128);
    give("dram", "channels", 1);
    give("dram", "banks", 64);
    if (crowded == CrowdedByStores::LinkQueue) {
        give("l2", "latency", 400);
        give("interconnect", "latency", choose.whole(100, 200));
        give("interconnect", "queue", choose.whole(1, 4));
        give("l2", "sets", 64);
        give("l2", "ways", 64);
        return made;
    }
    give("l2", "sets", choose.whole(1, 4));
    give("l2", "ways", choose.whole(1, 4));
    give("interconnect", "latency", 1);
    give("interconnect", "queue", choose.whole(1, 4));
    give("dram", "queue", choose.whole(1, 4));
    const std::int64_t transfer = choose.whole(40, 90);
    give("dram", "row-hit", transfer);
    give("dram", "row-miss", transfer);
    return made;
}

} // namespace warpbound::tests
