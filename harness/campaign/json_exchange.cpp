#include "harness/campaign/anomaly_field.hpp"
#include "harness/campaign/exchange_check.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <charconv>
#include <iterator>

namespace warpbound::harness {

namespace {

/// The characters for the parser. A word that is too long ends the input.
struct JsonSource {
    TextCursor* cursor = nullptr;
    std::uint64_t word_begin = 0; ///< Character count at the last parser event.

    [[nodiscard]] bool too_long() const { return cursor->passed() - word_begin > longest_piece; }
    [[nodiscard]] bool ended() const { return !cursor->peek() || too_long(); }
};

class JsonIterator {
public:
    // NOLINTBEGIN(readability-identifier-naming): the names of iterators.
    using iterator_category = std::input_iterator_tag;
    using value_type = char;
    using difference_type = std::ptrdiff_t;
    using pointer = const char*;
    using reference = char;
    // NOLINTEND(readability-identifier-naming)

    explicit JsonIterator(JsonSource* source) : source_{source} {}
    char operator*() const { return *source_->cursor->peek(); }
    JsonIterator& operator++() {
        source_->cursor->advance();
        return *this;
    }
    friend bool operator==(const JsonIterator& a, const JsonIterator& b) {
        return a.at_end() == b.at_end();
    }
    friend bool operator!=(const JsonIterator& a, const JsonIterator& b) { return !(a == b); }

private:
    [[nodiscard]] bool at_end() const { return source_ == nullptr || source_->ended(); }

    JsonSource* source_; ///< Null: the end.
};

/// Receives the parser's events and stores the values of the current record. Positions are those
/// after a word.
class JsonCampaign {
public:
    JsonCampaign(JsonSource& source, const CampaignListener& listener)
        : source_{&source}, check_{*source.cursor, listener} {}

    [[nodiscard]] const std::optional<Failure>& failure() const { return failure_; }

