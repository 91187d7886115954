#pragma once
/// \file
/// The answers of `bound` as rows for other tools: CSV, and a compute graph of NVIDIA DRIVE's STM.

#include "cli/bounds/bound_answer.hpp"

#include <optional>
#include <string>
#include <vector>

namespace warpbound::cli {

/// The format of a result that is a table or a graph, csv or stm, by the ending of its file.
std::optional<std::string> table_format_of(const std::string& path);

/// A row per kernel (RFC 4180). What is unknown is an empty cell.
std::string csv_of(const std::vector<BoundAnswer>& answers);

/// What an STM graph needs beside the bounds, as typed.
struct StmOptions {
    std::string period;     ///< Empty: the deadline.
    std::string submission; ///< Time that the host takes to launch a kernel, at most.

    void add_to(CLI::App& command);
    void add_submission_to(CLI::App& command); ///< Where the periods are known.
    /// Refuses a time that is not typed or not above 0.
    [[nodiscard]] Result<models::Nanoseconds> submission_time() const;
};
/// Kernels without a bound are named in comments. Refuses a graph without a period, a time of
/// submission, a clock or a bound, naming the option to type. `name`: of the graph.
Result<std::string> stm_of(const std::vector<BoundAnswer>& answers, const StmOptions& options,
                           const std::string& name);

} // namespace warpbound::cli
