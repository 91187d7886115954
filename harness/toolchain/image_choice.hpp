#pragma once
/// \file
/// Which of the images in a fat binary a machine runs.

#include "assembly/binary/fatbin.hpp"

#include <optional>
#include <string>
#include <vector>

namespace warpbound::harness::toolchain {

/// Which code of a file is meant.
struct TargetChoice {
    std::optional<assembly::Target> stated{};  ///< Exactly this one.
    std::optional<assembly::Target> machine{}; ///< That runs the code; the closest code is taken.
};

/// The target that is chosen among those that a file has code for: the stated one; the machine's,
/// else the latest one that it runs; else the only one. Refuses with what is there and what to
/// type. `also`: what else the file holds, for that message.
Result<assembly::Target> choose_target(const std::vector<assembly::Target>& targets,
                                       const TargetChoice& choice, const std::string& also = {});

/// The cubins of the chosen target, uncompressed (by cuobjdump where necessary). `bytes`: the whole
/// file.
Result<std::vector<std::string>> chosen_cubins(const std::vector<assembly::FatbinImage>& images,
                                               const std::string& bytes,
                                               const TargetChoice& choice);

/// "neither A nor B was found; ...": what to install or to set.
Failure missing_tool(const std::string& purpose, const std::string& tool);

} // namespace warpbound::harness::toolchain
