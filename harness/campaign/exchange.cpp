#include "harness/campaign/exchange.hpp"

#include "assembly/support/printable.hpp"
#include "harness/campaign/exchange_check.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace warpbound::harness {

namespace {

using Write = std::function<void(std::string_view)>;

/// All records of a series.
struct WholeSeries {
    SeriesKey key;
    std::vector<RecordedConditions> conditions;
    std::vector<Sample> samples;

    [[nodiscard]] SeriesDigests digests() const {
        std::string runs = digest_without_runs(key);
        for (const Sample& sample : samples)
            runs = digest_with_run(runs, sample);
        return {runs, digest_of_conditions(key, conditions)};
    }
};

/// Writes series and remembers a flaw that would prevent reading them back: a text that is too
/// long, or not valid in the format.
class SeriesWriter {
public:
    explicit SeriesWriter(const Write& write) : write_{&write} {}

    [[nodiscard]] const std::optional<std::string>& flaw() const { return flaw_; }

    void csv(const WholeSeries& series) {
        (*write_)(csv_of(series.key));
        for (const auto& recorded : series.conditions)
            (*write_)(csv_of(recorded));
        for (const auto& sample : series.samples)
            (*write_)(csv_of(sample));
        const auto digests = series.digests();
        (*write_)(fmt::format("digests,{},{}\n", digests.runs, digests.conditions));
    }
    void json(const WholeSeries& series) {
        (*write_)(json_of(series.key));
        (*write_)("\"conditions\": [");
        json_list(series.conditions);
        (*write_)("],\n   \"runs\": [");
        json_list(series.samples);
        const auto digests = series.digests();
        (*write_)(fmt::format("],\n   \"runs-digest\": \"{}\",\n   \"conditions-digest\": \"{}\"}}",
                              digests.runs, digests.conditions));
    }

private:
    std::string checked(std::string text, std::string_view what, std::uint64_t longest) {
        if (text.size() > longest - piece_reserve)
            flaw_ = fmt::format("{} of {} bytes, too long to be read back", what, text.size());
        return text;
    }

    std::string field(std::string_view content) {
        const std::string text = without_formula(content);
        if (text.find_first_of(",\"\r\n") == std::string::npos)
            return checked(text, "a text", longest_piece);
        std::string quoted = "\"";
        for (const char letter : text) {
            if (letter == '"') quoted += '"';
            quoted += letter;
        }
        return checked(quoted + "\"", "a text", longest_piece);
    }

    std::string csv_of(const SeriesKey& key) {
        std::string record = "series";
        for (const auto& [name, member] : key_fields)
            record += "," + field(key.*member);
        return record + "\n";
    }

    std::string csv_of(const RecordedConditions& recorded) {
        std::string record = fmt::format("conditions,{}", recorded.first_run);
        for (const auto& [name, value] : recorded.conditions)
            record += "," + field(name) + "," + field(value);
        return checked(record + "\n", "conditions", longest_record);
    }

    std::string csv_of(const Sample& sample) {
        std::string record =
            fmt::format("run,{},{},{},{}", sample.run, sample.seed,
                        to_string(sample.remark.anomaly), field(sample.remark.text));
        for (const std::int64_t time : sample.times)
            fmt::format_to(std::back_inserter(record), ",{}", time);
        return checked(record + "\n", "a run", longest_record);
    }

    std::string word(std::string_view text) {
        try {
            return checked(nlohmann::json(text).dump(), "a text", longest_piece);
        } catch (const nlohmann::json::type_error&) {
            flaw_ = "a text that is not UTF-8, which JSON cannot hold (CSV can)";
            return "\"\"";
        }
    }

    std::string json_of(const SeriesKey& key) {
        std::string text = "{";
        for (const auto& [name, member] : key_fields)
            text += fmt::format("{}: {},\n   ", word(name), word(key.*member));
        return text;
    }

    std::string json_of(const RecordedConditions& recorded) {
        std::string text = fmt::format("{{\"first-run\": {}, \"values\": {{", recorded.first_run);
        const char* comma = "";
        for (const auto& [name, value] : recorded.conditions) {
            text += fmt::format("{}{}: {}", comma, word(name), word(value));
            comma = ", ";
        }
        return text + "}}";
    }

