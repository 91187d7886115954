#include "tests/support/orderly_accesses.hpp"

#include "tests/unit/harness/simulator/machines.hpp"
#include "tests/unit/harness/simulator/programs.hpp"

#include <optional>
#include <random>
#include <utility>
#include <vector>

namespace warpbound::tests {

using namespace harness::simulator::test;

RandomAccesses orderly_accesses(std::uint64_t seed) {
    using enum assembly::EdgeKind;
    std::mt19937_64 random{seed};
    const auto pick = [&](std::uint64_t lo, std::uint64_t hi) {
        return lo + random() % (hi - lo + 1);
    };
    const auto number = [&](std::uint64_t lo, std::uint64_t hi) {
        return static_cast<std::int64_t>(pick(lo, hi));
    };
    const bool encoded = pick(0, 1) == 1;
    const auto loads = static_cast<int>(pick(1, 3));
    std::vector<assembly::Instruction> body;
    const auto put = [&](assembly::Instruction instruction, std::optional<int> announces,
                         unsigned waits) {
        assembly::Control control = stall(2);
        control.write_barrier = announces;
        control.wait_mask = static_cast<std::uint8_t>(waits);
        body.push_back(encoded ? with(std::move(instruction), control) : instruction);
    };
    for (int load = 0; load < loads; ++load)
        put(load_global(10 + load, 0), load, 1U << static_cast<unsigned>(load));
    for (int load = 0; load < loads; ++load)
        put(add(20, 20, 10 + load), std::nullopt, 1U << static_cast<unsigned>(load));
    if (pick(0, 3) == 0) put(store_global(0, 20), std::nullopt, 0);
    put(branch(), std::nullopt, 0);
    const auto ended = [&] { return encoded ? with(exit(), stall(2)) : exit(); };
    const auto began = [&] { return encoded ? with(add(1, 0, 0), stall(2)) : add(1, 0, 0); };
    RandomAccesses made{
        program_of({{began()}, body, {ended()}},
                   {{0, 1, FallThrough}, {1, 2, FallThrough}, {1, 1, Taken}}),
        cached_machine(encoded ? models::IssueControl::Encoded : models::IssueControl::Interlocked),
        {number(1, 3), 32 * number(1, 6)}};
    const std::int64_t turns = number(2, 12);
    add_loop(made.program, 1, {1}, turns, turns);
    const std::uint64_t footprint = 128 * pick(1, 64);
    for (const std::size_t index : made.program.global_accesses()) {
        auto& pattern = made.program.set_pattern(index);
        pattern.base = index << 20U;
        pattern.thread_stride = 4U << pick(0, 5);
        pattern.warp_stride = 32 * pattern.thread_stride;
        pattern.block_stride = pick(0, 1) * 6 * pattern.warp_stride;
        pattern.iteration_stride = pick(0, 2) * 18 * pattern.warp_stride;
        if (pick(0, 1) == 1) pattern.footprint = footprint;
        if (pick(0, 4) == 0) pattern.random = seed;
    }
    const auto vary = [&](const char* memory, const char* name, std::uint64_t lo,
                          std::uint64_t hi) {
        set_memory(made.machine, memory, name, number(lo, hi));
    };
    vary("l1", "sets", 1, 8);
    vary("l1", "ways", 1, 8);
    vary("l1", "queue", 2, 16);
    vary("l1", "mshr-entries", 8, 64);
    vary("l1", "mshr-merges", 2, 16);
    vary("l2", "sets", 1, 16);
    vary("l2", "ways", 1, 8);
    vary("l2", "mshr-entries", 8, 128);
    vary("interconnect", "queue", 4, 64);
    vary("dram", "banks", 1, 8);
    vary("dram", "queue", 2, 64);
    vary("dram", "row-hit", 1, 12);
    vary("dram", "row-miss", 10, 90);
    if (pick(0, 3) == 0) vary("dram", "refresh-duration", 50, 300);
    if (pick(0, 1) == 1)
        for (const auto& [memory, name] : {std::pair{"l2", "slices"}, {"dram", "channels"}})
            set_memory(made.machine, memory, name, 1);
    set(made.machine.write_buffer, "entries", number(1, 8));
    return made;
}

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
        auto& stored = made.program.set_pattern(3);
        stored.base = std::uint64_t{1} << static_cast<unsigned>(number(20, 21));
        stored.thread_stride = 4;
        stored.warp_stride = 128;
        stored.block_stride = static_cast<std::uint64_t>(number(0, 1)) * 6 * 128;
        stored.iteration_stride = 18 * 128;
        give("l2", "sets", 1 << number(0, 6));
        give("l2", "ways", 1 << number(0, 4));
        set(made.machine.write_buffer, "entries", number(1, 8));
        set(made.machine.write_buffer, "drain", number(1, 4));
    }
    return made;
}

std::string_view to_string(CrowdedByStores crowded) {
    return crowded == CrowdedByStores::ReplacedLines ? "replaced-lines" : "link-queue";
}

RandomAccesses crowded_stores(CrowdedByStores crowded, std::uint64_t seed) {
    using enum assembly::EdgeKind;
    std::mt19937_64 random{seed};
    const auto number = [&](std::int64_t lo, std::int64_t hi) {
        return lo + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(hi - lo + 1));
    };
    RandomAccesses made{program_of({{add(1, 0, 0)}, {store_global(0, 20), branch()}, {exit()}},
                                   {{0, 1, FallThrough}, {1, 2, FallThrough}, {1, 1, Taken}}),
                        cached_machine(models::IssueControl::Interlocked),
                        {number(2, 3), 32 * number(4, 6)}};
    const std::int64_t turns = number(3, 12);
    add_loop(made.program, 1, {1}, turns, turns);
    auto& pattern = made.program.set_pattern(1);
    pattern.thread_stride = 4 * static_cast<std::uint64_t>(number(1, 3));
    pattern.warp_stride = 32 * pattern.thread_stride;
    pattern.block_stride = 6 * pattern.warp_stride;
    pattern.iteration_stride = 18 * pattern.warp_stride;
    const auto give = [&](const char* memory, const char* name, std::int64_t value) {
        set_memory(made.machine, memory, name, value);
    };
    set(made.machine.write_buffer, "entries", number(1, 2));
    set(made.machine.write_buffer, "drain", 1);
    give("interconnect", "service", 0);
    give("l2", "service", 1);
    give("l2", "slices", 1);
    give("l2", "sector", 128);
    give("dram", "channels", 1);
    give("dram", "banks", 64);
    if (crowded == CrowdedByStores::LinkQueue) {
        give("l2", "latency", 400);
        give("interconnect", "latency", number(100, 200));
        give("interconnect", "queue", number(1, 4));
        give("l2", "sets", 64);
        give("l2", "ways", 64);
        return made;
    }
    give("l2", "sets", number(1, 4));
    give("l2", "ways", number(1, 4));
    give("interconnect", "latency", 1);
    give("interconnect", "queue", number(1, 4));
    give("dram", "queue", number(1, 4));
    const std::int64_t transfer = number(40, 90);
    give("dram", "row-hit", transfer);
    give("dram", "row-miss", transfer);
    return made;
}

} // namespace warpbound::tests
