#include "harness/campaign/merge.hpp"
#include "tests/unit/harness/campaign/campaign_content.hpp"
#include "tests/unit/harness/campaign/campaign_file.hpp"

#include <gmock/gmock.h>

namespace warpbound::harness {
namespace {

using testing::HasSubstr;

class Merge : public CampaignFile {
protected:
    /// A part with series of these names, each with so many runs.
    void part(const std::string& name, const std::vector<std::string>& series, std::int64_t runs) {
        auto campaign = Campaign::open(folder_ / name).value();
        for (const std::string& of : series) {
            const auto info = campaign->series(key_of(of)).value();
            ASSERT_TRUE(campaign->note_conditions(info.id, 0, {{"driver", of}}));
            for (std::int64_t run = 0; run < runs; ++run) {
                if (run == 2) {
                    ASSERT_TRUE(campaign->note_conditions(info.id, 2, {{"driver", "later"}}));
                }
                ASSERT_TRUE(campaign->append(info.id, {sample(run)}));
            }
        }
        parts_.push_back({name, std::move(campaign)});
    }
    static SeriesKey key_of(const std::string& name) {
        SeriesKey one = key();
        one.name = name;
        return one;
    }
    static std::vector<ExpectedSeries> expected(const std::vector<std::string>& names,
                                                std::int64_t runs) {
        std::vector<ExpectedSeries> all;
        for (const std::string& name : names)
            all.push_back({key_of(name), runs, "point " + name});
        return all;
    }
    std::string refusal(const std::vector<ExpectedSeries>& wanted) {
        auto merged = Campaign::open(folder_ / "merged.db").value();
        const auto done = merge_campaigns(parts_, wanted, *merged);
        EXPECT_EQ(content_of(*merged).size(), done ? wanted.size() : 0U) << "all or nothing";
        return done ? "merged" : to_string(done.error());
    }

    std::vector<CampaignPart> parts_;
};

TEST_F(Merge, HasAllSeriesInTheExpectedOrderWithTheirConditions) {
    part("one.db", {"c", "a"}, 5);
    part("two.db", {"b"}, 5);
    auto merged = Campaign::open(folder_ / "merged.db").value();
    ASSERT_TRUE(merge_campaigns(parts_, expected({"a", "b", "c"}, 5), *merged));
    const auto content = content_of(*merged);
    ASSERT_EQ(content.size(), 3U);
    EXPECT_EQ(content[0], content_of(*parts_[0].campaign)[1]);
    EXPECT_EQ(content[1], content_of(*parts_[1].campaign)[0]);
    EXPECT_EQ(content[2], content_of(*parts_[0].campaign)[0]);
    EXPECT_EQ(content[0].conditions.size(), 2U);
}

TEST_F(Merge, WithoutAPlanIsInTheOrderOfTheKeys) {
    part("one.db", {"c", "a"}, 1);
    part("two.db", {"b"}, 3);
    const auto all = series_of(parts_);
    ASSERT_TRUE(all);
    EXPECT_EQ(refusal(all.value()), "merged");
    EXPECT_EQ(all.value()[1].key.name, "b");
    EXPECT_EQ(all.value()[1].runs, 3);
}

TEST_F(Merge, NamesBothPartsOfASeries) {
    part("one.db", {"a", "b"}, 2);
    part("two.db", {"b"}, 2);
    const auto text = refusal(expected({"a", "b"}, 2));
    EXPECT_THAT(text, HasSubstr("one.db"));
    EXPECT_THAT(text, HasSubstr("two.db"));
    EXPECT_FALSE(series_of(parts_));
}

TEST_F(Merge, NamesWhatIsMissing) {
    part("one.db", {"a"}, 2);
    EXPECT_THAT(refusal(expected({"a", "b"}, 2)), HasSubstr("point b"));
}

TEST_F(Merge, NamesAnUnfinishedPart) {
    part("one.db", {"a", "b"}, 2);
    EXPECT_THAT(refusal(expected({"a", "b"}, 3)), HasSubstr("2 of the 3 runs of point a"));
    EXPECT_THAT(refusal(expected({"a", "b"}, 1)), HasSubstr("of another plan"));
}

TEST_F(Merge, NamesInWhatAForeignSeriesDiffers) {
    part("one.db", {"a"}, 2);
    auto wanted = expected({"a"}, 2);
    wanted.front().key.device = "simulated:y";
    EXPECT_THAT(refusal(wanted), HasSubstr("device 'simulated:x', expected 'simulated:y'"));
}

TEST_F(Merge, StopsAndLeavesNothing) {
    part("one.db", {"a"}, 2);
    auto merged = Campaign::open(folder_ / "merged.db").value();
    EXPECT_FALSE(merge_campaigns(parts_, expected({"a"}, 2), *merged, [] { return true; }));
    EXPECT_TRUE(content_of(*merged).empty());
}

TEST_F(Merge, IntoACampaignWithSeriesIsRefused) {
    part("one.db", {"a"}, 2);
    EXPECT_FALSE(merge_campaigns(parts_, expected({"a"}, 2), *parts_.front().campaign));
}

} // namespace
} // namespace warpbound::harness
