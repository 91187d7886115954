#pragma once
/// \file
/// The launches and copies of a traced application, in order.

#include "assembly/support/source_text.hpp"

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace warpbound::harness::trace {

/// `MemcpyHtoD,0x7f00,1024`: a copy to the device before the next kernel. Unit: bytes.
struct TracedCopy {
    std::uint64_t address = 0;
    std::uint64_t bytes = 0;
    friend bool operator==(const TracedCopy&, const TracedCopy&) = default;
};
/// The trace of a kernel, by the name of a file in the folder of the list.
struct TracedLaunch {
    std::string file;
    friend bool operator==(const TracedLaunch&, const TracedLaunch&) = default;
};
using TraceCommand = std::variant<TracedCopy, TracedLaunch>;

/// Reads a `kernelslist.g`. Copies from the device are ignored. Refuses other lines, and files that
/// are not in the folder of the list.
Result<std::vector<TraceCommand>> read_kernels_list(const assembly::SourceText& source);

} // namespace warpbound::harness::trace
