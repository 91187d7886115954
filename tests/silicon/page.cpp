#include "tests/silicon/page.hpp"

#include "models/architecture/coverage.hpp"
#include "models/architecture/value_path.hpp"
#include "tests/support/median.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

namespace warpbound::silicon {

namespace {

/// Disagreements of a machine's value that are listed in full.
constexpr std::size_t most_in_full = 5;
/// A typical value is far off from a quarter on.
constexpr double far_off = 1.25;

/// Text for a cell of a Markdown table.
std::string cell(std::string text) {
    for (std::size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2)
        text.replace(at, 1, "\\|");
    return text;
}

std::string number(double value) {
    const double rounded = std::round(value * 100) / 100;
    return fmt::format("{:g}", rounded >= 1e6 ? std::round(rounded) : rounded);
}

std::string interval(const Comparison& comparison) {
    std::string text = comparison.lo == comparison.hi
                           ? number(comparison.lo)
                           : number(comparison.lo) + ".." + number(comparison.hi);
    if (comparison.typical && comparison.lo != comparison.hi)
        text += " (" + number(*comparison.typical) + ")";
    return text;
}

std::string measurement(const Row& row) {
    return fmt::format("{} {}{}", row.kind, row.instruction,
                       row.condition.empty() ? "" : ", " + row.condition);
}

bool has_number(const Comparison& comparison) {
    return comparison.outcome != Outcome::Unknown && comparison.outcome != Outcome::NotDescribed;
}

struct Tally {
    std::size_t card = 0;
    std::size_t family = 0;
    std::size_t excused = 0;
    std::size_t outside = 0;
    std::size_t without_number = 0;
};

std::string machine_table(const Mapping& mapping, const Findings& findings) {
    std::string text =
        "| machine | values | measured on it | on its family | vendor | derived | assumed | "
        "unknown "
        "| rows that hold: of it | of its family | outside with a reason | without | no number |\n"
        "|---|---|---|---|---|---|---|---|---|---|---|---|---|\n";
    for (const Machine& machine : mapping.machines) {
        Tally tally;
        for (const Comparison& each : findings.comparisons) {
            if (each.machine != &machine) continue;
            if (!has_number(each))
                ++tally.without_number;
            else if (each.is_outside())
                ++(each.exception == nullptr ? tally.outside : tally.excused);
            else
                ++(each.shared == Scope::Card ? tally.card : tally.family);
        }
        const models::Coverage coverage = models::coverage_of(machine.description);
        text += fmt::format(
            "| `{}` | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |\n",
            machine.description.name, coverage.total(), coverage.card, coverage.family,
            coverage.vendor, coverage.derived, coverage.assumed, coverage.unknown, tally.card,
            tally.family, tally.excused, tally.outside, tally.without_number);
    }
    return text;
}

std::vector<const Comparison*> outside_of(const Findings& findings) {
    std::vector<const Comparison*> outside;
    for (const Comparison& each : findings.comparisons)
        if (each.is_outside()) outside.push_back(&each);
    std::ranges::stable_sort(
        outside, [](const Comparison* a, const Comparison* b) { return a->ratio() > b->ratio(); });
    return outside;
}

std::string reason_table(const Findings& findings) {
    struct Group {
        std::size_t rows = 0;
        double most = 1;
    };
    std::map<std::array<std::string, 3>, Group> groups;
    for (const Comparison* each : outside_of(findings)) {
        Group& group = groups[{each->machine->description.name, each->path,
                               each->exception == nullptr ? "**none**" : each->exception->reason}];
        ++group.rows;
        group.most = std::max(group.most, each->ratio());
    }
    if (groups.empty()) return "None.\n";
    std::string text =
        "| machine | value | rows | at most, times | reason |\n|---|---|---|---|---|\n";
    for (const auto& [key, group] : groups)
        text += fmt::format("| `{}` | {} | {} | {} | {} |\n", key[0], key[1], group.rows,
                            number(group.most), cell(key[2]));
    return text;
}

std::string disagreement_table(const Findings& findings) {
    const auto outside = outside_of(findings);
    if (outside.empty()) return "None.\n";
    std::string text =
        "| machine | value | interval (typical) | measured | times | on | what | source |\n"
        "|---|---|---|---|---|---|---|---|\n";
    std::map<std::pair<const Machine*, std::string>, std::size_t> listed;
    for (const Comparison* one : outside) {
        const Comparison& each = *one;
        if (listed[{each.machine, each.path}]++ >= most_in_full) continue;
        text += fmt::format("| `{}` | {} | {} | {} | {} | {} | {} | {} |\n",
                            each.machine->description.name, each.path, interval(each),
                            number(each.measured), number(each.ratio()), each.row->device,
                            cell(measurement(*each.row)), cell(each.row->source));
    }
    return text;
}

/// Typical values that are far from the median of the rows of the machine's own card and chip.
std::string typical_table(const Findings& findings) {
    std::map<std::array<std::string, 2>, std::vector<const Comparison*>> groups;
    for (const Comparison& each : findings.comparisons)
        if (each.typical && each.lo != each.hi && each.shared != Scope::Core &&
            each.row->kind != "L1-wavefront")
            groups[{each.machine->description.name, each.path}].push_back(&each);
    std::string rows;
    for (const auto& [key, group] : groups) {
        std::vector<double> measured;
        for (const Comparison* each : group)
            measured.push_back(each->measured / *each->typical);
        const double typical = *group.front()->typical;
        const double ratio = tests::interpolated_median_of(std::move(measured));
        if (std::max(ratio, 1 / ratio) < far_off) continue;
        rows += fmt::format("| `{}` | {} | {} | {} | {} |\n", key[0], key[1], number(typical),
                            number(ratio * typical), group.size());
    }
    if (rows.empty()) return "None.\n";
    return "| machine | value | typical | median measured | rows |\n|---|---|---|---|---|\n" + rows;
}

std::string unknown_table(const Findings& findings) {
    struct Group {
        std::size_t rows = 0;
        double least = 0;
        double most = 0;
        std::string what;
    };
    std::map<std::array<std::string, 2>, Group> groups;
    for (const Comparison& each : findings.comparisons) {
        if (has_number(each)) continue;
        Group& group = groups[{each.machine->description.name, each.path}];
        if (group.rows++ == 0) {
            group.least = group.most = each.measured;
            group.what = each.outcome == Outcome::Unknown ? "unknown" : "not described";
        }
        group.least = std::min(group.least, each.measured);
        group.most = std::max(group.most, each.measured);
    }
    if (groups.empty()) return "None.\n";
    std::string text =
        "| machine | value | description | measured | rows |\n|---|---|---|---|---|\n";
    for (const auto& [key, group] : groups)
        text +=
            fmt::format("| `{}` | {} | {} | {} | {} |\n", key[0], key[1], group.what,
                        group.least == group.most ? number(group.least)
                                                  : number(group.least) + ".." + number(group.most),
                        group.rows);
    return text;
}

std::string unmapped_table(const Findings& findings) {
    if (findings.unmapped.empty()) return "None.\n";
    std::vector<std::pair<std::string, std::size_t>> sorted{findings.unmapped.begin(),
                                                            findings.unmapped.end()};
    std::ranges::stable_sort(sorted,
                             [](const auto& a, const auto& b) { return a.second > b.second; });
    std::string text = "| rows | why they speak of no described value |\n|---|---|\n";
    for (const auto& [reason, rows] : sorted)
        text += fmt::format("| {} | {} |\n", rows, cell(reason));
    return text;
}

std::string summary(const Findings& findings) {
    std::size_t held = 0;
    std::size_t excused = 0;
    std::size_t outside = 0;
    std::size_t without_number = 0;
    for (const Comparison& each : findings.comparisons)
        ++(!has_number(each)           ? without_number
           : !each.is_outside()        ? held
           : each.exception != nullptr ? excused
                                       : outside);
    return fmt::format(
        "{} rows; {} of them speak of a value of {} comparisons: {} hold, {} lie outside with a "
        "reason, {} without one; for {} the description has no number.\n",
        findings.rows, findings.mapped, findings.comparisons.size(), held, excused, outside,
        without_number);
}

} // namespace

Findings hold(const Mapping& mapping, const std::vector<Row>& rows) {
    Findings findings;
    findings.rows = rows.size();
    for (const Row& row : rows) {
        const auto found = match(mapping, row);
        if (const auto* const reason = std::get_if<std::string>(&found)) {
            ++findings.unmapped[*reason];
            continue;
        }
        ++findings.mapped;
        const Match& matched = std::get<Match>(found);
        for (const Machine* machine : matched.machines)
            findings.comparisons.push_back(compare(mapping, row, matched, *machine));
    }
    return findings;
}

std::string page_of(const Mapping& mapping, const Findings& findings) {
    return summary(findings) + "\n**Machines.**\n\n" + machine_table(mapping, findings) +
           "\n**Disagreements by reason.**\n\n" + reason_table(findings) +
           "\n**The largest disagreements in full.**\n\n" + disagreement_table(findings) +
           fmt::format("\n**Typical values more than {:.0f} % off** (own card and chip).\n\n",
                       (far_off - 1) * 100) +
           typical_table(findings) +
           "\n**Measured, but without a number in the description.**\n\n" +
           unknown_table(findings) + "\n**Rows that speak of no value.**\n\n" +
           unmapped_table(findings);
}

std::string text_of_unmarked(const Findings& findings) {
    std::set<std::string> lines;
    for (const Comparison& each : findings.comparisons) {
        const auto* const value = models::find_value(each.machine->description, each.path);
        if (value == nullptr || each.shared != Scope::Card || each.outcome != Outcome::Holds ||
            value->grade == models::Grade::Assumed || value->measured == models::MeasuredOn::Card)
            continue;
        lines.insert(
            fmt::format("{}: {} was measured on this card ({}); expected measured=\"card\"\n",
                        each.machine->description.name, each.path, each.row->source));
    }
    return fmt::format("{}", fmt::join(lines, ""));
}

std::string text_of_outside(const Findings& findings) {
    std::string text;
    for (const Comparison* each : outside_of(findings))
        if (each->exception == nullptr)
            text += fmt::format("{}: {} is {}, measured {} on {} ({}; {})\n",
                                each->machine->description.name, each->path, interval(*each),
                                number(each->measured), each->row->device, measurement(*each->row),
                                each->row->source);
    return text;
}

} // namespace warpbound::silicon
