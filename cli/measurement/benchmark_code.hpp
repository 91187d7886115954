#pragma once
/// \file
/// The code of microbenchmarks for a target, as text.

#include "cli/program/command.hpp"

#include <string>
#include <vector>

namespace warpbound::cli {

/// `measure --code`: prints the code of every point of the benchmarks: PTX for `sm_80`, AMD's
/// assembly for `gfx90a`, HIP C++ for `hip:gfx90a`. Each begins with a comment that names it.
Exit print_code(const std::string& target, const std::vector<std::string>& benchmarks);

} // namespace warpbound::cli
