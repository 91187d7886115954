/// \file
/// `warpbound certify`: analyses kernels and writes an evidence bundle.

#include "assembly/support/stop_token.hpp"
#include "certification/bundle/baseline.hpp"
#include "certification/bundle/build.hpp"
#include "certification/bundle/signature.hpp"
#include "cli/evidence/bundle_check.hpp"
#include "cli/evidence/certification_summary.hpp"
#include "cli/evidence/certified_kernel.hpp"
#include "cli/evidence/components.hpp"
#include "cli/evidence/evidence_folder.hpp"
#include "cli/evidence/merged_evidence.hpp"
#include "cli/inputs/shard.hpp"
#include "cli/options/clock_options.hpp"
#include "cli/output/next_step.hpp"
#include "cli/program/command.hpp"
#include "cli/version.hpp"
#include "harness/calibration/calibrate.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

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
    CertifiedRuns runs;
    bool describes_runs = false; ///< --seed or --draw was given.
    std::string shard;
    std::vector<std::string> parts; ///< Bundles of shards; empty: the kernels are read.
    std::optional<double> check;
};

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

/// Nothing when interrupted.
Result<std::optional<std::vector<certification::KernelInput>>>
read_kernels(const std::vector<PlannedKernel>& planned, const CertifiedRuns& runs) {
    std::vector<certification::KernelInput> kernels;
    for (const auto& kernel : planned) {
        auto input = read_kernel(kernel, runs, certification::kernel_id(kernels.size()));
        if (!input) return input.as_failure();
        if (!input.value()) return std::optional<std::vector<certification::KernelInput>>{};
        kernels.push_back(std::move(*input.value()));
    }
    return std::optional{std::move(kernels)};
}

/// Refuses, for a part of the plan, what is of all kernels together.
Result<void> check_shard(const CertifyOptions& options, const Shard& shard) {
    if (shard.count == 1) return boost::outcome_v2::success();
    for (const auto& [name, is_given] :
         {std::pair{"--requirements", !options.requirements.empty()},
          std::pair{"--qualification", !options.qualification.empty()},
          std::pair{"--calibration", !options.calibration.empty()},
          std::pair{"--baseline", !options.baseline.empty()},
          std::pair{"--sign", !options.key.empty()}, std::pair{"--check", !!options.check}})
        if (is_given)
            return Failure{fmt::format("is of all kernels of the plan, and this is shard {} of {} "
                                       "({}); state it with --merge, or --shard 1/1",
                                       shard.index, shard.count, shard.source),
                           name};
    return boost::outcome_v2::success();
}

/// Leaves the points of the shard.
std::vector<PlannedKernel> points_of(std::vector<PlannedKernel> planned, const Shard& shard) {
    std::vector<PlannedKernel> own;
    for (std::size_t i = 0; i < planned.size(); ++i)
        if (shard.has(i)) own.push_back(std::move(planned[i]));
    return own;
}

