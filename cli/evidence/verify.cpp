/// \file
/// `warpbound verify`: checks an evidence bundle without the GPU and without trusting its producer.

#include "certification/verify/verify.hpp"

#include "certification/report/wording.hpp"
#include "cli/evidence/bundle_check.hpp"
#include "cli/evidence/evidence_folder.hpp"
#include "cli/evidence/limited_run.hpp"
#include "cli/output/next_step.hpp"
#include "cli/program/command.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace warpbound::cli {

namespace {

namespace check = certification::verify;

struct VerifyOptions {
    std::string folder;
    std::string report_id;
    std::string public_key;
    double time_limit = 600;
    std::int64_t memory_limit = 4096; ///< MiB.
    bool second_solver = false;
    bool replay_all = false;
    std::optional<std::uint64_t> replay_seed;
};

/// Of the choice of runs that are simulated again: nobody can have known it when the bundle was
/// made.
std::uint64_t unforeseen_seed() {
    std::random_device device;
    return device(); // 32 bits: short enough to be typed
}

Exit exit_of(check::Verdict verdict) {
    switch (verdict) {
    case check::Verdict::Failed:
    case check::Verdict::Violated:
        return Exit::Violated;
    case check::Verdict::Incomplete:
        return Exit::Refused;
    case check::Verdict::LimitReached:
    case check::Verdict::Undecided:
        return Exit::Undecided;
    case check::Verdict::Tampered:
        return Exit::Tampered;
    default:
        return Exit::Holds;
    }
}

check::Options checks_of(const VerifyOptions& options) {
    check::Options checks = checks_of_this_program();
    if (!options.report_id.empty()) checks.report_id = options.report_id;
    if (!options.public_key.empty()) checks.public_key = options.public_key;
    // One hard script leaves time for the other steps.
    constexpr double longest_script = 60;
    checks.solver_limit = std::chrono::milliseconds{static_cast<std::int64_t>(
        std::ceil(std::min(longest_script, options.time_limit / 2) * 1000))};
    checks.second_solver = options.second_solver;
    checks.replay.all = options.replay_all;
    checks.replay.seed = options.replay_seed ? *options.replay_seed : unforeseen_seed();
    return checks;
}

/// First byte of a message: what it is about.
constexpr char step_started = 's';  ///< Name of the step.
constexpr char step_finished = 'f'; ///< Verdict as one byte, step, line break, detail.
constexpr char folder_refused = 'r';

/// The check, in the process of its own.
void check_folder(const VerifyOptions& options, const Send& send) {
    const auto files = read_evidence(options.folder);
    if (!files) return send(folder_refused + to_string(files.error()));
    check::Options checks = checks_of(options);
    checks.started = [&](const std::string& step) { send(step_started + step); };
    checks.finished = [&](const check::StepResult& result) {
        send(fmt::format("{}{}{}\n{}", step_finished,
                         static_cast<char>('a' + static_cast<int>(result.verdict)), result.step,
                         result.detail));
    };
    (void)check::verify(files.value(), checks);
}

/// What arrived of a check.
struct CheckProgress {
    std::vector<check::StepResult> results;
    std::string running = "files"; ///< The step under way.
    std::optional<std::string> refusal;

