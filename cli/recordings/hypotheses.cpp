/// \file
/// `warpbound hypotheses`: tests rules of scheduling on a device, a recording or imported logs.

#include "cli/recordings/hypotheses.hpp"

#include "assembly/support/stop_token.hpp"
#include "cli/options/multiprocessors.hpp"
#include "cli/recordings/hypotheses_answer.hpp"
#include "cli/simulation/workload_run.hpp"
#include "harness/card_identity.hpp"
#include "harness/devices/cuda/card_scheduling.hpp"
#include "harness/hypotheses/examiner_logs.hpp"
#include "harness/hypotheses/run_experiments.hpp"
#include "harness/hypotheses/simulated_scheduling.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>

namespace warpbound::cli {

namespace {

namespace hypotheses = harness::hypotheses;
using hypotheses::Recording;

constexpr std::string_view simulated = "simulated:";
constexpr std::string_view recorded = "recorded:";
constexpr std::string_view card = "cuda:";

struct HypothesesOptions {
    std::string device;
    MachineOptions machine; ///< What is assumed of a simulated device.
    std::vector<std::string> logs;
    std::string rules;
    std::string policy = "lrr";
    std::string multiprocessors = "2";
    std::string launch_cost = "described";
    std::string draw = "uniform";
    std::int64_t runs = 20;
    std::uint64_t seed = 1;
    std::int64_t resolution = 100'000;
    std::int64_t latency = 1'000'000;
    std::vector<std::string> priorities;
    std::string record;
    std::string format = "text";
    std::string output = "-";
    bool wants_table = false;
    std::vector<std::string> stated{}; ///< Names of the options that only some sources take.
};

/// Where the runs come from.
enum class Source { Simulated, Card, Recording, Logs, Unknown };

struct OptionOfSources {
    std::string_view name;
    std::vector<Source> sources;
};
/// Options that a source does not take are refused.
const std::vector<OptionOfSources>& options_of_sources() {
    using enum Source;
    static const std::vector<OptionOfSources> all{
        {"--policy", {Simulated}},      {"--assume", {Simulated}},
        {"--launch-cost", {Simulated}}, {"--draw", {Simulated}},
        {"--seed", {Simulated}},        {"--multiprocessors", {Simulated, Logs}},
        {"--runs", {Simulated, Card}},  {"--resolution", {Logs}},
        {"--latency", {Logs}},          {"--priority", {Logs}}};
    return all;
}

/// "LABEL=N".
Result<std::map<std::string, int>> read_priorities(const std::vector<std::string>& stated) {
    std::map<std::string, int> priorities;
    for (const std::string& one : stated) {
        const std::size_t equals = one.rfind('=');
        const std::string number = equals == std::string::npos ? "" : one.substr(equals + 1);
        const bool is_number =
            !number.empty() && number.size() <= 4 &&
            number.find_first_not_of("0123456789", number.front() == '-' ? 1 : 0) ==
                std::string::npos &&
            number != "-";
        if (!is_number)
            return Failure{
                fmt::format("'{}' is no priority; expected LABEL=N, as in camera=-1", one),
                "--priority"};
        priorities[one.substr(0, equals)] = std::stoi(number);
    }
    return priorities;
}

Result<Recording> import_logs(const HypothesesOptions& options) {
    std::vector<assembly::SourceText> sources;
    for (const std::string& log : options.logs) {
        auto source = assembly::read_source(log);
        if (!source) return source.as_failure();
        sources.push_back(std::move(source).value());
    }
    hypotheses::ExaminerOptions logs{.resolution = options.resolution, .latency = options.latency};
    auto priorities = read_priorities(options.priorities);
    if (!priorities) return priorities.as_failure();
    logs.priorities = std::move(priorities).value();
    if (std::find(options.stated.begin(), options.stated.end(), "--multiprocessors") !=
        options.stated.end()) {
        if (options.multiprocessors == "all")
            return Failure{"expected the number of SMs of the card that wrote the logs",
                           "--multiprocessors"};
        logs.multiprocessors = std::stoll(options.multiprocessors);
    }
    auto runs = hypotheses::read_examiner_logs(sources, logs);
    if (!runs) return runs.as_failure();
    Recording recording;
    recording.device = "logs of cuda_scheduling_examiner";
    recording.detail = fmt::format("{} logs, {} scenarios", sources.size(), runs.value().size());
    recording.runs = std::move(runs).value();
    recording.notes = {
        fmt::format("times of blocks and of the host differ by at most {} ns (--resolution)",
                    options.resolution),
        fmt::format("a kernel that may begin does so within {} ns (--latency)", options.latency),
        "each log is one stream of its own, none of them the NULL stream"};
    for (const auto& experiment : hypotheses::all_experiments())
        if (experiment.name == "copies")
            recording.not_run.push_back(
                {std::string{experiment.name}, "the logs have no times of single copies"});
    return recording;
}

Result<std::unique_ptr<hypotheses::SchedulingDevice>>
open_simulated(const HypothesesOptions& options, harness::DeviceIdentity& identity) {
    MachineOptions described = options.machine;
    described.architecture = options.device.substr(simulated.size());
    const auto architecture = load_machine(described);
    if (!architecture) return architecture.as_failure();
    const auto policy = models::read_policy(options.policy);
    if (!policy) return policy.as_failure();
    const auto cost = read_launch_cost(options.launch_cost);
    if (!cost) return cost.as_failure();
    const auto multiprocessors = multiprocessors_of(options.multiprocessors, architecture.value());
    if (!multiprocessors) return multiprocessors.as_failure();
    identity = {options.device,
                fmt::format("{}, {} multiprocessors, policy {}", architecture.value().title,
                            multiprocessors.value(), options.policy)};
    if (!described.assumed.empty())
        identity.detail += fmt::format(", assuming {}", fmt::join(described.assumed, " "));
    return hypotheses::simulated_scheduling(architecture.value(),
                                            {.policy = policy.value(),
                                             .multiprocessors = multiprocessors.value(),
                                             .launch_cost = cost.value(),
                                             .draw = parse_draw(options.draw)});
}

Result<Recording> run_on_device(const HypothesesOptions& options,
                                const std::vector<hypotheses::Rule>& rules) {
    harness::DeviceIdentity identity;
    auto device = options.device.rfind(card, 0) == 0
                      ? harness::cuda::card_scheduling(options.device, identity)
                      : open_simulated(options, identity);
    if (!device) return device.as_failure();
    ProgressBar bar{"testing"};
    Recording recording = hypotheses::run_experiments(*device.value(), rules, options.runs,
                                                      options.seed, bar.callback());
    recording.device = identity.name;
    recording.detail = identity.detail;
    return recording;
}

Source source_of(const HypothesesOptions& options) {
    const auto starts = [&](std::string_view prefix) {
        return options.device.rfind(prefix, 0) == 0;
    };
    if (!options.logs.empty()) return Source::Logs;
    if (starts(recorded)) return Source::Recording;
    if (starts(simulated)) return Source::Simulated;
    return starts(card) ? Source::Card : Source::Unknown;
}

/// Refuses options that the source does not take, and an output that is an input.
Result<void> check(const HypothesesOptions& options, Source source) {
    for (const OptionOfSources& option : options_of_sources())
        if (std::find(options.stated.begin(), options.stated.end(), option.name) !=
                options.stated.end() &&
            std::find(option.sources.begin(), option.sources.end(), source) == option.sources.end())
            return Failure{"has no meaning for " +
                               (options.device.empty() ? "imported logs" : options.device),
                           std::string{option.name}};
    if (source == Source::Recording) {
        const std::string file = options.device.substr(recorded.size());
        if (auto checked = check_output(options.output, file); !checked) return checked;
        return check_output(options.record, file);
    }
    for (const std::string& log : options.logs)
        if (auto checked = check_output(options.output, log); !checked) return checked;
    for (const std::string& log : options.logs)
        if (auto checked = check_output(options.record, log); !checked) return checked;
    return boost::outcome_v2::success();
}

Result<Recording> obtain(const HypothesesOptions& options,
                         const std::vector<hypotheses::Rule>& rules) {
    const Source source = source_of(options);
    if (options.device.starts_with(harness::amd_card_prefix))
        return Failure{"experiments of scheduling do not run on AMD cards: their kernel, whose "
                       "blocks last a stated time by the timer, is PTX; expected cuda:<n>, "
                       "simulated:<architecture> or recorded:<file>. Rules about instructions: "
                       "measure --device hip:<n> --suite contract, then contract",
                       options.device};
    if (source == Source::Unknown)
        return Failure{"expected simulated:<architecture>, cuda:<n> or recorded:<file>",
                       options.device};
    if (auto checked = check(options, source); !checked) return checked.as_failure();
    if (source == Source::Logs) return import_logs(options);
    if (source != Source::Recording) return run_on_device(options, rules);
    const auto text = assembly::read_source(options.device.substr(recorded.size()));
    if (!text) return text.as_failure();
    return hypotheses::read_recording(text.value());
}

std::string rendered(const HypothesesAnswer& answer, const std::string& format) {
#ifdef WARPBOUND_HAS_ANALYZER // The page is drawn by the certification layer.
    if (format == "html") return html_of(answer);
#endif
    return format == "json" ? json_of(answer) : text_of(answer);
}

Exit run(const HypothesesOptions& options) {
    if (options.wants_table && options.format == "html") {
        say("warpbound: --list has no page; expected --format text or json\n");
        return Exit::Usage;
    }
    if (options.wants_table)
        return write_result(options.format == "json" ? json_of_rules() : text_of_rules(),
                            options.output);
    if (options.device.empty() == options.logs.empty()) {
        say("warpbound: expected either --device or --import (--list prints the rules)\n");
        return Exit::Usage;
    }
    const auto rules = hypotheses::read_rules(options.rules);
    if (!rules) return refuse(rules.error());
    const auto recording = obtain(options, rules.value());
    if (!recording) return refuse(recording.error());
    if (!options.record.empty())
        if (const Exit written =
                write_result(hypotheses::write_recording(recording.value()), options.record);
            written != Exit::Holds)
            return written;
    HypothesesAnswer answer{&recording.value(), {}};
    for (const hypotheses::Rule rule : rules.value())
        answer.tested.push_back(
            hypotheses::test_rule(rule, recording.value().runs, recording.value().not_run));
    const Exit written = write_result(rendered(answer, options.format), options.output);
    if (written != Exit::Holds) return written;
    if (interrupted()) say("warpbound: interrupted; the verdicts are of the runs until then\n");
    return exit_of(answer, !options.rules.empty());
}

} // namespace

void add_hypotheses(CLI::App& app, Invocation& invocation) {
    auto options = std::make_shared<HypothesesOptions>();
    CLI::App* command = app.add_subcommand(
        "hypotheses", "Test rules of scheduling (queues of streams, dispatch, copies, priorities) "
                      "on a device or on recorded runs");
    command->add_option("--device", options->device,
                        "simulated:<architecture>, cuda:<n>, or recorded:<file> of --record");
    command
        ->add_option("--import", options->logs,
                     "Judge logs of cuda_scheduling_examiner (JSON) instead; logs of one scenario "
                     "belong together")
        ->excludes("--device");
    command->add_option("--rule,--rules", options->rules,
                        "Rules to test, as in X1,G3; all without it");
    command->add_flag("--list", options->wants_table,
                      "Print the table of rules, and do nothing else");
    command->add_option("--runs", options->runs, "Runs of each experiment")
        ->check(CLI::Range(std::int64_t{1}, std::int64_t{100'000}))
        ->capture_default_str();
    command->add_option("--seed", options->seed, "Seed of simulated runs")
        ->check(refusal_of_whole_number)
        ->capture_default_str();
    add_policy(*command, options->policy);
    options->machine.add_assumptions_to(*command);
    command
        ->add_option("--multiprocessors", options->multiprocessors,
                     "SMs of a simulated device, or of the card that wrote the logs: N or all")
        ->check([](const std::string& text) {
            return text == "all" || (!text.empty() && text.size() < 6 && text.front() != '0' &&
                                     text.find_first_not_of("0123456789") == std::string::npos)
                       ? std::string{}
                       : std::string{"expected a number of SMs, or all"};
        })
        ->capture_default_str();
    add_launch_cost(*command, options->launch_cost, ". Of simulated devices");
    add_draw(*command, options->draw);
    const auto duration = CLI::Range(std::int64_t{0}, std::int64_t{1'000'000'000'000});
    command
        ->add_option("--resolution", options->resolution,
                     "Of --import: times that differ by no more are not ordered, in ns")
        ->check(duration)
        ->capture_default_str();
    command
        ->add_option("--latency", options->latency,
                     "Of --import: time in which a kernel begins that may begin, in ns")
        ->check(duration)
        ->capture_default_str();
    command->add_option("--priority", options->priorities,
                        "Of --import: LABEL=N, the priority of a log's stream (smaller is more "
                        "urgent); may be repeated");
    command->add_option("--record", options->record,
                        "Write what was observed to this file, for recorded:<file>");
    command
        ->add_option("-o,--output", options->output,
                     "File of the result; its ending chooses the format; - is standard output")
        ->capture_default_str();
#ifdef WARPBOUND_HAS_ANALYZER
    add_format_or_ending(*command, options->format, {"text", "json", "html"});
#else
    add_format_or_ending(*command, options->format, {"text", "json"});
#endif
    command->footer("Example: warpbound hypotheses --device simulated:maxwell-gtx970\n"
                    "         warpbound hypotheses --device cuda:0 --runs 100 --record board.json\n"
                    "         warpbound hypotheses --device recorded:board.json -o rules.html\n"
                    "         warpbound hypotheses --import results/stream1.json "
                    "results/stream2.json");
    command->callback([options, command, &invocation] {
        for (const OptionOfSources& option : options_of_sources())
            if (command->get_option(std::string{option.name})->count() > 0)
                options->stated.emplace_back(option.name);
        invocation.run = [options] {
            const StopScope scope = watch_for_interrupt();
            return run(*options);
        };
    });
}

} // namespace warpbound::cli
