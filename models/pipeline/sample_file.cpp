#include "models/pipeline/sample_file.hpp"

#include "models/time/time_column.hpp"

#include <fmt/format.h>

#include <string>

namespace warpbound::models {

Result<std::vector<Nanoseconds>> read_sample_file(const assembly::SourceText& source,
                                                  std::string_view unit) {
    const auto lines = read_time_column(source);
    if (!lines) return lines.as_failure();
    std::vector<Nanoseconds> times;
    for (const auto& [text, line] : lines.value()) {
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
    return times;
}

} // namespace warpbound::models
