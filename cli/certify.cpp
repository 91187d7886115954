/// \file
/// `warpbound certify`: analyses kernels and writes an evidence bundle.

#include "assembly/support/stop_token.hpp"
#include "certification/bundle/baseline.hpp"
#include "certification/bundle/build.hpp"
#include "certification/bundle/signature.hpp"
#include "certification/report/wording.hpp"
#include "cli/bundle_check.hpp"
#include "cli/certification_plan.hpp"
#include "cli/clock_options.hpp"
#include "cli/command.hpp"
#include "cli/components.hpp"
#include "cli/evidence_folder.hpp"
#include "cli/kernel_arguments.hpp"
#include "cli/multiprocessors.hpp"
#include "cli/next_step.hpp"
#include "cli/version.hpp"
#include "harness/calibration/calibrate.hpp"
#include "harness/devices/simulated.hpp"
#include "harness/toolchain/disassembler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

namespace warpbound::cli {

namespace {

struct CertifyOptions {
    PlannedKernel kernel;
    std::string plan;
    std::string requirements;
    std::string qualification;
    std::string output;
    std::string key;
    std::string baseline;
    std::string calibration;
    std::string draw = "uniform";
    std::int64_t runs = 0;
    std::uint64_t seed = 1;
    bool describes_runs = false; ///< --seed or --draw was given.
    std::optional<double> check;
};

Result<std::string> read_text(const std::string& path) {
    auto source = assembly::read_source(path);
    if (!source) return source.as_failure();
    return std::move(source.value().text);
}

/// The text of a description: that of its file, unless values are stated in place of the file's.
Result<std::string> architecture_text(const MachineOptions& options) {
    const auto machine = load_machine(options);
    if (!machine) return machine.as_failure();
    if (!options.assumed.empty()) return models::write_architecture(machine.value());
    if (std::filesystem::is_regular_file(options.architecture))
        return read_text(options.architecture);
    for (const auto& entry : models::list_architectures())
        if (entry.name == machine.value().name) return read_text(entry.path.string());
    return read_text(options.architecture);
}

/// Adds every series of the campaign with this kernel, launch and machine. Refuses a series with
/// other flow facts: its runs may be outside the set of runs that the bounds cover.
Result<void> add_campaign(certification::KernelInput& input, const std::string& file,
                          const certification::LoadedInput& loaded,
                          const harness::DeviceIdentity& device) {
    auto campaign = harness::Campaign::open_existing(file);
    if (!campaign) return campaign.as_failure();
    const auto series = campaign.value()->list();
    if (!series) return series.as_failure();
    const std::size_t before = input.series.size();
    for (const auto& entry : series.value()) {
        if (entry.key.kernel_digest != loaded.program.digest ||
            entry.key.name != loaded.function->name ||
            entry.key.launch != models::to_string(loaded.launch))
            continue;
        if (entry.key.device_detail != device.detail) {
            note("warpbound: {}: left out: {} runs of {} on {} ({}), this machine is {}\n", file,
                 entry.runs, entry.key.name, entry.key.device, entry.key.device_detail,
                 device.detail);
            continue;
        }
        if (entry.key.facts_digest != loaded.facts.digest)
            return Failure{fmt::format("series {} of {} was recorded with other flow facts; "
                                       "expected runs with those of the bounds",
                                       entry.id, entry.key.name),
                           file};
        const auto samples = campaign.value()->samples(entry.id);
        if (!samples) return samples.as_failure();
        if (auto checked =
                harness::check_anomalies(entry.key, samples.value(), harness::runs_without_anomaly);
            !checked)
            return Failure{to_string(checked.error()), file};
        if (!samples.value().empty()) input.series.push_back({entry.key, samples.value()});
    }
    if (input.series.size() == before)
        return Failure{fmt::format("the campaign holds no runs of kernel '{}' with launch {} on "
                                   "this machine",
                                   input.kernel, input.launch),
                       file};
    return boost::outcome_v2::success();
}

/// Adds every series of the campaign that belongs to the calibration suite.
Result<void> add_calibration(certification::BundleInputs& inputs, const std::string& file) {
    const auto campaign = harness::Campaign::open_existing(file);
    if (!campaign) return campaign.as_failure();
    auto all = harness::recorded_series(*campaign.value());
    if (!all) return all.as_failure();
    std::erase_if(all.value(), [](const auto& series) {
        return !harness::calibrates(series.key) || series.samples.empty();
    });
    // `verify` has the same requirements on the samples that a description is derived from.
    const auto named = [&](const Failure& failure) { return Failure{to_string(failure), file}; };
    const auto target = harness::target_of(all.value());
    if (!target) return named(target.error());
    const auto usable = harness::Measurements::of(all.value(), target.value());
    if (!usable) return named(usable.error());
    for (auto& series : all.value())
        inputs.calibration.push_back({std::move(series.key), std::move(series.samples)});
    return boost::outcome_v2::success();
}

/// Runs the kernel on the simulated device. False when interrupted.
Result<bool> add_simulation(certification::KernelInput& input, const CertifyOptions& options,
                            const certification::LoadedInput& loaded,
                            const harness::Device& device) {
    const harness::Kernel launched{loaded.function, &loaded.graph, &loaded.facts, loaded.launch};
    const harness::Protocol protocol = protocol_of(options.runs, options.seed, options.draw);
    std::vector<harness::Quantity> quantities{harness::Quantity::ExecutionTime};
    if (clock_reads(*loaded.function) == 2) quantities.push_back(harness::Quantity::Region);
    for (const auto quantity : quantities) {
        ProgressBar bar{fmt::format("simulating {} of {}", quantity_name(quantity), input.kernel)};
        const harness::SeriesKey key =
            series_key(loaded.program, launched, device.identity(), protocol, quantity);
        const auto measured = harness::measure(device, launched, key, protocol, quantity, nullptr,
                                               worker_threads(), bar.callback(), stop_requested);
        if (!measured) return measured.as_failure();
        if (!measured.value().complete()) return false;
        input.series.push_back({key, measured.value().samples});
    }
    return true;
}

/// Replaces the path of a file in the bundle by the name that the user gave.
void name_as_given(Failure& failure, const std::string& bundle_path, const std::string& given) {
    if (failure.where.rfind(bundle_path, 0) == 0)
        failure.where.replace(0, bundle_path.size(), given);
}

/// Replaces the bundle paths of the files of a kernel by the names that the user gave.
Failure named_as_given(Failure failure, const PlannedKernel& planned, const std::string& id) {
    const std::string folder = "inputs/" + id + "/";
    name_as_given(failure, folder + "listing.sass", planned.listing);
    name_as_given(failure, "architecture of " + id, planned.machine.architecture);
    name_as_given(failure, folder + "flow-facts.xml", planned.flow_facts);
    name_as_given(failure, folder + "trace-1.traceg", planned.trace);
    return failure;
}

/// The kernel's code for the machine that the description names.
Result<harness::toolchain::KernelCode> read_code(const PlannedKernel& planned,
                                                 const std::string& description) {
    const auto architecture =
        models::read_architecture({planned.machine.architecture, description});
    auto file =
        open_kernel_file(planned.listing, planned.target,
                         architecture ? std::optional{architecture.value().target} : std::nullopt);
    if (!file) return file.as_failure();
    const auto kernel = file.value().find(planned.name);
    if (!kernel) return kernel.as_failure();
    return file.value().read(kernel.value());
}

void add_code(certification::KernelInput& input, const harness::toolchain::KernelCode& code) {
    input.kernel = code.function->name;
    input.listing = code.listing;
    if (!code.origin) return;
    input.cubin_digest = code.origin->cubin_digest;
    input.binary_digest = code.origin->file_digest;
    input.disassembler = harness::toolchain::version_of(code.origin->disassembler);
}

/// The launch with the arguments that are stated apart from it.
Result<std::string> launch_of(const PlannedKernel& planned,
                              const harness::toolchain::KernelCode& code) {
    auto launch = launch_of(planned.launch, code.function);
    if (!launch) return launch.as_failure();
    if (auto added =
            add_arguments_to(launch.value().arguments, planned.arguments, code.summary.parameters);
        !added)
        return added.as_failure();
    return models::to_string(launch.value());
}

/// Where comments of source files state facts: the flow facts with them, and these files.
Result<void> add_source_comments(certification::KernelInput& input, const PlannedKernel& planned,
                                 const harness::toolchain::KernelCode& code) {
    const bool has_markers = input.listing.find("//## File \"") != std::string::npos;
    if (!has_markers && planned.source.empty()) return boost::outcome_v2::success();
    KernelOptions options;
    options.file = planned.listing;
    options.flow_facts = planned.flow_facts;
    options.source = planned.source;
    options.takes_facts = true;
    const auto loaded = load_kernel(code, options);
    if (!loaded) return loaded.as_failure();
    if (loaded.value()->sources.empty()) return boost::outcome_v2::success();
    input.flow_facts = models::write_flow_facts(loaded.value()->facts);
    for (const auto& source : loaded.value()->sources)
        input.sources.push_back(source.text);
    return boost::outcome_v2::success();
}

/// Nothing when interrupted.
Result<std::optional<certification::KernelInput>>
read_kernel(const PlannedKernel& planned, const CertifyOptions& options, const std::string& id) {
    certification::KernelInput input;
    auto architecture = architecture_text(planned.machine);
    if (!architecture) return architecture.as_failure();
    input.architecture = std::move(architecture).value();
    const auto code = read_code(planned, input.architecture);
    if (!code) return code.as_failure();
    add_code(input, code.value());
    if (!planned.cubin.empty() && code.value().origin)
        return Failure{"--cubin names the binary of a listing; FILE is a binary itself",
                       planned.listing};
    if (!planned.flow_facts.empty()) {
        auto facts = read_text(planned.flow_facts);
        if (!facts) return facts.as_failure();
        input.flow_facts = std::move(facts).value();
    }
    if (!planned.cubin.empty()) {
        const auto cubin = read_text(planned.cubin);
        if (!cubin) return cubin.as_failure();
        input.cubin_digest = assembly::digest_of(cubin.value());
    }
    if (!planned.trace.empty()) {
        auto trace = read_text(planned.trace);
        if (!trace) return trace.as_failure();
        input.traces.push_back(std::move(trace).value());
    }
    if (auto added = add_source_comments(input, planned, code.value()); !added)
        return added.as_failure();
    const auto launch = launch_of(planned, code.value());
    if (!launch) return launch.as_failure();
    input.launch = launch.value();
    if (!planned.clock.empty()) {
        const auto clock = models::parse_clock(planned.clock);
        if (!clock) return clock.as_failure();
        input.clock = models::to_string(clock.value()); // Its canonical form.
    }
    input.policy = planned.policy;
    const auto loaded = certification::load(input, id);
    if (!loaded) return named_as_given(loaded.error(), planned, id);
    // The bundle keeps the canonical form of names, launch and policy.
    input.kernel = loaded.value()->function->name;
    input.launch = models::to_string(loaded.value()->launch);
    input.policy = models::to_string(loaded.value()->policy);
    const auto multiprocessors =
        multiprocessors_of(planned.multiprocessors, loaded.value()->architecture);
    if (!multiprocessors) return multiprocessors.as_failure();
    input.multiprocessors = multiprocessors.value();
    const auto device = harness::simulated_device(loaded.value()->architecture,
                                                  loaded.value()->policy, input.multiprocessors);
    if (!planned.campaign.empty())
        if (auto added = add_campaign(input, planned.campaign, *loaded.value(), device->identity());
            !added)
            return added.as_failure();
    if (options.runs > 0) {
        const auto complete = add_simulation(input, options, *loaded.value(), *device);
        if (!complete) return complete.as_failure();
        if (!complete.value()) return std::optional<certification::KernelInput>{};
    }
    return std::optional{std::move(input)};
}

std::string summary(const certification::Bundle& bundle, const std::string& folder) {
    std::string out = fmt::format("evidence   {}, {} files\nreport id  {}\n", folder,
                                  bundle.files.size(), bundle.report_id);
    for (std::size_t i = 0; i < bundle.reports.size(); ++i) {
        const certification::Report& report = bundle.reports[i];
        out += fmt::format("{} {}, launch {}, policy {}, {}\n", certification::kernel_id(i),
                           report.kernel, certification::launch_text(report), report.policy,
                           report.architecture);
        for (const auto& claim : report.claims)
            out += fmt::format(
                "  {} {}: {} {} core cycles{} ({})\n", claim.id,
                certification::quantity_phrase(claim.quantity),
                claim.side == analyzer::Side::Upper ? "at most" : "at least", claim.value,
                report.time_of(claim)
                    ? ", " + certification::time_text(*report.time_of(claim), claim.side)
                    : "",
                certification::kind_phrase(report, claim));
        out += fmt::format("  clock {}\n", certification::clock_phrase(report.clock));
        if (report.without_evidence)
            out += fmt::format("  without evidence analyze finds {} to {} core cycles\n",
                               report.without_evidence->lower().count(),
                               report.without_evidence->upper().count());
        for (const auto& seen : report.observations)
            out += fmt::format("  {}: observed {} to {} core cycles in {} times on {}, {} outside "
                               "the bounds\n",
                               certification::quantity_phrase(seen.quantity), seen.best, seen.worst,
                               seen.count, seen.device, seen.outside_bounds);
    }
    for (const auto& result : bundle.requirements) {
        out += fmt::format("requirement {} on {} ({}): at most {}: {}", result.requirement.id,
                           result.requirement.kernel,
                           result.kernel.empty() ? "no kernel of the bundle" : result.kernel,
                           certification::budget_text(result.requirement.at_most),
                           to_string(result.verdict));
        if (result.known.upper)
            out += ", margin " +
                   (result.requirement.at_most.is_time()
                        ? models::margin_text(models::Cycles{*result.known.upper},
                                              result.requirement.at_most, result.clock)
                        : fmt::format("{} core cycles",
                                      models::margin_of(models::Cycles{*result.known.upper},
                                                        result.requirement.at_most, {})));
        out += "\n";
    }
    for (const auto& loose : bundle.loose)
        out += fmt::format("too loose: {} {}: upper bound {} core cycles, observed worst {} core "
                           "cycles\n",
                           loose.kernel, certification::quantity_phrase(loose.quantity),
                           loose.bound, loose.worst);
    for (const auto& kernel : bundle.without_times)
        out += fmt::format("--check on {}: undecided, no recorded time of a bounded quantity\n",
                           kernel);
    const std::string verdict = bundle.verdict();
    return out + fmt::format("verdict    {}\n",
                             verdict == "none"
                                 ? "none: no requirement was stated; `verify` checks the evidence"
                                 : verdict);
}

Exit run(const CertifyOptions& options) {
    if (options.plan.empty() == options.kernel.listing.empty()) {
        say("warpbound: certify takes a FILE or a --plan\n");
        return Exit::Usage;
    }
    if (options.describes_runs && options.runs == 0) {
        say("warpbound: --seed and --draw apply to runs: give --runs\n");
        return Exit::Usage;
    }
    std::vector<PlannedKernel> planned{options.kernel};
    if (!options.plan.empty()) {
        auto plan = read_plan(options.plan);
        if (!plan) return refuse(plan.error());
        planned = std::move(plan).value();
    } else if (options.kernel.machine.architecture.empty()) {
        say("warpbound: certify FILE needs --architecture\n");
        return Exit::Usage;
    } else if (!options.kernel.launch.is_given()) {
        say("warpbound: certify FILE needs --grid and --block, or --launch\n");
        return Exit::Usage;
    }
    for (const auto& kernel : planned)
        if (options.check && options.runs == 0 && kernel.campaign.empty()) {
            say("warpbound: --check compares with observed times, but {} has none: "
                "give --runs or --campaign (in a plan: campaign=)\n",
                kernel.name.empty() ? kernel.listing : kernel.name);
            return Exit::Usage;
        }
    std::map<std::string, std::string> baseline;
    if (!options.baseline.empty()) {
        auto before = read_checked_baseline(options.baseline);
        if (!before) return refuse(before.error());
        baseline = std::move(before).value();
    }
    certification::BundleInputs inputs;
    inputs.tool_version = version;
    inputs.components = components();
    if (options.check)
        inputs.check_factor_thousandths =
            static_cast<std::int64_t>(std::llround(*options.check * 1000));
    if (!options.requirements.empty()) {
        auto text = read_text(options.requirements);
        if (!text) return refuse(text.error());
        inputs.requirements = std::move(text).value();
    }
    if (!options.calibration.empty())
        if (auto added = add_calibration(inputs, options.calibration); !added)
            return refuse(added.error());
    if (!options.qualification.empty()) {
        auto text = read_text(options.qualification);
        if (!text) return refuse(text.error());
        inputs.qualification_result = std::move(text).value();
    }
    for (const auto& kernel : planned) {
        auto input = read_kernel(kernel, options, certification::kernel_id(inputs.kernels.size()));
        if (!input) return refuse(input.error());
        if (!input.value()) {
            say("warpbound: interrupted; nothing was written\n");
            return Exit::Undecided;
        }
        inputs.kernels.push_back(std::move(*input.value()));
    }
    auto bundle = certification::build_bundle(inputs);
    if (!bundle) {
        Failure failure = bundle.error();
        name_as_given(failure, "inputs/requirements.xml", options.requirements);
        for (std::size_t i = 0; i < planned.size(); ++i)
            failure = named_as_given(std::move(failure), planned[i], certification::kernel_id(i));
        return refuse(failure);
    }
    if (stop_requested()) {
        say("warpbound: interrupted; nothing was written\n");
        return Exit::Undecided;
    }
    if (!options.key.empty()) {
        const auto key = read_text(options.key);
        if (!key) return refuse(key.error());
        auto& files = bundle.value().files;
        auto signature = certification::sign_manifest(files.at("manifest.json").bytes, key.value());
        if (!signature) return refuse(Failure{signature.error().what, "--sign " + options.key});
        files["signature.json"] = {"signature", "signature", std::move(signature).value()};
    }
    std::string text = summary(bundle.value(), options.output);
    if (!options.baseline.empty()) {
        const auto comparison = certification::compare_with(baseline, inputs, bundle.value());
        if (!comparison) return refuse(comparison.error());
        text += certification::text_of(comparison.value());
    }
    if (auto written = write_evidence(options.output, bundle.value().files); !written)
        return refuse(written.error());
    if (const Exit printed = write_result(text); printed != Exit::Holds) return printed;
    suggest(fmt::format("warpbound verify {}", shell_word(options.output)));
    if (bundle.value().violated()) return Exit::Violated;
    return bundle.value().undecided() ? Exit::Undecided : Exit::Holds;
}

} // namespace

void add_certify(CLI::App& app, Invocation& invocation) {
    auto options = std::make_shared<CertifyOptions>();
    CLI::App* command = app.add_subcommand(
        "certify", "Write an evidence bundle that `verify` checks without the GPU");
    command->add_option("FILE", options->kernel.listing, file_help);
    command->add_option("--kernel", options->kernel.name, kernel_help);
    command->add_option("--target", options->kernel.target, target_help);
    options->kernel.machine.add_to(*command, false);
    options->kernel.launch.add_to(*command);
    add_arguments(*command, options->kernel.arguments);
    add_policy(*command, options->kernel.policy);
    add_multiprocessors(*command, options->kernel.multiprocessors);
    add_clock(*command, options->kernel.clock);
    command->add_option("--flow-facts", options->kernel.flow_facts, "Flow facts (XML)");
    command->add_option("--source", options->kernel.source,
                        "Folder of the source files that the listing's line markers name; facts in "
                        "their comments (// warpbound: loop max N) hold, too");
    command->add_option("--campaign", options->kernel.campaign,
                        "Include the runs recorded in this campaign");
    command->add_option("--cubin", options->kernel.cubin,
                        "Record the digest of the binary that the listing was made from");
    command->add_option("--trace", options->kernel.trace,
                        "Check the flow facts against this recorded execution (.traceg)");
    command->add_option("--calibration", options->calibration,
                        "Include the measurements that the machine description was derived from "
                        "(campaign)");
    CLI::Option* plan = command->add_option(
        "--plan", options->plan,
        "Instead of FILE: several kernels (XML, docs/reference/evidence-format.md)");
    for (const char* of_one_kernel :
         {"--kernel", "--target", "--architecture", "--assume", "--launch", "--grid", "--block",
          "--dynamic-shared-memory", "--arg", "--policy", "--multiprocessors", "--flow-facts",
          "--source", "--campaign", "--cubin", "--trace", "--clock"})
        plan->excludes(command->get_option(of_one_kernel));
    command->add_option(
        "--requirements", options->requirements,
        "Budgets per kernel in cycles or seconds (XML): each is met, violated or undecided");
    command->add_option("--qualification", options->qualification,
                        "Include this result of scripts/qualification.sh");
    command
        ->add_option("--runs", options->runs,
                     "Number of runs of each kernel on the simulated device")
        ->check(CLI::Range(std::int64_t{0}, std::int64_t{1'000'000}))
        ->capture_default_str();
    command->add_option("--seed", options->seed, "Seed of the runs")
        ->check(refusal_of_whole_number)
        ->capture_default_str();
    add_draw(*command, options->draw);
    command
        ->add_option("--check", options->check,
                     "Fail when an upper bound exceeds the worst observed time by more than this "
                     "factor")
        ->check(refusal_of_number)
        ->check(CLI::Range(1.0, 1e6));
    command
        ->add_option("--baseline", options->baseline,
                     "List bounds that changed since this older bundle, which is checked first, "
                     "with the cause of "
                     "each change")
        ->check(CLI::ExistingDirectory);
    command->add_option("--sign", options->key,
                        "Sign the manifest with this Ed25519 private key (PEM)");
    command->add_option("-o,--output", options->output, "Folder of the new bundle")->required();
    command->footer(
        "Example: warpbound certify examples/saxpy/sm_75.sass --architecture turing-t4\n"
        "           --launch 2x128 --flow-facts examples/saxpy/sm_75.flow-facts.xml\n"
        "           --runs 500 -o evidence\n"
        "         warpbound verify evidence");
    command->callback([options, command, &invocation] {
        options->describes_runs = command->count("--seed") + command->count("--draw") > 0;
        invocation.run = [options] {
            const StopScope scope = watch_for_interrupt();
            return run(*options);
        };
    });
}

} // namespace warpbound::cli
