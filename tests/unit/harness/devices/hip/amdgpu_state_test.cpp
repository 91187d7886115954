#include "harness/devices/hip/amdgpu_state.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace warpbound::harness::hip {
namespace {

TEST(AmdgpuState, IsReadFromTheFilesOfTheDriver) {
    const tests::TemporaryFolder root;
    const auto write = [&](const std::string& file, const std::string& text) {
        const auto path = root.path() / "sys/bus/pci/devices/0000:c3:00.0" / file;
        std::filesystem::create_directories(path.parent_path());
        std::ofstream{path} << text;
    };
    write("hwmon/hwmon4/freq1_input", "1700000000\n");
    write("hwmon/hwmon4/freq2_input", "1600000000\n");
    write("hwmon/hwmon4/temp1_input", "41000\n");
    write("power_dpm_force_performance_level", "auto\n");
    EXPECT_EQ(amdgpu_state(root.path(), "0000:C3:00.0"),
              (Conditions{{"clock", "1700 MHz"},
                          {"memory-clock", "1600 MHz"},
                          {"temperature", "41 C"},
                          {"performance-level", "auto"}}));
}

TEST(AmdgpuState, LacksWhatCannotBeRead) {
    const tests::TemporaryFolder root;
    EXPECT_EQ(amdgpu_state(root.path(), "0000:c3:00.0"), Conditions{});
}

} // namespace
} // namespace warpbound::harness::hip
