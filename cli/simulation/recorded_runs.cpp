#include "cli/simulation/recorded_runs.hpp"

#include "harness/trace/kernels_list.hpp"
#include "harness/trace/packed_trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace warpbound::cli {

using harness::trace::RecordedTrace;

Result<TraceList> list_traces(const std::string& file) {
    const std::filesystem::path path{file};
    TraceList list;
    if (path.extension() != ".g") {
        list.traces.push_back(path);
    } else {
        const auto source = assembly::read_source(path);
        if (!source) return source.as_failure();
        const auto commands = harness::trace::read_kernels_list(source.value());
        if (!commands) return commands.as_failure();
        for (const auto& command : commands.value()) {
            if (const auto* copy = std::get_if<harness::trace::TracedCopy>(&command)) {
                ++list.copies;
                list.bytes += copy->bytes;
                continue;
            }
            list.traces.push_back(path.parent_path() /
                                  std::get<harness::trace::TracedLaunch>(command).file);
        }
    }
    return list;
}

Result<RecordedRun> load_recorded_run(const std::filesystem::path& trace,
                                      const std::string& listing,
                                      const models::Architecture& architecture) {
    auto bytes = harness::trace::open_trace(trace);
    if (!bytes) return bytes.as_failure();
    const auto header = harness::trace::read_trace_header(bytes.value());
    if (!header) return header.as_failure();
    if (listing.empty())
        return Failure{"a trace has neither control fields nor guards, nor all registers; expected "
                       "the listing of its kernel with --listing FILE",
                       trace.string()};
    RecordedRun run;
    auto kernel =
        load_kernel({.file = listing, .kernel = header.value().kernel}, architecture.target);
    if (!kernel) return kernel.as_failure();
    run.kernel = std::move(kernel.value());
    const auto target = check_target(*run.kernel, architecture);
    if (!target) return target.as_failure();
    ProgressBar bar{fmt::format("reading {}, bytes", trace.filename().string())};
    const auto goes_on = bar.callback();
    auto recorded = RecordedTrace::open(
        std::move(bytes.value()), {run.kernel->function, &run.kernel->graph, listing},
        RecordedTrace::default_kept_limit,
        [&goes_on](std::uint64_t read) { return goes_on(static_cast<std::int64_t>(read), 0); },
        worker_threads());
    if (!recorded) return recorded.as_failure();
    run.trace = std::move(recorded.value());
    return run;
}

std::vector<std::string> assumptions_of(const assembly::Function& function,
                                        const harness::RecordedLaunch& launch,
                                        const models::Architecture& architecture) {
    const auto lacks = [&architecture](std::string_view memory, std::string_view name) {
        const models::ValueGroup* const group = architecture.memory(memory);
        return group == nullptr || (!name.empty() && group->find(name) == nullptr);
    };
    bool loads = false;
    bool shared = false;
    bool global = false;
    const auto& instructions = function.instructions;
    for (std::size_t index = 0; index < instructions.size(); ++index) {
        using enum assembly::OpcodeClass;
        if (!launch.issues(index) || !harness::has_recorded_addresses(instructions[index]))
            continue;
        const auto opcode_class = instructions[index].opcode_class;
        const bool is_shared = opcode_class == LoadShared || opcode_class == StoreShared ||
                               opcode_class == AtomicShared;
        (is_shared ? shared : global) = true;
        loads = loads || opcode_class == LoadGlobal || opcode_class == LoadLocal;
    }
    std::vector<std::string> assumptions;
    if (loads && lacks("interconnect", ""))
        assumptions.push_back(fmt::format("each load of global or local memory may come from any "
                                          "level, as {} describes no memories/interconnect",
                                          architecture.name));
    if (global && !lacks("interconnect", ""))
        assumptions.emplace_back("accesses wait for each other at caches, links and DRAM, so that "
                                 "runs may exceed a bound whose report assumes that the latency "
                                 "intervals contain this delay");
    if (global && lacks("l1", "line"))
        assumptions.push_back(fmt::format("global and local accesses take 1..32 passes, as {} "
                                          "describes no memories/l1/line",
                                          architecture.name));
    if (shared && (lacks("shared", "banks") || lacks("shared", "bank-width")))
        assumptions.push_back(fmt::format("shared accesses take 1..32 passes, as {} describes no "
                                          "memories/shared/banks and bank-width",
                                          architecture.name));
    return assumptions;
}

} // namespace warpbound::cli
