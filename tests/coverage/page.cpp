#include "tests/coverage/page.hpp"

#include "assembly/support/csv_cell.hpp"
#include "tests/support/median.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <regex>

namespace warpbound::coverage {

namespace {

/// Share in percent, rounded down to a tenth; a dash where there is nothing to share.
std::string percent(std::int64_t part, std::int64_t all) {
    if (all == 0) return "-";
    const std::int64_t tenths = part * 1000 / all;
    return fmt::format("{}.{} %", tenths / 10, tenths % 10);
}

std::optional<double> ratio_of(const std::optional<std::int64_t>& upper,
                               const std::optional<std::int64_t>& lower) {
    if (!upper || !lower || *lower == 0) return std::nullopt;
    return static_cast<double>(*upper) / static_cast<double>(*lower);
}

std::string text_of(const std::optional<double>& value) {
    return value ? fmt::format("{:.2f}", *value) : "-";
}

std::string total_line(std::string_view what, const std::string& value, std::string_view target) {
    return fmt::format("| {} | {} | {} |\n", what, value, target);
}

std::string counted(const std::vector<Row>& rows, bool Score::*member) {
    const auto with =
        std::count_if(rows.begin(), rows.end(), [&](const Row& row) { return row.score.*member; });
    return percent(with, static_cast<std::int64_t>(rows.size()));
}

std::string derived_share(const std::vector<Row>& rows, Derived Score::*member) {
    Derived sum;
    for (const Row& row : rows) {
        sum.all += (row.score.*member).all;
        sum.derived += (row.score.*member).derived;
    }
    return fmt::format("{} of {}", percent(sum.derived, sum.all), sum.all);
}

std::string totals_of(const std::vector<Row>& rows) {
    std::vector<std::int64_t> facts;
    std::vector<double> uppers;
    std::vector<double> lowers;
    for (const Row& row : rows) {
        if (row.score.read) facts.push_back(row.score.facts);
        if (const auto ratio = ratio_of(row.score.upper, row.score.longest))
            uppers.push_back(*ratio);
        if (const auto ratio = ratio_of(row.score.lower, row.score.shortest))
            lowers.push_back(*ratio);
    }
    const auto outside =
        std::count_if(rows.begin(), rows.end(), [](const Row& row) { return row.score.outside; });
    const auto without = std::count(facts.begin(), facts.end(), 0);
    std::string text = "| what | score | target |\n|---|---|---|\n";
    text += total_line("kernels and targets", std::to_string(rows.size()), "150");
    text += total_line("read", counted(rows, &Score::read), "99 %");
    text += total_line("bounded", counted(rows, &Score::bounded), "95 %");
    text += total_line("certified", counted(rows, &Score::certified), "95 %");
    text += total_line("verified within 10 s", counted(rows, &Score::verified), "95 %");
    text += total_line("loops bounded from the code", derived_share(rows, &Score::loops), "60 %");
    text += total_line("transactions of global accesses derived",
                       derived_share(rows, &Score::transactions), "80 %");
    text += total_line("conflict degrees of shared accesses derived",
                       derived_share(rows, &Score::conflicts), "90 %");
    const auto median_facts = tests::upper_median_of(facts);
    text += total_line("facts by hand, median", median_facts ? std::to_string(*median_facts) : "-",
                       "1");
    text += total_line("kernels that need no fact",
                       percent(without, static_cast<std::int64_t>(rows.size())), "");
    text += total_line("runs outside their bounds", std::to_string(outside), "0");
    text += total_line("upper bound over longest run, median",
                       text_of(tests::upper_median_of(uppers)), "1.5");
    text += total_line("lower bound over shortest run, median",
                       text_of(tests::upper_median_of(lowers)), "0.5");
    return text;
}

/// A message without what differs from kernel to kernel: addresses, places, registers.
std::string cause_of(const std::string& message) {
    static const std::regex source{R"( \([^()]*\.cu:\d+\))"};
    static const std::regex address{R"(0x[0-9a-f]+)"};
    static const std::regex machine{R"((turing|ampere|hopper)-[a-z0-9]+)"};
    std::string cause = std::regex_replace(message, source, "");
    cause = std::regex_replace(cause, address, "ADDRESS");
    return std::regex_replace(cause, machine, "MACHINE");
}

std::string causes_of(const std::vector<Row>& rows) {
    std::map<std::string, std::vector<std::string>> kernels;
    for (const Row& row : rows)
        if (!row.score.cause.empty())
            kernels[cause_of(row.score.cause)].push_back(
                fmt::format("`{}` {}", row.kernel.kernel, row.kernel.target));
    std::vector<std::pair<std::string, std::vector<std::string>>> causes{kernels.begin(),
                                                                         kernels.end()};
    std::stable_sort(causes.begin(), causes.end(), [](const auto& left, const auto& right) {
        return left.second.size() > right.second.size();
    });
    std::string text = "| kernels | cause | for example |\n|---|---|---|\n";
    for (const auto& [cause, which] : causes) {
        std::string escaped = std::regex_replace(cause, std::regex{R"(\|)"}, "\\|");
        text += fmt::format("| {} | {} | {} |\n", which.size(), escaped, which.front());
    }
    return text;
}

std::string share(const Derived& derived) {
    return derived.all == 0 ? "" : fmt::format("{}/{}", derived.derived, derived.all);
}

std::string stage_of(const Score& score) {
    if (score.verified) return "verified";
    if (score.certified) return "certified";
    if (score.bounded) return "bounded";
    return score.read ? "read" : "not read";
}

std::string kernels_of(const std::vector<Row>& rows) {
    std::string text = "| source | kernel | target | reached | facts | loops | transactions | "
                       "conflicts | upper | longest run | ratio |\n"
                       "|---|---|---|---|---|---|---|---|---|---|---|\n";
    for (const Row& row : rows) {
        const Score& score = row.score;
        const auto number = [](const std::optional<std::int64_t>& value) {
            return value ? std::to_string(*value) : "";
        };
        text += fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |\n",
                            row.kernel.file, row.kernel.kernel, row.kernel.target, stage_of(score),
                            score.facts, share(score.loops), share(score.transactions),
                            share(score.conflicts), number(score.upper), number(score.longest),
                            score.upper ? text_of(ratio_of(score.upper, score.longest)) : "");
    }
    return text;
}

} // namespace

std::string page_of(const std::vector<Row>& rows) {
    return totals_of(rows) + "\n## Refusals by cause\n\n" + causes_of(rows) + "\n## Kernels\n\n" +
           kernels_of(rows);
}

std::string csv_of(const std::vector<Row>& rows) {
    std::string text = "file,kernel,target,reached,facts,loops,loops-derived,transactions,"
                       "transactions-derived,conflicts,conflicts-derived,lower,upper,shortest,"
                       "longest,cause\n";
    for (const Row& row : rows) {
        const Score& score = row.score;
        const auto number = [](const std::optional<std::int64_t>& value) {
            return value ? std::to_string(*value) : "";
        };
        text += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", row.kernel.file,
                            row.kernel.kernel, row.kernel.target, stage_of(score), score.facts,
                            score.loops.all, score.loops.derived, score.transactions.all,
                            score.transactions.derived, score.conflicts.all,
                            score.conflicts.derived, number(score.lower), number(score.upper),
                            number(score.shortest), number(score.longest), csv_cell(score.cause));
    }
    return text;
}

} // namespace warpbound::coverage
