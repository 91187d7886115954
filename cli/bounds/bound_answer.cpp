#include "cli/bounds/bound_answer.hpp"

#include "certification/report/wording.hpp"
#include "cli/bounds/thread_trace_bounds.hpp"
#include "cli/inputs/kernel_arguments.hpp"
#include "cli/output/json.hpp"
#include "cli/output/next_step.hpp"
#include "models/time/deadline.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>
#include <utility>

namespace warpbound::cli {

namespace {

using analyzer::Need;
using analyzer::Side;
using certification::Claim;
using certification::Report;

const Claim* time_claim(const Report& report, Side side) {
    return report.claim("execution-time", side);
}

/// "3.214 ms" where a clock is known, else "5110260 cycles".
std::string short_time(const Report& report, const Claim& claim) {
    if (const auto time = report.time_of(claim)) return certification::time_text(*time, claim.side);
    return fmt::format("{} {}", claim.value, claim.unit);
}

std::string time_row(const Report& report, Side side) {
    const Claim* claim = time_claim(report, side);
    if (claim == nullptr) return {};
    std::string row = fmt::format("{:<11}{:>12}", side == Side::Upper ? "at most" : "at least",
                                  short_time(report, *claim));
    if (report.clock)
        row +=
            fmt::format("   {} cycles at {}", claim->value, models::to_string(report.clock->range));
    return row + "\n";
}

/// The largest term of the upper bound, or the largest category of the worst-case path's time.
std::string dominant(const Report& report) {
    const Claim* upper = time_claim(report, Side::Upper);
    if (upper == nullptr || upper->value <= 0) return {};
    const auto share = [](double part, std::int64_t whole) {
        return 100 * part / static_cast<double>(whole);
    };
    if (!upper->terms.empty()) {
        const auto cost = [](const analyzer::BoundTerm& term) {
            return static_cast<double>(term.count) * static_cast<double>(term.cycles);
        };
        const auto& largest =
            *std::max_element(upper->terms.begin(), upper->terms.end(),
                              [&](const auto& a, const auto& b) { return cost(a) < cost(b); });
        return fmt::format("{:.0f} % of the upper bound is {} x {} cycles: {}",
                           share(cost(largest), upper->value), largest.count, largest.cycles,
                           largest.text);
    }
    if (report.stack.empty()) return {};
    const auto& largest =
        *std::max_element(report.stack.begin(), report.stack.end(),
                          [](const auto& a, const auto& b) { return a.second < b.second; });
    return fmt::format(
        "{:.0f} % of the worst-case path goes to {}",
        share(static_cast<double>(largest.second), certification::stack_total(report)),
        largest.first);
}

/// Of --trace.
std::string recorded_rows(const Report& report) {
    if (!report.thread_trace) return {};
    const certification::HeldThreadTrace& held = *report.thread_trace;
    return fmt::format("recorded   {} wavefronts, the longest {} cycles ({}): {}\n"
                       "           {} issues held against their bounds: {}\n",
                       held.wavefronts, held.longest, held.longest_file,
                       report.outlasts_bound() ? "LONGER than the bound of the launch"
                                               : "none longer than the bound of the launch",
                       held.held,
                       held.outside == 0 ? "none outside"
                                         : fmt::format("{} OUTSIDE, the first of {}", held.outside,
                                                       held.first_outside));
}

std::string verdict_row(const Report& report) {
    if (!report.deadline) return "verdict    none: no deadline was stated (--deadline 10ms)\n";
    return fmt::format("deadline   {:>12}   {}\nverdict    {}\n",
                       models::to_string(*report.deadline), certification::deadline_phrase(report),
                       models::to_string(*report.deadline_verdict()));
}

/// "the loop at 0x0160 has no bound: it ends by arguments and by data that is loaded at 0x0150".
std::string reason(const Need& need) {
    std::string what = need.what;
    if (!need.arguments.empty()) what += ": it ends by what is given to the kernel";
    if (!need.extents.empty())
        what += fmt::format("{} by the extents of {}, which the launch leaves open",
                            what == need.what ? ": it ends" : ", and",
                            need.extents.front().starts_with("grid") ? "the grid" : "the blocks");
    const auto add = [&](std::string_view source, const std::vector<std::int64_t>& addresses) {
        if (addresses.empty()) return;
        what += fmt::format("{} by {}", what == need.what ? ": it ends" : ", and", source);
        for (std::size_t i = 0; i < addresses.size(); ++i)
            what += fmt::format("{} 0x{:04x}", i == 0 ? "" : ",", addresses[i]);
    };
    add("data loaded at", need.loads);
    add("a number that is computed in floating point, as a quotient by a variable is, up to",
        need.conversions);
    return what;
}

/// Whether arguments of the kernel and the extents of the launch may give it.
bool follows_from_launch(const Need& need) {
    return (!need.arguments.empty() || !need.extents.empty()) && need.loads.empty();
}

/// ",grid=8,block=128": the extents that the needs name, each once.
std::string open_extents(const std::vector<Need>& needs) {
    std::set<std::string> extents;
    for (const Need& need : needs)
        extents.insert(need.extents.begin(), need.extents.end());
    std::string text;
    for (const std::string& extent : extents)
        text += "," + extent;
    return text;
}

/// "--arg n=VALUE --arg 0x178=VALUE": the parameters that the needs name, each once.
std::string argument_options(const BoundAnswer& answer, const std::vector<Need>& needs) {
    std::vector<std::string> keys;
    for (const Need& need : needs)
        for (const std::int64_t offset : need.arguments) {
            const std::string key = answer.parameters ? parameter_key(*answer.parameters, offset)
                                                      : fmt::format("0x{:x}", offset);
            if (std::find(keys.begin(), keys.end(), key) == keys.end()) keys.push_back(key);
        }
    std::string options;
    for (const std::string& key : keys)
        options += fmt::format("{}--arg {}=VALUE", options.empty() ? "" : " ", key);
    return options;
}

/// How a need is met, as text to paste.
std::string remedy(const BoundAnswer& answer, const Need& need) {
    switch (need.kind) {
    case Need::Kind::LoopBound: {
        const std::string fact = fmt::format(
            "<loop header=\"0x{:04x}\" min=\"0\" max=\"N\"/>   in the file of --flow-facts",
            need.address);
        std::string launch;
        if (!need.extents.empty())
            launch = fmt::format("--launch GxB{}, if it counts in x alone, ", open_extents({need}));
        if (need.arguments.empty()) return launch.empty() ? fact : launch + "or " + fact;
        return launch + argument_options(answer, {need}) + ", or " + fact;
    }
    case Need::Kind::MachineValue:
        return fmt::format("--assume {}=LO..HI", need.path);
    case Need::Kind::Encoding:
        return "the cubin itself, or its listing with encodings: cuobjdump -sass FILE.cubin, or "
               "nvdisasm -c -hex FILE.cubin";
    case Need::Kind::Construct:
        if (!need.path.empty())
            return fmt::format("a machine whose description has {}: another --gpu, or a file with "
                               "it (docs/how-to/describe-a-machine.md)",
                               need.path);
        break;
    }
    return "no option helps; this construct is not bounded";
}

std::string needs_text(const BoundAnswer& answer) {
    std::string text =
        fmt::format("{}: no bound yet; {} more {} needed\n", answer.kernel, answer.needs.size(),
                    answer.needs.size() == 1 ? "fact is" : "facts are");
    for (std::size_t i = 0; i < answer.needs.size(); ++i)
        text += fmt::format("{:>3}  {}\n     {}\n", i + 1, reason(answer.needs[i]),
                            remedy(answer, answer.needs[i]));
    for (const std::string& step : answer.dropped)
        text += fmt::format("A limit stopped {}: with a larger --time-limit, fewer facts may be "
                            "needed.\n",
                            step);
    return text;
}

std::string row_of(const BoundAnswer& answer) {
    if (answer.refusal)
        return fmt::format("{:<40} refused: {}\n", answer.kernel, answer.refusal->what);
    if (!answer.report) {
        constexpr std::size_t most_of_a_row = 3;
        const std::size_t count = answer.needs.size();
        const std::size_t shown = count <= most_of_a_row ? count : most_of_a_row - 1;
        std::string what;
        for (std::size_t i = 0; i < shown; ++i)
            what += (what.empty() ? "" : "; ") + reason(answer.needs[i]);
        if (shown < count)
            what += fmt::format("; and {} more, which --kernel lists", count - shown);
        return fmt::format("{:<40} needs {}: {}\n", answer.kernel, count, what);
    }
    const Report& report = *answer.report;
    const Claim* lower = time_claim(report, Side::Lower);
    const Claim* upper = time_claim(report, Side::Upper);
    return fmt::format("{:<40} {:>14} {:>14}  {}\n", answer.kernel,
                       lower == nullptr ? "" : short_time(report, *lower),
                       upper == nullptr ? "" : short_time(report, *upper),
                       report.deadline ? models::to_string(*report.deadline_verdict())
                                       : std::string_view{"none"});
}

} // namespace

Exit exit_of(const BoundAnswer& answer) {
    if (answer.report && answer.report->refuted_by_trace()) return Exit::Violated;
    if (answer.was_stopped) return Exit::Undecided;
    if (!answer.report) return answer.dropped.empty() ? Exit::Refused : Exit::Undecided;
    if (!answer.report->deadline)
        return answer.report->undecided.empty() ? Exit::Holds : Exit::Undecided;
    switch (*answer.report->deadline_verdict()) {
    case models::DeadlineVerdict::Met:
        return Exit::Holds;
    case models::DeadlineVerdict::Violated:
        return Exit::Violated;
    case models::DeadlineVerdict::Undecided:
        break;
    }
    return Exit::Undecided;
}

std::string next_step_of(const BoundAnswer& answer, const AnalysisOptions& options) {
    if (answer.report)
        return certify_command(options) + " -o evidence && warpbound verify evidence";
    if (!answer.needs.empty() &&
        std::all_of(answer.needs.begin(), answer.needs.end(), follows_from_launch)) {
        LaunchOptions known = options.launch;
        if (!known.launch.launch.empty()) known.launch.launch += open_extents(answer.needs);
        const std::string arguments = argument_options(answer, answer.needs);
        return fmt::format("warpbound bound {}{}{}{}", typed(known), stated_options(options),
                           arguments.empty() ? "" : " ", arguments);
    }
    LaunchOptions facts = options.launch;
    if (std::any_of(answer.needs.begin(), answer.needs.end(),
                    [](const Need& need) { return need.kind == Need::Kind::Encoding; })) {
        facts.kernel.file = "FILE.cubin";
        return "warpbound bound " + typed(facts);
    }
    std::string file = std::exchange(facts.kernel.flow_facts, {});
    if (file.empty()) file = "facts.xml";
    facts.kernel.source.clear();
    return fmt::format("warpbound flow-facts {} -o {}", typed(facts), shell_word(file));
}

std::string text_of(const BoundAnswer& answer, bool quiet) {
    if (!answer.report) return needs_text(answer);
    const Report& report = *answer.report;
    std::string text = fmt::format("kernel     {} ({})\nlaunch     {}\nmachine    {}, {}\n\n",
                                   report.kernel, report.isa, certification::launch_text(report),
                                   report.architecture, report.architecture_title);
    text += time_row(report, Side::Upper) + time_row(report, Side::Lower) + recorded_rows(report) +
            verdict_row(report);
    if (const std::string why = dominant(report); !why.empty())
        text += fmt::format("why        {}\n", why);
    const Claim* upper = time_claim(report, Side::Upper);
    text += fmt::format("rests on   {} assumptions, {} unchecked{}\n", report.assumptions.size(),
                        upper == nullptr ? report.unchecked_assumptions()
                                         : report.unchecked_assumptions(*upper),
                        quiet ? "" : " (listed below)");
    for (const std::string& reason : report.undecided)
        text += fmt::format("undecided  {}\n", reason);
    if (!report.clock) text += "no clock is known: times in seconds need --clock 1590MHz\n";
    if (quiet) return text;
    if (report.thread_trace) text += "\n" + text_of(*report.thread_trace);
    return text + "\n" + certification::render_text(report);
}

std::string table_of(const std::vector<BoundAnswer>& answers) {
    std::string text =
        fmt::format("{:<40} {:>14} {:>14}  {}\n", "kernel", "at least", "at most", "verdict");
    for (const BoundAnswer& answer : answers)
        text += row_of(answer);
    return text;
}

std::string json_of(const std::vector<BoundAnswer>& answers) {
    Json kernels = Json::array();
    for (const BoundAnswer& answer : answers) {
        Json one{{"kernel", answer.kernel}};
        if (answer.refusal) one["refusal"] = to_string(*answer.refusal);
        Json needs = Json::array();
        for (const Need& need : answer.needs)
            needs.push_back({{"what", reason(need)}, {"state", remedy(answer, need)}});
        if (!answer.needs.empty()) one["needs"] = std::move(needs);
        if (!answer.dropped.empty()) one["stopped"] = answer.dropped;
        if (answer.report && answer.report->thread_trace) {
            one["recorded"] = Json::parse(json_of(*answer.report->thread_trace));
            one["recorded"]["longer-than-bound"] = answer.report->outlasts_bound();
        }
        if (answer.report) one["report"] = Json::parse(certification::render_json(*answer.report));
        kernels.push_back(std::move(one));
    }
    return json_text("bound", {{"kernels", std::move(kernels)}});
}

} // namespace warpbound::cli
