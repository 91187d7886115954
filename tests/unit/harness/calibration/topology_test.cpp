// The samples in tests/data/topology are made by hand, in the form that mt4g writes.
#include "harness/calibration/topology.hpp"
#include "models/architecture/value_path.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace warpbound::harness {
namespace {

using models::Interval;
using testing::HasSubstr;

assembly::SourceText sample(const std::string& name) {
    return assembly::read_source(WARPBOUND_TOPOLOGIES "/" + name + ".json").value();
}

/// The sample with one text replaced.
assembly::SourceText sample(const std::string& name, const std::string& from,
                            const std::string& to) {
    assembly::SourceText file = sample(name);
    const std::size_t at = file.text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    file.text.replace(at, from.size(), to);
    return file;
}

TopologyRequest request(std::optional<assembly::Target> target = assembly::Target{0, 0x90a}) {
    TopologyRequest of;
    of.name = "card";
    of.target = target;
    return of;
}

const models::SourcedValue& value_of(const models::Architecture& machine, const char* path) {
    const auto* const found = models::find_value(machine, path);
    EXPECT_NE(found, nullptr) << path;
    return *found;
}

std::string refusal(const assembly::SourceText& file, const TopologyRequest& of = request()) {
    const auto imported = import_topology(file, of);
    return imported ? std::string{"imported"} : to_string(imported.error());
}

TEST(Topology, OfAnAmdCardBecomesADescription) {
    const auto imported = import_topology(sample("amd"), request());
    ASSERT_TRUE(imported) << to_string(imported.error());
    const auto& machine = imported.value().machine;
    EXPECT_EQ(machine.target, (assembly::Target{0, 0x90a}));
    EXPECT_EQ(machine.issue_control, models::IssueControl::Interlocked);
    const auto& l2 = value_of(machine, "memories/l2/latency");
    // 0.9 x the median of 290, 1.1 x the 95th percentile of 320.
    EXPECT_EQ(l2.interval, (Interval{261, 290, 352}));
    EXPECT_EQ(l2.grade, models::Grade::Repository);
    EXPECT_EQ(l2.measured, models::MeasuredOn::Card);
    EXPECT_THAT(l2.source, HasSubstr("mt4g (Made-up CDNA card, 2026-01-01T00:00:00Z)"));
    // The sum of 8 compute units; 256 bit at 500 MHz, twice a cycle.
    EXPECT_EQ(value_of(machine, "limits/shared-memory").interval->lo, 65536);
    EXPECT_EQ(value_of(machine, "memories/dram/bandwidth").interval->hi, 32'000'000);
    EXPECT_EQ(value_of(machine, "classes/load-constant/latency").interval->typical, 48);
    EXPECT_EQ(models::find_value(machine, "limits/registers"), nullptr);
    const auto again = models::read_architecture({"card.xml", models::write_architecture(machine)});
    EXPECT_TRUE(again) << to_string(again.error());
}

TEST(Topology, OfAnNvidiaCardNamesItsTarget) {
    const auto imported = import_topology(sample("nvidia"), request(std::nullopt));
    ASSERT_TRUE(imported) << to_string(imported.error());
    const auto& machine = imported.value().machine;
    EXPECT_EQ(machine.target, assembly::Target{80});
    EXPECT_EQ(value_of(machine, "limits/registers").interval->lo, 65536);
    EXPECT_EQ(value_of(machine, "limits/max-blocks").interval->lo, 32);
    // mt4g is half confident of the L1's size.
    EXPECT_EQ(models::find_value(machine, "memories/l1/size"), nullptr);
    ASSERT_FALSE(imported.value().left_out.empty());
    EXPECT_EQ(imported.value().left_out.front().field, "memory/l1/size");
    EXPECT_EQ(imported.value().left_out.front().why, "mt4g's confidence is 0.50");
}

TEST(Topology, ReplacesValuesOfABase) {
    TopologyRequest of = request(std::nullopt);
    of.base = models::load_architecture("ampere-a100").value();
    const auto imported = import_topology(sample("nvidia"), of);
    ASSERT_TRUE(imported) << to_string(imported.error());
    const auto& machine = imported.value().machine;
    EXPECT_EQ(value_of(machine, "memories/l1/latency").interval, (Interval{36, 40, 44}));
    EXPECT_EQ(value_of(machine, "classes/float-add/latency"),
              value_of(*of.base, "classes/float-add/latency"));
}

TEST(Topology, RefusesWhatItCannotRead) {
    EXPECT_THAT(refusal(sample("amd"), request(std::nullopt)), HasSubstr("--target gfx90a"));
    EXPECT_THAT(refusal(sample("nvidia"), request(assembly::Target{90})),
                HasSubstr("is sm_80; sm_90 was stated"));
    EXPECT_THAT(refusal({"x.json", "{}"}), HasSubstr("has no 'general'; expected the JSON"));
    EXPECT_THAT(refusal({"x.json", "{"}), HasSubstr("this is no JSON"));
    EXPECT_THAT(refusal(sample("amd", "\"AMD\"", "\"Intel\"")),
                HasSubstr("expected AMD or NVIDIA"));
    EXPECT_THAT(refusal(sample("amd", "\"GiB/s\"", "\"furlongs\"")),
                HasSubstr("is \"furlongs\", which is not known"));
    EXPECT_THAT(refusal(sample("amd", "\"p50\": 120.0", "\"p50\": -1")),
                HasSubstr("expected positive cycles in order"));
    EXPECT_THAT(refusal(sample("amd", "\"p50\": 120.0", "\"p50\": \"fast\"")),
                HasSubstr("/memory/l1/latency/p50"));
    EXPECT_THAT(refusal(sample("amd", "\"value\": 4194304", "\"value\": -5")), HasSubstr("is -5"));
}

} // namespace
} // namespace warpbound::harness
