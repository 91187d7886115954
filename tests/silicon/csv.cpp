#include "tests/silicon/csv.hpp"

#include "assembly/support/source_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>

namespace warpbound::silicon {

namespace {

constexpr std::size_t largest_table = std::size_t{16} << 20U;

/// The fields of the record that begins at `at`, which moves behind its end.
std::vector<std::string> next_record(std::string_view text, std::size_t& at) {
    std::vector<std::string> fields(1);
    bool quoted = false;
    for (; at < text.size(); ++at) {
        const char c = text[at];
        if (quoted && c == '"' && text.substr(at + 1, 1) == "\"") {
            fields.back() += c;
            ++at;
        } else if (c == '"') {
            quoted = !quoted;
        } else if (!quoted && c == ',') {
            fields.emplace_back();
        } else if (!quoted && c == '\n') {
            ++at;
            break;
        } else if (c != '\r') {
            fields.back() += c;
        }
    }
    return fields;
}

} // namespace

Result<std::vector<Record>> read_table(const std::filesystem::path& path,
                                       const std::vector<std::string_view>& columns) {
    const auto source = assembly::read_source(path, largest_table);
    if (!source) return source.as_failure();
    const std::string_view text = source.value().text;
    std::size_t at = 0;
    const auto heading = next_record(text, at);
    for (const std::string_view column : columns)
        if (std::ranges::find(heading, column) == heading.end())
            return Failure{fmt::format("no column '{}'", column), path.string(), 1};
    std::vector<Record> records;
    for (int line = 2; at < text.size(); ++line) {
        const auto fields = next_record(text, at);
        if (fields.size() == 1 && fields.front().empty()) continue;
        if (fields.size() != heading.size())
            return Failure{fmt::format("record {} has {} fields; expected {}", line, fields.size(),
                                       heading.size()),
                           path.string(), line};
        Record record;
        for (std::size_t i = 0; i < fields.size(); ++i)
            record.emplace(heading[i], fields[i]);
        records.push_back(std::move(record));
    }
    return records;
}

std::optional<double> number_of(std::string_view text) {
    double number = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, number);
    if (text.empty() || error != std::errc{} || stop != end) return std::nullopt;
    return number;
}

} // namespace warpbound::silicon
