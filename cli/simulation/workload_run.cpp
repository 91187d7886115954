#include "cli/simulation/workload_run.hpp"

#include "assembly/support/stop_token.hpp"
#include "cli/output/json.hpp"
#include "cli/output/summary_text.hpp"
#include "harness/protocol/measure_workload.hpp"
#include "harness/trace/workload_trace.hpp"
#include "models/architecture/costless_groups.hpp"
#include "models/architecture/shipped.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <deque>
#include <filesystem>

namespace warpbound::cli {

namespace {

using harness::OperationTimes;
using harness::WorkloadObservation;
using models::HostOperation;

/// A workload as loaded, with its kernels.
struct LoadedWorkload {
    models::WorkloadFile file;
    std::deque<std::unique_ptr<LoadedKernel>> kernels;
    harness::Workload workload; ///< Points into `kernels`.
};

Result<LoadedWorkload> load_workload(const std::string& name,
                                     const models::Architecture& architecture) {
    const auto source = assembly::read_source(name);
    if (!source) return source.as_failure();
    auto file = models::read_workload(source.value());
    if (!file) return file.as_failure();
    LoadedWorkload loaded;
    loaded.file = std::move(file.value());
    const std::filesystem::path folder = std::filesystem::path{name}.parent_path();
    const auto in_workload_folder = [&](const std::string& path) {
        return path.empty() ? path : (folder / path).lexically_normal().string();
    };
    for (const models::KernelSource& kernel : loaded.file.kernels) {
        auto read = load_kernel({.file = in_workload_folder(kernel.file),
                                 .kernel = kernel.kernel,
                                 .flow_facts = in_workload_folder(kernel.flow_facts),
                                 .takes_facts = true},
                                architecture.target);
        if (!read) return read.as_failure();
        const auto target = check_target(*read.value(), architecture);
        if (!target) return target.as_failure();
        const auto facts = complete_facts(*read.value(), architecture, kernel.launch);
        if (!facts) return facts.as_failure();
        const LoadedKernel& one = *loaded.kernels.emplace_back(std::move(read.value()));
        loaded.workload.kernels.push_back({one.function, &one.graph, &one.facts, kernel.launch});
    }
    loaded.workload.operations = loaded.file.operations;
    return loaded;
}

struct NamedTime {
    const char* name;
    std::int64_t (*of)(const OperationTimes&);
    bool of_launches_only = false;
};

constexpr NamedTime named_times[] = {
    {"issued", [](const OperationTimes& times) { return times.issued; }},
    {"queued", [](const OperationTimes& times) { return times.queued; }},
    {"started", [](const OperationTimes& times) { return times.started; }},
    {"dispatched", [](const OperationTimes& times) { return times.dispatched; }, true},
    {"ended", [](const OperationTimes& times) { return times.ended; }},
    {"duration", [](const OperationTimes& times) { return times.ended - times.started; }},
    {"response", [](const OperationTimes& times) { return times.ended - times.issued; }},
};

harness::Summary summary_of(const std::vector<WorkloadObservation>& runs, std::size_t operation,
                            const NamedTime& time) {
    std::vector<std::int64_t> values;
    values.reserve(runs.size());
    for (const WorkloadObservation& run : runs)
        values.push_back(time.of(run.operations[operation]));
    return harness::summarise(values);
}

harness::Summary makespans(const std::vector<WorkloadObservation>& runs) {
    std::vector<std::int64_t> values;
    values.reserve(runs.size());
    for (const WorkloadObservation& run : runs)
        values.push_back(run.makespan);
    return harness::summarise(values);
}

/// Assumptions about values that the description lacks (C30, C32) or that the user states.
std::vector<std::string> assumptions_of(const WorkloadOptions& options,
                                        const models::Architecture& architecture,
                                        const LoadedWorkload& loaded) {
    std::vector<std::string> assumptions;
    if (options.launch_cost != "described")
        assumptions.push_back(
            fmt::format("a launch costs {} cycles before its first blocks", options.launch_cost));
    const auto* const call = architecture.transfers.find("call");
    if (loaded.workload.operations.size() > 1 && (call == nullptr || !call->interval))
        assumptions.emplace_back(
            "the host's calls, whose cost the description lacks, take no time");
    std::int64_t blocks = 0;
    for (const auto& operation : loaded.workload.operations)
        if (operation.kind == models::HostOperationKind::Launch)
            blocks += loaded.workload.kernels[operation.kernel].launch.blocks;
    for (auto& more : residency_assumptions(loaded.workload.kernels, blocks))
        assumptions.push_back(std::move(more));
    for (auto& statement : models::statements_on_costless_groups(architecture))
        assumptions.push_back(std::move(statement));
    return assumptions;
}

std::string described(const HostOperation& operation, const LoadedWorkload& loaded) {
    const std::string stream =
        operation.stream ? "stream " + loaded.file.streams[*operation.stream] : "NULL stream";
    if (operation.kind != models::HostOperationKind::Launch)
        return fmt::format("{}, {} bytes, {}", to_string(operation.kind), operation.bytes, stream);
    const harness::Kernel& kernel = loaded.workload.kernels[operation.kernel];
    return fmt::format("{} {}, {}", kernel.function->name, models::to_string(kernel.launch),
                       stream);
}

std::string text_of(const WorkloadOptions& options, const models::Architecture& architecture,
                    const LoadedWorkload& loaded, const std::vector<WorkloadObservation>& runs) {
    std::string out = fmt::format(
        "{} on simulated:{}, {} multiprocessor{}, policy {}, {} runs from seed {} ({})\n",
        loaded.file.name, models::label_of(architecture), options.multiprocessors,
        options.multiprocessors == 1 ? "" : "s", options.policy, runs.size(), options.seed,
        options.draw);
    for (const std::string& assumption : assumptions_of(options, architecture, loaded))
        out += fmt::format("assumed: {}\n", assumption);
    out += fmt::format("\n{:<40}{:>12}{:>15}{:>12}\n", "observed, core cycles", "best", "mean",
                       "worst");
    const auto row = [&](const std::string& label, const harness::Summary& summary) {
        out += fmt::format("{:<40}{:>12}{:>15.2f}{:>12}\n", label, summary.best, summary.mean,
                           summary.worst);
    };
    for (std::size_t index = 0; index < loaded.workload.operations.size(); ++index) {
        const HostOperation& operation = loaded.workload.operations[index];
        out += fmt::format("{}: {}\n", operation.name, described(operation, loaded));
        for (const NamedTime& time : named_times)
            if (!time.of_launches_only || operation.kind == models::HostOperationKind::Launch)
                row(fmt::format("  {}", time.name), summary_of(runs, index, time));
    }
    row("makespan", makespans(runs));
    return out;
}

std::string json_of(const WorkloadOptions& options, const models::Architecture& architecture,
                    const LoadedWorkload& loaded, const std::vector<WorkloadObservation>& runs) {
    Json operations = Json::array();
    for (std::size_t index = 0; index < loaded.workload.operations.size(); ++index) {
        const HostOperation& operation = loaded.workload.operations[index];
        Json entry{{"name", operation.name}, {"kind", to_string(operation.kind)}};
        entry["stream"] =
            operation.stream ? Json(loaded.file.streams[*operation.stream]) : Json(nullptr);
        if (operation.kind == models::HostOperationKind::Launch) {
            const LoadedKernel& kernel = *loaded.kernels[operation.kernel];
            entry["kernel"] = kernel.function->name;
            entry["digest"] = kernel.program.digest;
            entry["launch"] = models::to_string(loaded.workload.kernels[operation.kernel].launch);
        } else {
            entry["bytes"] = operation.bytes;
        }
        for (const NamedTime& time : named_times)
            if (!time.of_launches_only || operation.kind == models::HostOperationKind::Launch)
                entry[time.name] = summary_json(summary_of(runs, index, time));
        operations.push_back(entry);
    }
    const Json result{{"workload", {{"name", loaded.file.name}, {"digest", loaded.file.digest}}},
                      {"architecture",
                       {{"name", models::label_of(architecture)}, {"digest", architecture.digest}}},
                      {"multiprocessors", options.multiprocessors},
                      {"assumptions", assumptions_of(options, architecture, loaded)},
                      {"launch-cost", options.launch_cost},
                      {"policy", options.policy},
                      {"seed", options.seed},
                      {"draw", options.draw},
                      {"runs", runs.size()},
                      {"operations", operations},
                      {"makespan", summary_json(makespans(runs))}};
    return json_text("simulated-workload", result);
}

/// "csv" or "chrome", by the option or the file's extension.
Result<std::string> trace_format(const WorkloadOptions& options) {
    std::string format = options.trace_format;
    const std::string extension = std::filesystem::path{options.trace}.extension().string();
    if (format.empty() && (options.trace == "-" || extension == ".csv")) format = "csv";
    if (format.empty() && extension == ".json") format = "chrome";
    if (format == "csv" || format == "chrome") return format;
    return Failure{"the trace of a workload is a .csv or a .json (chrome) file; a table of cycles "
                   "exists for one kernel only",
                   options.trace};
}

Result<std::string> trace_of(const WorkloadOptions& options,
                             const models::Architecture& architecture, const LoadedWorkload& loaded,
                             const harness::simulator::WorkloadMachine& machine,
                             const harness::Protocol& protocol, const std::string& format) {
    const auto run = machine.run({.seed = harness::seed_of_run(options.seed, options.trace_run),
                                  .draw = protocol.draw,
                                  .path = {}});
    if (!run) return run.as_failure();
    const harness::trace::TracedWorkload traced{loaded.file.name, architecture.name,
                                                loaded.workload.operations, loaded.file.streams,
                                                run.value().operations};
    return format == "csv" ? csv_of(traced) : chrome_trace_of(traced);
}

std::optional<std::int64_t> read_cycles(std::string_view text) {
    constexpr std::int64_t most = std::int64_t{1} << 31U;
    std::int64_t cycles = 0;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), cycles);
    if (error != std::errc{} || stop != text.data() + text.size() || cycles < 0 || cycles > most)
        return std::nullopt;
    return cycles;
}

} // namespace

