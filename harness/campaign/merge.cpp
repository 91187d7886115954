#include "harness/campaign/merge.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace warpbound::harness {

namespace {

constexpr std::size_t batch = 1000; // Samples of one transaction's part.

using Fields = std::array<std::string, key_fields.size()>;
Fields fields_of(const SeriesKey& key) {
    Fields fields;
    for (std::size_t i = 0; i < key_fields.size(); ++i)
        fields.at(i) = key.*key_fields.at(i).field;
    return fields;
}

/// A series and the part that has it.
struct Found {
    const CampaignPart* part = nullptr;
    SeriesInfo info;
};
using FoundSeries = std::map<Fields, Found>;

std::string label_of(const SeriesKey& key) {
    return fmt::format("{} of '{}' at {} on {}", key.quantity, key.name, key.launch, key.device);
}

Result<FoundSeries> find_series(const std::vector<CampaignPart>& parts) {
    FoundSeries found;
    for (const CampaignPart& part : parts) {
        const auto list = part.campaign->list();
        if (!list) return list.as_failure();
        for (const SeriesInfo& info : list.value()) {
            const auto [known, is_new] = found.emplace(fields_of(info.key), Found{&part, info});
            if (!is_new)
                return Failure{fmt::format("has the {}, which {} has, too; expected each series in "
                                           "one part",
                                           label_of(info.key), known->second.part->name),
                               part.name};
        }
    }
    return found;
}

/// In what a series that nobody expects differs from the most similar one that is expected.
std::string difference_of(const SeriesKey& key, const std::vector<ExpectedSeries>& expected) {
    std::vector<std::string> fewest;
    for (const ExpectedSeries& one : expected) {
        std::vector<std::string> names;
        for (const KeyField& field : key_fields)
            if (key.*field.field != one.key.*field.field)
                names.push_back(fmt::format("{} '{}', expected '{}'", field.name, key.*field.field,
                                            one.key.*field.field));
        if (fewest.empty() || names.size() < fewest.size()) fewest = std::move(names);
    }
    return fmt::format("{}", fmt::join(fewest, "; "));
}

Result<void> check_expected(const FoundSeries& found, const std::vector<ExpectedSeries>& expected) {
    std::map<Fields, const ExpectedSeries*> wanted;
    for (const ExpectedSeries& one : expected)
        wanted.emplace(fields_of(one.key), &one);
    for (const auto& [fields, one] : found)
        if (wanted.count(fields) == 0)
            return Failure{fmt::format("has the {}, which the plan does not have: {}",
                                       label_of(one.info.key),
                                       difference_of(one.info.key, expected)),
                           one.part->name};
    for (const ExpectedSeries& one : expected) {
        const auto own = found.find(fields_of(one.key));
        if (own == found.end())
            return Failure{fmt::format("is in no part: {} of it is missing", one.key.quantity),
                           one.point};
        if (const std::int64_t runs = own->second.info.runs; runs != one.runs)
            return Failure{fmt::format("has {} of the {} runs of {}; {}", runs, one.runs, one.point,
                                       runs < one.runs ? "the same command again goes on with it"
                                                       : "it is of another plan"),
                           own->second.part->name};
    }
    return boost::outcome_v2::success();
}

/// Conditions come before the runs that were made under them.
Result<void> copy_series(const Found& from, Campaign& into, const std::function<bool()>& stop) {
    const auto conditions = from.part->campaign->conditions(from.info.id);
    if (!conditions) return conditions.as_failure();
    const auto samples = from.part->campaign->samples(from.info.id);
    if (!samples) return samples.as_failure();
    const auto series = into.series(from.info.key);
    if (!series) return series.as_failure();
    auto next = conditions.value().begin();
    for (std::size_t begin = 0; begin < samples.value().size();) {
        if (stop && stop()) return Failure{"interrupted", from.part->name};
        const auto run = static_cast<std::int64_t>(begin);
        for (; next != conditions.value().end() && next->first_run <= run; ++next)
            if (auto noted =
                    into.note_conditions(series.value().id, next->first_run, next->conditions);
                !noted)
                return noted;
        std::size_t end = std::min(begin + batch, samples.value().size());
        if (next != conditions.value().end())
            end = std::min(end, static_cast<std::size_t>(next->first_run));
        const auto first = samples.value().begin() + static_cast<std::ptrdiff_t>(begin);
        const auto last = samples.value().begin() + static_cast<std::ptrdiff_t>(end);
        if (auto kept = into.append(series.value().id, {first, last}); !kept) return kept;
        begin = end;
    }
    return boost::outcome_v2::success();
}

} // namespace

Result<void> merge_campaigns(const std::vector<CampaignPart>& parts,
                             const std::vector<ExpectedSeries>& expected, Campaign& merged,
                             const std::function<bool()>& stop) {
    const auto known = merged.list();
    if (!known) return known.as_failure();
    if (!known.value().empty()) return Failure{"has series; parts are merged into a new campaign"};
    const auto found = find_series(parts);
    if (!found) return found.as_failure();
    if (auto checked = check_expected(found.value(), expected); !checked) return checked;
    return merged.in_one_transaction([&]() -> Result<void> {
        for (const ExpectedSeries& one : expected)
            if (auto copied = copy_series(found.value().at(fields_of(one.key)), merged, stop);
                !copied)
                return copied;
        return boost::outcome_v2::success();
    });
}

Result<std::vector<ExpectedSeries>> series_of(const std::vector<CampaignPart>& parts) {
    const auto found = find_series(parts);
    if (!found) return found.as_failure();
    std::vector<ExpectedSeries> all;
    for (const auto& [fields, one] : found.value())
        all.push_back({one.info.key, one.info.runs, label_of(one.info.key)});
    return all;
}

} // namespace warpbound::harness
