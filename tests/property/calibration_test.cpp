/// \file
/// Round trip: a description derived only from the times of a hidden machine equals the machine.

#include "harness/calibration/calibrate.hpp"
#include "harness/devices/simulated.hpp"
#include "harness/suite/benchmarks/cache_benchmarks.hpp"
#include "harness/suite/benchmarks/calibration_benchmarks.hpp"
#include "harness/suite/measure_point.hpp"
#include "harness/suite/suites.hpp"
#include "models/architecture/value_path.hpp"
#include "models/launch/warp_policy.hpp"
#include "tests/support/hidden_machine.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

namespace warpbound::harness {
namespace {

std::uint64_t number_of(const char* variable, std::uint64_t otherwise) {
    const char* const text = std::getenv(variable);
    return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

bool has_caches(const tests::HiddenMachine& hidden) {
    return hidden.machine.memory("interconnect") != nullptr;
}

/// Loads with an address pattern and no stated level (C23).
bool goes_through_caches(const std::string& benchmark) {
    return benchmark.starts_with("cache-");
}

std::vector<RecordedSeries> measured(const tests::HiddenMachine& hidden) {
    const auto device =
        simulated_device(hidden.machine, models::read_policy(hidden.policy).value());
    // The only knowledge of the suite: the instruction set.
    models::Architecture stranger;
    stranger.target = hidden.machine.target;
    std::vector<RecordedSeries> all;
    for (const auto& suite : suites()) {
        if (suite.name != "calibration") continue;
        for (const auto& benchmark : suite.benchmarks) {
            const auto points = points_of(benchmark, stranger);
            EXPECT_TRUE(points) << benchmark;
            for (const auto& point : points.value()) {
                // A machine without caches has no path through them.
                if (!has_caches(hidden) && goes_through_caches(benchmark)) {
                    EXPECT_FALSE(PointRun::prepare(*device, point)) << point.name;
                    continue;
                }
                const auto series = measure_point(*device, point, Protocol{}, nullptr);
                EXPECT_TRUE(series) << point.name << ": " << to_string(series.error());
                if (!series) continue; // It failed.
                all.push_back(
                    {series_key(point, device->identity(), Protocol{}), series.value().samples});
            }
        }
    }
    return all;
}

/// Empty if the finding agrees with the machine.
std::string error_of(const Finding& finding, const models::Interval& truth) {
    const auto text = [](std::int64_t lo, std::int64_t hi) {
        return std::to_string(lo) + ".." + std::to_string(hi);
    };
    const auto& [lo, typical, hi] = finding.interval;
    const std::string both =
        finding.path + " found " + text(lo, hi) + ", is " + text(truth.lo, truth.hi) + "\n";
    if (finding.sharpness == Sharpness::AtMost) return truth.hi <= hi ? "" : both;
    const bool inside = truth.lo <= lo && hi <= truth.hi;
    return inside && 10 * (hi - lo) >= 9 * (truth.hi - truth.lo) ? "" : both;
}

/// Whether no instruction ever waits for the port, so that smaller initiation intervals cannot be
/// distinguished.
bool never_waits(const models::Architecture& machine, const std::string& path) {
    const auto number = [&](const char* value) {
        return models::find_value(machine, value)->interval->lo;
    };
    const auto name = path.substr(8, path.rfind('/') - 8);
    const auto& timing = machine.classes.at(*assembly::parse_opcode_class(name));
    const std::int64_t initiation = models::find_value(machine, path)->interval->hi;
    const std::int64_t slot = number("schedulers/issue-slot");
    switch (machine.units[*machine.unit_index(timing.unit)].scope) {
    case models::UnitScope::Warp:
        return initiation <= number("schedulers/same-warp-interval");
    case models::UnitScope::Partition:
        return initiation <= slot;
    case models::UnitScope::Core:
        break;
    }
    return initiation * number("schedulers/count") <= slot;
}

/// Whether blocks of some size fill all warp slots, and one more warp would exceed them for some
/// size.
bool shows_warp_slots(std::int64_t slots, std::int64_t most_blocks) {
    bool filled = false;
    bool exceeded = false;
    for (std::int64_t warps = 1; warps <= 32; ++warps) {
        const std::int64_t blocks = std::min(most_blocks, slots / warps);
        filled = filled || warps * blocks == slots;
        exceeded = exceeded ||
                   (blocks < std::min(most_blocks, slots) && warps * (blocks + 1) - 1 == slots);
    }
    return filled && exceeded;
}

/// How a resource of the SM is allocated (C30).
struct Allocation {
    std::int64_t size = 0;
    std::int64_t unit = 1;
    std::int64_t other = 0; ///< Partitions of the register file; reserved bytes of shared memory.
};

std::int64_t in_units(std::int64_t amount, std::int64_t unit) {
    return (amount + unit - 1) / unit * unit;
}

/// Blocks that fit, allocating one warp after the other.
std::int64_t blocks_with_registers(const Allocation& of, std::int64_t registers, std::int64_t warps,
                                   std::int64_t most) {
    std::vector<std::int64_t> free(static_cast<std::size_t>(of.other), of.size / of.other);
    std::size_t next = 0;
    for (std::int64_t blocks = 0; blocks < most; ++blocks)
        for (std::int64_t warp = 0; warp < warps; ++warp, ++next)
            if ((free[next % free.size()] -= in_units(32 * registers, of.unit)) < 0) return blocks;
    return most;
}

std::int64_t blocks_with_memory(const Allocation& of, std::int64_t bytes, std::int64_t most) {
    return std::min(most, of.size / in_units(bytes + of.other, of.unit));
}

/// Whether an allocation rule with another value gives the same counts.
bool looks_like_another(const models::Architecture& machine, const std::string& path) {
    const auto number = [&](const std::string& name) {
        return models::find_value(machine, "limits/" + name)->interval->lo;
    };
    const bool registers = path.find("register") != std::string::npos;
    const Allocation truth = registers
                                 ? Allocation{number("registers"), number("register-granularity"),
                                              number("register-partitions")}
                                 : Allocation{number("shared-memory"), number("shared-granularity"),
                                              number("shared-reserved")};
    const auto same_counts = [&](const Allocation& other) {
        if (!registers) {
            const std::int64_t most = std::min(number("max-blocks"), number("max-warps"));
            const auto sizes = resident_bytes();
            return std::all_of(sizes.begin(), sizes.end(), [&](std::int64_t bytes) {
                return blocks_with_memory(truth, bytes, most) ==
                       blocks_with_memory(other, bytes, most);
            });
        }
        for (const std::int64_t warps : resident_block_sizes) {
            const std::int64_t most = std::min(number("max-blocks"), number("max-warps") / warps);
            for (const std::int64_t count : resident_registers())
                if (blocks_with_registers(truth, count, warps, most) !=
                    blocks_with_registers(other, count, warps, most))
                    return false;
        }
        return true;
    };
    const std::vector<std::int64_t> others = registers ? std::vector<std::int64_t>{1, 2, 4, 8}
                                                       : std::vector<std::int64_t>{0, 1024, 2048};
    const auto differs = [&](const Allocation& other) {
        if (path.ends_with("granularity")) return other.unit != truth.unit;
        if (path.ends_with("partitions") || path.ends_with("reserved"))
            return other.other != truth.other;
        return other.size != truth.size;
    };
    for (std::int64_t size = 1024; size <= 128 * 1024; size += 1024)
        for (std::int64_t unit = registers ? 32 : 64; unit <= 4096; unit *= 2)
            for (const std::int64_t other : others)
                if (differs({size, unit, other}) && same_counts({size, unit, other})) return true;
    return false;
}

/// Whether the scope of the port of a class may be unobservable.
bool hides_its_port(const models::Architecture& machine, const std::string& name) {
    const auto number = [&](const std::string& value) {
        return models::find_value(machine, value)->interval->lo;
    };
    const std::string path = "classes/" + name + "/initiation";
    const std::int64_t step = number("schedulers/same-warp-interval");
    // A store waits for its port or for the buffer.
    if (name.starts_with("store-") && !name.ends_with("shared")) return true;
    const std::int64_t warps = 32 / number("schedulers/count");
    const std::int64_t slot = number("schedulers/issue-slot");
    if (name.starts_with("load-") || name.starts_with("store-") || name.starts_with("atomic-")) {
        const std::int64_t free = std::max({warps * slot, step, number(path)});
        return warps * number(path) - free <= 2 * step;
    }
    if (number(path) > step) return false;
    return never_waits(machine, path) || 8 * step >= 7 * warps;
}

/// Whether the first miss may return before all entries are used, or the lines that must miss may
/// be in the L1 or not in the L2, or two of them may be in one line.
bool hides_misses(const models::Architecture& machine) {
    const auto lowest = [&](const std::string& path) {
        return models::find_value(machine, path)->interval->lo;
    };
    const auto highest = [&](const std::string& path) {
        return models::find_value(machine, path)->interval->hi;
    };
    const std::int64_t entries = lowest("memories/l1/mshr-entries");
    const std::int64_t on_the_way =
        highest("memories/interconnect/latency") + highest("memories/l2/service") + 2;
    const std::int64_t each =
        std::max({lowest("schedulers/same-warp-interval"), lowest("classes/load-global/initiation"),
                  highest("memories/l1/service"), highest("memories/interconnect/service"),
                  on_the_way / lowest("memories/interconnect/queue") + 1});
    const std::int64_t sent = (entries + 2) * each + highest("memories/l1/latency");
    const std::int64_t targets = most_misses * miss_stride;
    const bool reloads =
        std::any_of(reload_walks.begin(), reload_walks.end(), [&](std::int64_t walk) {
            return lowest("memories/l1/size") + targets <= walk &&
                   walk + targets <= lowest("memories/l2/size");
        });
    return lowest("memories/l1/line") > miss_stride || entries >= most_misses || !reloads ||
           2 * (sent + on_the_way) >= lowest("memories/l2/latency");
}

/// Values that the suite may leave open, and on which machines.
bool cannot_show(const tests::HiddenMachine& hidden, const std::string& path) {
    const auto number = [&](const char* value) {
        return models::find_value(hidden.machine, value)->interval->lo;
    };
    if (path.starts_with("memories/l1/") || path.starts_with("memories/l2/")) {
        if (!has_caches(hidden)) return !path.ends_with("/latency");
        // The L2 cannot be observed while the L1 holds the same lines.
        if (path == "memories/l1/mshr-entries") return hides_misses(hidden.machine);
        if (path == "memories/l2/sector")
            return number("memories/l2/sector") <= number("memories/l1/sector");
        if (path == "memories/l2/ways" || path == "memories/l2/size")
            return number("memories/l2/ways") <= number("memories/l1/ways");
    }
    if (path == "limits/max-warps")
        return !shows_warp_slots(number("limits/max-warps"), number("limits/max-blocks"));
    if (path == "limits/register-granularity" && number("limits/register-granularity") <= 32)
        return true; // A warp uses 32 registers for each register of a thread.
    if (path.starts_with("limits/register") || path.starts_with("limits/shared"))
        return looks_like_another(hidden.machine, path);
    // If stores do not issue clearly faster than they drain, the buffer does not fill.
    const auto& stores = hidden.machine.classes.at(assembly::OpcodeClass::StoreGlobal);
    const auto scope = hidden.machine.units[*hidden.machine.unit_index(stores.unit)].scope;
    const std::int64_t drain = number("write-buffer/drain");
    const std::int64_t port = number("classes/store-global/initiation");
    const std::int64_t entries = number("write-buffer/entries");
    // The number of stores that fill it in "store-train", or that find an entry after the blocking
    // store of 32 transactions in "store-plug".
    const std::int64_t spacing = std::max(port, number("schedulers/same-warp-interval"));
    const bool fills =
        10 * drain >= 13 * port && (entries * drain <= train_counts.front() * (drain - port) ||
                                    (entries - 1) * spacing < many_passes * (drain - port));
    const bool all_at_once = scope == models::UnitScope::Warp && hidden.policy != "srr" &&
                             !hidden.policy.starts_with("two-level") &&
                             // Otherwise stores might wait for the ports of the schedulers.
                             entries > number("schedulers/count");
    if (path == "write-buffer/drain" || path == "write-buffer/entries")
        return !all_at_once && !fills;
    if (path.ends_with("/port"))
        return hides_its_port(hidden.machine, path.substr(8, path.rfind('/') - 8));
    return false;
}

class RoundTrip : public testing::TestWithParam<std::uint64_t> {};

TEST_P(RoundTrip, RecoversTheMachineFromItsTimes) {
    const std::uint64_t seed = number_of("WARPBOUND_PROPERTY_SEED", 1) + GetParam();
    const tests::HiddenMachine hidden = tests::hidden_machine(seed);
    SCOPED_TRACE("seed " + std::to_string(seed) + ", policy " + hidden.policy);
    const auto measurements = Measurements::of(measured(hidden), hidden.machine.target);
    ASSERT_TRUE(measurements) << to_string(measurements.error());
    const auto calibration = calibrate(measurements.value());
    ASSERT_TRUE(calibration) << to_string(calibration.error());
    std::string errors;
    for (const auto& finding : calibration.value().findings) {
        const auto* truth = models::find_value(hidden.machine, finding.path);
        ASSERT_NE(truth, nullptr) << finding.path;
        if (finding.sharpness == Sharpness::AtMost &&
            finding.path.find("/initiation") != std::string::npos &&
            never_waits(hidden.machine, finding.path))
            continue;
        errors += error_of(finding, *truth->interval);
    }
    EXPECT_EQ(errors, "");
    for (const auto& scope : calibration.value().scopes) {
        const auto& timing =
            hidden.machine.classes.at(*assembly::parse_opcode_class(scope.opcode_class));
        const auto unit = hidden.machine.units[*hidden.machine.unit_index(timing.unit)];
        // With one scheduler its port is also the port of the SM.
        const bool one = hidden.machine.schedulers.find("count")->interval->lo == 1;
        const auto truth = one && unit.scope == models::UnitScope::Core
                               ? models::UnitScope::Partition
                               : unit.scope;
        EXPECT_EQ(static_cast<int>(scope.scope), static_cast<int>(truth))
            << scope.opcode_class << " on " << unit.name << ", initiation "
            << timing.values.find("initiation")->interval->lo;
    }
    // A class without a scope has a reason.
    for (const auto& known : calibrated_classes()) {
        const auto& scopes = calibration.value().scopes;
        const auto& missing = calibration.value().unidentified;
        const bool found = std::any_of(scopes.begin(), scopes.end(), [&](const auto& scope) {
            return scope.opcode_class == known.name;
        });
        const bool named = std::any_of(missing.begin(), missing.end(), [&](const auto& one) {
            return one.path == "classes/" + known.name + "/port";
        });
        EXPECT_NE(found, named) << known.name;
    }
    EXPECT_EQ(calibration.value().policy.value_or("unknown"), hidden.policy);
    for (const auto& missing : calibration.value().unidentified)
        EXPECT_TRUE(cannot_show(hidden, missing.path)) << missing.path << ": " << missing.why;
}

INSTANTIATE_TEST_SUITE_P(HiddenMachines, RoundTrip,
                         testing::Range<std::uint64_t>(0,
                                                       number_of("WARPBOUND_PROPERTY_CASES", 2)));

} // namespace
} // namespace warpbound::harness
