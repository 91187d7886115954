/// \file
/// The report for a terminal: the answer first, at most 100 columns.
#include "certification/report/bound_choices.hpp"
#include "certification/report/wording.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace warpbound::certification {

namespace {

constexpr std::size_t columns = 100;
constexpr std::size_t listed_blocks = 12;
constexpr std::int64_t bar_columns = 40;

/// Columns that text takes: one per character.
std::size_t columns_of(std::string_view text) {
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
        return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
    }));
}

/// Bytes of the first characters of a text.
std::size_t bytes_of(std::string_view text, std::size_t characters) {
    std::size_t at = 0;
    for (; at < text.size() && columns_of(text.substr(0, at + 1)) <= characters; ++at) {
    }
    return at;
}

/// The text broken into lines of at most `columns`; continuation lines are indented by `indent`.
std::string wrapped(std::string_view unsafe, std::size_t indent) {
    const std::string text = printable(unsafe);
    std::string_view rest = text;
    std::string out;
    std::size_t columns_left = columns;
    constexpr std::size_t most_bytes_of_a_column = 4;
    while (rest.size() > most_bytes_of_a_column * columns_left || columns_of(rest) > columns_left) {
        const std::size_t whole = bytes_of(rest, columns_left);
        std::size_t cut = rest.rfind(' ', whole);
        const std::size_t used = rest.find_first_not_of(' ');
        if (cut == std::string_view::npos || cut <= used || (out.empty() && cut <= indent))
            cut = whole;
        const std::string_view line = rest.substr(0, cut);
        out += line.substr(0, line.find_last_not_of(' ') + 1);
        out += '\n' + std::string(indent, ' ');
        rest = rest.substr(cut);
        rest = rest.substr(std::min(rest.find_first_not_of(' '), rest.size()));
        columns_left = columns - indent;
    }
    return out + std::string{rest} + "\n";
}

std::string headline(const Report& report) {
    std::string out = wrapped(
        fmt::format("{} on {}, launch {}", report.kernel, report.architecture, launch_text(report)),
        2);
    const std::string verdict = verdict_of(report);
    out += verdict == "none"
               ? std::string{"no verdict (nothing was required and no observation was compared)\n"}
               : fmt::format("verdict: {}\n", verdict);
    for (const auto& reason : report.undecided)
        out += wrapped("undecided: " + reason, 2);
    for (const auto side : {analyzer::Side::Upper, analyzer::Side::Lower})
        if (const Claim* claim = report.claim("execution-time", side); claim != nullptr)
            out += wrapped(fmt::format("{} bound {} ({})", side_name(side),
                                       value_phrase(report, *claim), kind_phrase(report, *claim)),
                           2);
    if (report.deadline)
        out += wrapped(fmt::format("deadline {}: {}", models::to_string(*report.deadline),
                                   deadline_phrase(report)),
                       2);
    out += wrapped("clock " + clock_phrase(report.clock), 2);
    out += wrapped("machine: " + models::to_string(report.coverage), 2);
    for (const auto& times : report.observations)
        if (times.outside_bounds > 0)
            out += wrapped(
                fmt::format("refuted: {} of {} observations of the {} lie outside its bounds, the "
                            "first in run {}",
                            times.outside_bounds, times.count, quantity_phrase(times.quantity),
                            times.first_outside_run.value_or(0)),
                2);
    if (verdict != "none" && !report.compared())
        out += "no observation was compared with the bounds\n";
    return out;
}

/// Which of several sums the claim is, and those of the others that come near to it, a line each.
std::string choices(const Claim& claim) {
    constexpr std::size_t most_listed = 3;
    std::string out;
    for (const BoundChoice& choice : choices_of(claim)) {
        out += wrapped("       " + choice_text(choice), 9);
        const auto is_near = [&](std::int64_t cycles) {
            const std::int64_t chosen = choice.chosen.cycles;
            return choice.is_least ? cycles / 2 <= chosen : cycles >= chosen - chosen / 2;
        };
        std::size_t listed = 0;
        for (; listed < std::min(most_listed, choice.others.size()); ++listed) {
            const ChoicePart& other = choice.others[listed];
            if (!is_near(other.cycles)) break;
            out += wrapped(fmt::format("       {:>19}  {}", other.cycles, part_text(other)), 28);
        }
        if (listed < choice.others.size())
            out += fmt::format("       {:>19}  {} {} {}\n", choice.others[listed].cycles,
                               choice.is_least ? "or more:" : "or less:",
                               choice.others.size() - listed, listed == 0 ? "others" : "more");
    }
    return out;
}

std::string claims(const Report& report) {
    std::string out = "\nclaims\n";
    for (const auto& claim : report.claims) {
        const auto time = report.time_of(claim);
        out += wrapped(fmt::format("  {:<4} {:<14} {:<5} {:>14} {}  {}{}", claim.id, claim.quantity,
                                   side_name(claim.side), claim.value, claim.unit,
                                   time ? time_text(*time, claim.side) + "  " : "",
                                   kind_phrase(report, claim)),
                       7);
        out += wrapped(
            fmt::format(
                "       proof {}{}{}{}", claim.proof,
                claim.assumptions.empty() ? "" : "; rests on ", joined(claim.assumptions, ", "),
                claim.limit_reached ? "; a limit stopped the search for a tighter bound" : ""),
            7);
        for (const auto& term : claim.terms)
            out += wrapped(
                fmt::format("       {:>6} x {:>10}  {}", term.count, term.cycles, term.text), 28);
        out += choices(claim);
    }
    return out;
}

