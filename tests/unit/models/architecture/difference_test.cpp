#include "models/architecture/difference.hpp"
#include "models/architecture/value_path.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpbound::models {
namespace {

TEST(Differences, AreNoneBetweenADescriptionAndItsTextReadAgain) {
    for (const auto& entry : list_architectures()) {
        const auto machine = load_architecture(entry.name).value();
        const auto again = read_architecture({"again", write_architecture(machine)});
        ASSERT_TRUE(again) << to_string(again.error());
        const auto found = differences(machine, again.value());
        EXPECT_TRUE(found.properties.empty()) << entry.name;
        EXPECT_TRUE(found.values.empty()) << entry.name << " " << found.values.front().path;
    }
}

TEST(Differences, NameValuesThatChangedAppearedOrWent) {
    const Architecture a = load_architecture("fermi-gtx470").value();
    Architecture b = a;
    b.name = "other"; // Not compared.
    ASSERT_TRUE(override_value(b, "classes/float-add/latency", 19));
    ASSERT_TRUE(override_value(b, "memories/l1/sets", 32));
    std::erase_if(b.write_buffer.values, [](const auto& value) { return value.name == "drain"; });
    auto& clock = *std::find_if(b.geometry.values.begin(), b.geometry.values.end(),
                                [](const auto& value) { return value.name == "core-clock"; });
    clock.source = "elsewhere";
    const auto found = differences(a, b);
    EXPECT_TRUE(found.properties.empty());
    std::vector<std::string> paths;
    for (const auto& one : found.values)
        paths.push_back(one.path);
    EXPECT_THAT(paths,
                testing::UnorderedElementsAre("geometry/core-clock", "classes/float-add/latency",
                                              "write-buffer/drain", "memories/l1/sets"));
    for (const auto& one : found.values) {
        EXPECT_EQ(one.of_source_only(), one.path == "geometry/core-clock");
        EXPECT_EQ(one.a == nullptr, one.path == "memories/l1/sets");
        EXPECT_EQ(one.b == nullptr, one.path == "write-buffer/drain");
    }
}

TEST(Differences, NamePartsWithoutAValue) {
    const Architecture a = load_architecture("fermi-gtx470").value();
    Architecture b = a;
    b.memories.push_back({});
    b.memories.back().name = "interconnect";
    b.operand_collectors.push_back({});
    b.operand_collectors.back().name = a.units.front().name;
    ASSERT_FALSE(same_machine(a, b));
    const auto found = differences(a, b);
    ASSERT_EQ(found.properties.size(), 2U);
    EXPECT_EQ(found.properties[0].path, "memories/interconnect");
    EXPECT_EQ(found.properties[0].a, "");
    EXPECT_EQ(found.properties[1].path, "operand-collectors/" + a.units.front().name);
}

TEST(Differences, OfUnknownValuesAreNotOfTheSameNumber) {
    SourcedValue unknown;
    unknown.source = "nobody";
    SourcedValue also = unknown;
    also.source = "somebody";
    const ValueDifference difference{"fetch/x", &unknown, &also};
    EXPECT_FALSE(difference.of_source_only());
}

TEST(Differences, NamePropertiesWithoutNumber) {
    const Architecture a = load_architecture("fermi-gtx470").value();
    Architecture b = a;
    b.target.sm = 30;
    b.units.front().scope =
        a.units.front().scope == UnitScope::Core ? UnitScope::Warp : UnitScope::Core;
    b.classes.erase(assembly::OpcodeClass::FloatAdd);
    const auto found = differences(a, b);
    std::vector<std::string> paths;
    for (const auto& one : found.properties)
        paths.push_back(one.path);
    EXPECT_THAT(paths, testing::ElementsAre("classes/float-add/unit", "target",
                                            "units/" + a.units.front().name + "/scope"));
    EXPECT_EQ(found.properties.front().b, "");
    EXPECT_EQ(found.properties[1].a, "sm_20");
    EXPECT_EQ(found.properties[1].b, "sm_30");
}

} // namespace
} // namespace warpbound::models
