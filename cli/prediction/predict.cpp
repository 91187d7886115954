/// \file
/// `warpbound predict`: estimates of a kernel's time by the published formulas.

#include "cli/output/next_step.hpp"
#include "cli/prediction/kernel_profiles.hpp"
#include "cli/prediction/prediction_report.hpp"
#include "cli/prediction/sweep.hpp"
#include "cli/prediction/voudouris.hpp"
#include "cli/program/command.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace warpbound::cli {

namespace {

namespace prediction = models::prediction;

struct PredictOptions {
    KernelOptions kernel;
    std::vector<std::string> profiles;
    MachineOptions machine;
    std::string parameters;
    std::string model = "all";
    LaunchText launch;
    std::vector<std::string> arguments;
    std::string policy = "lrr";
    std::string format = "text";
    std::string sweep;
    std::string plot;
    std::string write_profile;
    std::string path = "typical";
    std::vector<std::string> set;
    std::vector<std::string> transfers;
    std::optional<std::int64_t> hidden;
    std::uint64_t seed = 1;
    bool as_published = false;
};

/// Refuses a machine with pipeline parts that no formula covers. `where`: for the refusal.
Result<void> check_parts(const models::Architecture& architecture, const std::string& where) {
    const auto parts = architecture.imperfect_parts();
    if (parts.empty()) return boost::outcome_v2::success();
    return Failure{
        fmt::format("describes {}; no formula covers their cost", fmt::join(parts, ", ")), where};
}

Result<prediction::Setting> setting_of(const PredictOptions& options) {
    auto architecture = load_machine(options.machine);
    if (!architecture) return architecture.as_failure();
    if (const auto known =
            check_parts(architecture.value(), "architecture " + architecture.value().name);
        !known)
        return known.as_failure();
    const auto launch = launch_of(options.launch, nullptr);
    if (!launch) return launch.as_failure();
    prediction::Setting setting{.architecture = std::move(architecture).value(),
                                .launch = launch.value()};
    if (options.policy == "gto") setting.policy = models::gpumech::Policy::GreedyThenOldest;
    setting.counts_units = !options.as_published;
    if (options.hidden)
        if (const auto set =
                setting.stated.set("hidden-latency", static_cast<double>(*options.hidden));
            !set)
            return set.as_failure();
    for (const auto& assignment : options.set)
        if (const auto set = apply_assignment(setting, assignment); !set) return set.as_failure();
    if (const auto known = check_parts(setting.architecture, "the machine that --set makes");
        !known)
        return known.as_failure();
    for (const auto& text : options.transfers) {
        const auto copy = prediction::parse_copy(text);
        if (!copy) return copy.as_failure();
        setting.copies.push_back(copy.value());
    }
    setting.voudouris = voudouris_parameters(options.parameters, setting.architecture);
    if (!setting.voudouris && !options.parameters.empty()) return setting.voudouris.as_failure();
    return setting;
}

/// Paths and the representative warp are those of the machine as set by --set, at every point of a
/// sweep. Of AMD's code the facts are those in use for the launch, where one is given.
Result<KernelProfiles> profiles_of(const PredictOptions& options,
                                   const prediction::Setting& setting) {
    const models::Architecture& architecture = setting.architecture;
    if (!options.profiles.empty()) return read_profiles(options.profiles, setting);
    auto kernel = load_kernel(options.kernel, architecture.target);
    if (!kernel) return kernel.as_failure();
    if (is_amd(kernel.value()->function->target) && options.launch.is_given()) {
        const auto launched =
            load_launch({options.kernel, options.machine, options.launch, options.arguments},
                        architecture, std::move(kernel).value());
        if (!launched) return launched.as_failure();
        return profiles_of_listing(*launched.value().kernel, architecture, options.seed);
    }
    if (!options.arguments.empty())
        return Failure{
            "arguments decide the loops and addresses of AMD's code for a launch that is "
            "given; expected --grid and --block, and for other code --flow-facts",
            "--arg"};
    const auto target = check_target(*kernel.value(), architecture);
    if (!target) return target.as_failure();
    return profiles_of_listing(*kernel.value(), architecture, options.seed);
}

std::vector<prediction::Model> models_of(const PredictOptions& options) {
    if (const auto model = prediction::parse_model(options.model)) return {*model};
    return {prediction::all_models.begin(), prediction::all_models.end()};
}

/// Times of the copies, and of copies and kernel by each model, in each case.
EndToEnd end_to_end_of(const std::vector<ModelAnswers>& models,
                       const prediction::Setting& setting) {
    EndToEnd found;
    for (std::size_t i = 0; i < all_variants.size(); ++i) {
        prediction::Inputs inputs{setting.architecture, setting.stated, all_variants.at(i)};
        if (const auto copies = prediction::copy_time(setting.copies, inputs))
            found.copies.at(i) = copies->value();
        for (const auto& model : models) {
            auto& times = found.models[prediction::to_string(model.model)];
            const auto& kernel = model.variants.at(i).time;
            if (!kernel) continue;
            if (const auto all = prediction::end_to_end(*kernel, setting.copies, inputs))
                times.at(i) = all->value();
        }
        for (const auto& what : inputs.missing())
            if (std::ranges::find(found.missing, what) == found.missing.end())
                found.missing.push_back(what);
    }
    return found;
}

PredictedPoint point_of(const PredictOptions& options, const KernelProfiles& profiles,
                        const prediction::Setting& setting, double value) {
    PredictedPoint point{.value = value, .models = {}, .stores = {}, .end_to_end = {}};
    for (const auto model : models_of(options))
        point.models.push_back({.model = model, .variants = {}});
    for (std::size_t i = 0; i < all_variants.size(); ++i) {
        const auto variant = all_variants.at(i);
        const auto& profile = profiles.of(variant);
        if (!profile) {
            for (auto& answers : point.models)
                answers.variants.at(i).refusal = "no profile: " + to_string(profile.error());
            continue;
        }
        const prediction::Question question{profile.value(), setting};
        for (auto& answers : point.models)
            answers.variants.at(i) = prediction::predict(answers.model, question, variant);
        // A sweep shows times only.
        if (variant == prediction::Variant::Typical && options.sweep.empty())
            point.stores = prediction::store_delays(question);
    }
    if (!setting.copies.empty()) point.end_to_end = end_to_end_of(point.models, setting);
    return point;
}

Result<std::vector<PredictedPoint>> points_of(const PredictOptions& options,
                                              const KernelProfiles& profiles,
                                              const prediction::Setting& setting,
                                              const std::optional<Sweep>& sweep) {
    if (!sweep) return std::vector{point_of(options, profiles, setting, 0)};
    std::vector<PredictedPoint> points;
    for (const double value : sweep->values) {
        prediction::Setting here = setting;
        if (const auto set = apply_value(here, sweep->name, value); !set) {
            Failure failure = set.error();
            failure.where = "--sweep";
            return failure;
        }
        if (const auto known = check_parts(here.architecture, "--sweep"); !known)
            return known.as_failure();
        if (sweep->name.starts_with("architecture:"))
            here.voudouris = voudouris_parameters(options.parameters, here.architecture);
        points.push_back(point_of(options, profiles, here, value));
    }
    return points;
}

Exit write_chosen_profile(const PredictOptions& options, const KernelProfiles& profiles) {
    auto variant = prediction::Variant::Typical;
    for (const auto one : all_variants)
        if (prediction::to_string(one) == options.path) variant = one;
    const auto& profile = profiles.of(variant);
    if (!profile) return refuse(profile.error());
    const auto text = models::write_profile(profile.value());
    if (!text) return refuse(text.error());
    return write_result(text.value(), options.write_profile);
}

Summaries summaries_of(const KernelProfiles& profiles) {
    Summaries summaries;
    for (std::size_t i = 0; i < all_variants.size(); ++i)
        if (const auto& profile = profiles.of(all_variants.at(i));
            profile && !profile.value().steps.empty())
            summaries.at(i) = models::summary_of(profile.value().steps);
    return summaries;
}

Exit run(const PredictOptions& options) {
    if (options.kernel.file.empty() == options.profiles.empty())
        return refuse(Failure{"expected either a listing or a --profile", "predict"});
    std::optional<Sweep> sweep;
    if (!options.sweep.empty()) {
        auto read = read_sweep(options.sweep);
        if (!read) return refuse(read.error());
        sweep = std::move(read).value();
    }
    const auto setting = setting_of(options);
    if (!setting) return refuse(setting.error());
    const auto profiles = profiles_of(options, setting.value());
    if (!profiles) return refuse(profiles.error());
    if (!options.write_profile.empty()) {
        const Exit written = write_chosen_profile(options, profiles.value());
        if (written != Exit::Holds) return written;
        if (options.write_profile == "-") return written;
    }
    auto points = points_of(options, profiles.value(), setting.value(), sweep);
    if (!points) return refuse(points.error());
    std::string name = options.profiles.empty() ? "" : options.profiles.front();
    for (const auto variant : all_variants)
        if (const auto& profile = profiles.value().of(variant)) name = profile.value().name;
    const PredictionReport report{.kernel = name,
                                  .origin = profiles.value().origin,
                                  .summaries = summaries_of(profiles.value()),
                                  .setting = &setting.value(),
                                  .set = options.set,
                                  .swept = sweep ? sweep->name : "",
                                  .points = std::move(points).value()};
#ifdef WARPBOUND_HAS_ANALYZER
    if (!options.plot.empty()) {
        const auto plot = prediction_plot(report);
        if (!plot) return refuse(plot.error());
        const Exit written = write_result(plot.value(), options.plot);
        if (written != Exit::Holds || options.plot == "-") return written;
    }
#endif
    const Exit written = write_result(options.format == "json"  ? prediction_json(report)
                                      : options.format == "csv" ? prediction_csv(report)
                                                                : prediction_text(report));
    if (!options.kernel.file.empty() && options.launch.is_given()) {
        LaunchOptions launch{options.kernel, options.machine, options.launch, options.arguments};
        suggest(fmt::format("warpbound simulate {}", typed(launch)));
    }
    if (written != Exit::Holds || report.has_time()) return written;
    return refuse(Failure{"every model refuses; the reasons are in the result", "predict"});
}

std::vector<std::string> model_names() {
    std::vector<std::string> names{"all"};
    for (const auto model : prediction::all_models)
        names.emplace_back(prediction::to_string(model));
    return names;
}

std::string footer() {
    std::string out = "Names of --set and --sweep: warps (resident on one SM), launch.threads, "
                      "launch.blocks,\narchitecture:PATH (architecture:memories/dram/latency, "
                      "architecture:classes/float-add/latency), or\n";
    for (const auto& rule : prediction::stated_rules())
        out += fmt::format("  {:<24} {:<10} {}\n", rule.name, rule.unit, rule.meaning);
    return out +
           "\nExamples: warpbound predict --profile examples/profiles/voudouris-rows.xml\n"
           "            --architecture fermi-gtx470 --launch 1x32 --parameters reconstruction-a\n"
           "          warpbound predict examples/saxpy/sm_52.sass --architecture maxwell-gtx970\n"
           "            --launch 1x32 --flow-facts examples/saxpy/sm_52.flow-facts.xml\n           "
           " --set l1-miss-rate=1\n"
           "            --set l2-miss-rate=1 --sweep warps=1:48 --format csv --plot sweep.svg";
}

} // namespace

