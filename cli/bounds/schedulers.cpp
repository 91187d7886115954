/// \file
/// `warpbound schedulers`: bounds, observed times and variability under several warp schedulers.

#include "analyzer/analyze.hpp"
#include "assembly/support/stop_token.hpp"
#include "certification/schedulers/scheduler_comparison.hpp"
#include "cli/bounds/scheduled_plan.hpp"
#include "cli/bounds/scheduler_study.hpp"
#include "cli/inputs/shard.hpp"
#include "cli/options/clock_options.hpp"
#include "cli/options/multiprocessors.hpp"
#include "cli/output/next_step.hpp"
#include "cli/program/command.hpp"
#include "cli/version.hpp"
#include "harness/protocol/schedules.hpp"
#include "models/architecture/shipped.hpp"
#include "models/launch/warp_policy.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <sstream>

namespace warpbound::cli {

namespace {

/// All policies that are a rule.
std::string known_policies() {
    std::vector<std::string_view> names = models::policy_names();
    std::erase(names, models::to_string(models::WarpPolicy{models::PolicyKind::Unknown}));
    return fmt::format("{}", fmt::join(names, ","));
}

struct SchedulersOptions {
    LaunchOptions launch;
    std::string multiprocessors = "all";
    std::string clock; ///< Empty: that of the description.
    std::string policies = known_policies();
    std::vector<std::string> outputs;
    std::string draw = "uniform";
    std::string format = "text";
    std::string rank = "bound";
    std::optional<double> time_limit;
    std::int64_t runs = 200;
    std::uint64_t seed = 1;
    ScheduledPlanOptions plan;
};

/// Expands `every=2..8` into one policy for each number. Refuses a malformed range.
Result<std::vector<std::string>> with_every_rate(const std::string& policy) {
    const std::size_t key = policy.find("every=");
    const std::size_t dots = policy.find("..", key == std::string::npos ? 0 : key);
    if (key == std::string::npos || dots == std::string::npos) return std::vector{policy};
    const std::size_t begin = key + std::string_view{"every="}.size();
    const std::size_t end = std::min(policy.find(',', dots), policy.size());
    int lowest = 0;
    int highest = -1;
    const auto number = [&](std::size_t from, std::size_t to, int& value) {
        const auto [stop, error] = std::from_chars(policy.data() + from, policy.data() + to, value);
        return error == std::errc{} && stop == policy.data() + to;
    };
    constexpr int most = 64;
    constexpr int smallest = 2;
    constexpr int largest = 1'000'000;
    if (!number(begin, dots, lowest) || !number(dots + 2, end, highest) || lowest < smallest ||
        highest > largest || lowest > highest || highest - lowest >= most)
        return Failure{fmt::format("{}: expected every=LOW..HIGH with at most {} numbers from {} "
                                   "to {}",
                                   policy, most, smallest, largest)};
    std::vector<std::string> policies;
    for (int every = lowest; every <= highest; ++every)
        policies.push_back(policy.substr(0, begin) + std::to_string(every) + policy.substr(end));
    return policies;
}

/// Splits a list at the commas between policies, not at those between the parameters of a policy.
std::vector<std::string> split(const std::string& list) {
    const auto names = models::policy_names();
    std::vector<std::string> policies;
    std::istringstream parts{list};
    for (std::string part; std::getline(parts, part, ',');) {
        const std::string name = part.substr(0, part.find(':'));
        const bool begins = std::find(names.begin(), names.end(), name) != names.end();
        if (begins || policies.empty())
            policies.push_back(part);
        else
            policies.back() += ',' + part;
    }
    return policies;
}

std::string render(const certification::SchedulerComparison& comparison,
                   const std::string& format) {
    if (format == "json") return certification::render_json(comparison);
    if (format == "csv") return certification::render_csv(comparison);
    if (format == "xml") return certification::render_xml(comparison);
    if (format == "html") return certification::render_html(comparison);
    return certification::render_text(comparison);
}

/// Format by the file's extension; none for an unknown one.
std::optional<std::string> comparison_format_of(const std::string& path) {
    const std::string ending = std::filesystem::path{path}.extension().string();
    if (ending == ".html" || ending == ".csv" || ending == ".json" || ending == ".xml")
        return ending.substr(1);
    if (ending == ".txt") return "text";
    return std::nullopt;
}

certification::RankBy rank_by(const std::string& name) {
    using certification::RankBy;
    for (const auto by : {RankBy::Bound, RankBy::Spread, RankBy::Jitter})
        if (certification::to_string(by) == name) return by;
    return RankBy::Bound; // The parser refuses other names.
}

Exit run(const SchedulersOptions& options, const StopScope& scope) {
    if (!options.plan.plan.empty()) {
        ScheduledPlanOptions plan = options.plan;
        plan.outputs = options.outputs;
        plan.format = options.format;
        return compare_plan(plan);
    }
    for (const auto& path : options.outputs)
        if (!comparison_format_of(path)) {
            say("warpbound: {}: a report file ends in .html, .xml, .csv, .json or .txt\n", path);
            return Exit::Usage;
        }
    std::vector<models::WarpPolicy> policies;
    const auto misused = [](const Failure& failure) {
        say("warpbound: --policies: {}\n", to_string(failure));
        return Exit::Usage;
    };
    for (const auto& item : split(options.policies)) {
        const auto texts = with_every_rate(item);
        if (!texts) return misused(texts.error());
        for (const auto& text : texts.value()) {
            const auto policy = models::read_policy(text);
            if (!policy) return misused(policy.error());
            policies.push_back(policy.value());
        }
    }
    const auto inputs = load_launch(options.launch);
    if (!inputs) return refuse(inputs.error());
    const auto multiprocessors =
        multiprocessors_of(options.multiprocessors, inputs.value().architecture);
    if (!multiprocessors) return refuse(multiprocessors.error());
    const LoadedKernel& kernel = *inputs.value().kernel;
    const models::Architecture& architecture = inputs.value().architecture;

    auto clock = models::clock_in_use(options.clock, architecture);
    if (!clock) return refuse(clock.error());

    certification::SchedulerComparison comparison;
    comparison.clock = std::move(clock).value();
    comparison.tool_version = version;
    comparison.kernel = kernel.function->name;
    comparison.kernel_digest = kernel.program.digest;
    comparison.architecture = models::label_of(architecture);
    comparison.architecture_digest = architecture.digest;
    comparison.launch = models::to_string(inputs.value().launch);
    comparison.multiprocessors = multiprocessors.value();
    comparison.protocol = fmt::format("draw {}, seed {}", options.draw, options.seed);
    comparison.ranked_by = rank_by(options.rank);
    bool complete = true;
    for (const auto& policy : policies) {
        if (stop_requested()) break;
        // A policy whose analysis was stopped has no bound: those before it are reported.
        auto studied = unless_stopped(
            [&] {
                return study_policy(protocol_of(options.runs, options.seed, options.draw),
                                    inputs.value(), multiprocessors.value(), policy,
                                    comparison.assumptions, complete);
            },
            1.0);
        if (!studied) break;
        Result<certification::PolicyResult> result = std::move(*studied);
        if (!result) return refuse(result.error());
        comparison.policies.push_back(std::move(result).value());
    }
    if (!complete || comparison.policies.size() < policies.size())
        comparison.undecided.push_back(
            fmt::format("stopped after {} of {} policies; the runs of the last one may be fewer",
                        comparison.policies.size(), policies.size()));
    for (const std::string& step : scope.dropped())
        comparison.undecided.push_back(
            fmt::format("a limit stopped {}; the bounds are sound without it", step));
    if (comparison.policies.empty()) {
        say("warpbound: {}: stopped before the first policy was bounded\n",
            options.launch.kernel.file);
        return Exit::Undecided;
    }
    for (const auto& path : options.outputs) {
        const Exit written = write_result(render(comparison, *comparison_format_of(path)), path);
        if (written != Exit::Holds) return written;
        note("warpbound: wrote {}\n", path);
    }
    const Exit written = write_result(render(comparison, options.format));
    if (written != Exit::Holds) return written;
    const auto ranks = certification::rank(comparison);
    suggest(fmt::format(
        "warpbound bound {} --policy {} --multiprocessors {}", typed(options.launch),
        shell_word(comparison.policies[ranks.front().policy].policy), options.multiprocessors));
    if (comparison.refuted()) return Exit::Violated;
    return comparison.undecided.empty() ? Exit::Holds : Exit::Undecided;
}

} // namespace

namespace {

/// Options of a plan, which states what those of one kernel state. After all other options.
void add_plan(CLI::App& command, ScheduledPlanOptions& options) {
    CLI::Option* const plan = add_plan_of_points(command, options.plan, "a row for each point",
                                                 {"--policies", "--rank", "--time-limit"});
    CLI::Option* const shard = add_shard(command, options.shard, plan);
    command
        .add_option("--merge", options.parts,
                    "Tables that all shards of the plan wrote with -o: make one of them, the same "
                    "bytes as without shards")
        ->needs(plan)
        ->excludes(shard);
}

} // namespace

void add_schedulers(CLI::App& app, Invocation& invocation) {
    auto options = std::make_shared<SchedulersOptions>();
    CLI::App* command = app.add_subcommand(
        "schedulers", "Compare warp schedulers on a kernel: bounds, observed times, variability");
    options->launch.add_to(*command);
    options->launch.kernel.takes_amd = true;
    add_multiprocessors(*command, options->multiprocessors);
    add_clock(*command, options->clock);
    command
        ->add_option("--policies", options->policies,
                     "Policies, separated by commas; every=2..8 compares each of these periods")
        ->capture_default_str();
    command->add_option("--runs", options->runs, "Runs of each policy on the simulated device")
        ->check(CLI::Range(std::int64_t{1}, std::int64_t{10'000'000}))
        ->capture_default_str();
    command->add_option("--seed", options->seed, "Seed that all runs derive from")
        ->check(refusal_of_whole_number)
        ->capture_default_str();
    add_draw(*command, options->draw);
    add_threads(*command);
    add_time_limit(*command, options->time_limit,
                   "policies that were not bounded by then are left out");
    command
        ->add_option("--rank", options->rank,
                     "Rank by the upper bound, by the spread of the bounds (upper - lower), or by "
                     "the observed jitter (worst - best); less is better")
        ->check(CLI::IsMember({"bound", "spread", "jitter"}))
        ->capture_default_str();
    command->add_option("-o,--output", options->outputs,
                        "Report file: .html, .xml, .csv, .json or .txt; may be repeated");
    add_format(*command, options->format, {"text", "json", "xml", "csv", "html"});
    add_plan(*command, options->plan);
    command->get_option("FILE")->required(false);
    command->get_option("--architecture")->required(false);
    command->footer(
        "Example: warpbound schedulers examples/convolution/sm_75.sass --kernel convolution_rows\n"
        "           --architecture turing-t4 --launch 1x512\n"
        "           --flow-facts examples/convolution/sm_75.rows.flow-facts.xml -o policies.html");
    command->callback([options, &invocation] {
        if (options->plan.plan.empty() && options->launch.kernel.file.empty())
            throw CLI::RequiredError("FILE or --plan");
        if (options->plan.plan.empty() && options->launch.machine.architecture.empty())
            throw CLI::RequiredError("--architecture");
        invocation.run = [options] {
            const StopScope scope = watch_for_interrupt(options->time_limit);
            return run(*options, scope);
        };
    });
}

} // namespace warpbound::cli
