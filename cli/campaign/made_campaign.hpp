#pragma once
/// \file
/// Campaigns made of other files: imported from text or from a profiler, or merged of several.

#include "cli/program/command.hpp"

#include <string>
#include <vector>

namespace warpbound::cli {

struct ImportOptions {
    std::string file;
    std::string output;
    std::string listing; ///< Whose kernels a profile is of; empty: none is stated.
    std::string target;  ///< Of that code; empty: the only one.
};
/// A new campaign: whole or not there.
Exit import_campaign(const ImportOptions& options);

struct MergeOptions {
    std::vector<std::string> parts;
    std::string plan; ///< What the merged campaign has; empty: what the parts have.
    std::string output;
};
/// The same.
Exit merge_campaign(const MergeOptions& options);

} // namespace warpbound::cli
