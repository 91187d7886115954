#pragma once
/// \file
/// One run of a kernel looked at closely: its trace in a file, and where its cycles went.

#include "cli/command.hpp"
#include "harness/trace/cycle_account.hpp"
#include "harness/trace/memory_account.hpp"
#include "models/launch/warp_policy.hpp"

#include <nlohmann/json.hpp>

#include <optional>
#include <string>

namespace warpbound::cli {

/// Options --trace, --trace-format, --trace-run and --stack.
struct TraceOptions {
    std::string file;
    std::string format; ///< "csv", "chrome", "table"; empty: by the file's extension.
    std::int64_t run = 0;
    bool stack = false;

    void add_to(CLI::App& command);
    [[nodiscard]] bool is_wanted() const { return !file.empty() || stack; }
};

struct TracedRun {
    std::uint64_t seed = 0;
    /// None when Ctrl-C stopped the run; the trace then ends there.
    std::optional<harness::trace::CycleAccount> account;
    harness::trace::MemoryAccount memory{};
};

/// Runs the kernel once, writes the trace if one is wanted and accounts for the cycles. A run that
/// fails (a deadlock) leaves its trace up to there.
Result<TracedRun> trace_run(const TraceOptions& options, const models::Architecture& architecture,
                            const harness::Kernel& kernel, const models::WarpPolicy& policy,
                            std::int64_t multiprocessors, const harness::RunOptions& run);

/// The stacks as tables: the schedulers' together, the warps' together, by block, and the
/// instructions that cost most; where accesses went through the caches, what these did.
std::string account_text(const TraceOptions& options, const TracedRun& run,
                         const LoadedKernel& kernel);
nlohmann::ordered_json account_json(const TraceOptions& options, const TracedRun& run,
                                    const LoadedKernel& kernel);

} // namespace warpbound::cli