    void receive(const std::string& message) {
        if (message.empty()) return;
        switch (message.front()) {
        case folder_refused:
            refusal = message.substr(1);
            break;
        case step_started:
            running = message.substr(1);
            break;
        default:
            const std::size_t line_end = message.find('\n');
            results.push_back({message.substr(2, line_end - 2),
                               static_cast<check::Verdict>(message.at(1) - 'a'),
                               message.substr(line_end + 1)});
        }
    }
};

/// The row of the step in which a check was cut off.
check::StepResult cut_off(const std::string& step, const RunEnd& end,
                          const VerifyOptions& options) {
    switch (end.cause) {
    case RunEnd::Cause::TimeLimit:
        return {step, check::Verdict::LimitReached,
                fmt::format("not finished within {} s; a larger --time-limit allows more",
                            options.time_limit)};
    case RunEnd::Cause::MemoryLimit:
        return {step, check::Verdict::LimitReached,
                fmt::format("needs more than {} MiB of memory; a larger --memory-limit allows more",
                            options.memory_limit)};
    case RunEnd::Cause::Interrupted:
        return {step, check::Verdict::LimitReached, "interrupted before it was finished"};
    default:
        return {step, check::Verdict::Incomplete, "internal error: " + end.detail};
    }
}

Exit run(const VerifyOptions& options) {
    const RunLimits limits{
        std::chrono::milliseconds{static_cast<std::int64_t>(std::ceil(options.time_limit * 1000))},
        static_cast<std::uint64_t>(options.memory_limit) << 20U};
    CheckProgress progress;
    const RunEnd end = run_limited(
        limits, [&](const Send& send) { check_folder(options, send); },
        [&](const std::string& message) { progress.receive(message); });
    if (progress.refusal) return refuse(Failure{*progress.refusal});
    if (end.cause != RunEnd::Cause::Finished)
        progress.results.push_back(cut_off(progress.running, end, options));
    std::string out;
    for (const auto& step : progress.results)
        out += fmt::format("{:<13} {:<14} {}\n", step.step, to_string(step.verdict),
                           certification::printable(step.detail));
    const check::Verdict verdict = check::overall(progress.results);
    out += fmt::format("{:<13} {}\n", "verdict", check::conclusion_of(progress.results));
    const Exit written = write_result(out);
    if (end.cause == RunEnd::Cause::TimeLimit)
        suggest(fmt::format("warpbound verify {} --time-limit {}", shell_word(options.folder),
                            10 * options.time_limit));
    if (end.cause == RunEnd::Cause::MemoryLimit)
        suggest(fmt::format("warpbound verify {} --memory-limit {}", shell_word(options.folder),
                            4 * options.memory_limit));
    return written != Exit::Holds ? written : exit_of(verdict);
}

} // namespace

void add_verify(CLI::App& app, Invocation& invocation) {
    auto options = std::make_shared<VerifyOptions>();
    CLI::App* command = app.add_subcommand(
        "verify", "Check an evidence bundle: one line per step with its verdict");
    command->add_option("EVIDENCE", options->folder, "Folder that `certify` made")->required();
    command->add_option("--report-id", options->report_id,
                        "Published report id; a different id in the bundle means tampered");
    command->add_option("--public-key", options->public_key,
                        "Ed25519 public key that the signature must match, 64 hexadecimal digits");
    command
        ->add_option("--time-limit", options->time_limit,
                     "Time limit of the whole check in seconds; reached: incomplete, exit code 4")
        ->check(refusal_of_number)
        ->check(CLI::Range(0.001, 86400.0))
        ->capture_default_str();
    command
        ->add_option("--memory-limit", options->memory_limit,
                     "Memory limit of the check in MiB; reached: incomplete, exit code 4")
        ->check(CLI::Range(std::int64_t{16}, std::int64_t{1} << 24U))
        ->capture_default_str();
    command->add_flag("--second-solver", options->second_solver,
                      "Also check with cvc5; without cvc5 on PATH the evidence is incomplete");
    CLI::Option* all = command->add_flag("--replay", options->replay_all,
                                         "Simulate every recorded run again, not only some");
    command
        ->add_option("--replay-seed", options->replay_seed,
                     "Seed of the choice of runs that are simulated again, to repeat a choice "
                     "(default: a random one, which is printed)")
        ->excludes(all);
    command->footer(
        "Exit codes: 0 the evidence checks and what was required holds, 1 a claim failed\n"
        "or a requirement is violated, 2 usage, 3 evidence incomplete or refused,\n"
        "4 undecided or incomplete at a limit, 5 tampered.\n"
        "Example: warpbound verify evidence");
    command->callback(
        [options, &invocation] { invocation.run = [options] { return run(*options); }; });
}

} // namespace warpbound::cli
