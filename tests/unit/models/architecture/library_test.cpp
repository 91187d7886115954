#include "models/architecture/architecture.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
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

TEST(LoadArchitecture, FindsTheOnlyDescriptionOfATarget) {
    EXPECT_EQ(load_architecture("sm_75").value().name, "turing-t4");
    // Two descriptions are of sm_20.
    EXPECT_THAT(load_architecture("sm_20").error().what,
                testing::AllOf(testing::HasSubstr("fermi-gtx470"), testing::HasSubstr("gtx480")));
    EXPECT_THAT(load_architecture("sm_121").error().what, testing::HasSubstr("expected"));
}

} // namespace
} // namespace warpbound::models
