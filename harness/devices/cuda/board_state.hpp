#pragma once
/// \file
/// The state of an integrated GPU as the files of its board's system tell it. Read only.

#include "harness/device.hpp"

#include <filesystem>

namespace warpbound::harness::cuda {

/// Below this folder lie the system's files: WARPBOUND_BOARD_ROOT, or "/".
std::filesystem::path board_root();

/// Of a Jetson board: "board", "clock" ("1300.5 MHz"), "clock-limits", "clock-locked" (equal
/// limits, as `jetson_clocks` sets them), "governor", "memory-clock" and "memory-clock-locked"
/// (where debugfs may be read), "cpu-governor", "temperature", "throttled", "power-mode" and
/// "power-mode-name" (of `nvpmodel`). What cannot be read is absent; on other machines nothing is
/// there.
/// `Source:` Jetson Linux Developer Guide, "Platform Power and Performance": devfreq of the GPU,
/// thermal zones and cooling devices, clocks of BPMP, cpufreq, /var/lib/nvpmodel/status and
/// /etc/nvpmodel.conf. Not tried on a board.
Conditions board_state(const std::filesystem::path& root);

} // namespace warpbound::harness::cuda