void add_predict(CLI::App& app, Invocation& invocation) {
    auto options = std::make_shared<PredictOptions>();
    CLI::App* command =
        app.add_subcommand("predict", "Estimate a kernel's time with published formulas");
    options->kernel.takes_amd = true;
    command->add_option("FILE", options->kernel.file, "Listing of the kernel");
    command->add_option("--kernel", options->kernel.kernel,
                        "Name of the kernel, if the file holds several");
    options->kernel.add_flow_facts_to(*command);
    command
        ->add_option(
            "--profile", options->profiles,
            "Instruction counts or executed instructions (XML) instead of a listing; if given "
            "several times, once per warp, GPUMech's representative warp is used")
        ->allow_extra_args(false)
        ->excludes(command->get_option("--kernel"))
        ->excludes(command->get_option("--flow-facts"))
        ->excludes(command->get_option("--source"));
    options->machine.add_to(*command);
    options->launch.add_to(*command);
    add_arguments(*command, options->arguments);
    command->add_option("--model", options->model, "Formula")
        ->check(CLI::IsMember(model_names()))
        ->capture_default_str();
    command->add_option("--policy", options->policy, "Warp scheduling policy in GPUMech")
        ->check(CLI::IsMember({"lrr", "gto"}))
        ->capture_default_str();
    command->add_flag("--as-published", options->as_published,
                      "GPUMech as published: ignore contention for units that warps share");
    command
        ->add_option(
            "--parameters", options->parameters,
            "Costs per class for voudouris: table-7 and reconstruction-a are published for "
            "Fermi, description uses the machine description (default: table-7 on Fermi, "
            "else description)")
        ->check(CLI::IsMember({"table-7", "reconstruction-a", "description"}));
    command
        ->add_option("--hidden-latency", options->hidden,
                     "Load latency in cycles that other instructions hide (voudouris)")
        ->check(refusal_of_whole_number);
    command
        ->add_option("--set", options->set,
                     "NAME=VALUE: set a parameter that a model lacks, or replace it")
        ->allow_extra_args(false);
    command
        ->add_option(
            "--transfer", options->transfers,
            "host-to-device=BYTES or device-to-host=BYTES: a copy before or after the kernel, for "
            "the end-to-end time; may be repeated")
        ->allow_extra_args(false);
    command->add_option("--sweep", options->sweep,
                        "NAME=LO:HI[:STEP]: predict at each value of one parameter");
#ifdef WARPBOUND_HAS_ANALYZER
    command->add_option("--plot", options->plot,
                        "Draw the sweep, or the CPI stack without one, into this file (SVG)");
#endif
    command->add_option("--write-profile", options->write_profile,
                        "Write the executed instructions of one warp to this file (XML)");
    command->add_option("--path", options->path, "Path whose instructions --write-profile writes")
        ->check(CLI::IsMember({"best", "typical", "worst"}))
        ->capture_default_str();
    command->add_option("--seed", options->seed, "Seed of the typical path of a listing")
        ->check(refusal_of_whole_number)
        ->capture_default_str();
    add_format(*command, options->format, {"text", "json", "csv"});
    command->footer(footer());
    command->callback(
        [options, &invocation] { invocation.run = [options] { return run(*options); }; });
}

} // namespace warpbound::cli
