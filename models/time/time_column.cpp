#include "models/time/time_column.hpp"

#include <algorithm>

namespace warpbound::models {

namespace {

std::string_view trimmed(std::string_view text) {
    constexpr std::string_view blanks = " \t\r";
    const std::size_t first = text.find_first_not_of(blanks);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

/// Words for what is no number are no heading: they stand where a time is due.
bool is_heading(std::string_view line) {
    return line.find_first_of("0123456789") == std::string_view::npos && line != "nan" &&
           line != "inf" && line.front() != '-';
}

} // namespace

Result<std::vector<TimeLine>> read_time_column(const assembly::SourceText& source) {
    std::vector<TimeLine> lines;
    std::string_view rest = source.text;
    bool is_first = true;
    std::int64_t number = 1;
    for (; !rest.empty(); ++number) {
        const std::size_t end = std::min(rest.find('\n'), rest.size());
        const std::string_view line = trimmed(rest.substr(0, end));
        rest.remove_prefix(std::min(end + 1, rest.size()));
        if (line.empty() || line.front() == '#') continue;
        if (!is_first || !is_heading(line)) lines.push_back({line, number});
        is_first = false;
    }
    if (lines.empty())
        return Failure{"has no times; expected one a line, in run order", source.name,
                       std::max<std::int64_t>(number - 1, 1)};
    return lines;
}

} // namespace warpbound::models
