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
    write(root, "var/lib/nvpmodel/status", "pmode:0002\n");
}

TEST(BoardState, IsReadFromTheSystemsFiles) {
    const TemporaryFolder root;
    write_board(root);
    EXPECT_THAT(board_state(root.path()),
                ElementsAre(Pair("board", "NVIDIA Jetson AGX Orin Developer Kit"),
                            Pair("clock", "1300.5 MHz"),
                            Pair("clock-limits", "306 MHz to 1300.5 MHz"),
                            Pair("governor", "nvhost_podgov"), Pair("memory-clock", "3199 MHz"),
                            Pair("temperature", "41.5 C"), Pair("throttled", "no"),
                            Pair("power-mode", "pmode:0002")));
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
