// Export of campaigns as text, and import.
#include "harness/campaign/exchange.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/unit/harness/campaign/campaign_content.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sqlite3.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <random>

namespace warpbound::harness {
namespace {

using testing::HasSubstr;

std::string text_of(Campaign& campaign, CampaignFormat format) {
    std::string text;
    EXPECT_TRUE(write_campaign(campaign, format, [&](std::string_view part) { text += part; }));
    return text;
}

trace::TraceBytes bytes_of(std::string text) {
    return trace::TraceBytes{assembly::SourceText{"text", std::move(text)}};
}

class Exchange : public testing::Test {
protected:
    std::unique_ptr<Campaign> open(const char* name) {
        return Campaign::open(folder_.path() / name).value();
    }
    Result<void> import(const std::string& text) {
        const std::string name = "imported" + std::to_string(++imported_) + ".db";
        campaign_ = open(name.c_str());
        return import_campaign(bytes_of(text), *campaign_);
    }
    /// The refusal with its position.
    std::string refusal(const std::string& text) {
        const auto read = import(text);
        EXPECT_TRUE(campaign_->list().value().empty());
        return read ? "accepted" : to_string(read.error());
    }

    tests::TemporaryFolder folder_;
    int imported_ = 0;
    std::unique_ptr<Campaign> campaign_;
};

/// Series that use everything that a campaign can hold.
void fill(Campaign& campaign) {
    constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
    const auto plain =
        campaign
            .series({"add/n=1", "simulated:x", "sha256:1, policy lrr",
                     "warm-up 10, draw uniform, seed 1", "sha256:2", "sha256:3", "1x64", "region"})
            .value();
    ASSERT_TRUE(campaign.append(
        plain.id, {{0, 5, {24, 26}, {}}, {1, ~std::uint64_t{0}, {largest, -largest - 1}, {}}}));
    const auto odd = campaign
                         .series({"odd, \"quoted\"\nname", "cuda:0", "", "p", "k", "", "8x1024",
                                  "execution-time"})
                         .value();
    ASSERT_TRUE(campaign.note_conditions(odd.id, 0,
                                         {{"driver", "13.0, \"beta\""}, {"temperature", "41 C"}}));
    ASSERT_TRUE(campaign.append(
        odd.id, {{0, 1, {7}, {}},
                 {1, 2, {9}, {RunAnomaly::Throttled, "from 1980 to 1200 MHz,\nhot"}},
                 {2, 3, {}, {RunAnomaly::TimeOut, "no end after 5 s"}}}));
    ASSERT_TRUE(campaign.note_conditions(odd.id, 3, {{"driver", "13.1"}}));
    ASSERT_TRUE(campaign.append(odd.id, {{3, 4, {}, {RunAnomaly::DeviceLost, "gone"}}}));
    ASSERT_TRUE(campaign.series({"empty", "d", "", "p", "k", "", "1x32", "clocks"}));
    const auto resident =
        campaign.series({"resident-warps", "cuda:0", "", "p", "k", "", "66x32", "resident-blocks"})
            .value();
    ASSERT_TRUE(campaign.append(resident.id, {{0, 1, {16}, {}}}));
}

TEST_F(Exchange, ImportsAnEqualCampaign) {
    const auto campaign = open("original.db");
    fill(*campaign);
    for (const auto format : {CampaignFormat::Csv, CampaignFormat::Json}) {
        const std::string text = text_of(*campaign, format);
        const auto imported = import(text);
        ASSERT_TRUE(imported) << to_string(imported.error()) << "\n" << text;
        EXPECT_EQ(content_of(*campaign_), content_of(*campaign));
        EXPECT_EQ(text_of(*campaign_, format), text);
    }
}

// Before version 4 JSON has another name for the field of a run's anomaly; CSV names no fields.
TEST_F(Exchange, ReadsTextsOfTheVersionBefore) {
    const auto campaign = open("original.db");
    fill(*campaign);
    const auto replaced = [](std::string text, const std::string& old, const std::string& with) {
        EXPECT_NE(text.find(old), std::string::npos);
        for (std::size_t at = text.find(old); at != std::string::npos;
             at = text.find(old, at + with.size()))
            text.replace(at, old.size(), with);
        return text;
    };
    const std::string json =
        replaced(text_of(*campaign, CampaignFormat::Json), "\"version\": 4", "\"version\": 3");
    EXPECT_THAT(refusal(json), HasSubstr("'anomaly' does not belong here"));
    for (const std::string& text : {replaced(json, "\"anomaly\":", "\"trouble\":"),
                                    replaced(text_of(*campaign, CampaignFormat::Csv),
                                             "warpbound-campaign,4", "warpbound-campaign,3")}) {
        const auto imported = import(text);
        ASSERT_TRUE(imported) << to_string(imported.error());
        EXPECT_EQ(content_of(*campaign_), content_of(*campaign));
    }
}

// Such a file is read and goes on being recorded in as it is.
TEST_F(Exchange, KeepsFilesOfTheVersionBefore) {
    auto campaign = open("original.db");
    fill(*campaign);
    const auto content = content_of(*campaign);
    const auto odd = campaign->list().value().at(1);
    campaign.reset();
    const auto file = folder_.path() / "original.db";
    sqlite3* database = nullptr;
    ASSERT_EQ(sqlite3_open(file.c_str(), &database), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(database,
                           "ALTER TABLE sample RENAME COLUMN anomaly TO trouble; "
                           "PRAGMA user_version = 3",
                           nullptr, nullptr, nullptr),
              SQLITE_OK);
    sqlite3_close(database);
    EXPECT_EQ(content_of(*Campaign::open_existing(file).value()), content);
    campaign = open("original.db");
    EXPECT_EQ(content_of(*campaign), content);
    ASSERT_TRUE(campaign->append(odd.id, {{4, 5, {}, {RunAnomaly::TimeOut, "again"}}}));
    EXPECT_EQ(Campaign::open_existing(file).value()->samples(odd.id).value().back().remark.text,
              "again");
}

TEST_F(Exchange, WritesOneRecordPerLine) {
    const auto campaign = open("original.db");
    fill(*campaign);
    const std::string text = text_of(*campaign, CampaignFormat::Csv);
    EXPECT_THAT(text, testing::StartsWith(
                          "warpbound-campaign,4\n"
                          "series,add/n=1,simulated:x,\"sha256:1, policy lrr\","
                          "\"warm-up 10, draw uniform, seed 1\",sha256:2,sha256:3,1x64,region\n"
                          "run,0,5,none,,24,26\n"));
    EXPECT_THAT(text, HasSubstr("conditions,0,driver,\"13.0, \"\"beta\"\"\",temperature,41 C\n"));
    EXPECT_THAT(text, HasSubstr("run,2,3,time-out,no end after 5 s\n"));
}

constexpr const char* head = "warpbound-campaign,2\nseries,a,d,,p,k,f,1x32,region\n";

TEST_F(Exchange, RefusesBadCsvWithItsPosition) {
    EXPECT_THAT(refusal(""), HasSubstr("text:1:1: is not the text of a campaign"));
    EXPECT_THAT(refusal("point,count\n"), HasSubstr("text:1:"));
    EXPECT_THAT(refusal("warpbound-campaign,5\n"), HasSubstr("text:1:1: is of version 5"));
    EXPECT_THAT(refusal("warpbound-campaign,2\nrun,0,1,none,,5\n"),
                HasSubstr("text:2:1: a run before the first series"));
    EXPECT_THAT(refusal("warpbound-campaign,2\nseries,a,d,,p,k,f,1x32,time\n"),
                HasSubstr("text:2:1: unknown quantity 'time'; expected region, execution-time, "
                          "resident-blocks, clocks"));
    EXPECT_THAT(refusal("warpbound-campaign,2\nseries,a,d\n"),
                HasSubstr("text:2:1: a series of 2 fields; expected 8"));
    const std::string text = head;
    EXPECT_THAT(refusal(text + text.substr(21)), HasSubstr("text:3:1: a second series"));
    EXPECT_THAT(refusal(text + "run,1,1,none,,5\n"), HasSubstr("text:3:1: run 1; expected run 0"));
    EXPECT_THAT(refusal(text + "run,0,x,none,,5\n"), HasSubstr("text:3:7: 'x' as the seed"));
    EXPECT_THAT(refusal(text + "run,0,1,none,,5.5\n"), HasSubstr("text:3:15: '5.5' as a time"));
    EXPECT_THAT(refusal(text + "run,0,1,slow,,5\n"),
                HasSubstr("text:3:9: unknown run anomaly 'slow'"));
    EXPECT_THAT(refusal(text + "run,0,1,none,\n"), HasSubstr("has 0 times; expected at least one"));
    EXPECT_THAT(refusal(text + "run,0,1,time-out,x,5\n"), HasSubstr("has 1 times; expected none"));
    EXPECT_THAT(refusal(text + "run,0,1,none,x,5\n"), HasSubstr("a remark without an anomaly"));
    EXPECT_THAT(refusal(text + "\n"), HasSubstr("text:3:1: a record ''"));
    EXPECT_THAT(refusal(text + "run,0,1,\"none,,5\n"), HasSubstr("text:3:9: no quote at the end"));
    EXPECT_THAT(refusal(text + "run,0,1,\"none\"x,,5\n"), HasSubstr("text:3:15: text after"));
    EXPECT_THAT(refusal(text + "conditions,0,driver\n"), HasSubstr("text:3:1: conditions"));
    EXPECT_THAT(refusal(text + "conditions,0,a,1\nconditions,0,a,2\n"),
                HasSubstr("text:4:1: conditions from run 0 on"));
    EXPECT_THAT(refusal(text + "conditions,0,a,1,a,2\n"), HasSubstr("a second value"));
    EXPECT_THAT(refusal(text + "run,0,1,none,,5\nconditions,0,a,1\n"),
                HasSubstr("text:4:1: conditions from run 0 on after that run"));
    EXPECT_THAT(refusal(text + "run," + std::string(1'100'000, '0') + "\n"),
                HasSubstr("a field of more than 1 MiB"));
    EXPECT_THAT(refusal(text + "run,0,1,throttled,\"" + std::string(1'100'000, 'x') + "\",5\n"),
                HasSubstr("a field of more than 1 MiB"));
    std::string many = "run,0,1,none,";
    while (many.size() < 17'000'000)
        many += ",1";
    EXPECT_THAT(refusal(text + many + "\n"), HasSubstr("a record of more than 16 MiB"));
    EXPECT_THAT(refusal(text + std::string(17'000'000, ',')),
                HasSubstr("a record of more than 16 MiB"));
}

TEST_F(Exchange, RefusesBadJsonWithItsPosition) {
    const std::string key = R"({"name": "a", "device": "d", "device-detail": "", "protocol": "p",
"kernel-digest": "k", "facts-digest": "f", "launch": "1x32", "quantity": "region",)";
    const std::string begin =
        "{\"format\": \"warpbound-campaign\", \"version\": 2, \"series\": [" + key;
    const auto run = [&](const std::string& text) {
        return refusal(begin + "\n\"runs\": [" + text + "]}]}");
    };
    EXPECT_THAT(refusal("{"), HasSubstr("text:1:2: no JSON"));
    EXPECT_THAT(refusal("{}"), HasSubstr("text:1:3: is not the text of a campaign"));
    EXPECT_THAT(refusal("{\"series\": []}"), HasSubstr("is not the text of a campaign"));
    EXPECT_THAT(refusal("{\"format\": \"warpbound-campaign\", \"version\": 1, \"series\": []}"),
                HasSubstr("is of version 1"));
    EXPECT_THAT(refusal("{\"format\": \"warpbound-campaign\", \"version\": 2, \"series\": [{}]}"),
                HasSubstr("a series without 'name'"));
    EXPECT_THAT(run("{\"run\": 0}"), HasSubstr("text:3:20: a run without"));
    EXPECT_THAT(run("{\"run\": 1, \"seed\": \"1\", \"times\": [5]}"),
                HasSubstr("run 1; expected run 0"));
    EXPECT_THAT(run("{\"run\": 0, \"seed\": 1, \"times\": [5]}"), HasSubstr("'seed'"));
    EXPECT_THAT(run("{\"run\": 0, \"seed\": \"-1\", \"times\": [5]}"), HasSubstr("'-1' as seed"));
    EXPECT_THAT(run("{\"run\": 0, \"seed\": \"1\", \"times\": [5.5]}"), HasSubstr("fraction"));
    EXPECT_THAT(run("{\"run\": 0, \"seed\": \"1\", \"times\": [[5]]}"), HasSubstr("'times'"));
    EXPECT_THAT(run("{\"run\": 0, \"seed\": \"1\", \"times\": [18446744073709551615]}"),
                HasSubstr("too large"));
    EXPECT_THAT(run("{\"run\": 0, \"seed\": \"1\", \"times\": [], \"trouble\": \"slow\"}"),
                HasSubstr("unknown run anomaly 'slow'"));
    EXPECT_THAT(run("{\"run\": 0, \"seed\": \"1\", \"times\": [], \"anomaly\": \"slow\"}"),
                HasSubstr("'anomaly' does not belong here"));
    EXPECT_THAT(run("{\"run\": 0, \"seed\": \"1\", \"times\": [5], \"more\": \"x\"}"),
                HasSubstr("'more'"));
    EXPECT_THAT(refusal(begin + "\"runs\": [], \"name\": \"b\"}]}"),
                HasSubstr("a field of the key after runs"));
    EXPECT_THAT(refusal(begin + "\"runs\": []}]} x"), HasSubstr("no JSON"));
    EXPECT_THAT(refusal(begin + "\"conditions\": [{\"values\": {\"a\": \"1\"}}]}]}"),
                HasSubstr("without 'first-run'"));
    EXPECT_THAT(refusal("{\"format\": \"" + std::string(1'100'000, 'x') + "\"}"),
                HasSubstr("more than 1 MiB"));
}

// A launch of many warps: its run is longer than any field may be.
TEST_F(Exchange, ImportsALongRun) {
    const auto campaign = open("original.db");
    const auto series = campaign->series({"a", "d", "", "p", "k", "f", "8192x1024", "region"});
    ASSERT_TRUE(campaign->append(series.value().id,
                                 {{0, 1, std::vector<std::int64_t>(8192 * 32, 123'456), {}}}));
    for (const auto format : {CampaignFormat::Csv, CampaignFormat::Json}) {
        const auto imported = import(text_of(*campaign, format));
        ASSERT_TRUE(imported) << to_string(imported.error());
        EXPECT_EQ(content_of(*campaign_), content_of(*campaign));
    }
}

// What could not be read back, or only as something else, is not written.
TEST_F(Exchange, RefusesToWriteWhatCannotBeReadBack) {
    const auto refused = [&](const std::string& name, CampaignFormat format) {
        const auto campaign = open(("flawed" + std::to_string(++imported_) + ".db").c_str());
        EXPECT_TRUE(campaign->series({name, "d", "", "p", "k", "f", "1x32", "region"}));
        const auto written = write_campaign(*campaign, format, [](std::string_view) {});
        return written ? "written" : written.error().what;
    };
    const std::string latin = "caf\xe9";
    EXPECT_THAT(refused(latin, CampaignFormat::Json), HasSubstr("a text that is not UTF-8"));
    EXPECT_EQ(refused(latin, CampaignFormat::Csv), "written");
    const std::string quotes(600'000, '"');
    for (const auto format : {CampaignFormat::Csv, CampaignFormat::Json})
        EXPECT_THAT(refused(quotes, format), HasSubstr("too long to be read back"));
    const auto campaign = open("long.db");
    const auto series = campaign->series({"a", "d", "", "p", "k", "f", "1x32", "region"});
    ASSERT_TRUE(
        campaign->append(series.value().id, {{0, 1, std::vector<std::int64_t>(9'000'000, 1), {}}}));
    const auto written = write_campaign(*campaign, CampaignFormat::Csv, [](std::string_view) {});
    ASSERT_FALSE(written);
    EXPECT_THAT(written.error().what, HasSubstr("a run of 18000"));
}

TEST_F(Exchange, ImportsIntoACampaignWithoutSeriesOnly) {
    const auto campaign = open("original.db");
    fill(*campaign);
    const auto before = content_of(*campaign);
    const auto refused = import_campaign(bytes_of(head), *campaign);
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().what, HasSubstr("a campaign without series"));
    EXPECT_EQ(content_of(*campaign), before);
    const auto empty = open("stopped.db");
    int asked = 0;
    const auto stopped = import_campaign(bytes_of(text_of(*campaign, CampaignFormat::Csv)), *empty,
                                         [&] { return ++asked > 3; });
    ASSERT_FALSE(stopped);
    EXPECT_THAT(stopped.error().what, HasSubstr("interrupted"));
    EXPECT_TRUE(content_of(*empty).empty());
}

/// The corpus of the fuzz target.
std::vector<std::string> corpus() {
    std::vector<std::filesystem::path> paths;
    const std::filesystem::path folder{WARPBOUND_SOURCE_DIR "/tests/fuzz/corpus/campaign"};
    for (const auto& entry : std::filesystem::directory_iterator{folder})
        paths.push_back(entry.path());
    std::sort(paths.begin(), paths.end());
    std::vector<std::string> texts;
    for (const auto& path : paths)
        texts.push_back(assembly::read_source(path).value().text);
    return texts;
}

// A truncated or damaged text is refused with its position or gives series and runs in order;
// nothing crashes. The intact text is accepted.
TEST(ExchangeCorpus, IsReadOrRefused) {
    const auto texts = corpus();
    ASSERT_GE(texts.size(), 2U);
    for (const auto& text : texts) {
        for (unsigned seed = 0; seed < 400; ++seed) {
            SCOPED_TRACE("seed " + std::to_string(seed));
            std::mt19937 random{seed};
            std::string damaged = text;
            if (seed % 3 == 1)
                damaged.resize(random() % damaged.size());
            else if (seed > 0)
                for (unsigned flips = 1 + seed % 3; flips > 0; --flips)
                    damaged[random() % damaged.size()] = static_cast<char>(random());
            std::int64_t next = -1;
            CampaignListener listener;
            listener.series = [&](const SeriesKey&) -> Result<void> {
                next = 0;
                return boost::outcome_v2::success();
            };
            listener.conditions = [&](const RecordedConditions& recorded) -> Result<void> {
                EXPECT_GE(next, 0);
                EXPECT_FALSE(recorded.conditions.empty());
                return boost::outcome_v2::success();
            };
            listener.sample = [&](const Sample& sample) -> Result<void> {
                EXPECT_EQ(sample.run, next++);
                return boost::outcome_v2::success();
            };
            const auto done = read_campaign(bytes_of(damaged), listener);
            if (seed == 0) {
                EXPECT_TRUE(done) << to_string(done.error());
            }
            if (done) continue;
            EXPECT_GT(done.error().line, 0) << done.error().what;
            EXPECT_GT(done.error().column, 0) << done.error().what;
        }
    }
}

} // namespace
} // namespace warpbound::harness
