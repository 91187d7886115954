#include "cli/simulation/traced_run.hpp"

#include "assembly/isa/reader.hpp"
#include "cli/output/json.hpp"
#include "harness/simulator/machine.hpp"
#include "harness/trace/chrome_trace.hpp"
#include "harness/trace/csv_trace.hpp"
#include "harness/trace/cycle_table.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <map>
#include <numeric>
#include <utility>
#include <variant>

namespace warpbound::cli {

namespace {

using harness::simulator::Event;
using harness::trace::CacheAccount;
using harness::trace::CycleAccount;
using harness::trace::CycleStack;
using harness::trace::InstructionAccount;
using harness::trace::MemoryAccount;
using Writer = std::variant<std::monostate, harness::trace::CsvTrace, harness::trace::ChromeTrace,
                            harness::trace::CycleTable>;

/// Thrown by the listener to end a run early.
struct Stopped {};

constexpr std::int64_t events_between_looks = 4096;
constexpr std::size_t listed_instructions = 10;

/// A trace being written to its file.
class TraceFile {
public:
    static Result<std::unique_ptr<TraceFile>> open(const TraceOptions& options,
                                                   const harness::trace::TracedKernel& kernel);

    void receive(const Event& event) {
        std::visit(
            [&](auto& writer) {
                if constexpr (!std::is_same_v<std::decay_t<decltype(writer)>, std::monostate>)
                    writer.receive(event);
            },
            writer_);
    }
    [[nodiscard]] bool has_failed() const { return file_.has_failed(); }
    Result<void> close(std::int64_t cycles) {
        std::visit(
            [&](auto& writer) {
                if constexpr (!std::is_same_v<std::decay_t<decltype(writer)>, std::monostate>)
                    writer.close(cycles);
            },
            writer_);
        return file_.commit();
    }

private:
    explicit TraceFile(ResultFile file) : file_{std::move(file)} {}

    ResultFile file_;
    Writer writer_;
};

Result<std::string> format_of(const TraceOptions& options) {
    if (!options.format.empty()) return options.format;
    if (options.file == "-") return std::string{"csv"};
    const std::string extension = std::filesystem::path{options.file}.extension().string();
    if (extension == ".csv") return std::string{"csv"};
    if (extension == ".json") return std::string{"chrome"};
    if (extension == ".txt") return std::string{"table"};
    return Failure{"the extension names no trace format; expected .csv, .json (chrome) or .txt "
                   "(table), or --trace-format",
                   options.file};
}

Result<std::unique_ptr<TraceFile>> TraceFile::open(const TraceOptions& options,
                                                   const harness::trace::TracedKernel& kernel) {
    const auto format = format_of(options);
    if (!format) return format.as_failure();
    auto file = ResultFile::open(options.file);
    if (!file) return file.as_failure();
    std::unique_ptr<TraceFile> trace{new TraceFile{std::move(file.value())}};
    const harness::trace::Sink sink = [&to = trace->file_](std::string_view text) {
        to.write(text);
    };
    if (format.value() == "chrome")
        trace->writer_.emplace<harness::trace::ChromeTrace>(kernel, sink);
    else if (format.value() == "table")
        trace->writer_.emplace<harness::trace::CycleTable>(kernel, sink);
    else
        trace->writer_.emplace<harness::trace::CsvTrace>(kernel, sink);
    return trace;
}

double ratio(std::int64_t part, std::int64_t whole) {
    return whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole);
}

/// Accounts of the instructions of each basic block, over all call contexts.
std::map<std::int64_t, InstructionAccount> by_block(const CycleAccount& account,
                                                    const LoadedKernel& kernel) {
    std::map<std::int64_t, InstructionAccount> blocks;
    for (const auto& block : kernel.graph.blocks) {
        const auto [entry, added] = blocks.try_emplace(block.address);
        if (!added) continue;
        for (std::size_t index = block.first; index <= block.last; ++index) {
            const InstructionAccount& instruction = account.by_instruction[index];
            entry->second.issues += instruction.issues;
            entry->second.executed += instruction.executed;
            entry->second.cycles += instruction.cycles;
        }
    }
    return blocks;
}

/// "register 1200, port 30": cycles by cause of the wait, largest first.
std::string waiting_text(const CycleStack& stack) {
    auto categories = categories_of(stack);
    categories.erase(std::remove_if(categories.begin(), categories.end(),
                                    [](const auto& named) {
                                        return named.cycles == 0 || named.category == "issue";
                                    }),
                     categories.end());
    std::stable_sort(categories.begin(), categories.end(),
                     [](const auto& a, const auto& b) { return a.cycles > b.cycles; });
    std::string out;
    for (const auto& [category, cycles] : categories)
        out += fmt::format("{}{} {}", out.empty() ? "" : ", ", category, cycles);
    return out;
}

Json stack_json(const CycleStack& stack) {
    Json categories = Json::array();
    for (const auto& [category, cycles] : categories_of(stack))
        categories.push_back({{"category", category}, {"cycles", cycles}});
    return categories;
}

Json waiting_json(const InstructionAccount& account) {
    Json cycles = Json::object();
    for (const auto& [category, count] : categories_of(account.cycles))
        if (count > 0) cycles[std::string{category}] = count;
    return {{"issues", account.issues}, {"executed", account.executed}, {"warp-cycles", cycles}};
}

std::string memory_text(const MemoryAccount& memory) {
    std::string out = fmt::format("\n{:<16}{:>12}{:>12}{:>12}{:>12}{:>9}\n", "caches, sectors",
                                  "hit", "merged", "missed", "stored", "hits");
    const auto line = [&](std::string_view name, const CacheAccount& cache) {
        out += fmt::format("{:<16}{:>12}{:>12}{:>12}{:>12}{:>8.1f}%\n", name, cache.hit,
                           cache.merged, cache.missed, cache.stored,
                           100 * ratio(cache.hit, cache.hit + cache.merged + cache.missed));
    };
    line("l1", memory.l1);
    line("l2", memory.l2);
    return out + fmt::format("dram: {} reads, {} writes, {} of them in an open row\n",
                             memory.dram_reads, memory.dram_writes, memory.row_hits);
}

Json memory_json(const MemoryAccount& memory) {
    const auto cache_json = [](const CacheAccount& cache) {
        return Json{{"hit", cache.hit},
                    {"merged", cache.merged},
                    {"missed", cache.missed},
                    {"stored", cache.stored}};
    };
    return {{"unit", "sectors"},
            {"l1", cache_json(memory.l1)},
            {"l2", cache_json(memory.l2)},
            {"dram",
             {{"reads", memory.dram_reads},
              {"writes", memory.dram_writes},
              {"row-hits", memory.row_hits}}}};
}

} // namespace

