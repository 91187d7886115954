// Calibration of the write buffer and the caches.
#include "models/architecture/value_path.hpp"
#include "tests/support/made_values.hpp"
#include "tests/unit/harness/calibration/calibrated_card.hpp"

#include <gtest/gtest.h>

namespace warpbound::harness {
namespace {

// V14 did not measure size and drain (9.2); the description assumes 8 entries and 5 to 8 cycles
// each.
TEST(Calibrate, ReadsTheWriteBufferOffTheCard) {
    const auto calibration = calibrated(measured(
        {"switched-off", "start-order", "crowd-switched-off", "spacing-store-global",
         "port-store-global", "store-plug", "store-burst", "store-train", "store-train-next"},
        500));
    expect_found(calibration, "write-buffer/entries", 8, 8);
    expect_found(calibration, "write-buffer/drain", 5, 8);
    expect_found(calibration, "classes/store-global/initiation", 34, 34); // V14 Table 7
}

/// The card with another write buffer, and a store port of the given scope.
models::Architecture with_stores(std::int64_t initiation, models::Interval drain,
                                 std::int64_t entries, models::UnitScope scope) {
    auto machine = fermi();
    tests::put_value(machine, "classes/store-global/initiation",
                     {initiation, std::nullopt, initiation});
    tests::put_value(machine, "write-buffer/drain", drain);
    tests::put_value(machine, "write-buffer/entries", {entries, std::nullopt, entries});
    for (auto& unit : machine.units)
        if (unit.name == "global-path") unit.scope = scope;
    return machine;
}

// Under `oldest` the warps that have stored continue before others store, and delay their clock
// reads.
TEST(Calibrate, ReadsTheWriteBufferThoughOlderWarpsHavePriority) {
    auto machine = with_stores(6, {7, std::nullopt, 7}, 9, models::UnitScope::Warp);
    ASSERT_TRUE(models::override_value(machine, "schedulers/count", 1));
    const auto calibration =
        calibrated(measured_on(machine,
                               {"switched-off", "start-order", "crowd-switched-off",
                                "spacing-store-global", "port-store-global", "store-burst"},
                               20, "oldest"));
    expect_found(calibration, "write-buffer/entries", 9, 9);
    expect_found(calibration, "write-buffer/drain", 7, 7);
}

// The first store that finds no free entry may issue late, because its port is busy: the next entry
// then appears to drain faster.
TEST(Calibrate, ReadsTheWriteBufferThoughAStoreWaitedForItsPort) {
    auto machine = with_stores(2, {7, std::nullopt, 12}, 8, models::UnitScope::Partition);
    ASSERT_TRUE(models::override_value(machine, "schedulers/count", 2));
    const auto calibration =
        calibrated(measured_on(machine,
                               {"switched-off", "start-order", "crowd-switched-off",
                                "spacing-store-global", "port-store-global", "store-burst"},
                               200, "lrr"));
    expect_found(calibration, "write-buffer/entries", 8, 8);
    expect_found(calibration, "write-buffer/drain", 7, 12);
}

// If the port lets a warp store faster than the buffer drains, one warp shows both values.
TEST(Calibrate, ReadsTheWriteBufferOffOneWarp) {
    const auto machine = with_stores(3, {9, std::nullopt, 14}, 11, models::UnitScope::Core);
    const auto calibration = calibrated(
        measured_on(machine,
                    {"switched-off", "start-order", "crowd-switched-off", "spacing-store-global",
                     "port-store-global", "store-train", "store-train-next"},
                    500, "srr"));
    expect_found(calibration, "write-buffer/entries", 11, 11);
    expect_found(calibration, "write-buffer/drain", 9, 14);
    expect_found(calibration, "classes/store-global/initiation", 3, 3); // Below the step of 6.
}

// Stores with a varying distance issue earlier than its largest value predicts: none of them waits.
TEST(Calibrate, InventsNoEntriesWhereNoStoreWaits) {
    auto series = measured({"switched-off", "spacing-store-global", "store-plug"}, 20);
    for (auto& one : series) {
        if (one.key.name == "spacing-store-global") one.samples.back().times.front() += 2;
        if (one.key.name == "store-plug/n=2" || one.key.name == "store-plug/n=3")
            one.samples.back().times.front() -= 1;
    }
    const auto calibration = calibrated(series);
    ASSERT_TRUE(calibration) << to_string(calibration.error());
    EXPECT_EQ(finding(calibration.value(), "write-buffer/entries"), nullptr);
    const auto* entries = reason(calibration.value(), "write-buffer/entries");
    ASSERT_NE(entries, nullptr);
    EXPECT_NE(entries->why.find("closer than their distance in isolation"), std::string::npos);
}

// If a further transaction costs nothing, no distance of lanes is slower, except by random
// variation.
TEST(Calibrate, DoesNotMistakeTheVariationOfALatencyForTheLineSize) {
    auto machine = fermi();
    for (const bool costs : {true, false}) {
        if (!costs) {
            ASSERT_TRUE(models::override_value(machine, "classes/load-global/pass-cost", 0));
        }
        tests::put_value(machine, "memories/l1/latency", {40, std::nullopt, 80});
        const auto calibration =
            calibrated(measured_on(machine, {"switched-off", "coalescing"}, 500, "lrr"));
        ASSERT_TRUE(calibration) << to_string(calibration.error());
        const auto* line = finding(calibration.value(), "memories/l1/line");
        EXPECT_EQ(line != nullptr, costs);
        if (line != nullptr) {
            EXPECT_EQ(line->interval.lo, 128);
        }
        EXPECT_EQ(reason(calibration.value(), "memories/l1/line") != nullptr, !costs);
    }
}

/// The card with the caches of another one, and loads with the smallest issue distance.
models::Architecture with_caches(std::int64_t mshr_entries) {
    auto machine = fermi();
    machine.memories = models::load_architecture("gtx480-gpgpusim").value().memories;
    EXPECT_TRUE(models::override_value(machine, "classes/load-global/initiation", 2));
    EXPECT_TRUE(models::override_value(machine, "memories/l1/mshr-entries", mshr_entries));
    return machine;
}

/// The series of the miss benchmarks on it, for one walk size in bytes.
std::vector<RecordedSeries> measured_misses(const models::Architecture& machine,
                                            const std::string& walk = "24576") {
    return measured_on(machine,
                       {"switched-off", "coalescing", "cache-levels", "cache-sector",
                        "cache-reload/walk=" + walk, "cache-misses/walk=" + walk},
                       100, "lrr");
}
Result<Calibration> calibrated_misses(const models::Architecture& machine) {
    return calibrated(measured_misses(machine));
}

/// Overrides values of a machine.
void put(models::Architecture& machine,
         const std::vector<std::pair<std::string, std::int64_t>>& values) {
    for (const auto& [path, value] : values)
        ASSERT_TRUE(models::override_value(machine, path, value)) << path;
}

void expect_unknown(const Result<Calibration>& calibration, const std::string& path,
                    const std::string& why) {
    ASSERT_TRUE(calibration) << to_string(calibration.error());
    const auto* found = finding(calibration.value(), path);
    EXPECT_EQ(found, nullptr) << path << " was read " << found->interval.lo;
    const auto* unknown = reason(calibration.value(), path);
    ASSERT_NE(unknown, nullptr) << path;
    EXPECT_NE(unknown->why.find(why), std::string::npos) << unknown->why;
}

constexpr const char* entries_path = "memories/l1/mshr-entries";

TEST(Calibrate, ReadsTheNumberOfOutstandingMisses) {
    expect_found(calibrated_misses(with_caches(9)), entries_path, 9, 9);
    // The first miss returns before a warp has sent that many.
    expect_unknown(calibrated_misses(with_caches(200)), entries_path, "after 18 misses");
}

// Loads of one sector share an entry (C25): twice as many loads as entries get one, or, if an entry
// serves one access, the second load waits although entries are free.
TEST(Calibrate, CountsNoMissesWhereTwoOfThemMayShareAnEntry) {
    for (const std::int64_t merges : {8, 1}) {
        auto machine = with_caches(merges == 1 ? 9 : 4);
        put(machine, {{"memories/l1/line", 256},
                      {"memories/l1/sector", 256},
                      {"memories/l1/sets", 16},
                      {"memories/l1/mshr-merges", merges},
                      {"memories/l2/line", 256},
                      {"memories/l2/sets", 32}});
        expect_unknown(calibrated_misses(machine), entries_path,
                       "its line is 256 bytes, and loads 128 bytes apart may share an entry");
    }
}

// The fifth miss waits for a queue entry of the link until a slice has handled the first (C27), and
// the hit after it is served when the L2 alone could have answered.
TEST(Calibrate, DoesNotMistakeAFullLinkForFullMshrEntries) {
    auto machine = with_caches(32);
    put(machine, {{"memories/l1/latency", 60},
                  {"memories/l2/latency", 100},
                  {"memories/interconnect/latency", 45},
                  {"memories/interconnect/queue", 4},
                  {"memories/interconnect/service", 1}});
    expect_unknown(calibrated_misses(machine), entries_path,
                   "after 5 misses a hit takes as long as a miss, but does not show");
}

// After a walk over 192 lines, an L2 with 32 sets and 5 ways holds the lines from number 32 on: the
// first lines miss the L2 too, and it has few entries.
TEST(Calibrate, CountsNoMissesOfTheL1WhereTheL2HoldsOnlySomeOfTheLines) {
    auto machine = with_caches(32);
    put(machine, {{"memories/l1/size", 4096},
                  {"memories/l1/sets", 8},
                  {"memories/l2/size", 20480},
                  {"memories/l2/sector", 128},
                  {"memories/l2/sets", 32},
                  {"memories/l2/ways", 5},
                  {"memories/l2/slices", 1},
                  {"memories/l2/mshr-entries", 8},
                  {"memories/dram/channels", 1}});
    auto series = measured_misses(machine);
    for (auto& longer : measured_on(machine, {"cache-reload/walk=73728"}, 100, "lrr"))
        series.push_back(std::move(longer));
    expect_unknown(calibrated(series), entries_path, "after no walk are lines in the L2");
}

/// Expects the digest of a finding to change with each of these points.
void expect_rests_on(const std::vector<RecordedSeries>& series, const std::string& path,
                     const std::vector<std::string>& points) {
    const auto digest_with = [&](const std::string& point) {
        auto all = series;
        for (auto& one : all)
            if (one.key.name == point) ++one.samples.front().seed;
        const auto calibration = calibrated(std::move(all));
        EXPECT_TRUE(calibration) << to_string(calibration.error());
        const auto* found = finding(calibration.value(), path);
        EXPECT_NE(found, nullptr) << path;
        return found == nullptr ? std::string{} : found->digest;
    };
    const std::string digest = digest_with("no such point");
    EXPECT_EQ(digest_with("another one that is not there"), digest);
    for (const auto& point : points)
        EXPECT_NE(digest_with(point), digest) << path << " " << point;
}

TEST(Calibrate, ReportsEverySeriesThatAValueOfTheCachesDependsOn) {
    auto series = measured_misses(with_caches(9));
    const std::vector<std::string> levels{"cache-levels/lines=0", "cache-levels/lines=1"};
    expect_rests_on(series, entries_path,
                    {"cache-levels/lines=0", "cache-levels/lines=1",
                     "cache-reload/walk=24576/line=0", "cache-reload/walk=24576/line=63",
                     "cache-misses/walk=24576/loads=1", "coalescing/distance=64",
                     "cache-sector/offset=8"});
    expect_rests_on(series, "memories/l1/sector", levels);
    expect_rests_on(series, "memories/l1/latency", levels);
    for (auto& more : measured_on(with_caches(9), {"cache-ways", "cache-sets"}, 20, "lrr"))
        series.push_back(std::move(more));
    expect_rests_on(series, "memories/l1/ways", levels);
    for (const char* path : {"memories/l1/sets", "memories/l2/size", "memories/l2/latency"})
        expect_rests_on(series, path,
                        {"cache-levels/lines=0", "cache-levels/lines=1", "cache-ways/lines=3"});
    expect_rests_on(series, "memories/l1/sets", {"coalescing/distance=64"});
}

TEST(Calibrate, ReportsEverySeriesThatTheWriteBufferDependsOn) {
    const std::vector<std::string> common{"switched-off",       "start-order",
                                          "crowd-switched-off", "spacing-store-global",
                                          "port-store-global",  "store-train-next"};
    const auto with = [&](const std::string& more) {
        auto names = common;
        names.push_back(more);
        return names;
    };
    const auto burst = measured(with("store-burst"), 100);
    for (const char* path : {"write-buffer/entries", "write-buffer/drain"})
        expect_rests_on(burst, path, {"port-store-global"});
    const auto train =
        measured_on(with_stores(3, {9, std::nullopt, 14}, 11, models::UnitScope::Core),
                    with("store-train"), 100, "srr");
    for (const char* path : {"write-buffer/entries", "write-buffer/drain"})
        expect_rests_on(train, path, {"port-store-global", "store-train-next"});
}

// The counts alone do not determine the allocation rule of a resource.
TEST(Calibrate, ReportsTheAllocationRulesOfAnOccupancyLimit) {
    auto machine = fermi();
    put(machine, {{"blocks/start", 0}, {"blocks/replacement", 100}});
    const auto calibration = calibrated(measured_on(
        machine, {"switched-off", "resident-warps", "resident-registers", "resident-shared-memory"},
        20, "lrr"));
    ASSERT_TRUE(calibration) << to_string(calibration.error());
    int found = 0;
    for (const auto& one : calibration.value().findings) {
        const bool registers = one.path.starts_with("limits/register");
        if (!registers && !one.path.starts_with("limits/shared")) continue;
        ++found;
        EXPECT_EQ(one.assumption,
                  registers ? "taken from sizes that are multiples of 1024, granularities 32, 64, "
                              "128, 256, 512, 1024, and partitions 1, 2, 4, 8"
                            : "taken from sizes that are multiples of 1024, granularities 64, 128, "
                              "256, 512, 1024, 2048, 4096, and reserved bytes 0, 1024, 2048")
            << one.path;
    }
    EXPECT_GE(found, 4);
}

} // namespace
} // namespace warpbound::harness
