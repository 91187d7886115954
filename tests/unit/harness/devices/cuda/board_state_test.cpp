#include "harness/devices/cuda/board_state.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>

namespace warpbound::harness::cuda {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;
using tests::TemporaryFolder;

void write(const TemporaryFolder& root, const std::string& file, const std::string& text) {
    const auto path = root.path() / file;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream{path, std::ios::binary} << text;
}

/// As an Orin has them.
void write_board(const TemporaryFolder& root) {
    write(root, "proc/device-tree/model",
          std::string{"NVIDIA Jetson AGX Orin Developer Kit\0", 37});
    write(root, "sys/class/devfreq/15340000.vic/cur_freq", "729600000\n");
    write(root, "sys/class/devfreq/17000000.ga10b/cur_freq", "1300500000\n");
    write(root, "sys/class/devfreq/17000000.ga10b/min_freq", "306000000\n");
    write(root, "sys/class/devfreq/17000000.ga10b/max_freq", "1300500000\n");
    write(root, "sys/class/devfreq/17000000.ga10b/governor", "nvhost_podgov\n");
    write(root, "sys/kernel/debug/bpmp/debug/clk/emc/rate", "3199000000\n");
    write(root, "sys/class/thermal/thermal_zone0/type", "CPU-therm\n");
    write(root, "sys/class/thermal/thermal_zone0/temp", "55000\n");
    write(root, "sys/class/thermal/thermal_zone1/type", "GPU-therm\n");
    write(root, "sys/class/thermal/thermal_zone1/temp", "41500\n");
    write(root, "sys/class/thermal/cooling_device0/type", "gpu-throttle-alert\n");
    write(root, "sys/class/thermal/cooling_device0/cur_state", "0\n");
    write(root, "sys/kernel/debug/bpmp/debug/clk/emc/mrq_rate_locked", "0\n");
    write(root, "sys/devices/system/cpu/cpufreq/policy0/scaling_governor", "schedutil\n");
    write(root, "sys/devices/system/cpu/cpufreq/policy4/scaling_governor", "schedutil\n");
    write(root, "var/lib/nvpmodel/status", "pmode:0002\n");
    write(root, "etc/nvpmodel.conf",
          "# < POWER_MODEL ID=2 NAME=OLD >\n< POWER_MODEL ID=0 NAME=MAXN >\n"
          "CPU_ONLINE CORE_0 1\n< POWER_MODEL ID=2 NAME=MODE_30W >\n");
}

// What `jetson_clocks` leaves: the limits of the GPU are equal, the memory's rate is held.
TEST(BoardState, SaysWhetherClocksAreLocked) {
    const TemporaryFolder root;
    write_board(root);
    write(root, "sys/class/devfreq/17000000.ga10b/min_freq", "1300500000\n");
    write(root, "sys/kernel/debug/bpmp/debug/clk/emc/mrq_rate_locked", "1\n");
    write(root, "sys/devices/system/cpu/cpufreq/policy4/scaling_governor", "performance\n");
    write(root, "var/lib/nvpmodel/status", "pmode:0007\n");
    EXPECT_THAT(
        board_state(root.path()),
        testing::IsSupersetOf({Pair("clock-locked", "yes"), Pair("memory-clock-locked", "yes"),
                               Pair("cpu-governor", "performance, schedutil"),
                               Pair("power-mode", "pmode:0007")}));
    EXPECT_THAT(board_state(root.path()),
                testing::Not(testing::Contains(Pair("power-mode-name", testing::_))));
}

TEST(BoardState, IsReadFromTheSystemsFiles) {
    const TemporaryFolder root;
    write_board(root);
    EXPECT_THAT(board_state(root.path()),
                ElementsAre(Pair("board", "NVIDIA Jetson AGX Orin Developer Kit"),
                            Pair("clock", "1300.5 MHz"),
                            Pair("clock-limits", "306 MHz to 1300.5 MHz"),
                            Pair("clock-locked", "no"), Pair("governor", "nvhost_podgov"),
                            Pair("memory-clock", "3199 MHz"), Pair("memory-clock-locked", "no"),
                            Pair("cpu-governor", "schedutil"), Pair("temperature", "41.5 C"),
                            Pair("throttled", "no"), Pair("power-mode", "pmode:0002"),
                            Pair("power-mode-name", "MODE_30W")));
    write(root, "sys/class/thermal/cooling_device0/cur_state", "1\n");
    EXPECT_THAT(board_state(root.path()),
                testing::Contains(Pair("throttled", "gpu-throttle-alert at 1")));
}

TEST(BoardState, LeavesOutWhatCannotBeRead) {
    const TemporaryFolder root;
    write(root, "proc/device-tree/model", "NVIDIA Jetson\n");
    write(root, "sys/class/devfreq/17000000.gpu/cur_freq", "unknown\n");
    write(root, "sys/class/devfreq/17000000.gpu/max_freq", "1000000000\n");
    write(root, "sys/class/thermal/thermal_zone1/type", "GPU-therm\n");
    EXPECT_THAT(board_state(root.path()), ElementsAre(Pair("board", "NVIDIA Jetson")));
}

TEST(BoardState, IsOfBoardsOnly) {
    const TemporaryFolder root;
    write_board(root);
    write(root, "proc/device-tree/model", "Raspberry Pi 5\n");
    EXPECT_THAT(board_state(root.path()), IsEmpty());
    const TemporaryFolder desktop;
    EXPECT_THAT(board_state(desktop.path()), IsEmpty());
}

} // namespace
} // namespace warpbound::harness::cuda
