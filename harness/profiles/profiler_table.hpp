#pragma once
/// \file
/// A CSV table as profilers write it: messages before its heading and between its records.

#include "harness/campaign/csv_records.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

namespace warpbound::harness::profiles {

/// Blocks or threads in x, y and z.
using Extents = std::array<std::int64_t, 3>;

/// A whole number and nothing else.
std::optional<std::int64_t> whole_number(std::string_view text);

/// A table with a heading; lines of messages stand before it, and between its records.
class ProfilerTable {
public:
    explicit ProfilerTable(TextCursor& cursor) : cursor_{&cursor}, records_{cursor} {}

    Result<void> read_heading(std::int64_t line) {
        while (cursor_->peek() && cursor_->position().line < line)
            skip_line();
        auto record = records_.next();
        if (!record) return record.as_failure();
        heading_ = std::move(record).value();
        if (heading_.empty()) return cursor_->refuse("no heading");
        return boost::outcome_v2::success();
    }
    /// Empty at the end. Refuses a record of another length than the heading.
    Result<CsvRecord> next() {
        while (cursor_->peek() == '=' || cursor_->peek() == '\n' || cursor_->peek() == '\r')
            skip_line();
        auto record = records_.next();
        if (record && !record.value().empty() && record.value().size() != heading_.size())
            return cursor_->refuse(fmt::format("a record of {} fields; the heading has {}",
                                               record.value().size(), heading_.size()),
                                   record.value().front().at);
        return record;
    }
    [[nodiscard]] std::optional<std::size_t> place(std::string_view column) const {
        const auto found =
            std::find_if(heading_.begin(), heading_.end(),
                         [&](const CsvField& field) { return field.text == column; });
        if (found == heading_.end()) return std::nullopt;
        return static_cast<std::size_t>(found - heading_.begin());
    }
    /// The first of these columns that there is.
    [[nodiscard]] std::optional<std::size_t>
    any_of(std::initializer_list<std::string_view> columns) const {
        for (const auto column : columns)
            if (const auto found = place(column)) return found;
        return std::nullopt;
    }
    [[nodiscard]] Failure refuse(std::string what, const CsvField& at) const {
        return cursor_->refuse(std::move(what), at.at);
    }
    [[nodiscard]] Failure lacks(std::string_view columns) const {
        return cursor_->refuse(fmt::format("no column {}", columns), heading_.front().at);
    }

private:
    void skip_line() {
        while (cursor_->peek() && cursor_->peek() != '\n')
            cursor_->advance();
        if (cursor_->peek()) cursor_->advance();
    }

    TextCursor* cursor_;
    CsvRecords records_;
    CsvRecord heading_;
};

/// Opens the table of a file, calls `start` after its heading, then `take` for each record. Refuses
/// a file without a heading that `find_heading` knows.
Result<void> read_table(const std::string& path,
                        const std::function<Result<void>(const ProfilerTable&)>& start,
                        const std::function<Result<void>(const CsvRecord&)>& take);

} // namespace warpbound::harness::profiles
