#include "harness/campaign/series_digest.hpp"

#include "assembly/support/source_text.hpp"

#include <algorithm>

namespace warpbound::harness {

namespace {

/// Texts with their lengths and numbers with a blank, so that different contents give different
/// bytes.
class DigestedBytes {
public:
    void add(std::string_view text) {
        add(text.size());
        bytes_ += text;
    }
    template <std::integral Number> void add(Number number) {
        bytes_ += std::to_string(number);
        bytes_ += ' ';
    }
    void add(const SeriesKey& key) {
        for (const auto& [name, member] : key_fields)
            add(std::string_view{key.*member});
    }
    [[nodiscard]] std::string digest() const { return assembly::digest_of(bytes_); }

private:
    std::string bytes_;
};

} // namespace

std::string digest_without_runs(const SeriesKey& key) {
    DigestedBytes bytes;
    bytes.add(std::string_view{"runs of"});
    bytes.add(key);
    return bytes.digest();
}

std::string digest_with_run(const std::string& before, const Sample& sample) {
    DigestedBytes bytes;
    bytes.add(std::string_view{before});
    bytes.add(sample.run);
    bytes.add(sample.seed);
    bytes.add(to_string(sample.remark.anomaly));
    bytes.add(std::string_view{sample.remark.text});
    bytes.add(sample.times.size());
    for (const std::int64_t time : sample.times)
        bytes.add(time);
    return bytes.digest();
}

std::string digest_of_conditions(const SeriesKey& key,
                                 const std::vector<RecordedConditions>& conditions) {
    DigestedBytes bytes;
    bytes.add(std::string_view{"conditions of"});
    bytes.add(key);
    for (const auto& recorded : conditions) {
        auto sorted = recorded.conditions;
        std::ranges::sort(sorted);
        bytes.add(recorded.first_run);
        bytes.add(sorted.size());
        for (const auto& [name, value] : sorted) {
            bytes.add(std::string_view{name});
            bytes.add(std::string_view{value});
        }
    }
    return bytes.digest();
}

} // namespace warpbound::harness
