#pragma once
/// \file
/// The state of an integrated GPU as the files of its board's system tell it. Read only.

#include "harness/device.hpp"

#include <filesystem>

namespace warpbound::harness::cuda {

/// Below this folder lie the system's files: WARPBOUND_BOARD_ROOT, or "/".
std::filesystem::path board_root();

/// Of a Jetson board: "board", "clock" ("1300.5 MHz"), "clock-limits" (equal where the clock is
/// locked, as `jetson_clocks` does), "governor", "memory-clock" (where debugfs may be read),
/// "temperature", "throttled" and "power-mode" (of `nvpmodel`). What cannot be read is absent; on
/// other machines nothing is there.
/// `Source:` Jetson Linux Developer Guide, "Platform Power and Performance": devfreq of the GPU,
/// thermal zones and cooling devices, clocks of BPMP, /var/lib/nvpmodel/status. Not tried on a
/// board.
Conditions board_state(const std::filesystem::path& root);

} // namespace warpbound::harness::cuda