    std::string json_of(const Sample& sample) {
        std::string text = fmt::format("{{\"run\": {}, \"seed\": \"{}\", \"times\": [{}]",
                                       sample.run, sample.seed, fmt::join(sample.times, ", "));
        if (sample.remark.anomaly != RunAnomaly::None)
            text += fmt::format(", \"anomaly\": {}, \"remark\": {}",
                                word(to_string(sample.remark.anomaly)), word(sample.remark.text));
        return text + "}";
    }

    /// One element per line.
    template <typename Element> void json_list(const std::vector<Element>& elements) {
        const char* before = "\n     ";
        for (const auto& element : elements) {
            (*write_)(before);
            (*write_)(json_of(element));
            before = ",\n     ";
        }
    }

    const Write* write_;
    std::optional<std::string> flaw_;
};

/// A consistent snapshot: conditions are recorded with the first run made under them, so conditions
/// read after the runs include those of all these runs.
Result<WholeSeries> read_series(Campaign& campaign, const SeriesInfo& info) {
    auto samples = campaign.samples(info.id);
    if (!samples) return samples.as_failure();
    auto conditions = campaign.conditions(info.id);
    if (!conditions) return conditions.as_failure();
    return WholeSeries{info.key, std::move(conditions).value(), std::move(samples).value()};
}

} // namespace

Result<void> write_campaign(Campaign& campaign, CampaignFormat format, const Write& write) {
    const auto list = campaign.list();
    if (!list) return list.as_failure();
    const bool csv = format == CampaignFormat::Csv;
    write(csv ? fmt::format("{},{}\n", campaign_format_name, campaign_format_version)
              : fmt::format("{{\"format\": \"{}\", \"version\": {}, \"series\": [",
                            campaign_format_name, campaign_format_version));
    SeriesWriter writer{write};
    const char* before = "\n  ";
    for (const auto& info : list.value()) {
        const auto series = read_series(campaign, info);
        if (!series) return series.as_failure();
        if (csv) {
            writer.csv(series.value());
        } else {
            write(before);
            before = ",\n  ";
            writer.json(series.value());
        }
        if (writer.flaw()) return Failure{"holds " + *writer.flaw(), info.key.name};
    }
    if (!csv) write("]}\n");
    return boost::outcome_v2::success();
}

Result<void> read_campaign(const trace::TraceBytes& text, const CampaignListener& listener) {
    TextCursor cursor{text};
    if (cursor.failure()) return *cursor.failure();
    const auto first = cursor.peek();
    const bool json = first == '{' || first == ' ' || first == '\n';
    auto read = json ? read_campaign_json(cursor, listener) : read_campaign_csv(cursor, listener);
    if (cursor.failure()) return *cursor.failure();
    return read;
}

Result<void> import_campaign(const trace::TraceBytes& text, Campaign& campaign,
                             const std::function<bool()>& stop,
                             const std::function<void()>& without_digests) {
    constexpr std::size_t most_pending = 8192;
    std::int64_t series = 0;
    std::vector<Sample> pending;
    const auto record = [&]() -> Result<void> {
        auto appended = campaign.append(series, pending);
        pending.clear();
        return appended;
    };
    CampaignListener listener;
    listener.without_digests = without_digests;
    listener.series = [&](const SeriesKey& key) -> Result<void> {
        if (auto recorded = record(); !recorded) return recorded;
        const auto info = campaign.series(key);
        if (!info) return info.as_failure();
        series = info.value().id;
        return boost::outcome_v2::success();
    };
    listener.conditions = [&](const RecordedConditions& recorded) {
        return campaign.note_conditions(series, recorded.first_run, recorded.conditions);
    };
    listener.sample = [&](Sample sample) -> Result<void> {
        if (stop && stop()) return Failure{"interrupted; nothing is imported", text.name()};
        pending.push_back(std::move(sample));
        return pending.size() < most_pending ? Result<void>{boost::outcome_v2::success()}
                                             : record();
    };
    return campaign.in_one_transaction([&]() -> Result<void> {
        const auto list = campaign.list();
        if (!list) return list.as_failure();
        if (!list.value().empty())
            return Failure{"is imported into a campaign without series; this one has some",
                           text.name()};
        if (auto read = read_campaign(text, listener); !read) return read;
        return record();
    });
}

// --- checks of both readers -------------------------------------------------------------------

