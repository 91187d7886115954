#pragma once
/// \file
/// The content checks that the readers of both forms of a campaign's text share.

#include "harness/campaign/campaign_listener.hpp"
#include "harness/campaign/series_digest.hpp"
#include "harness/campaign/text_cursor.hpp"

#include <array>
#include <set>
#include <vector>

namespace warpbound::harness {

inline constexpr std::string_view campaign_format_name = "warpbound-campaign";
inline constexpr std::int64_t campaign_format_version = 4;
/// Texts of this version have no digests; they are read too.
inline constexpr std::int64_t version_without_digests = 2;
/// Longest field in CSV and word in JSON. `Unit:` bytes of the text.
inline constexpr std::uint64_t longest_piece = std::uint64_t{1} << 20U;
/// Longest record in CSV. `Unit:` bytes.
inline constexpr std::uint64_t longest_record = std::uint64_t{1} << 24U;
/// Margin that a writer leaves below these limits, for the characters between words. `Unit:` bytes.
inline constexpr std::uint64_t piece_reserve = 1024;

/// Checks what is read, in reading order, and passes it to the listener. Failures have the given
/// source position.
class ExchangeCheck {
public:
    ExchangeCheck(const TextCursor& cursor, const CampaignListener& listener)
        : cursor_{&cursor}, listener_{&listener} {}

    Result<void> version(std::string_view name, std::int64_t version, TextPosition at);
    Result<void> series(const SeriesKey& key, TextPosition at);
    Result<void> conditions(const RecordedConditions& recorded, TextPosition at);
    Result<void> sample(Sample sample, TextPosition at);
    /// The digests that the text gives of its last series.
    Result<void> digests(const SeriesDigests& stated, TextPosition at);
    /// Requires: nothing of the series follows.
    Result<void> end_of_series(TextPosition at);
    [[nodiscard]] bool has_digests() const { return version_ != version_without_digests; }

private:
    const TextCursor* cursor_;
    const CampaignListener* listener_;
    std::set<std::vector<std::string>> keys_;
    std::int64_t next_run_ = 0;
    std::int64_t last_conditions_ =
        -1; ///< First run of the last conditions; initially below every run.
    bool has_series_ = false;
    std::int64_t version_ = campaign_format_version;
    SeriesKey key_;
    std::vector<RecordedConditions> recorded_;
    std::string runs_digest_; ///< Of the runs read so far.
    bool digests_read_ = false;
};

Result<void> read_campaign_csv(TextCursor& cursor, const CampaignListener& listener);
Result<void> read_campaign_json(TextCursor& cursor, const CampaignListener& listener);

} // namespace warpbound::harness
