// The descriptions that come with warpbound.
#include "models/architecture/architecture.hpp"
#include "models/architecture/schema.hpp"
#include "models/architecture/self_check.hpp"
#include "models/architecture/value_path.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

namespace warpbound::models {
namespace {

using assembly::OpcodeClass;

class Description : public testing::TestWithParam<std::string> {
protected:
    Description() : machine_{load(GetParam())} {}
    static Architecture load(const std::string& name) {
        const auto path = std::filesystem::path{WARPBOUND_DESCRIPTIONS} / (name + ".xml");
        auto read = read_architecture(assembly::read_source(path).value());
        if (!read) throw std::runtime_error{name + ": " + read.error().what};
        return std::move(read).value();
    }
    /// Every value of the description with its path.
    [[nodiscard]] std::vector<std::pair<std::string, SourcedValue>> values() const {
        std::vector<std::pair<std::string, SourcedValue>> all;
        for (const auto& [path, group] : value_groups(machine_))
            for (const auto& value : group->values)
                all.emplace_back(path + "/" + value.name, value);
        return all;
    }

    Architecture machine_;
};

TEST_P(Description, IsNamedAsItsFile) {
    EXPECT_EQ(machine_.name, GetParam());
}

TEST_P(Description, IsConsistent) {
    EXPECT_THAT(self_check(machine_), testing::IsEmpty());
}

TEST_P(Description, HasASourceForEveryNumber) {
    for (const auto& [path, value] : values()) {
        EXPECT_TRUE(!value.interval || !value.source.empty()) << path;
        EXPECT_EQ(value.grade == Grade::Unknown, !value.interval) << path;
        EXPECT_TRUE(value.grade != Grade::Assumed || value.reason.size() > 10U) << path;
        EXPECT_TRUE(value.source != "none" || value.grade == Grade::Assumed) << path;
    }
}

TEST_P(Description, IsAmongTheOnesThatAreTested) {
    const std::size_t tested = 33;
    std::size_t files = 0;
    for (const auto& entry : std::filesystem::directory_iterator{WARPBOUND_DESCRIPTIONS})
        files += entry.path().extension() == ".xml" ? 1U : 0U;
    EXPECT_EQ(files, tested) << "a description is missing in the list below";
}

TEST_P(Description, HasAnEntryForEveryKnownClass) {
    for (int index = 0; index < static_cast<int>(OpcodeClass::Unknown); ++index) {
        const auto opcode_class = static_cast<OpcodeClass>(index);
        EXPECT_TRUE(machine_.classes.contains(opcode_class)) << to_string(opcode_class);
    }
}

TEST_P(Description, IsReadBackAfterWriting) {
    const auto again = read_architecture({.name = "again", .text = write_architecture(machine_)});
    ASSERT_TRUE(again.has_value()) << again.error().what;
    EXPECT_TRUE(same_machine(again.value(), machine_));
}

TEST_P(Description, HasSharedAccessesFasterThanGlobalOnes) {
    const auto& shared = machine_.classes.at(OpcodeClass::LoadShared).values;
    const auto latency = require(machine_, shared, "classes/load-shared", "latency");
    const bool is_terascale = machine_.name.starts_with("terascale-");
    if (is_terascale) GTEST_SKIP() << "T10 says nothing of shared memory";
    const auto dram = require(machine_, *machine_.memory("dram"), "memories/dram", "latency");
    if (!latency || !dram) GTEST_SKIP() << "latencies that nobody has published";
    EXPECT_LT(latency.value().hi, dram.value().lo);
}

INSTANTIATE_TEST_SUITE_P(
    All, Description,
    testing::Values("fermi-gtx470", "fermi-c2075", "maxwell-gtx970", "maxwell-titanx", "pascal-tx2",
                    "volta-v100", "volta-titanv", "volta-xavier", "turing-t4", "turing-rtx2080ti",
                    "ampere-a100", "ampere-rtxa6000", "ampere-rtx3060", "ampere-orin",
                    "ada-rtx4090", "hopper-h200", "blackwell-b200", "blackwell-thor", "cdna2-mi210",
                    "gtx480-gpgpusim", "gcn5-radeonvii", "cdna3-mi300x", "rdna1-v520",
                    "rdna1-v520-w64", "rdna2-6900xt", "rdna2-6900xt-w64", "rdna3-7900xtx",
                    "rdna3-7900xtx-w64", "rdna35-8060s", "rdna35-8060s-w64", "terascale-rv670",
                    "terascale-rv770", "terascale-rv870"),
    [](const auto& machine) {
        std::string name = machine.param;
        std::erase(name, '-');
        return name;
    });

// Reference hardware 9: what a Fermi model must hold so that V14's Tables 19 and 20 come out for
// one warp.
TEST(FermiDescription, HoldsTheValuesOfVoudouris) {
    const auto path = std::filesystem::path{WARPBOUND_DESCRIPTIONS} / "fermi-gtx470.xml";
    const auto read = read_architecture(assembly::read_source(path).value());
    ASSERT_TRUE(read.has_value());
    const Architecture& fermi = read.value();
    const auto exact = [&fermi](const ValueGroup& group, std::string_view name) {
        const auto interval = require(fermi, group, "", name).value();
        EXPECT_TRUE(interval.is_exact()) << name;
        return interval.lo;
    };
    EXPECT_EQ(exact(fermi.schedulers, "count"), 2);
    EXPECT_EQ(exact(fermi.schedulers, "issue-slot"), 2);
    EXPECT_EQ(exact(fermi.schedulers, "same-warp-interval"), 6);
    for (const auto arithmetic :
         {OpcodeClass::IntegerAdd, OpcodeClass::IntegerMultiply, OpcodeClass::FloatAdd,
          OpcodeClass::FloatMultiply, OpcodeClass::FloatMultiplyAdd, OpcodeClass::Shift,
          OpcodeClass::Move, OpcodeClass::ClockRead}) {
        const auto& values = fermi.classes.at(arithmetic).values;
        EXPECT_EQ(exact(values, "latency"), 18) << to_string(arithmetic);
        // Three warps of one scheduler fit into the same-warp interval.
        EXPECT_LE(3 * exact(values, "initiation"), 6) << to_string(arithmetic);
    }
    const auto& special = fermi.classes.at(OpcodeClass::SpecialFunction).values;
    EXPECT_EQ(exact(special, "latency"), 22);
    EXPECT_LE(exact(special, "initiation"), 6);
    EXPECT_EQ(exact(fermi.classes.at(OpcodeClass::LoadShared).values, "initiation"), 26);
    EXPECT_EQ(exact(fermi.classes.at(OpcodeClass::StoreShared).values, "initiation"), 30);
    EXPECT_EQ(exact(fermi.classes.at(OpcodeClass::StoreGlobal).values, "initiation"), 34);
    // Fig. 63: four warps, each storing every 34 cycles, never find the buffer full: 4 entries in
    // 34 cycles.
    EXPECT_LE(4 * require(fermi, fermi.write_buffer, "", "drain").value().hi, 34);
}

} // namespace
} // namespace warpbound::models