CLI::Option* add_launch_cost(CLI::App& command, std::string& cost, const std::string& purpose) {
    return command
        .add_option("--launch-cost", cost,
                    "Cost of a launch before its first blocks, in core cycles: N or LO..HI "
                    "(assumed), or described: blocks/launch of the architecture" +
                        purpose)
        ->check([](const std::string& text) {
            const auto read = read_launch_cost(text);
            return read ? std::string{} : read.error().what;
        });
}

Result<harness::simulator::StatedLaunchCost> read_launch_cost(const std::string& text) {
    using harness::simulator::Range;
    using harness::simulator::StatedLaunchCost;
    if (text == "described") return StatedLaunchCost{};
    const std::size_t dots = text.find("..");
    const auto lo = read_cycles(text.substr(0, dots));
    const auto hi = dots == std::string::npos ? lo : read_cycles(text.substr(dots + 2));
    if (!lo || !hi || *lo > *hi)
        return Failure{fmt::format("'{}' is no launch cost; expected described, or cycles as N or "
                                   "LO..HI",
                                   text)};
    return StatedLaunchCost{Range{*lo, *hi}};
}

Result<std::shared_ptr<const harness::simulator::WorkloadMachine>>
prepare_workload(const models::Architecture& architecture, const harness::Workload& workload,
                 const models::WarpPolicy& policy, std::int64_t multiprocessors,
                 const harness::simulator::StatedLaunchCost& cost) {
    auto machine = harness::simulator::WorkloadMachine::prepare(architecture, workload, policy,
                                                                multiprocessors, cost);
    if (machine || machine.error().what.find("blocks/launch") == std::string::npos) return machine;
    Failure failure = machine.error();
    failure.what += ", or the cost of a launch with --launch-cost";
    return failure;
}

