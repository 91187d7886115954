#include "harness/campaign/csv_records.hpp"

#include "harness/campaign/exchange_check.hpp"

namespace warpbound::harness {

namespace {

constexpr const char* long_field = "a field of more than 1 MiB";

} // namespace

Result<CsvRecord> CsvRecords::next() {
    CsvRecord record;
    if (!cursor_->peek()) return record;
    const std::uint64_t begin = cursor_->passed();
    for (;;) {
        if (cursor_->passed() - begin > longest_record)
            return cursor_->refuse("a record of more than 16 MiB");
        auto field = read_field();
        if (!field) return field.as_failure();
        record.push_back(std::move(field).value());
        const auto letter = cursor_->peek();
        if (letter) cursor_->advance();
        if (letter != ',') return record; // An end of line, or of the text.
    }
}

bool CsvRecords::too_long(std::uint64_t begin_of_field) const {
    return cursor_->passed() - begin_of_field > longest_piece;
}

Result<CsvField> CsvRecords::read_field() {
    CsvField field{{}, cursor_->position()};
    const std::uint64_t begin = cursor_->passed();
    if (cursor_->peek() == '"') {
        if (auto read = read_quoted(field); !read) return read.as_failure();
    } else {
        for (auto letter = cursor_->peek(); letter && *letter != ',' && *letter != '\n';
             letter = cursor_->peek()) {
            if (*letter == '"')
                return cursor_->refuse("a quote inside a field; expected it around the field");
            if (too_long(begin)) return cursor_->refuse(long_field);
            field.text += *letter;
            cursor_->advance();
        }
        if (!field.text.empty() && field.text.back() == '\r' && cursor_->peek() != ',')
            field.text.pop_back();
    }
    return field;
}

Result<void> CsvRecords::read_quoted(CsvField& field) {
    const std::uint64_t begin = cursor_->passed();
    cursor_->advance();
    for (;;) {
        const auto letter = cursor_->peek();
        if (!letter) return cursor_->refuse("no quote at the end of this field", field.at);
        if (too_long(begin)) return cursor_->refuse(long_field);
        cursor_->advance();
        if (*letter != '"') {
            field.text += *letter;
            continue;
        }
        if (cursor_->peek() == '"') {
            field.text += '"';
            cursor_->advance();
            continue;
        }
        if (cursor_->peek() == '\r') cursor_->advance();
        const auto after = cursor_->peek();
        if (after && *after != ',' && *after != '\n')
            return cursor_->refuse("text after a quoted field; expected a comma");
        return boost::outcome_v2::success();
    }
}

} // namespace warpbound::harness