Exit run(const CertifyOptions& options) {
    if (options.plan.empty() == options.kernel.listing.empty()) {
        say("warpbound: certify takes a FILE or a --plan\n");
        return Exit::Usage;
    }
    if (options.describes_runs && options.runs.count == 0) {
        say("warpbound: --seed and --draw apply to runs: give --runs\n");
        return Exit::Usage;
    }
    std::vector<PlannedKernel> planned{options.kernel};
    Shard shard;
    if (!options.plan.empty() && options.parts.empty()) {
        auto stated = shard_of(options.shard, process_environment());
        if (!stated) return refuse(stated.error());
        shard = std::move(stated).value();
        if (auto checked = check_shard(options, shard); !checked) return refuse(checked.error());
    }
    const std::string output = with_shard(options.output, shard);
    if (!options.plan.empty()) {
        auto plan = read_plan(options.plan);
        if (!plan) return refuse(plan.error());
        if (plan.value().has_runs_or_seeds)
            return refuse(Failure{"'runs', 'draw' and <seed> are of `simulate --plan`; expected "
                                  "--runs, --draw and --seed here",
                                  options.plan});
        const std::size_t points = plan.value().kernels.size();
        planned = points_of(std::move(plan.value().kernels), shard);
        if (shard.count > 1)
            note("shard {} of {} ({}): {} of {} points\n", shard.index, shard.count, shard.source,
                 planned.size(), points);
        if (planned.empty()) return Exit::Holds;
    } else if (options.kernel.machine.architecture.empty()) {
        say("warpbound: certify FILE needs --architecture\n");
        return Exit::Usage;
    } else if (!options.kernel.launch.is_given()) {
        say("warpbound: certify FILE needs --grid and --block, or --launch\n");
        return Exit::Usage;
    }
    for (const auto& kernel : planned)
        if (options.check && options.parts.empty() && options.runs.count == 0 &&
            kernel.campaign.empty()) {
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
    if (!options.parts.empty()) {
        auto merged = merge_evidence(options.parts, planned);
        if (!merged) return refuse(merged.error());
        inputs.kernels = std::move(merged).value();
    } else {
        auto read = read_kernels(planned, options.runs);
        if (!read) return refuse(read.error());
        if (!read.value()) {
            say("warpbound: interrupted; nothing was written\n");
            return Exit::Undecided;
        }
        inputs.kernels = std::move(*read.value());
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
    if (auto checked = check_own_evidence(bundle.value().files); !checked)
        return refuse(checked.error());
    if (!options.key.empty()) {
        const auto key = read_text(options.key);
        if (!key) return refuse(key.error());
        auto& files = bundle.value().files;
        auto signature = certification::sign_manifest(files.at("manifest.json").bytes, key.value());
        if (!signature) return refuse(Failure{signature.error().what, "--sign " + options.key});
        files["signature.json"] = {"signature", "signature", std::move(signature).value()};
    }
    std::string text = summary_of(bundle.value(), output);
    if (!options.baseline.empty()) {
        const auto comparison = certification::compare_with(baseline, inputs, bundle.value());
        if (!comparison) return refuse(comparison.error());
        text += certification::text_of(comparison.value());
    }
    if (auto written = write_evidence(output, bundle.value().files); !written)
        return refuse(written.error());
    if (const Exit printed = write_result(text); printed != Exit::Holds) return printed;
    if (const auto all = name_of_all(options.output, shard); shard.count > 1 && !all.empty())
        suggest(fmt::format("warpbound certify --plan {} --merge {} -o evidence",
                            shell_word(options.plan), all));
    else
        suggest(fmt::format("warpbound verify {}", shell_word(output)));
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
    command->add_option(
        "--source", options->kernel.source,
        "Source file that the listing\'s line markers name, or the folder of such files; facts "
        "in their comments (// warpbound: loop max N) hold, too");
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
    CLI::Option* const shard = add_shard(*command, options->shard, plan);
    CLI::Option* const merge = command->add_option(
        "--merge", options->parts,
        "Bundles of all shards of the plan: take code and simulated runs from them, and write one "
        "bundle, the same bytes as without shards");
    merge->needs(plan)->excludes(shard);
    command->add_option(
        "--requirements", options->requirements,
        "Budgets per kernel in cycles or seconds (XML): each is met, violated or undecided");
    command->add_option("--qualification", options->qualification,
                        "Include this result of scripts/qualification.sh");
    command
        ->add_option("--runs", options->runs.count,
                     "Number of runs of each kernel on the simulated device")
        ->check(CLI::Range(std::int64_t{0}, std::int64_t{1'000'000}))
        ->capture_default_str();
    command->add_option("--seed", options->runs.seed, "Seed of the runs")
        ->check(refusal_of_whole_number)
        ->capture_default_str();
    add_draw(*command, options->runs.draw);
    add_threads(*command);
    for (const char* of_shards : {"--runs", "--seed", "--draw"})
        merge->excludes(of_shards);
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
