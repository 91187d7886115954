#pragma once
/// \file
/// Adds facts to a flow-facts file that a person may have edited, and keeps what stands there.

#include "models/facts/flow_facts.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace warpbound::models {

/// A file with the facts of a newly made one added.
struct MergedFile {
    std::string text;
    std::size_t kept = 0;           ///< Facts of the file with all their values.
    std::vector<std::string> added; ///< "loop 0x0100"; also where the file had only `?`.
    /// Kept facts that a made one says otherwise: "loop 0x0100: 1..64 in the file, 1..128 made".
    std::vector<std::string> differing;
};

/// Merges `made`, the text of a template, into `file`. Every character of the file stays, except
/// elements whose values are all `?`, which get those of `made`. A fact that only `made` has is
/// added at the end, with its comments; an open one (`?`) only if it is a loop, since a deleted
/// memory line says that anything is covered. Merging twice changes nothing more. Refuses a file of
/// another kernel, listing or block shape, and facts of which both cannot hold, each with its line.
Result<MergedFile> merge_flow_facts(const assembly::SourceText& file, const std::string& made);

} // namespace warpbound::models
