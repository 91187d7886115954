/// \file
/// `warpbound verify`: checks an evidence bundle without the GPU and without trusting its producer.

#include "certification/verify/verify.hpp"

#include "certification/bundle/build.hpp"
#include "certification/report/wording.hpp"
#include "cli/command.hpp"
#include "cli/evidence_folder.hpp"
#include "cli/version.hpp"

#include <fmt/format.h>

#include <cmath>

namespace warpbound::cli {

namespace {

namespace check = certification::verify;

struct VerifyOptions {
    std::string folder;
    std::string report_id;
    std::string public_key;
    double time_limit = 60;
    bool second_solver = false;
};

Result<check::Files> rebuild(const check::Files& files) {
    const auto inputs = certification::inputs_of(files);
    if (!inputs) return inputs.as_failure();
    auto bundle = certification::build_bundle(inputs.value());
    if (!bundle) return bundle.as_failure();
    check::Files made;
    for (auto& [path, file] : bundle.value().files)
        made.emplace(path, std::move(file.bytes));
    return made;
}

Exit exit_of(check::Verdict verdict) {
    switch (verdict) {
    case check::Verdict::Failed:
        return Exit::Violated;
    case check::Verdict::Incomplete:
        return Exit::Refused;
    case check::Verdict::Undecided:
        return Exit::Undecided;
    case check::Verdict::Tampered:
        return Exit::Tampered;
    default:
        return Exit::Holds;
    }
}

Exit run(const VerifyOptions& options) {
    const auto files = read_evidence(options.folder);
    if (!files) return refuse(files.error());
    check::Options checks;
    if (!options.report_id.empty()) checks.report_id = options.report_id;
    if (!options.public_key.empty()) checks.public_key = options.public_key;
    checks.solver_limit =
        std::chrono::milliseconds{static_cast<std::int64_t>(std::ceil(options.time_limit * 1000))};
    checks.second_solver = options.second_solver;
    checks.threads = worker_threads();
    checks.tool_version = version;
    checks.rebuild = rebuild;
    const auto steps = check::verify(files.value(), checks);
    std::string out;
    for (const auto& step : steps)
        out += fmt::format("{:<13} {:<14} {}\n", step.step, to_string(step.verdict),
                           certification::printable(step.detail));
    const check::Verdict verdict = check::overall(steps);
    out += fmt::format("{:<13} {}\n", "verdict", to_string(verdict));
    const Exit written = write_result(out);
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
                     "Time limit of a solver on one script in seconds")
        ->check(refusal_of_number)
        ->check(CLI::Range(0.001, 86400.0))
        ->capture_default_str();
    command->add_flag("--second-solver", options->second_solver,
                      "Also check with cvc5; without cvc5 on PATH the evidence is incomplete");
    command->footer("Exit codes: 0 holds, 1 a claim failed, 2 usage, 3 evidence incomplete or\n"
                    "refused, 4 undecided, 5 tampered.\n"
                    "Example: warpbound verify evidence");
    command->callback(
        [options, &invocation] { invocation.run = [options] { return run(*options); }; });
}

} // namespace warpbound::cli
