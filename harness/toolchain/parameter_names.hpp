#pragma once
/// \file
/// Names of kernel parameters, from the source that was compiled.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpbound::harness::toolchain {

/// The parameters of the kernel with this plain name in CUDA C++ (`__global__`) or PTX (`.entry`),
/// in order; an unnamed one is empty. Nothing where the text declares no such kernel, or several
/// with different parameters.
std::optional<std::vector<std::string>> parameter_names(std::string_view source,
                                                        const std::string& kernel);

} // namespace warpbound::harness::toolchain
