#include "certification/verify/verify.hpp"

#include "certification/verify/digests.hpp"
#include "certification/verify/divergence/warp_cfg.hpp"
#include "certification/verify/evidence.hpp"
#include "certification/verify/observations.hpp"
#include "certification/verify/refit.hpp"
#include "certification/verify/signature.hpp"
#include "certification/verify/solver/script.hpp"
#include "certification/verify/solver/solver.hpp"
#include "certification/verify/structure.hpp"
#include "models/architecture/shipped.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <set>
#include <thread>

    namespace warpbound::certification::verify {

    namespace {

    struct Script {
        std::string where;
        const std::string* shipped = nullptr;
        std::string expected;
        std::optional<StepResult> finding;
    };

    StepResult wrong(Verdict verdict, std::string what) {
        return {"solver", verdict, std::move(what)};
    }

    /// What is wrong with a script, if anything. The shipped text must be the one that follows from
    /// control flow, table and facts; only such a text is given to the solvers.
    std::optional<StepResult> check_script(const Script& script, const Options& options,
                                           const std::optional<std::string>& cvc5) {
        if (*script.shipped != script.expected)
            return wrong(Verdict::Failed,
                         fmt::format("{}: not the script of its certificate: {}", script.where,
                                     first_difference(script.expected, *script.shipped)));
        const Answer answer = ask_z3(script.expected, options.solver_limit);
        if (answer == Answer::Sat)
            return wrong(Verdict::Failed, script.where + ": Z3 finds counts beyond the bound");
        if (answer == Answer::Unknown)
            return wrong(Verdict::Undecided,
                         script.where + ": Z3 gives no answer within its limit");
        if (!cvc5) return std::nullopt;
        const Answer second = ask_cvc5(*cvc5, *script.shipped, options.solver_limit);
        if (second == Answer::Sat)
            return wrong(Verdict::Failed, script.where + ": cvc5 finds counts beyond the bound");
        if (second == Answer::Unknown)
            return wrong(Verdict::Undecided,
                         script.where + ": cvc5 gives no answer within its limit");
        return std::nullopt;
    }

    /// Requires: evidence whose structure holds.
    StepResult check_scripts(const Evidence& evidence, const Options& options) {
        std::vector<Script> scripts;
        for (const auto& kernel : evidence.kernels) {
            const SideFlows flows = check_flows(*kernel);
            for (const Certificate& certificate : kernel->certificates)
                scripts.push_back(
                    {kernel->id + "/" + certificate.id, &certificate.script,
                     expected_script(*kernel, flows.of(certificate.upper), certificate),
                     std::nullopt});
        }
        const auto cvc5 = find_cvc5();
        if (options.second_solver && !cvc5)
            return wrong(Verdict::Incomplete, "cvc5 was asked for and is not on PATH");
        std::atomic<std::size_t> next{0};
        const auto work = [&] {
            for (std::size_t i = next++; i < scripts.size(); i = next++)
                scripts[i].finding = check_script(scripts[i], options, cvc5);
        };
        std::vector<std::thread> workers;
        for (unsigned i = 1; i < options.threads; ++i)
            workers.emplace_back(work);
        work();
        for (auto& worker : workers)
            worker.join();
        // A wrong answer counts more than a missing one; the first of each in order.
        for (const Verdict verdict : {Verdict::Failed, Verdict::Undecided})
            for (const Script& script : scripts)
                if (script.finding && script.finding->verdict == verdict) return *script.finding;
        return wrong(Verdict::Holds,
                     fmt::format("{} scripts are those of their certificates and unsat in {}{}",
                                 scripts.size(), z3_version(),
                                 cvc5 ? " and cvc5" : "; cvc5 is not on PATH"));
    }

    StepResult check_again(const Files& files, const Evidence& evidence, const Options& options) {
        // With another version nothing is shown either way.
        const auto differs = [&](const std::string& what) -> StepResult {
            if (evidence.tool_version == options.tool_version)
                return {"re-analysis", Verdict::Failed, what};
            return {"re-analysis", Verdict::Incomplete,
                    fmt::format("{}; the bundle was made by warpbound {}, this is {}", what,
                                evidence.tool_version, options.tool_version)};
        };
        const auto again = [&]() -> Result<Files> {
            try {
                return options.rebuild(files);
            } catch (const std::exception& error) { // inputs that no certify writes
                return Failure{error.what(), "inputs"};
            }
        }();
        if (!again) return differs("the inputs are refused now: " + to_string(again.error()));
        for (const auto& [path, bytes] : again.value()) {
            const auto file = files.find(path);
            if (file == files.end()) return differs(path + ": made now, not in the bundle");
            if (file->second != bytes) return differs(path + ": other bytes than made now");
        }
        for (const auto& [path, bytes] : files)
            if (path != "signature.json" && again.value().count(path) == 0)
                return differs(path + ": in the bundle, not made now");
        return {"re-analysis", Verdict::Holds,
                fmt::format("{} files made again, every byte the same", again.value().size())};
    }

    /// Descriptions that are not those that this program was built with, whatever the bundle says.
    std::string machines_not_shipped(const Evidence& evidence) {
        std::set<std::string> labels;
        for (const auto& kernel : evidence.kernels)
            if (models::provenance_of(kernel->architecture).standing != models::Standing::Shipped)
                labels.insert(models::label_of(kernel->architecture));
        return labels.empty() ? "" : fmt::format("; machine {}", fmt::join(labels, ", "));
    }

    constexpr std::array<const char*, 6> steps_behind_digests{
        "schema", "structure", "solver", "refit", "re-analysis", "observations"};

    } // namespace

    std::string to_string(Verdict verdict) {
        switch (verdict) {
        case Verdict::Holds:
            return "holds";
        case Verdict::NotApplicable:
            return "not applicable";
        case Verdict::Undecided:
            return "undecided";
        case Verdict::Incomplete:
            return "incomplete";
        case Verdict::Failed:
            return "failed";
        case Verdict::Tampered:
            return "tampered";
        default:
            return "not run";
        }
    }

    std::vector<StepResult> verify(const Files& files, const Options& options) {
        std::vector<StepResult> steps{check_signature(files, options.public_key),
                                      check_digests(files, options.report_id)};
        const auto skip_rest = [&](std::size_t from, const char* why) {
            for (std::size_t i = from; i < steps_behind_digests.size(); ++i)
                steps.push_back({steps_behind_digests[i], Verdict::NotRun, why});
            return steps;
        };
        if (steps.back().verdict != Verdict::Holds)
            return skip_rest(0, "the files are not those of the manifest");
        Evidence evidence;
        try {
            evidence = read_evidence(files);
            steps.push_back(
                {"schema", Verdict::Holds,
                 fmt::format("{} kernels; claims, kinds and assumptions belong together{}",
                             evidence.kernels.size(), machines_not_shipped(evidence))});
        } catch (const Finding& finding) {
            steps.push_back({"schema", finding.verdict, finding.what()});
            return skip_rest(1, "the evidence cannot be read");
        }
        steps.push_back(check_structure(evidence));
        if (steps.back().verdict == Verdict::Holds)
            steps.push_back(check_scripts(evidence, options));
        else
            steps.push_back(wrong(Verdict::NotRun, "the structure is wrong"));
        steps.push_back(check_refit(evidence));
        steps.push_back(check_again(files, evidence, options));
        steps.push_back(check_observations(evidence));
        return steps;
    }

    Verdict overall(const std::vector<StepResult>& steps) {
        for (const Verdict verdict :
             {Verdict::Tampered, Verdict::Failed, Verdict::Incomplete, Verdict::Undecided})
            if (std::any_of(steps.begin(), steps.end(),
                            [&](const StepResult& step) { return step.verdict == verdict; }))
                return verdict;
        return Verdict::Holds;
    }

} // namespace warpbound::certification::verify