Result<std::vector<std::int64_t>>
end_to_end_times(const harness::simulator::WorkloadMachine& machine,
                 const harness::Protocol& protocol) {
    ProgressBar bar{"simulating end to end"};
    const auto measured = harness::measure_workload(machine, protocol, worker_threads(),
                                                    bar.callback(), stop_requested);
    if (!measured) return measured.as_failure();
    std::vector<std::int64_t> times;
    for (const WorkloadObservation& run : measured.value().runs)
        times.push_back(run.makespan);
    return times;
}

Exit simulate_workload(const WorkloadOptions& options, const models::Architecture& architecture) {
    const auto cost = read_launch_cost(options.launch_cost);
    if (!cost) return refuse(cost.error());
    const auto policy = models::read_policy(options.policy);
    if (!policy) return refuse(policy.error());
    const auto loaded = load_workload(options.file, architecture);
    if (!loaded) return refuse(loaded.error());
    const auto machine = prepare_workload(architecture, loaded.value().workload, policy.value(),
                                          options.multiprocessors, cost.value());
    if (!machine) return refuse(machine.error());
    const harness::Protocol protocol = protocol_of(options.runs, options.seed, options.draw);
    if (!options.trace.empty()) {
        const auto format = trace_format(options);
        if (!format) return refuse(format.error());
        const auto trace = trace_of(options, architecture, loaded.value(), *machine.value(),
                                    protocol, format.value());
        if (!trace) return refuse(trace.error());
        const Exit written = write_result(trace.value(), options.trace);
        if (written != Exit::Holds) return written;
    }
    ProgressBar bar{"simulating"};
    const auto measured = harness::measure_workload(*machine.value(), protocol, worker_threads(),
                                                    bar.callback(), stop_requested);
    if (!measured) return refuse(measured.error());
    const auto& runs = measured.value().runs;
    if (runs.empty()) return refuse(Failure{"stopped before the first run ended", options.file});
    const std::string result = options.format == "json"
                                   ? json_of(options, architecture, loaded.value(), runs)
                                   : text_of(options, architecture, loaded.value(), runs);
    if (options.trace == "-")
        say("{}", result);
    else if (const Exit written = write_result(result); written != Exit::Holds)
        return written;
    if (!measured.value().complete)
        say("warpbound: interrupted after {} of {} runs\n", runs.size(), options.runs);
    return measured.value().complete ? Exit::Holds : Exit::Undecided;
}

} // namespace warpbound::cli