    // The parser's interface.
    bool null() { return unexpected("null"); }
    bool boolean(bool) { return unexpected("true or false"); }
    bool number_float(double, const std::string&) { return unexpected("a number with a fraction"); }
    template <typename Bytes> bool binary(Bytes&) { return unexpected("bytes"); }
    bool number_integer(std::int64_t value) { return number(value); }
    bool number_unsigned(std::uint64_t value) {
        if (value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
            return unexpected("a number that is too large");
        return number(static_cast<std::int64_t>(value));
    }
    bool string(const std::string& value) { return accept(take_string(value)); }
    bool key(const std::string& name) {
        key_ = name;
        return accept(boost::outcome_v2::success());
    }
    bool start_object(std::size_t) { return accept(enter_object()); }
    bool end_object() { return accept(leave_object()); }
    bool start_array(std::size_t) { return accept(enter_array()); }
    bool end_array() { return accept(leave_array()); }
    template <typename Exception>
    bool parse_error(std::size_t, const std::string&, const Exception& error) {
        if (source_->too_long()) return accept(refuse("a word of more than 1 MiB"));
        const std::string what = error.what();
        const std::size_t colon = what.find(": ");
        return accept(
            refuse("no JSON: " + what.substr(colon == std::string::npos ? 0 : colon + 2)));
    }

private:
    enum class In {
        Nothing,
        Campaign,
        SeriesList,
        Series,
        ConditionsList,
        Conditions,
        Values,
        Runs,
        Run,
        Times,
    };

    [[nodiscard]] Failure refuse(std::string what) const {
        return source_->cursor->refuse(std::move(what));
    }
    [[nodiscard]] TextPosition position() const { return source_->cursor->position(); }

    bool accept(const Result<void>& result) {
        source_->word_begin = source_->cursor->passed();
        if (!result) failure_ = result.error();
        return result.has_value();
    }
    bool unexpected(const char* what) {
        return accept(refuse(fmt::format("{} for '{:.40}'; it has another type", what, key_)));
    }
    [[nodiscard]] Failure unknown() const {
        return refuse(fmt::format("'{:.40}' does not belong here, or has another type", key_));
    }
    bool number(std::int64_t value) { return accept(take_number(value)); }

    Result<void> take_number(std::int64_t value) {
        if (in_ == In::Times)
            sample_.times.push_back(value);
        else if (in_ == In::Run && key_ == "run")
            run_ = value;
        else if (in_ == In::Conditions && key_ == "first-run")
            first_run_ = value;
        else if (in_ == In::Campaign && key_ == "version")
            version_ = value;
        else
            return unknown();
        return boost::outcome_v2::success();
    }

    Result<void> take_string(const std::string& value) {
        if (in_ == In::Values) {
            conditions_.emplace_back(key_, value);
        } else if (in_ == In::Campaign && key_ == "format") {
            format_ = value;
        } else if (in_ == In::Series && key_ == "runs-digest") {
            digests_.runs = value;
        } else if (in_ == In::Series && key_ == "conditions-digest") {
            digests_.conditions = value;
        } else if (in_ == In::Series) {
            return take_key_field(value);
        } else if (in_ == In::Run && key_ == "seed") {
            std::uint64_t seed = 0;
            const auto [end, error] =
                std::from_chars(value.data(), value.data() + value.size(), seed);
            if (error != std::errc{} || end != value.data() + value.size())
                return refuse(fmt::format("'{:.40}' as seed; expected a whole number", value));
            seed_ = seed;
        } else if (in_ == In::Run && key_ == anomaly_field(version_)) {
            const auto anomaly = parse_anomaly(value);
            if (!anomaly) return refuse(fmt::format("unknown run anomaly '{:.40}'", value));
            sample_.remark.anomaly = *anomaly;
        } else if (in_ == In::Run && key_ == "remark") {
            sample_.remark.text = value;
        } else {
            return unknown();
        }
        return boost::outcome_v2::success();
    }

    Result<void> take_key_field(const std::string& value) {
        for (std::size_t i = 0; i < key_fields.size(); ++i) {
            if (key_fields.at(i).name != key_) continue;
            if (series_known_) return refuse("a field of the key after runs or conditions");
            series_.*key_fields.at(i).field = value;
            fields_.insert(i);
            return boost::outcome_v2::success();
        }
        return unknown();
    }

    /// The key of a series must be complete before its first list.
    Result<void> complete_series() {
        if (series_known_) return boost::outcome_v2::success();
        for (std::size_t i = 0; i < key_fields.size(); ++i)
            if (!fields_.contains(i))
                return refuse(fmt::format("a series without '{}'", key_fields.at(i).name));
        series_known_ = true;
        return check_.series(series_, position());
    }

    Result<void> enter_object() {
        switch (in_) {
        case In::Nothing:
            in_ = In::Campaign;
            return boost::outcome_v2::success();
        case In::SeriesList:
            in_ = In::Series;
            series_ = {};
            fields_.clear();
            series_known_ = false;
            digests_ = {};
            return boost::outcome_v2::success();
        case In::ConditionsList:
            in_ = In::Conditions;
            conditions_.clear();
            first_run_.reset();
            return boost::outcome_v2::success();
        case In::Runs:
            in_ = In::Run;
            sample_ = {};
            run_.reset();
            seed_.reset();
            has_times_ = false;
            return boost::outcome_v2::success();
        case In::Conditions:
            if (key_ != "values") return unknown();
            in_ = In::Values;
            return boost::outcome_v2::success();
        default:
            return unknown();
        }
    }

    Result<void> leave_object() {
        switch (in_) {
        case In::Values:
            in_ = In::Conditions;
            return boost::outcome_v2::success();
        case In::Conditions:
            in_ = In::ConditionsList;
            if (!first_run_) return refuse("conditions without 'first-run'");
            return check_.conditions({*first_run_, conditions_}, position());
        case In::Run:
            in_ = In::Runs;
            if (!run_ || !seed_ || !has_times_)
                return refuse("a run without 'run', 'seed' or 'times'");
            sample_.run = *run_;
            sample_.seed = *seed_;
            return check_.sample(std::move(sample_), position());
        case In::Series:
            in_ = In::SeriesList;
            if (auto complete = complete_series(); !complete) return complete;
            if (!digests_.runs.empty() || !digests_.conditions.empty())
                return check_.digests(digests_, position());
            return check_.end_of_series(position());
        default: // The campaign.
            in_ = In::Nothing;
            return has_list_ ? Result<void>{boost::outcome_v2::success()} : check_format();
        }
    }

    Result<void> check_format() {
        has_list_ = true;
        return check_.version(format_, version_, position());
    }

    Result<void> enter_array() {
        if (in_ == In::Campaign && key_ == "series" && !has_list_) {
            in_ = In::SeriesList;
            return check_format();
        }
        if (in_ == In::Series && key_ == "conditions") {
            in_ = In::ConditionsList;
            return complete_series();
        }
        if (in_ == In::Series && key_ == "runs") {
            in_ = In::Runs;
            return complete_series();
        }
        if (in_ == In::Run && key_ == "times" && !has_times_) {
            in_ = In::Times;
            has_times_ = true;
            return boost::outcome_v2::success();
        }
        return unknown();
    }

    Result<void> leave_array() {
        if (in_ == In::Times)
            in_ = In::Run;
        else if (in_ == In::Runs || in_ == In::ConditionsList)
            in_ = In::Series;
        else
            in_ = In::Campaign;
        return boost::outcome_v2::success();
    }

    JsonSource* source_;
    ExchangeCheck check_;
    std::optional<Failure> failure_;
    In in_ = In::Nothing;
    std::string key_;
    std::string format_;
    std::int64_t version_ = 0;
    bool has_list_ = false;
    SeriesKey series_;
    std::set<std::size_t> fields_; ///< Of the key, read so far.
    bool series_known_ = false;
    SeriesDigests digests_; ///< As the text states them.
    std::optional<std::int64_t> first_run_;
    Conditions conditions_;
    Sample sample_;
    std::optional<std::int64_t> run_;
    std::optional<std::uint64_t> seed_;
    bool has_times_ = false;
};

} // namespace

Result<void> read_campaign_json(TextCursor& cursor, const CampaignListener& listener) {
    JsonSource source{&cursor, 0};
    JsonCampaign campaign{source, listener};
    const bool read =
        nlohmann::json::sax_parse(JsonIterator{&source}, JsonIterator{nullptr}, &campaign);
    if (campaign.failure()) return *campaign.failure();
    if (!read) return cursor.refuse("no JSON of a campaign");
    return boost::outcome_v2::success();
}

} // namespace warpbound::harness
