#include "harness/campaign/exchange_check.hpp"

#include <fmt/format.h>

#include <charconv>

namespace warpbound::harness {

namespace {

struct Field {
    std::string text;
    TextPosition at;
};
using Record = std::vector<Field>;

/// The records of a CSV text, one by one.
class CsvRecords {
public:
    explicit CsvRecords(TextCursor& cursor) : cursor_{&cursor} {}

    /// Without fields at the end of the text.
    Result<Record> next() {
        Record record;
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

private:
    static constexpr const char* long_field = "a field of more than 1 MiB";

    [[nodiscard]] bool too_long(std::uint64_t begin_of_field) const {
        return cursor_->passed() - begin_of_field > longest_piece;
    }

    /// Reads up to the next comma or end of line.
    Result<Field> read_field() {
        Field field{{}, cursor_->position()};
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

    Result<void> read_quoted(Field& field) {
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

    TextCursor* cursor_;
};

/// Interprets the records of a campaign by their first field.
class CsvCampaign {
public:
    CsvCampaign(TextCursor& cursor, const CampaignListener& listener)
        : cursor_{&cursor}, check_{cursor, listener} {}

    Result<void> read() {
        CsvRecords records{*cursor_};
        auto record = records.next();
        if (!record) return record.as_failure();
        if (auto known = header(record.value()); !known) return known;
        for (;;) {
            record = records.next();
            if (!record) return record.as_failure();
            if (record.value().empty()) return check_.end_of_series(cursor_->position());
            if (check_.has_digests()) without_apostrophes(record.value());
            if (auto read = one(record.value()); !read) return read;
        }
    }

private:
    template <typename Number> Result<Number> number(const Field& field, const char* what) const {
        Number value = 0;
        const char* end = field.text.data() + field.text.size();
        const auto [stop, error] = std::from_chars(field.text.data(), end, value);
        if (error != std::errc{} || stop != end)
            return cursor_->refuse(
                fmt::format("'{:.40}' as {}; expected a whole number", field.text, what), field.at);
        return value;
    }

    /// From version 3 on an apostrophe at the begin of a field is not part of it.
    static void without_apostrophes(Record& record) {
        for (Field& field : record)
            if (!field.text.empty() && field.text.front() == '\'') field.text.erase(0, 1);
    }

    Result<void> header(const Record& record) {
        const Field nothing{"", {}};
        const bool two = record.size() == 2;
        const auto version = two ? number<std::int64_t>(record[1], "version")
                                 : Result<std::int64_t>{std::int64_t{0}};
        if (!version) return version.as_failure();
        return check_.version(two ? record[0].text : "", version.value(),
                              record.empty() ? TextPosition{} : record[0].at);
    }

    Result<void> one(const Record& record) {
        const Field& type = record.front();
        if (type.text == "series") return series(record);
        if (type.text == "conditions") return conditions(record);
        if (type.text == "run") return run(record);
        if (type.text == "digests") return digests(record);
        return cursor_->refuse(
            fmt::format("a record '{:.40}'; expected series, conditions, run or digests",
                        type.text),
            type.at);
    }

    Result<void> series(const Record& record) {
        if (record.size() != 1 + key_fields.size())
            return cursor_->refuse(fmt::format("a series of {} fields; expected {}",
                                               record.size() - 1, key_fields.size()),
                                   record.front().at);
        SeriesKey key;
        for (std::size_t i = 0; i < key_fields.size(); ++i)
            key.*key_fields.at(i).field = record[i + 1].text;
        return check_.series(key, record.front().at);
    }

    Result<void> conditions(const Record& record) {
        if (record.size() < 4 || record.size() % 2 != 0)
            return cursor_->refuse("conditions; expected the first run, then names and values",
                                   record.front().at);
        const auto first_run = number<std::int64_t>(record[1], "the first run");
        if (!first_run) return first_run.as_failure();
        RecordedConditions recorded{first_run.value(), {}};
        for (std::size_t i = 2; i < record.size(); i += 2)
            recorded.conditions.emplace_back(record[i].text, record[i + 1].text);
        return check_.conditions(recorded, record.front().at);
    }

    Result<void> digests(const Record& record) {
        if (record.size() != 3)
            return cursor_->refuse("digests; expected that of the runs and that of the conditions",
                                   record.front().at);
        return check_.digests({record[1].text, record[2].text}, record.front().at);
    }

    Result<void> run(const Record& record) {
        if (record.size() < 5)
            return cursor_->refuse("a run; expected its number, seed, trouble, remark and times",
                                   record.front().at);
        Sample sample;
        const auto run = number<std::int64_t>(record[1], "the run's number");
        if (!run) return run.as_failure();
        const auto seed = number<std::uint64_t>(record[2], "the seed");
        if (!seed) return seed.as_failure();
        const auto anomaly = parse_anomaly(record[3].text);
        if (!anomaly)
            return cursor_->refuse(fmt::format("unknown run anomaly '{:.40}'", record[3].text),
                                   record[3].at);
        sample.run = run.value();
        sample.seed = seed.value();
        sample.remark = {*anomaly, record[4].text};
        for (std::size_t i = 5; i < record.size(); ++i) {
            const auto time = number<std::int64_t>(record[i], "a time");
            if (!time) return time.as_failure();
            sample.times.push_back(time.value());
        }
        return check_.sample(std::move(sample), record.front().at);
    }

    TextCursor* cursor_;
    ExchangeCheck check_;
};

} // namespace

Result<void> read_campaign_csv(TextCursor& cursor, const CampaignListener& listener) {
    return CsvCampaign{cursor, listener}.read();
}

} // namespace warpbound::harness