void TraceOptions::add_to(CLI::App& command) {
    command.add_option("--trace", file,
                       "Write the trace of one run to this file; - is standard output (CSV)");
    command
        .add_option("--trace-format", format,
                    "csv: one line per issue; chrome: opens in Perfetto; table: cycles x warps. "
                    "Default: by the extension .csv, .json, .txt")
        ->check(CLI::IsMember({"csv", "chrome", "table"}))
        ->needs("--trace");
    command.add_option("--trace-run", run, "Number of the run for --trace and --stack, from 0 on")
        ->check(refusal_of_whole_number)
        ->capture_default_str();
    command.add_flag("--stack", stack,
                     "Print the cycle stacks of one run: instructions per cycle, and stalls by "
                     "scheduler, warp, basic block and instruction");
}

Result<TracedRun> trace_run(const TraceOptions& options, const models::Architecture& architecture,
                            const harness::Kernel& kernel, const models::WarpPolicy& policy,
                            std::int64_t multiprocessors, const harness::RunOptions& run) {
    const auto machine =
        harness::simulator::Machine::prepare(architecture, kernel, policy, multiprocessors);
    if (!machine) return machine.as_failure();
    const auto named = harness::trace::traced_kernel(architecture, kernel);
    if (!named) return named.as_failure();
    const auto schedulers =
        models::require(architecture, architecture.schedulers, "schedulers", "count");
    if (!schedulers) return schedulers.as_failure();
    std::unique_ptr<TraceFile> file;
    if (!options.file.empty()) {
        auto opened = TraceFile::open(options, named.value());
        if (!opened) return opened.as_failure();
        file = std::move(opened.value());
    }
    harness::trace::CycleAccountant accountant{static_cast<std::size_t>(multiprocessors),
                                               static_cast<std::size_t>(schedulers.value().lo),
                                               kernel.function->instructions.size()};
    ProgressBar bar{fmt::format("tracing run {}, cycle", options.run)};
    const auto goes_on = bar.callback();
    std::int64_t events = 0;
    std::int64_t cycle = 0;
    TracedRun traced{.seed = run.seed, .account = std::nullopt};
    const auto listener = [&](const Event& event) {
        cycle = std::visit([](const auto& what) { return what.cycle; }, event);
        if (++events % events_between_looks == 0 && !goes_on(cycle, 0)) throw Stopped{};
        if (file && file->has_failed()) throw Stopped{};
        accountant.receive(event);
        traced.memory.receive(event);
        if (file) file->receive(event);
    };
    std::optional<Failure> failure;
    try {
        const auto observed = machine.value()->run(run, listener);
        if (observed) {
            cycle = observed.value().execution_time.count();
            traced.account = accountant.close(cycle);
        } else {
            failure = observed.error();
        }
    } catch (const Stopped&) {
        // The trace ends here.
    }
    if (file) {
        const auto written = file->close(cycle);
        if (!written) return written.as_failure();
    }
    if (failure) return *failure;
    return traced;
}

