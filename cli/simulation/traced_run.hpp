#pragma once
/// \file
/// One traced run of a kernel: its trace in a file, and the stacks of its cycles.

#include "cli/program/command.hpp"
#include "harness/trace/cycle_account.hpp"
#include "harness/trace/memory_account.hpp"
#include "models/launch/warp_policy.hpp"

#include <nlohmann/json_fwd.hpp>

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

/// Runs the kernel once, writes the trace if requested and accounts for the cycles. A run that
/// fails (a deadlock) leaves its trace up to the failure.
Result<TracedRun> trace_run(const TraceOptions& options, const models::Architecture& architecture,
                            const harness::Kernel& kernel, const models::WarpPolicy& policy,
                            std::int64_t multiprocessors, const harness::RunOptions& run);

/// The stacks as tables: summed over schedulers, summed over warps, by basic block, and the most
/// expensive instructions; cache statistics where accesses went through the caches.
std::string account_text(const TraceOptions& options, const TracedRun& run,
                         const LoadedKernel& kernel);
nlohmann::ordered_json account_json(const TraceOptions& options, const TracedRun& run,
                                    const LoadedKernel& kernel);

} // namespace warpbound::cli