Result<void> ExchangeCheck::version(std::string_view name, std::int64_t version, TextPosition at) {
    if (name != campaign_format_name)
        return cursor_->refuse(
            fmt::format("is not the text of a campaign; expected {} and version {}",
                        campaign_format_name, campaign_format_version),
            at);
    if (version < version_without_digests || version > campaign_format_version)
        return cursor_->refuse(fmt::format("is of version {}; this program knows versions {} and "
                                           "{}",
                                           version, version_without_digests,
                                           campaign_format_version),
                               at);
    version_ = version;
    if (!has_digests() && listener_->without_digests) listener_->without_digests();
    return boost::outcome_v2::success();
}

Result<void> ExchangeCheck::series(const SeriesKey& key, TextPosition at) {
    if (auto ended = end_of_series(at); !ended) return ended;
    if (auto known = parse_quantity(key.quantity, key.name); !known && !is_wall_time(key.quantity))
        return cursor_->refuse(std::move(known).error().what, at);
    std::vector<std::string> fields;
    for (const auto& [name, member] : key_fields)
        fields.push_back(key.*member);
    if (!keys_.insert(std::move(fields)).second)
        return cursor_->refuse(fmt::format("a second series of this key ('{}')", key.name), at);
    next_run_ = 0;
    last_conditions_ = -1;
    has_series_ = true;
    digests_read_ = false;
    key_ = key;
    recorded_.clear();
    runs_digest_ = digest_without_runs(key);
    return listener_->series(key);
}

Result<void> ExchangeCheck::conditions(const RecordedConditions& recorded, TextPosition at) {
    if (!has_series_) return cursor_->refuse("conditions before the first series", at);
    if (digests_read_) return cursor_->refuse("conditions after the digests of their series", at);
    if (recorded.first_run <= last_conditions_)
        return cursor_->refuse(fmt::format("conditions from run {} on; expected a run after {}",
                                           recorded.first_run, last_conditions_),
                               at);
    if (recorded.first_run < next_run_)
        return cursor_->refuse(
            fmt::format("conditions from run {} on after that run", recorded.first_run), at);
    last_conditions_ = recorded.first_run;
    std::set<std::string_view> names;
    for (const auto& [name, value] : recorded.conditions)
        if (!names.insert(name).second)
            return cursor_->refuse(fmt::format("a second value of the condition '{}'", name), at);
    if (names.empty()) return cursor_->refuse("no condition; expected a name and a value", at);
    if (has_digests()) recorded_.push_back(recorded);
    return listener_->conditions(recorded);
}

Result<void> ExchangeCheck::sample(Sample sample, TextPosition at) {
    if (!has_series_) return cursor_->refuse("a run before the first series", at);
    if (digests_read_) return cursor_->refuse("a run after the digests of its series", at);
    if (sample.run != next_run_)
        return cursor_->refuse(fmt::format("run {}; expected run {}", sample.run, next_run_), at);
    ++next_run_;
    if (auto wrong = contradiction_in(sample); !wrong.empty())
        return cursor_->refuse(std::move(wrong), at);
    if (has_digests()) runs_digest_ = digest_with_run(runs_digest_, sample);
    return listener_->sample(std::move(sample));
}

Result<void> ExchangeCheck::digests(const SeriesDigests& stated, TextPosition at) {
    if (!has_series_) return cursor_->refuse("digests before the first series", at);
    if (digests_read_ || !has_digests())
        return cursor_->refuse("digests; expected them once, from version 3 on", at);
    digests_read_ = true;
    const SeriesDigests found{runs_digest_, digest_of_conditions(key_, recorded_)};
    if (found == stated) return boost::outcome_v2::success();
    return cursor_->refuse(fmt::format("the {} of the series '{}' do not agree with their digest: "
                                       "the text was altered; expected it as `campaign export` "
                                       "wrote it",
                                       found.runs == stated.runs ? "conditions" : "key or runs",
                                       key_.name),
                           at);
}

Result<void> ExchangeCheck::end_of_series(TextPosition at) {
    if (!has_series_ || digests_read_ || !has_digests()) return boost::outcome_v2::success();
    return cursor_->refuse(fmt::format("the series '{}' ends without its digests; expected the "
                                       "text as `campaign export` wrote it",
                                       key_.name),
                           at);
}

} // namespace warpbound::harness
