#pragma once
/// \file
/// What the readers of both forms of a campaign's text have in common: its content is checked once.

#include "harness/campaign/campaign_listener.hpp"
#include "harness/campaign/text_cursor.hpp"

#include <array>
#include <set>
#include <vector>

namespace warpbound::harness {

inline constexpr std::string_view campaign_format_name = "warpbound-campaign";
inline constexpr std::int64_t campaign_format_version = 2;
/// Of a field in CSV and a word in JSON. `Unit:` bytes, as they stand in the text.
inline constexpr std::uint64_t longest_piece = std::uint64_t{1} << 20U;
/// Of a record in CSV. `Unit:` bytes.
inline constexpr std::uint64_t longest_record = std::uint64_t{1} << 24U;
/// Of what is written there must remain so much, for what stands between words. `Unit:` bytes.
inline constexpr std::uint64_t piece_reserve = 1024;

/// Checks what is read, in its order, and hands it on. Failures have the place that they are given.
class ExchangeCheck {
public:
    ExchangeCheck(const TextCursor& cursor, const CampaignListener& listener)
        : cursor_{&cursor}, listener_{&listener} {}

    Result<void> version(std::string_view name, std::int64_t version, TextPlace at) const;
    Result<void> series(const SeriesKey& key, TextPlace at);
    Result<void> conditions(const RecordedConditions& recorded, TextPlace at);
    Result<void> sample(Sample sample, TextPlace at);

private:
    const TextCursor* cursor_;
    const CampaignListener* listener_;
    std::set<std::vector<std::string>> keys_;
    std::int64_t next_run_ = 0;
    std::int64_t last_conditions_ =
        -1; ///< First run of the last ones; before any: below every run.
    bool has_series_ = false;
};

/// The fields of a key by the names that they have in JSON, in the order that they have in CSV.
struct KeyField {
    std::string_view name;
    std::string SeriesKey::*field;
};
inline constexpr std::array<KeyField, 8> key_fields{{{"name", &SeriesKey::name},
                                                     {"device", &SeriesKey::device},
                                                     {"device-detail", &SeriesKey::device_detail},
                                                     {"protocol", &SeriesKey::protocol},
                                                     {"kernel-digest", &SeriesKey::kernel_digest},
                                                     {"facts-digest", &SeriesKey::facts_digest},
                                                     {"launch", &SeriesKey::launch},
                                                     {"quantity", &SeriesKey::quantity}}};

Result<void> read_campaign_csv(TextCursor& cursor, const CampaignListener& listener);
Result<void> read_campaign_json(TextCursor& cursor, const CampaignListener& listener);

} // namespace warpbound::harness