std::string account_text(const TraceOptions& options, const TracedRun& run,
                         const LoadedKernel& kernel) {
    const CycleAccount& account = *run.account;
    const auto schedulers = static_cast<std::int64_t>(account.schedulers.size());
    const auto warps = static_cast<std::int64_t>(account.warps.size());
    std::string out =
        fmt::format("\nrun {} (seed {}): {} cycles, {} instructions of {} warps, {:.3f} "
                    "instructions per cycle\n\n",
                    options.run, run.seed, account.cycles, account.instructions, warps,
                    account.instructions_per_cycle());
    const CycleStack of_schedulers = account.all_schedulers();
    const CycleStack of_warps = account.all_warps();
    out += fmt::format("{:<16}{:>18}{:>9}{:>10}{:>18}{:>9}\n", "cycle stack",
                       fmt::format("cycles of {} sched.", schedulers), "share", "CPI",
                       fmt::format("of {} warps", warps), "share");
    const auto line = [&](std::string_view name, std::int64_t scheduler, std::int64_t warp) {
        out += fmt::format("{:<16}{:>18}{:>8.1f}%{:>10.3f}{:>18}{:>8.1f}%\n", name, scheduler,
                           100 * ratio(scheduler, of_schedulers.total()),
                           ratio(scheduler, schedulers * account.instructions), warp,
                           100 * ratio(warp, of_warps.total()));
    };
    const auto left = categories_of(of_schedulers);
    for (const auto& [category, warp] : categories_of(of_warps)) {
        const auto of_scheduler =
            std::find_if(left.begin(), left.end(),
                         [name = category](const auto& named) { return named.category == name; });
        line(category, of_scheduler == left.end() ? 0 : of_scheduler->cycles, warp);
    }
    line("all", of_schedulers.total(), of_warps.total());
    if (run.memory.has_any()) out += memory_text(run.memory);

    out += fmt::format("\n{:<10}{:>10}{:>14}  {}\n", "block", "issues", "warp cycles",
                       "of which waiting for");
    for (const auto& [address, block] : by_block(account, kernel))
        if (block.issues > 0)
            out += fmt::format("{:<10}{:>10}{:>14}  {}\n", hexadecimal(address), block.issues,
                               block.cycles.total(), waiting_text(block.cycles));

    std::vector<std::size_t> order(account.by_instruction.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return account.by_instruction[a].cycles.total() > account.by_instruction[b].cycles.total();
    });
    order.resize(std::min(order.size(), listed_instructions));
    out += fmt::format("\n{:<10}{:>10}{:>14}  {}\n", "costliest", "issues", "warp cycles",
                       "of which waiting for");
    for (const std::size_t index : order) {
        const InstructionAccount& instruction = account.by_instruction[index];
        if (instruction.issues == 0) break;
        const auto& code = kernel.function->instructions[index];
        out += fmt::format("{:<10}{:>10}{:>14}  {}\n{:<36}{}\n", hexadecimal(code.address),
                           instruction.issues, instruction.cycles.total(), assembly::print(code),
                           "", waiting_text(instruction.cycles));
    }
    return out;
}

Json account_json(const TraceOptions& options, const TracedRun& run, const LoadedKernel& kernel) {
    const CycleAccount& account = *run.account;
    Json schedulers = Json::array();
    for (const CycleStack& stack : account.schedulers)
        schedulers.push_back(stack_json(stack));
    Json warps = Json::array();
    for (const CycleStack& stack : account.warps)
        warps.push_back(stack_json(stack));
    Json blocks = Json::array();
    for (const auto& [address, block] : by_block(account, kernel)) {
        Json entry{{"block", hexadecimal(address)}};
        entry.update(waiting_json(block));
        blocks.push_back(entry);
    }
    Json instructions = Json::array();
    for (std::size_t index = 0; index < account.by_instruction.size(); ++index) {
        const auto& code = kernel.function->instructions[index];
        Json entry{{"address", hexadecimal(code.address)}, {"instruction", assembly::print(code)}};
        entry.update(waiting_json(account.by_instruction[index]));
        instructions.push_back(entry);
    }
    Json result{{"run", options.run},
                {"seed", run.seed},
                {"cycles", account.cycles},
                {"instructions", account.instructions},
                {"instructions-per-cycle", account.instructions_per_cycle()},
                {"stack", stack_json(account.all_schedulers())},
                {"scheduler-stacks", schedulers},
                {"warp-stacks", warps},
                {"blocks", blocks},
                {"by-instruction", instructions}};
    if (run.memory.has_any()) result["memory"] = memory_json(run.memory);
    return result;
}

} // namespace warpbound::cli
