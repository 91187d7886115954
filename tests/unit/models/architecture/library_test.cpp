#include "models/architecture/library.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace warpbound::models {
namespace {

/// A folder of descriptions that is first in the search, gone at the end of the test.
class ArchitectureLibrary : public testing::Test {
protected:
    ArchitectureLibrary() {
        std::filesystem::create_directories(folder_);
        ::setenv("WARPBOUND_ARCHITECTURES", (":/nowhere:" + folder_.string()).c_str(), 1);
    }
    ~ArchitectureLibrary() override {
        ::unsetenv("WARPBOUND_ARCHITECTURES");
        std::filesystem::remove_all(folder_);
    }
    void add(const std::string& file, const std::string& name) const {
        std::ofstream{folder_ / file} << "<architecture name='" << name
                                      << "' title='' isa='sm_20' issue-control='interlocked'/>";
    }
    ArchitectureLibrary(const ArchitectureLibrary&) = delete;
    ArchitectureLibrary& operator=(const ArchitectureLibrary&) = delete;

    std::filesystem::path folder_ =
        std::filesystem::path{testing::TempDir()} /
        ("warpbound-library-" +
         std::string{testing::UnitTest::GetInstance()->current_test_info()->name()});
};

TEST_F(ArchitectureLibrary, ListsDescriptionsByName) {
    add("zeta.xml", "zeta");
    add("notes.txt", "notes");
    std::vector<std::string> names;
    for (const auto& entry : list_architectures())
        names.push_back(entry.name);
    EXPECT_THAT(names, testing::Contains("zeta"));
    EXPECT_THAT(names, testing::Contains("fermi-gtx470"));
    EXPECT_THAT(names, testing::Not(testing::Contains("notes")));
    EXPECT_TRUE(std::is_sorted(names.begin(), names.end()));
}

TEST_F(ArchitectureLibrary, PrefersTheFirstFolder) {
    add("fermi-gtx470.xml", "fermi-gtx470");
    const auto loaded = load_architecture("fermi-gtx470");
    ASSERT_TRUE(loaded.has_value());
    EXPECT_TRUE(loaded.value().classes.empty());
}

TEST_F(ArchitectureLibrary, ReadsTheFileThatItFound) {
    add("fermi-gtx470.xml", "fermi-gtx470");
    for (const auto& entry : list_architectures()) {
        EXPECT_EQ(entry.path.empty(), entry.name != "fermi-gtx470") << entry.name;
        if (!entry.path.empty()) {
            EXPECT_TRUE(read_description(entry).value().text.starts_with("<architecture name='f"));
        }
    }
}

// A program without an installation around it, as this test is, needs no files.
TEST(ReadDescription, GivesTheBuiltInTextOfEachShippedFile) {
    std::size_t files = 0;
    for (const auto& file : std::filesystem::directory_iterator{WARPBOUND_DESCRIPTIONS})
        files += file.path().extension() == ".xml" ? 1U : 0U;
    const auto entries = list_architectures();
    EXPECT_EQ(entries.size(), files);
    for (const auto& entry : entries) {
        EXPECT_TRUE(entry.path.empty()) << entry.path;
        const std::filesystem::path file =
            std::filesystem::path{WARPBOUND_DESCRIPTIONS} / (entry.name + ".xml");
        EXPECT_EQ(read_description(entry).value().text, assembly::read_source(file).value().text);
        EXPECT_EQ(load_architecture(entry).value().name, entry.name);
    }
}

TEST(ReadDescription, RefusesAnEntryThatIsNeitherAFileNorBuiltIn) {
    EXPECT_EQ(read_description({.name = "nowhere", .path = {}}).error().where, "nowhere");
    EXPECT_FALSE(load_architecture({.name = "nowhere", .path = "/nowhere.xml"}).has_value());
}

TEST_F(ArchitectureLibrary, LoadsAFileByItsPath) {
    add("zeta.xml", "eta");
    EXPECT_EQ(load_architecture((folder_ / "zeta.xml").string()).value().name, "eta");
    EXPECT_FALSE(load_architecture((folder_ / "nothing.xml").string()).has_value());
}

TEST_F(ArchitectureLibrary, RefusesADescriptionThatIsNotNamedAsItsFile) {
    add("zeta.xml", "eta");
    EXPECT_EQ(load_architecture("zeta").error().what,
              "the description is named 'eta'; expected 'zeta' as its file is");
}

TEST_F(ArchitectureLibrary, RefusesAnUnknownNameWithTheNamesThatThereAre) {
    const auto refused = load_architecture("fermi");
    ASSERT_FALSE(refused.has_value());
    EXPECT_THAT(refused.error().what, testing::HasSubstr("no architecture is called 'fermi'"));
    EXPECT_THAT(refused.error().what, testing::HasSubstr("fermi-gtx470"));
}

TEST(LoadArchitecture, FindsTheDescriptionThatStandsForATarget) {
    for (const auto& [target, name] :
         {std::pair{"sm_52", "maxwell-gtx970"}, std::pair{"sm_62", "pascal-tx2"},
          std::pair{"sm_70", "volta-v100"}, std::pair{"sm_72", "volta-xavier"},
          std::pair{"sm_75", "turing-t4"}, std::pair{"sm_80", "ampere-a100"},
          std::pair{"sm_86", "ampere-rtx3060"}, std::pair{"sm_87", "ampere-orin"},
          std::pair{"sm_89", "ada-rtx4090"}, std::pair{"sm_90", "hopper-h200"},
          std::pair{"sm_100", "blackwell-b200"}, std::pair{"sm_110", "blackwell-thor"}})
        EXPECT_EQ(load_architecture(target).value().name, name);
    // Three descriptions are of sm_20, and none stands for it.
    EXPECT_THAT(load_architecture("sm_20").error().what,
                testing::AllOf(testing::HasSubstr("fermi-gtx470"), testing::HasSubstr("gtx480")));
    EXPECT_THAT(load_architecture("sm_121").error().what, testing::HasSubstr("expected"));
}

// Of the boards of a target, the one with the fewest multiprocessors stands for it: a launch then
// takes longest.
TEST(LoadArchitecture, TakesTheSmallestBoardOfATarget) {
    for (const auto& entry : list_architectures()) {
        const auto machine = load_architecture(entry.name).value();
        const auto standing = load_architecture(to_string(machine.target));
        if (!standing) continue;
        const auto multiprocessors = [](const Architecture& of) {
            return require(of, of.geometry, "geometry", "multiprocessors").value().lo;
        };
        EXPECT_LE(multiprocessors(standing.value()), multiprocessors(machine)) << entry.name;
    }
}

TEST(LoadArchitecture, FindsADescriptionByItsCard) {
    EXPECT_EQ(load_architecture("t4").value().name, "turing-t4");
    EXPECT_EQ(load_architecture("rtx2080ti").value().name, "turing-rtx2080ti");
    EXPECT_EQ(load_architecture("a100").value().name, "ampere-a100");
    EXPECT_EQ(load_architecture("orin").value().name, "ampere-orin");
    EXPECT_EQ(load_architecture("xavier").value().name, "volta-xavier");
    EXPECT_EQ(load_architecture("mi210").value().name, "cdna2-mi210");
    EXPECT_EQ(load_architecture("gfx90a").value().name, "cdna2-mi210");
    EXPECT_EQ(load_architecture("rv770").value().name, "terascale-rv770");
    EXPECT_FALSE(load_architecture("rtx").has_value());
    EXPECT_FALSE(load_architecture("").has_value());
}

TEST_F(ArchitectureLibrary, RefusesACardOfTwoDescriptions) {
    add("my-t4.xml", "my-t4");
    EXPECT_THAT(load_architecture("t4").error().what,
                testing::HasSubstr("no architecture is called 't4'"));
}

} // namespace
} // namespace warpbound::models
