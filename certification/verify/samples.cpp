#include "certification/verify/samples.hpp"

#include "certification/verify/bundle_json.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <charconv>
#include <map>
#include <optional>
#include <set>
#include <vector>

namespace warpbound::certification::verify {

namespace {

using nlohmann::json;

/// Events of the parser. Values at other keys than "series" and "samples" are skipped.
class SamplesReader : public json::json_sax_t {
public:
    explicit SamplesReader(const std::string& path) : path_{path} {}

    Series series() {
        Series series{path_, {}, {}};
        for (const auto& [name, field] : harness::key_fields) {
            const auto value = key_.find(name);
            if (value == key_.end())
                incomplete(fmt::format("{}: no '{}' in its 'series'", path_, name));
            series.key.*field = value->second;
        }
        if (samples_.empty()) incomplete(path_ + ": no samples");
        samples_.shrink_to_fit();
        series.samples = std::move(samples_);
        return series;
    }

    bool null() override { return other_value("null"); }
    bool boolean(bool) override { return other_value("true or false"); }
    bool number_float(double, const std::string& text) override { return other_value(text); }
    bool binary(binary_t&) override { return other_value("binary data"); }
    bool number_integer(std::int64_t value) override {
        return is_in_row() ? add_time(value) : other_value(std::to_string(value));
    }
    bool number_unsigned(std::uint64_t value) override {
        if (!is_in_row()) return other_value(std::to_string(value));
        if (value > static_cast<std::uint64_t>(largest_number)) refuse_time(std::to_string(value));
        return add_time(static_cast<std::int64_t>(value));
    }
    bool string(std::string& text) override {
        if (is_in_row()) {
            if (seed_) refuse_time(text);
            seed_ = seed_of(text);
        } else if (section_ == "series" && depth_ == 2) {
            if (!key_.emplace(name_, std::move(text)).second)
                incomplete(fmt::format("{}: '{}' twice", path_, name_));
        } else {
            return other_value(text);
        }
        return true;
    }
    bool key(std::string& name) override {
        if (depth_ == 1) {
            section_ = name;
            if (!sections_.insert(name).second)
                incomplete(fmt::format("{}: '{}' twice", path_, name));
        }
        name_ = std::move(name);
        return true;
    }
    bool start_object(std::size_t) override {
        if (depth_ == 1 && section_ == "samples") incomplete(path_ + ": 'samples' is no list");
        if (is_row_expected() || is_in_row()) refuse_row();
        return enter();
    }
    bool start_array(std::size_t) override {
        if (depth_ == 0) incomplete(path_ + ": an object was expected");
        if (is_in_row()) refuse_row();
        if (is_row_expected()) {
            seed_.reset();
            times_.clear();
        }
        return enter();
    }
    bool end_object() override {
        --depth_;
        return true;
    }
    bool end_array() override {
        if (is_in_row()) {
            if (!seed_) refuse_row();
            if (times_.empty())
                incomplete(fmt::format("{}: run {} without times", path_, samples_.size()));
            samples_.add(*seed_, times_);
        }
        --depth_;
        return true;
    }
    bool parse_error(std::size_t, const std::string&, const json::exception& error) override {
        incomplete(path_ + ": " + error.what());
    }

private:
    static constexpr int deepest = 32;

    bool enter() {
        if (++depth_ > deepest) incomplete(path_ + ": nested too deeply");
        return true;
    }
    /// Inside the list of samples, between its rows.
    [[nodiscard]] bool is_row_expected() const { return section_ == "samples" && depth_ == 2; }
    [[nodiscard]] bool is_in_row() const { return section_ == "samples" && depth_ == 3; }

    bool add_time(std::int64_t time) {
        if (!seed_) refuse_row();
        if (time < -largest_number) refuse_time(std::to_string(time));
        times_.push_back(time);
        return true;
    }
    bool other_value(const std::string& text) const {
        if (depth_ == 0) incomplete(path_ + ": an object was expected");
        if (depth_ == 1 && section_ == "samples") incomplete(path_ + ": 'samples' is no list");
        if (section_ == "series" && depth_ <= 2)
            incomplete(fmt::format("{}: 'series' has '{}'; an object of texts was expected", path_,
                                   text.substr(0, 40)));
        if (is_row_expected() || (is_in_row() && !seed_)) refuse_row();
        if (is_in_row()) refuse_time(text);
        return true;
    }
    [[noreturn]] void refuse_row() const {
        incomplete(fmt::format("{}: run {}: a list of its seed, as text, and its times was "
                               "expected",
                               path_, samples_.size()));
    }
    [[noreturn]] void refuse_time(const std::string& text) const {
        incomplete(fmt::format("{}: run {}: '{}': a whole number within +-2^62 was expected", path_,
                               samples_.size(), text.substr(0, 40)));
    }
    [[nodiscard]] std::uint64_t seed_of(const std::string& text) const {
        std::uint64_t seed = 0;
        const char* const end = text.data() + text.size();
        const auto [rest, error] = std::from_chars(text.data(), end, seed);
        if (error != std::errc{} || rest != end)
            incomplete(
                fmt::format("{}: seed '{}'; a whole number below 2^64 was expected", path_, text));
        return seed;
    }

    const std::string& path_;
    int depth_ = 0;
    std::string section_; ///< Last key of the outermost object.
    std::string name_;    ///< Last key of any object.
    std::set<std::string> sections_;
    std::map<std::string, std::string, std::less<>> key_;
    harness::PackedSamples samples_;
    std::optional<std::uint64_t> seed_; ///< Of the row being read.
    std::vector<std::int64_t> times_;
};

} // namespace

Series read_samples(const std::string& text, const std::string& path) {
    SamplesReader reader{path};
    if (!json::sax_parse(text, &reader)) incomplete(path + ": no JSON");
    return reader.series();
}

} // namespace warpbound::certification::verify
