#pragma once
/// \file
/// The records of a CSV text (RFC 4180), one by one.

#include "assembly/support/result.hpp"
#include "harness/campaign/text_cursor.hpp"

#include <string>
#include <vector>

namespace warpbound::harness {

struct CsvField {
    std::string text;
    TextPosition at;
};
using CsvRecord = std::vector<CsvField>;

/// Refuses, with line and column, a quote that is not around a field, a field of more than 1 MiB
/// and a record of more than 16 MiB.
class CsvRecords {
public:
    /// The cursor must outlive it.
    explicit CsvRecords(TextCursor& cursor) : cursor_{&cursor} {}

    /// Without fields at the end of the text.
    Result<CsvRecord> next();

private:
    [[nodiscard]] bool too_long(std::uint64_t begin_of_field) const;
    /// Reads up to the next comma or end of line.
    Result<CsvField> read_field();
    Result<void> read_quoted(CsvField& field);

    TextCursor* cursor_;
};

} // namespace warpbound::harness
