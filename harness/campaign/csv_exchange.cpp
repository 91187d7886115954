#include "harness/campaign/csv_records.hpp"
#include "harness/campaign/exchange_check.hpp"

#include <fmt/format.h>

#include <charconv>

namespace warpbound::harness {

namespace {

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
    template <typename Number>
    Result<Number> number(const CsvField& field, const char* what) const {
        Number value = 0;
        const char* end = field.text.data() + field.text.size();
        const auto [stop, error] = std::from_chars(field.text.data(), end, value);
        if (error != std::errc{} || stop != end)
            return cursor_->refuse(
                fmt::format("'{:.40}' as {}; expected a whole number", field.text, what), field.at);
        return value;
    }

    /// From version 3 on an apostrophe at the begin of a field is not part of it.
    static void without_apostrophes(CsvRecord& record) {
        for (CsvField& field : record)
            if (!field.text.empty() && field.text.front() == '\'') field.text.erase(0, 1);
    }

    Result<void> header(const CsvRecord& record) {
        const CsvField nothing{"", {}};
        const bool two = record.size() == 2;
        const auto version = two ? number<std::int64_t>(record[1], "version")
                                 : Result<std::int64_t>{std::int64_t{0}};
        if (!version) return version.as_failure();
        return check_.version(two ? record[0].text : "", version.value(),
                              record.empty() ? TextPosition{} : record[0].at);
    }

    Result<void> one(const CsvRecord& record) {
        const CsvField& type = record.front();
        if (type.text == "series") return series(record);
        if (type.text == "conditions") return conditions(record);
        if (type.text == "run") return run(record);
        if (type.text == "digests") return digests(record);
        return cursor_->refuse(
            fmt::format("a record '{:.40}'; expected series, conditions, run or digests",
                        type.text),
            type.at);
    }

    Result<void> series(const CsvRecord& record) {
        if (record.size() != 1 + key_fields.size())
            return cursor_->refuse(fmt::format("a series of {} fields; expected {}",
                                               record.size() - 1, key_fields.size()),
                                   record.front().at);
        SeriesKey key;
        for (std::size_t i = 0; i < key_fields.size(); ++i)
            key.*key_fields.at(i).field = record[i + 1].text;
        return check_.series(key, record.front().at);
    }

    Result<void> conditions(const CsvRecord& record) {
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

    Result<void> digests(const CsvRecord& record) {
        if (record.size() != 3)
            return cursor_->refuse("digests; expected that of the runs and that of the conditions",
                                   record.front().at);
        return check_.digests({record[1].text, record[2].text}, record.front().at);
    }

    Result<void> run(const CsvRecord& record) {
        if (record.size() < 5)
            return cursor_->refuse("a run; expected its number, seed, anomaly, remark and times",
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
