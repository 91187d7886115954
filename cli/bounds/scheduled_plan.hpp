#pragma once
/// \file
/// `schedulers --plan`: bounds and runs at the points of a plan, or those of one shard, as a table
/// whose parts are merged.

#include "cli/program/command.hpp"

#include <string>
#include <vector>

namespace warpbound::cli {

struct ScheduledPlanOptions {
    std::string plan;
    std::string shard;                ///< As --shard.
    std::vector<std::string> parts;   ///< Tables of shards; empty: the points are studied.
    std::vector<std::string> outputs; ///< With {shard} in their names.
    std::string format = "text";      ///< Of standard output: text or json.
};

/// Studies or merges. A merge refuses, naming file or point: a table that is damaged, of another
/// version or plan; a point in two tables or in none.
Exit compare_plan(const ScheduledPlanOptions& options);

} // namespace warpbound::cli
