#include "cli/kernel_measurement/measured_kernel.hpp"

#include "assembly/support/source_text.hpp"
#include "assembly/support/stop_token.hpp"
#include "cli/kernel_measurement/user_kernel_launch.hpp"
#include "cli/output/next_step.hpp"
#include "cli/simulation/executed_run.hpp"
#include "harness/card_identity.hpp"
#include "harness/devices/cuda/user_kernel.hpp"
#include "harness/protocol/user_kernel_series.hpp"
#include "harness/simulated_identity.hpp"

#ifdef WARPBOUND_HAS_ANALYZER
#include "cli/bounds/code_bounds.hpp"
#endif

#include <fmt/format.h>

#include <utility>

namespace warpbound::cli {

namespace {

using harness::ReleasePattern;

Result<std::optional<KernelBound>> bound_of(const MeasuredKernelOptions& options,
                                            const std::string& launch,
                                            [[maybe_unused]] const std::string& multiprocessors) {
    if (options.gpu.empty()) return std::optional<KernelBound>{};
#ifdef WARPBOUND_HAS_ANALYZER
    auto bounded = bound_code({.file = options.module,
                               .kernel = options.kernel,
                               .flow_facts = options.flow_facts,
                               .policy = "unknown",
                               .machine = options.gpu,
                               .launch = launch,
                               .multiprocessors = multiprocessors});
    if (!bounded) return bounded.as_failure();
    return std::optional{KernelBound{bounded.value().cycles, options.gpu,
                                     bounded.value().assumptions.size(),
                                     std::move(bounded.value().launched)}};
#else
    return Failure{"this program was built without the analyzer: no bounds", launch};
#endif
}

/// The command that measures one pattern again.
std::string reproduction(const MeasuredKernelOptions& options, const KernelMeasurement& measurement,
                         const std::string& release) {
    std::string text = "warpbound measure --module " + shell_word(options.module);
    const auto add = [&](std::string_view name, const std::string& value) {
        if (!value.empty()) text += fmt::format(" {} {}", name, shell_word(value));
    };
    add("--kernel", options.kernel);
    add("--launch", options.launch.launch);
    add("--grid", options.launch.grid);
    add("--block", options.launch.block);
    if (const auto& bytes = options.launch.dynamic_shared_memory)
        add("--dynamic-shared-memory", std::to_string(*bytes));
    for (const auto& argument : options.arguments)
        add("--arg", argument);
    add("--device", measurement.device);
    if (harness::is_card(measurement.device)) add("--release", release);
    add("--repetitions", std::to_string(measurement.protocol.repetitions));
    if (options.outputs != "all") add("--outputs", options.outputs);
    add("--gpu", options.gpu);
    add("--flow-facts", options.flow_facts);
    add("--clock", options.clock);
    const CoRunnerText& beside = options.co_runner;
    add("--co-runner", beside.code);
    add("--co-runner-grid", beside.grid);
    add("--co-runner-block", beside.block);
    if (const auto& bytes = beside.dynamic_shared_memory)
        add("--co-runner-dynamic-shared-memory", std::to_string(*bytes));
    for (const auto& argument : beside.arguments)
        add("--co-runner-arg", argument);
    return text;
}

Result<std::unique_ptr<harness::Campaign>> open_campaign(const std::string& file) {
    if (file.empty()) return std::unique_ptr<harness::Campaign>{};
    return harness::Campaign::open(file);
}

/// Once for the whole series, before its runs: those of a simulated device have no conditions of
/// their own.
Result<void> note_plan_point(const KernelMeasurement& measurement, const harness::SeriesKey& key,
                             harness::Campaign* campaign) {
    if (measurement.plan_point.empty() || campaign == nullptr) return boost::outcome_v2::success();
    const auto series = campaign->series(key);
    if (!series) return series.as_failure();
    const auto known = campaign->conditions(series.value().id);
    if (!known) return known.as_failure();
    if (!known.value().empty()) return boost::outcome_v2::success();
    return campaign->note_conditions(series.value().id, 0,
                                     {{plan_point_condition, measurement.plan_point}});
}

/// Compares the times between events with the bound, or says why not.
Result<void> check_release(const MeasuredKernelOptions& options, const KernelBound& bound,
                           const harness::SeriesKey& key, const EventError& error,
                           MeasuredRelease& release) {
    const auto clock = clock_of_runs(options.clock, release.conditions);
    if (!clock) {
        release.not_checked = "no clock could be read; state its range with --clock";
        return boost::outcome_v2::success();
    }
    auto check = check_of(bound, key, *clock, error, release.times.front().samples);
    if (!check) return check.as_failure();
    release.check = std::move(check).value();
    return boost::outcome_v2::success();
}

/// The co-runner with its time alone still unknown; none: none is given. Part of the identity of
/// the runs.
Result<std::optional<MeasuredCoRunner>> co_runner_of(const CoRunnerText& text,
                                                     const harness::cuda::Card& card,
                                                     harness::UserKernelIdentity& identity,
                                                     std::optional<harness::UserKernel>& kernel) {
    if (!text.is_given()) return std::optional<MeasuredCoRunner>{};
    auto prepared = prepare_co_runner(text, card);
    if (!prepared) return prepared.as_failure();
    kernel = std::move(prepared.value().kernel);
    MeasuredCoRunner beside{text.module(),
                            kernel->name,
                            std::move(prepared.value().launch),
                            std::move(prepared.value().module_digest),
                            std::move(prepared.value().inputs_digest),
                            0};
    identity.co_runner = fmt::format("{}, launch {}, module {}, inputs {}", beside.kernel,
                                     beside.launch, beside.module_digest, beside.inputs_digest);
    return std::optional{std::move(beside)};
}

Result<MeasuredKernel> measure_on_card(const MeasuredKernelOptions& options,
                                       const KernelMeasurement& measurement) {
    std::vector<ReleasePattern> patterns;
    for (const auto& text : options.releases) {
        const auto pattern = harness::read_release(text);
        if (!pattern) return pattern.as_failure();
        patterns.push_back(pattern.value());
    }
    if (patterns.empty()) patterns.emplace_back();
    const auto card = harness::cuda::open_card(measurement.device);
    if (!card) return card.as_failure();
    auto prepared = prepare_launch(options, *card.value());
    if (!prepared) return prepared.as_failure();
    auto& [kernel, identity, checked] = prepared.value();
    if (!measurement.plan_point.empty())
        identity.conditions.emplace_back(plan_point_condition, measurement.plan_point);
    const auto& key = identity.key;
    std::optional<harness::UserKernel> beside_kernel;
    auto beside = co_runner_of(options.co_runner, *card.value(), identity, beside_kernel);
    if (!beside) return beside.as_failure();
    auto bound = bound_of(options, key.launch, "all");
    if (!bound) return bound.as_failure();
    MeasuredKernel measured{options.module,
                            key.name,
                            key.launch,
                            {key.device, key.device_detail},
                            identity.module_digest,
                            key.kernel_digest,
                            key.facts_digest,
                            std::move(bound).value(),
                            std::move(beside).value(),
                            {}};
    const harness::HostClock clock = harness::system_clock();
    auto loaded = harness::cuda::UserKernelOnCard::prepare(card.value(), std::move(kernel), clock,
                                                           std::move(beside_kernel));
    if (!loaded) return loaded.as_failure();
    if (auto& co_runner = measured.co_runner) {
        co_runner->time_alone = loaded.value()->time_of_co_runner();
        identity.conditions.emplace_back("co-runner", identity.co_runner);
        identity.conditions.emplace_back("co-runner-alone",
                                         fmt::format("{} ns", co_runner->time_alone));
    }
    EventError error{0, event_resolution};
    if (measured.bound && !measured.co_runner) {
        const auto empty = loaded.value()->longest_empty_launch();
        if (!empty) return empty.as_failure();
        error.launch = empty.value();
    }
    // Only now: a refused measurement creates no campaign.
    auto campaign = open_campaign(measurement.campaign);
    if (!campaign) return campaign.as_failure();
    for (const ReleasePattern& pattern : patterns) {
        harness::UserKernelProtocol protocol;
        protocol.release = pattern;
        protocol.warm_up = measurement.protocol.warm_up.value_or(protocol.warm_up);
        protocol.repetitions = measurement.protocol.repetitions;
        protocol.checked = checked;
        if (const auto& cap = measurement.protocol.time_cap)
            protocol.time_cap = static_cast<std::int64_t>(1e9 * cap->count());
        ProgressBar bar{"measuring, " + to_string(pattern)};
        auto series = harness::measure_user_kernel(
            [&](const ReleasePattern& one) { return loaded.value()->run(one); }, identity, protocol,
            clock, campaign.value().get(), bar.callback());
        if (!series) return series.as_failure();
        MeasuredRelease release;
        release.release = to_string(pattern);
        release.key = series.value().key;
        release.skipped = series.value().skipped();
        release.is_complete = series.value().ending != harness::Ending::Interrupted;
        release.conditions = std::move(series.value().conditions);
        release.reproduction = reproduction(options, measurement, release.release);
        release.times.push_back(
            {std::string{harness::device_time}, std::move(series.value().device)});
        if (!series.value().host.empty())
            release.times.push_back(
                {std::string{harness::host_time}, std::move(series.value().host)});
        if (measured.bound && measured.co_runner)
            release.not_checked = beside_co_runner;
        else if (measured.bound)
            if (auto held = check_release(options, *measured.bound, key, error, release); !held)
                return held.as_failure();
        measured.releases.push_back(std::move(release));
        if (!measured.releases.back().is_complete) break;
    }
    return measured;
}

Result<MeasuredKernel> measure_simulated(const MeasuredKernelOptions& options,
                                         const KernelMeasurement& measurement) {
    if (!options.releases.empty())
        return Failure{"a simulated device begins every run in the same state; release patterns "
                       "are those of cards",
                       "--release"};
    LaunchOptions launch;
    launch.kernel.file = options.module;
    launch.kernel.kernel = options.kernel;
    launch.machine.architecture = measurement.device.substr(harness::simulated_prefix.size());
    launch.launch = options.launch;
    launch.arguments = options.arguments;
    const auto machine = load_machine(launch.machine);
    if (!machine) return machine.as_failure();
    const auto device = harness::open_device(measurement.device, measurement.policy);
    if (!device) return device.as_failure();
    const auto run = execute(launch, {}, &machine.value());
    if (!run) return run.as_failure();
    const auto& kernel = *run.value().kernel;
    const auto key = series_key(kernel.program, run.value().launched(), device.value()->identity(),
                                measurement.protocol, harness::Quantity::ExecutionTime);
    auto bound = bound_of(options, key.launch, "1");
    if (!bound) return bound.as_failure();
    auto campaign = open_campaign(measurement.campaign);
    if (!campaign) return campaign.as_failure();
    if (auto noted = note_plan_point(measurement, key, campaign.value().get()); !noted)
        return noted.as_failure();
    ProgressBar bar{"simulating"};
    auto series =
        harness::measure(*device.value(), run.value().launched(), key, measurement.protocol,
                         harness::Quantity::ExecutionTime, campaign.value().get(), worker_threads(),
                         bar.callback(), stop_requested);
    if (!series) return series.as_failure();
    MeasuredRelease release;
    release.release = "simulated";
    release.key = key;
    release.is_complete = series.value().complete();
    release.reproduction = reproduction(options, measurement, {});
    harness::Conditions outputs;
    for (const auto& buffer : run.value().executed->memory().buffers())
        outputs.emplace_back(
            "output " + buffer.name,
            assembly::digest_of(std::string{reinterpret_cast<const char*>(buffer.bytes.data()),
                                            buffer.bytes.size()}));
    if (!outputs.empty()) release.conditions.push_back({0, std::move(outputs)});
    release.times.push_back({key.quantity, std::move(series.value().samples)});
    MeasuredKernel measured{options.module,
                            key.name,
                            key.launch,
                            device.value()->identity(),
                            {},
                            key.kernel_digest,
                            key.facts_digest,
                            std::move(bound).value(),
                            {},
                            {}};
    if (measured.bound) {
        auto check = check_of(*measured.bound, key, release.times.front().samples);
        if (!check) return check.as_failure();
        release.check = std::move(check).value();
    }
    measured.releases.push_back(std::move(release));
    return measured;
}

Result<void> check_options(const MeasuredKernelOptions& options,
                           const KernelMeasurement& measurement, bool is_card) {
    if (!is_card && measurement.device.rfind(harness::simulated_prefix, 0) != 0)
        return Failure{"a kernel runs on cuda:<n>, hip:<n> or simulated:<architecture>",
                       measurement.device};
    if (is_card && !measurement.of_simulated.empty())
        return Failure{
            fmt::format("{} is of simulated devices only", measurement.of_simulated.front()),
            measurement.device};
    if (!is_card && options.co_runner.is_given())
        return Failure{"`measure` runs one kernel at a time on a simulated device; a co-runner "
                       "runs on cuda:<n> or hip:<n>",
                       "--co-runner"};
    for (const auto& release : options.releases)
        if (options.co_runner.is_given() && release.rfind("idle:", 0) == 0)
            return Failure{"a card with a co-runner is not idle; expected another pattern",
                           "--release " + release};
    if (is_card && !measurement.protocol.warm_up)
        return Failure{"a number of runs is expected with --module", "--warm-up"};
    for (const auto& [name, value] :
         {std::pair{"--flow-facts", options.flow_facts}, std::pair{"--clock", options.clock}})
        if (!value.empty() && options.gpu.empty())
            return Failure{"is of the bound, which --gpu asks for", name};
    if (!is_card && options.outputs != "all")
        return Failure{"a simulated launch is executed once", "--outputs"};
    if (!is_card && !options.clock.empty())
        return Failure{"times of a simulated device are in cycles", "--clock"};
    return boost::outcome_v2::success();
}

} // namespace

Result<MeasuredKernel> measured_kernel(const MeasuredKernelOptions& options,
                                       const KernelMeasurement& measurement) {
    const bool is_card = harness::is_card(measurement.device);
    if (auto checked = check_options(options, measurement, is_card); !checked)
        return checked.as_failure();
    return is_card ? measure_on_card(options, measurement)
                   : measure_simulated(options, measurement);
}

Exit measure_kernel(const MeasuredKernelOptions& options, const KernelMeasurement& measurement) {
    const auto measured = measured_kernel(options, measurement);
    if (!measured) return refuse(measured.error());
    const auto& format = measurement.format;
    const Exit written = write_result(format == "json"  ? json_of(measured.value())
                                      : format == "csv" ? csv_of(measured.value())
                                                        : text_of(measured.value()));
#ifdef WARPBOUND_HAS_ANALYZER // The page is drawn by the certification layer.
    if (written == Exit::Holds && !measurement.report.empty()) {
        const Exit reported = write_kernel_page(measured.value(), measurement);
        if (reported != Exit::Holds) return reported;
    }
#endif
    if (!measurement.campaign.empty())
        suggest(
            fmt::format("warpbound campaign list {} --summary", shell_word(measurement.campaign)));
    return written == Exit::Holds ? exit_of(measured.value()) : written;
}

} // namespace warpbound::cli