std::string observed(const Report& report) {
    std::string out;
    for (const auto& times : report.observations) {
        out += "\n" + wrapped(fmt::format("observed {}, {} runs on {} ({})",
                                          quantity_phrase(times.quantity), times.count,
                                          times.device, times.protocol),
                              2);
        out += wrapped(fmt::format("  best {}  mean {:.1f}  worst {}  cycles", times.best,
                                   times.mean, times.worst),
                       2);
        out += wrapped(fmt::format("  median {}  p90 {}  p99 {}  distinct {}  modes {}",
                                   times.median, times.p90, times.p99, times.distinct, times.modes),
                       2);
        if (report.clock)
            out += fmt::format(
                "  at {}: {} to {}\n", models::to_string(report.clock->range),
                time_text(models::shortest_time(models::Cycles{times.best}, report.clock->range),
                          analyzer::Side::Lower),
                time_text(models::longest_time(models::Cycles{times.worst}, report.clock->range),
                          analyzer::Side::Upper));
        const Claim* upper = report.claim(times.quantity, analyzer::Side::Upper);
        if (upper != nullptr && times.worst > 0)
            out +=
                fmt::format("  upper bound / observed worst = {:.3f}\n",
                            static_cast<double>(upper->value) / static_cast<double>(times.worst));
        if (times.outside_bounds == 0) continue;
        std::string seeds;
        for (const auto seed : times.outside_seeds)
            seeds += fmt::format("{}{}", seeds.empty() ? "; seeds " : ", ", seed);
        out +=
            wrapped(fmt::format("  outside the bounds: {}, the first in run {}{}",
                                times.outside_bounds, times.first_outside_run.value_or(0), seeds),
                    4);
    }
    return out;
}

std::string estimates(const Report& report) {
    if (report.estimates.empty()) return {};
    std::string out = "\npublished formulas (estimates, not bounds)\n";
    for (const auto& estimate : report.estimates)
        out += estimate.refusal.empty()
                   ? wrapped(fmt::format("  {:<10} {:<8} {:>14.1f} {}  {}", estimate.model,
                                         estimate.variant, estimate.value, estimate.unit,
                                         estimate.source),
                             4)
                   : wrapped(fmt::format("  {:<10} {:<8} not applicable: {}", estimate.model,
                                         estimate.variant, estimate.refusal),
                             4);
    return out;
}

std::string worst_path(const Report& report) {
    if (report.worst_path.empty()) return {};
    auto blocks = report.worst_path;
    std::stable_sort(blocks.begin(), blocks.end(),
                     [](const PathBlock& a, const PathBlock& b) { return a.cycles > b.cycles; });
    // Of several warps the bound counts the path with the longest delays beyond its own demand.
    std::string out = fmt::format("\n{}, the most expensive blocks first\n",
                                  report.several_warps()
                                      ? "path of one warp in the upper bound, timed in isolation"
                                      : "worst-case path");
    const std::size_t shown = std::min(listed_blocks, blocks.size());
    for (std::size_t i = 0; i < shown; ++i)
        out +=
            wrapped(fmt::format("  {}  {:>12} times  {:>14} cycles{}{}",
                                address_text(blocks[i].address), blocks[i].count, blocks[i].cycles,
                                blocks[i].source.empty() ? "" : "  ", blocks[i].source),
                    52);
    if (shown < blocks.size()) out += fmt::format("  and {} more\n", blocks.size() - shown);
    return out;
}

std::string stack(const Report& report) {
    const std::int64_t total = stack_total(report);
    if (total <= 0) return {};
    std::string out = fmt::format("\nwhere the {} cycles of {} go\n", total,
                                  report.several_warps() ? "that path" : "the worst-case path");
    for (const auto& [category, cycles] : report.stack) {
        const double share = static_cast<double>(cycles) / static_cast<double>(total);
        const auto length =
            static_cast<std::size_t>(share * static_cast<double>(bar_columns) + 0.5);
        std::string line = fmt::format("  {:<20} {:>14} {:>5.1f} %  {}", category, cycles,
                                       100 * share, std::string(length, '#'));
        line.erase(line.find_last_not_of(' ') + 1);
        out += wrapped(line, 4);
    }
    return out;
}

std::string footing(const Report& report) {
    std::string out;
    if (!report.assumptions.empty())
        out += fmt::format("\nassumptions ({} of {} unchecked)\n", report.unchecked_assumptions(),
                           report.assumptions.size());
    for (const auto subject : subjects) {
        bool first = true;
        for (const auto& assumption : report.assumptions) {
            if (assumption.subject != subject) continue;
            if (first) out += fmt::format("  {}\n", subject_title(subject));
            first = false;
            out += wrapped(fmt::format("  {:<4} {:<10} {}", assumption.id,
                                       analyzer::to_string(assumption.status), assumption.text),
                           18);
        }
    }
    out += "\nnot included\n";
    for (const auto& limitation : report.limitations)
        out += wrapped("  " + limitation, 4);
    out += "\ninputs\n";
    for (const auto& input : report.inputs)
        out += wrapped(fmt::format("  {:<13} {}{}{}", input.role, input.name,
                                   input.digest.empty() ? "" : "  ", input.digest),
                       16);
    out += wrapped(fmt::format("  policy {}; seed {}; warpbound {}{}{}{}{}", report.policy,
                               report.seed, report.tool_version,
                               report.solver.empty() ? "" : "; solver ", report.solver,
                               report.versions.empty() ? "" : "; ", joined(report.versions, ", ")),
                   4);
    return out;
}

} // namespace

std::string render_text(const Report& report) {
    return headline(report) + claims(report) + observed(report) + estimates(report) +
           worst_path(report) + stack(report) + footing(report);
}

} // namespace warpbound::certification
