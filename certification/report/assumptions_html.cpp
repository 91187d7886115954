#include "certification/report/assumptions_html.hpp"

#include "certification/page/chart.hpp"
#include "certification/report/wording.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace warpbound::certification {

namespace {

std::string capitalised(std::string_view text) {
    std::string out{text};
    if (!out.empty())
        out.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(out.front())));
    return out;
}

std::string group_table(const std::vector<RegisterRow>& rows, analyzer::AssumptionSubject subject,
                        bool with_stages, bool with_claims) {
    std::string cells;
    for (const auto& row : rows) {
        if (row.subject != analyzer::to_string(subject)) continue;
        cells += "<tr>" + cell(row.id) + cell(row.status) + (with_stages ? cell(row.stages) : "") +
                 long_cell(row.text) + (with_claims ? cell(row.claims) : "") + "</tr>\n";
    }
    if (cells.empty()) return {};
    Columns columns{{"id", false}, {"status", false}};
    if (with_stages) columns.emplace_back("stages", false);
    columns.emplace_back("assumption", false);
    if (with_claims) columns.emplace_back("claims", false);
    return table("Assumptions " + std::string{subject_title(subject)}, columns, cells);
}

std::string values_table(const std::vector<MachineValue>& values) {
    if (values.empty()) return {};
    std::string cells;
    for (const auto& value : values)
        cells += "<tr>" + cell(value.path) + cell(value.value) + cell(value.grade) +
                 cell(value.source) + "</tr>\n";
    return "<details><summary>Values of the description that these assumptions are "
           "about</summary>" +
           sortable_table(
               "Values that the bounds use and that are no vendor's or published numbers",
               {{"value", false}, {"range", false}, {"grade", false}, {"source", false}}, cells) +
           "</details>\n";
}

} // namespace

std::string assumption_groups(const std::vector<RegisterRow>& rows,
                              const std::vector<MachineValue>& values,
                              const std::vector<std::string>& limitations,
                              const SectionScope& scope) {
    const bool with_stages = std::any_of(
        rows.begin(), rows.end(), [](const RegisterRow& row) { return !row.stages.empty(); });
    const bool with_claims = std::any_of(
        rows.begin(), rows.end(), [](const RegisterRow& row) { return !row.claims.empty(); });
    std::string out;
    for (const auto subject : subjects) {
        std::string group = group_table(rows, subject, with_stages, with_claims);
        if (subject == analyzer::AssumptionSubject::Machine) group += values_table(values);
        if (subject == analyzer::AssumptionSubject::NotModelled && !limitations.empty()) {
            group += "<p>No number of this report includes:</p>\n<ul>\n";
            for (const auto& limitation : limitations)
                group += "<li>" + escape(limitation) + "</li>\n";
            group += "</ul>\n";
        }
        if (group.empty()) continue;
        out += heading({scope.level + 1, scope.prefix},
                       fmt::format("assumed-{}", analyzer::to_string(subject)),
                       capitalised(subject_title(subject))) +
               group;
    }
    return out;
}

std::vector<RegisterRow> register_rows(const std::vector<analyzer::Assumption>& assumptions) {
    std::vector<RegisterRow> rows;
    for (const auto& assumption : assumptions)
        rows.push_back({.id = assumption.id,
                        .subject = std::string{analyzer::to_string(assumption.subject)},
                        .status = std::string{analyzer::to_string(assumption.status)},
                        .text = assumption.text,
                        .claims = ""});
    return rows;
}

} // namespace warpbound::certification
