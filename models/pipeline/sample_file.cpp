#include "models/pipeline/sample_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

namespace warpbound::models {

namespace {

std::string_view trimmed(std::string_view text) {
    const auto first = text.find_first_not_of(" \t\r");
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

/// A text that a table has above its column: it begins with no digit.
bool is_heading(std::string_view text) {
    return text.find_first_of("0123456789.+-") != 0;
}

} // namespace

Result<std::vector<Nanoseconds>> read_sample_file(const assembly::SourceText& source,
                                                  std::string_view unit) {
    std::vector<Nanoseconds> times;
    std::int64_t line = 0;
    bool is_first = true;
    for (std::size_t begin = 0; begin < source.text.size();) {
        const std::size_t end = std::min(source.text.find('\n', begin), source.text.size());
        const auto text = trimmed(std::string_view{source.text}.substr(begin, end - begin));
        begin = end + 1;
        ++line;
        if (text.empty() || text.front() == '#') continue;
        const bool may_be_heading = std::exchange(is_first, false);
        if (may_be_heading && is_heading(text)) continue;
        const bool is_number = text.find_first_not_of("0123456789.") == std::string_view::npos;
        const auto time = is_number ? parse_duration(std::string{text} + std::string{unit})
                                    : Result<Nanoseconds>{Failure{"no number"}};
        if (!time)
            return Failure{fmt::format("'{}' is no time; expected one number a line, in {}, down "
                                       "to whole nanoseconds",
                                       text.substr(0, 40), unit),
                           source.name, line};
        times.push_back(time.value());
    }
    if (times.empty())
        return Failure{"no time; expected one number a line", source.name,
                       std::max<std::int64_t>(line, 1)};
    return times;
}

} // namespace warpbound::models
