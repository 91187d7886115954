#pragma once
/// \file
/// The table of examples/coverage: kernels with the launch and the arguments that a user would
/// give.

#include "assembly/support/result.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace warpbound::coverage {

/// A kernel of one listing with its launch.
struct KernelCase {
    std::string file;   ///< Stem of source and listings, as `linear`.
    std::string kernel; ///< Name, or the part of a mangled name that only it has.
    std::string target; ///< As `sm_75`.
    std::filesystem::path listing;
    /// Options of the launch and its arguments, as the program takes them.
    std::vector<std::string> launch;
};

/// Every row of `kernels.csv` in `folder`, once for each listing of its file there. Pointers are
/// stated as cudaMalloc aligns them, to 256 bytes. Refuses rows of another form, and arguments that
/// no parameter has.
Result<std::vector<KernelCase>> read_kernel_table(const std::filesystem::path& folder);

} // namespace warpbound::coverage
