/// \file
/// Campaigns that were altered, or that hold views, triggers and tables of somebody else.

#include "tests/attacks/hostile_case.hpp"

#include <sqlite3.h>

#include <stdexcept>

namespace warpbound::tests {
namespace {

/// A campaign of the empty region on the simulated device.
std::string made_campaign(const Folder& folder) {
    const std::string file = folder.path("runs.db");
    const auto made = run_warpbound({"measure", "--device", "simulated:turing-t4", "--benchmark",
                                     "empty-region", "--repetitions", "20", "--campaign", file});
    EXPECT_EQ(made.exit_code, 0) << made.err;
    return file;
}

void execute(const std::string& file, const std::string& sql) {
    sqlite3* database = nullptr;
    char* why = nullptr;
    const bool done = sqlite3_open(file.c_str(), &database) == SQLITE_OK &&
                      sqlite3_exec(database, sql.c_str(), nullptr, nullptr, &why) == SQLITE_OK;
    const std::string message = why == nullptr ? "" : why;
    sqlite3_free(why);
    sqlite3_close(database);
    if (!done) throw std::runtime_error{sql + ": " + message};
}

struct Tampering {
    std::string name;
    std::string sql;
    std::string said;
    bool found_by_list = true; ///< Else by the commands that read samples.
};

class TamperedCampaigns : public testing::TestWithParam<Tampering> {};

TEST_P(TamperedCampaigns, AreRefused) {
    const Folder folder;
    const std::string file = made_campaign(folder);
    ASSERT_EQ(run_warpbound({"campaign", "list", file}).exit_code, 0);
    execute(file, GetParam().sql);
    std::vector<std::vector<std::string>> commands{
        {"campaign", "list", file, "--summary"},
        {"campaign", "export", file},
        {"campaign", "report", file, "-o", folder.path("report.html")},
        {"measure", "--device", "simulated:turing-t4", "--benchmark", "empty-region",
         "--repetitions", "20", "--campaign", file},
        {"measure", "--device", "recorded:" + file, "--benchmark", "empty-region", "--repetitions",
         "20"}};
    if (GetParam().found_by_list) commands.push_back({"campaign", "list", file});
    for (const auto& command : commands) {
        const auto outcome = run_warpbound(command);
        EXPECT_EQ(misbehaviour_of(outcome), "");
        EXPECT_EQ(outcome.exit_code, 3)
            << command[0] << " " << command[1] << outcome.out << outcome.err;
        EXPECT_THAT(outcome.err, testing::HasSubstr("runs.db"));
        EXPECT_THAT(outcome.err, testing::HasSubstr(GetParam().said));
    }
}

INSTANTIATE_TEST_SUITE_P(
    All, TamperedCampaigns,
    testing::Values(
        Tampering{"ViewForTable",
                  "ALTER TABLE series RENAME TO kept; CREATE VIEW series AS SELECT * FROM kept",
                  "expected the tables series, sample and condition alone"},
        Tampering{"Trigger",
                  "CREATE TRIGGER more AFTER INSERT ON sample BEGIN UPDATE sample SET times = "
                  "x'0100000000000000'; END",
                  "trigger 'more'"},
        Tampering{"MoreTables", "CREATE TABLE notes (text TEXT)", "table 'notes'"},
        Tampering{"MoreIndexes", "CREATE INDEX fast ON sample (seed)", "index 'fast'"},
        Tampering{"MoreColumns", "ALTER TABLE sample ADD COLUMN more INTEGER",
                  "table 'sample' with another definition"},
        Tampering{"GeneratedColumn",
                  "DROP TABLE condition; CREATE TABLE condition (series INTEGER, first_run INTEGER "
                  "AS (series + 1), name TEXT, value TEXT)",
                  "'condition'"},
        Tampering{"LostTable", "DROP TABLE condition", "'condition'"},
        Tampering{"OtherVersion", "PRAGMA user_version = 2", "schema version 2"},
        Tampering{"OlderVersion", "PRAGMA user_version = 3", "the table 'sample' with another"},
        Tampering{"AlteredTimes", "UPDATE sample SET times = x'0100000000000000' WHERE run = 3",
                  "was altered after it was recorded", false},
        Tampering{"AlteredSeed", "UPDATE sample SET seed = seed + 1 WHERE run = 0", "was altered",
                  false},
        Tampering{"LostLastRuns", "DELETE FROM sample WHERE run > 10", "was altered", false},
        Tampering{"LostRun",
                  "DELETE FROM sample WHERE run = 5; UPDATE sample SET run = run - 1 WHERE run > 5",
                  "was altered", false},
        Tampering{"HiddenAnomaly",
                  "UPDATE sample SET anomaly = 'throttled', remark = 'hot' WHERE run = 1",
                  "was altered", false},
        Tampering{"RelabelledSeries", "UPDATE series SET name = name || '-other'",
                  "was altered after it was recorded"},
        Tampering{"RelabelledMachine", "UPDATE series SET device = 'cuda:0'",
                  "was altered after it was recorded"},
        Tampering{"AddedCondition",
                  "INSERT INTO condition SELECT id, 0, 'driver', 'other' FROM series",
                  "was altered after it was recorded"},
        Tampering{"SwappedDigests", "UPDATE series SET runs_digest = conditions_digest",
                  "was altered", false}),
    [](const auto& info) { return info.param.name; });

// --- campaigns as text ---------------------------------------------------------------------

struct AlteredText {
    std::string name;
    std::string format;
    std::string from;
    std::string to;
    std::string said;
};

class AlteredTexts : public testing::TestWithParam<AlteredText> {};

TEST_P(AlteredTexts, AreRefusedWithTheirLine) {
    const Folder folder;
    const auto& [name, format, from, to, said] = GetParam();
    const auto exported =
        run_warpbound({"campaign", "export", made_campaign(folder), "--format", format});
    ASSERT_EQ(exported.exit_code, 0) << exported.err;
    const std::string file = folder.write("text." + format, with_replaced(exported.out, from, to));
    for (const auto& command : std::vector<std::vector<std::string>>{
             {"campaign", "import", file, "-o", folder.path("new.db")},
             {"measure", "--device", "recorded:" + file, "--benchmark", "empty-region"}}) {
        const auto outcome = run_warpbound(command);
        EXPECT_EQ(misbehaviour_of(outcome), "");
        EXPECT_EQ(outcome.exit_code, 3) << outcome.out;
        EXPECT_THAT(outcome.err, testing::ContainsRegex("text[.](csv|json):[0-9]+:[0-9]+: "));
        EXPECT_THAT(outcome.err, testing::HasSubstr(said));
    }
}

INSTANTIATE_TEST_SUITE_P(
    All, AlteredTexts,
    testing::Values(
        AlteredText{"CsvTime", "csv", "\nrun,0,", "\nrun,0,1", "do not agree with their digest"},
        AlteredText{"CsvMachine", "csv", "simulated:turing-t4", "cuda:0",
                    "do not agree with their digest"},
        AlteredText{"CsvWithoutDigests", "csv", "\ndigests,", "\nconditions,999,", "expected"},
        AlteredText{"CsvOtherDigest", "csv", "digests,sha256:", "digests,sha256:0",
                    "do not agree with their digest"},
        AlteredText{"CsvNotANumber", "csv", "\nrun,0,", "\nrun,0,nan", "as the seed"},
        AlteredText{"CsvTooLargeNumber", "csv", "\nrun,0,", "\nrun,18446744073709551616,",
                    "expected a whole number"},
        AlteredText{"JsonSeed", "json", "\"run\": 0, \"seed\": \"", "\"run\": 0, \"seed\": \"1",
                    "do not agree with their digest"},
        AlteredText{"JsonWithoutDigest", "json", "\"runs-digest\"", "\"launch-digest\"",
                    "does not belong here"},
        AlteredText{"JsonNegativeRun", "json", "\"run\": 0", "\"run\": -1", "expected run 0"}),
    [](const auto& info) { return info.param.name; });

// A text of an earlier version has no digests: that is said.
TEST(CampaignTexts, WithoutDigestsAreReadAndNamed) {
    const Folder folder;
    const std::string file = folder.write(
        "old.csv", "warpbound-campaign,2\nseries,a,d,,p,k,f,1x32,region\nrun,0,1,none,,5\n");
    const auto outcome = run_warpbound({"campaign", "import", file, "-o", folder.path("new.db")});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_THAT(outcome.err, testing::HasSubstr("old.csv: no digests"));
}

// Fields that a spreadsheet would run begin with an apostrophe in CSV, and come back without it.
TEST(CampaignTexts, BeginNoFormula) {
    const Folder folder;
    const std::string csv = folder.write(
        "in.csv", "warpbound-campaign,2\nseries,=HYPERLINK(1),+d,-x,@p,\"\tk\",'f,1x32,region\n"
                  "conditions,0,=a,=b\nrun,0,1,none,,-5\n");
    const std::string database = folder.path("formulas.db");
    ASSERT_EQ(run_warpbound({"campaign", "import", csv, "-o", database}).exit_code, 0);
    const auto exported = run_warpbound({"campaign", "export", database});
    EXPECT_THAT(exported.out,
                testing::HasSubstr("\nseries,'=HYPERLINK(1),'+d,'-x,'@p,'\tk,''f,1x32,region\n"));
    EXPECT_THAT(exported.out, testing::HasSubstr("\nrun,0,1,none,,-5\n"));
    const std::string again = folder.write("again.csv", exported.out);
    const std::string second = folder.path("second.db");
    ASSERT_EQ(run_warpbound({"campaign", "import", again, "-o", second}).exit_code, 0);
    EXPECT_EQ(run_warpbound({"campaign", "export", second}).out, exported.out);
    const auto listed = run_warpbound({"campaign", "list", second, "--format", "json"});
    EXPECT_THAT(listed.out, testing::HasSubstr("\"=HYPERLINK(1)\""));
}

} // namespace
} // namespace warpbound::tests
