#pragma once
/// \file
/// The inputs of a kernel for a bundle: code, description, facts, launch, and recorded or simulated
/// runs.

#include "certification/bundle/build.hpp"
#include "cli/inputs/kernel_plan.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace warpbound::cli {

/// Runs on the simulated device that `certify` adds to each kernel.
struct CertifiedRuns {
    std::int64_t count = 0;
    std::uint64_t seed = 1;
    std::string draw = "uniform";
};

Result<std::string> read_text(const std::string& path);
/// The text of a description: that of its file, unless values are stated in place of the file's.
Result<std::string> description_text(const MachineOptions& options);
/// Replaces the path of a file in the bundle by the name that the user gave.
void name_as_given(Failure& failure, const std::string& bundle_path, const std::string& given);
/// Replaces the bundle paths of the files of a kernel by the names that the user gave.
Failure named_as_given(Failure failure, const PlannedKernel& planned, const std::string& id);
/// The kernel with the id that the bundle gives it. Nothing when interrupted.
Result<std::optional<certification::KernelInput>>
read_kernel(const PlannedKernel& planned, const CertifiedRuns& runs, const std::string& id);

} // namespace warpbound::cli
