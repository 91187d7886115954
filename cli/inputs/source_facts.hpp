#pragma once
/// \file
/// Source files that line markers name: found, and read for facts in their comments.

#include "assembly/flow/control_flow_graph.hpp"
#include "models/facts/source_facts.hpp"

#include <string>

namespace warpbound::cli {

/// What comments of the kernel's source files state, with notes for the user. `listing`: its path;
/// `folder`: that of the source files, or empty. A file is looked for in `folder` with as much of
/// its path as fits; without it, where the listing names it, relative to the listing's folder.
/// Refuses a folder that holds none of the files, or that no line marker needs.
Result<models::SourceFacts> source_facts(const assembly::Function& function,
                                         const assembly::ControlFlowGraph& graph,
                                         const std::string& listing, const std::string& folder);

} // namespace warpbound::cli
