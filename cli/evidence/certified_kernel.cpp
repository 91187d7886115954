#include "cli/evidence/certified_kernel.hpp"

#include "assembly/support/digest.hpp"
#include "assembly/support/stop_token.hpp"
#include "cli/inputs/code_decoder.hpp"
#include "cli/inputs/kernel_arguments.hpp"
#include "cli/options/multiprocessors.hpp"
#include "cli/output/next_step.hpp"
#include "cli/program/command.hpp"
#include "harness/devices/simulated.hpp"
#include "harness/simulated_identity.hpp"
#include "harness/toolchain/disassembler.hpp"
#include "harness/trace/packed_trace.hpp"
#include "models/architecture/library.hpp"
#include "models/time/clock.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

namespace warpbound::cli {

Result<std::string> read_text(const std::string& path) {
    auto source = assembly::read_source(path);
    if (!source) return source.as_failure();
    return std::move(source.value().text);
}

void name_as_given(Failure& failure, const std::string& bundle_path, const std::string& given) {
    if (failure.where.rfind(bundle_path, 0) == 0)
        failure.where.replace(0, bundle_path.size(), given);
}

Failure named_as_given(Failure failure, const PlannedKernel& planned, const std::string& id) {
    const std::string folder = "inputs/" + id + "/";
    name_as_given(failure, folder + "listing.sass", planned.listing);
    name_as_given(failure, folder + "code.hsaco", planned.listing);
    name_as_given(failure, "architecture of " + id, planned.machine.architecture);
    name_as_given(failure, folder + "flow-facts.xml", planned.flow_facts);
    name_as_given(failure, folder + "trace-1.traceg", planned.trace);
    return failure;
}

Result<std::string> description_text(const MachineOptions& options) {
    const auto machine = load_machine(options);
    if (!machine) return machine.as_failure();
    if (!options.assumed.empty()) return models::write_architecture(machine.value());
    if (std::filesystem::is_regular_file(options.architecture))
        return read_text(options.architecture);
    for (const auto& entry : models::list_architectures()) {
        if (entry.name != machine.value().name) continue;
        auto source = models::read_description(entry);
        if (!source) return source.as_failure();
        return std::move(source.value().text);
    }
    return read_text(options.architecture);
}

namespace {

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

/// Runs the kernel on the simulated device. False when interrupted.
Result<bool> add_simulation(certification::KernelInput& input, const CertifiedRuns& runs,
                            const certification::LoadedInput& loaded,
                            const harness::Device& device) {
    const harness::Kernel launched{loaded.function, &loaded.graph, &loaded.facts, loaded.launch};
    const harness::Protocol protocol = protocol_of(runs.count, runs.seed, runs.draw);
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

/// The kernel's code for the machine that the description names.
Result<harness::toolchain::KernelCode> read_code(const PlannedKernel& planned,
                                                 const std::string& description) {
    const auto architecture =
        models::read_architecture({planned.machine.architecture, description});
    auto file = open_kernel_file(
        planned.listing, planned.target,
        architecture ? std::optional{architecture.value().target} : std::nullopt, &code_decoder());
    if (!file) return file.as_failure();
    const auto kernel = file.value().find(planned.name);
    if (!kernel) return kernel.as_failure();
    return file.value().read(kernel.value());
}

void add_code(certification::KernelInput& input, const harness::toolchain::KernelCode& code) {
    input.kernel = code.function->name;
    input.listing = code.listing;
    input.decoder = &code_decoder();
    // Of AMD's code what was taken out of a bundle, or assembled.
    if (code.summary.amd && code.file_digest != code.program->digest)
        input.binary_digest = code.file_digest;
    if (code.summary.amd) input.disassembler = code_decoder_version();
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
    options.takes_amd = true;
    const auto loaded = load_kernel(code, options);
    if (!loaded) return loaded.as_failure();
    if (loaded.value()->sources.empty()) return boost::outcome_v2::success();
    input.flow_facts = models::write_flow_facts(loaded.value()->facts);
    for (const auto& source : loaded.value()->sources)
        input.sources.push_back(source.text);
    return boost::outcome_v2::success();
}

} // namespace

Result<std::optional<certification::KernelInput>>
read_kernel(const PlannedKernel& planned, const CertifiedRuns& runs, const std::string& id) {
    certification::KernelInput input;
    auto architecture = description_text(planned.machine);
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
        auto trace = harness::trace::read_trace_text(planned.trace);
        if (!trace) return trace.as_failure();
        input.traces.push_back(std::move(trace.value().text));
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
    // What follows from the code is found when the bundle is built, but for runs, which need it.
    const auto loaded = runs.count > 0 ? certification::load(input, id, true)
                                       : certification::read_stated(input, id);
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
    if (runs.count > 0) {
        const auto complete = add_simulation(input, runs, *loaded.value(), *device);
        if (!complete) return complete.as_failure();
        if (!complete.value()) return std::optional<certification::KernelInput>{};
    }
    // Nothing counts without the grid. Simulated runs of stated paths draw levels of loads (C16).
    input.loads_through_caches =
        loaded.value()->launch.grid &&
        std::none_of(input.series.begin(), input.series.end(), [](const auto& series) {
            return series.key.device.starts_with(harness::simulated_prefix);
        });
    return std::optional{std::move(input)};
}

} // namespace warpbound::cli
