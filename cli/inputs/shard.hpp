#pragma once
/// \file
/// Which part of a plan a process does: as stated, or as the environment of a batch system says.

#include "assembly/support/result.hpp"

#include <cstddef>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>

namespace CLI {
class App;
class Option;
} // namespace CLI

namespace warpbound::cli {

/// Shard `index` of `count`, from 1 on: it has the points index - 1, index - 1 + count, ..
struct Shard {
    std::size_t index = 1;
    std::size_t count = 1;
    std::string source; ///< Who says so; empty: nobody, and it is the whole plan.

    [[nodiscard]] bool has(std::size_t point) const { return point % count == index - 1; }
    /// "3-of-8"
    [[nodiscard]] std::string name() const;
};

/// The value of a variable of the environment; none: it is not set.
using Environment = std::function<std::optional<std::string>(const std::string&)>;
Environment process_environment();

/// `text`: "3/8"; "/8", the index then being that of a task of HyperQueue (from 1 on), which does
/// not know the number of tasks; or empty. Then a task of a Slurm array, a process of Open MPI, of
/// PMI, or a task of a Slurm step decides, in this order; else the shard is the whole plan. Refuses
/// text of another form, an array of Slurm whose tasks are not numbered one after the other, and
/// empty text in a task of HyperQueue: each task would do the whole plan, or, where the worker is a
/// task of Slurm, what Slurm says of the worker.
/// Source: HyperQueue, docs/jobs/jobs.md, environment variables (HQ_JOB_ID, HQ_TASK_ID,
/// HQ_INSTANCE_ID; none has the number of tasks).
Result<Shard> shard_of(const std::string& text, const Environment& environment);

/// Adds --plan, in whose place a command takes one kernel: excludes the options of one kernel and
/// `further` ones, all of which are there. `outcome`: what becomes of a point.
CLI::Option* add_plan_of_points(CLI::App& command, std::string& plan, const std::string& outcome,
                                std::initializer_list<const char*> further);
/// Adds --shard, which needs `plan`.
CLI::Option* add_shard(CLI::App& command, std::string& text, CLI::Option* plan);

/// `{shard}` in the name of a file becomes "3-of-8".
std::string with_shard(std::string file, const Shard& shard);
/// The files of all shards, as a shell takes it: "runs/*-of-8.db". Empty: no name stands for them.
std::string name_of_all(const std::string& file, const Shard& shard);

} // namespace warpbound::cli
