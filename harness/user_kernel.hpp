#pragma once
/// \file
/// A user's kernel as machine code with its arguments, and what a run of it on a card shows.

#include "harness/device.hpp"
#include "harness/run_anomaly.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace warpbound::harness {

/// The addresses of buffers are multiples of it. `Unit:` bytes.
inline constexpr std::uint64_t buffer_alignment = 256;

/// Memory that an argument points to.
struct UserBuffer {
    std::string name;           ///< Of the argument.
    std::int64_t parameter = 0; ///< Where the address belongs among the parameters. `Unit:` bytes.
    std::vector<std::byte> bytes; ///< Contents before each run.
};

struct UserKernel {
    std::string name;  ///< Of the symbol.
    std::string image; ///< Cubin.
    std::array<std::int64_t, 3> grid{1, 1, 1};
    std::array<std::int64_t, 3> block{1, 1, 1};
    std::int64_t dynamic_shared_memory = 0; ///< Of a block. `Unit:` bytes.
    std::vector<std::byte> parameters;      ///< All, as the kernel reads them; addresses are 0.
    std::vector<UserBuffer> buffers;
};

/// One run. `Unit:` ns.
struct UserRun {
    Remark remark;
    std::int64_t device_time = 0; ///< Between events before and after the launch, to the nearest.
    std::int64_t host_time = 0;   ///< From the release until the host saw the end.
    std::int64_t skipped =
        0; ///< Periods that passed before the run because the host was not ready.
    std::vector<std::string> outputs; ///< Digest of each buffer afterwards.
    Conditions state;                 ///< Of the card right after it: only what could be read.
};

} // namespace warpbound::harness
