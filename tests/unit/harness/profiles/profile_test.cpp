#include "harness/profiles/read_profile.hpp"
#include "harness/profiles/record_profile.hpp"
#include "harness/profiles/series_by_launch.hpp"
#include "harness/protocol/quantity.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sqlite3.h>

#include <cstring>
#include <filesystem>
#include <fstream>

namespace warpbound::harness::profiles {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class ProfileFile : public testing::Test {
protected:
    std::string write(const std::string& name, const std::string& text) const {
        const auto file = folder_.path() / name;
        std::filesystem::create_directories(file.parent_path());
        std::ofstream{file, std::ios::binary} << text;
        return file.string();
    }
    static Result<Profile> read(const std::string& path) {
        const auto format = format_of(path);
        if (!format) return Failure{"no profile", path};
        return read_profile(path, *format);
    }
    Result<Profile> read_text(const std::string& text) const {
        return read(write("profile.csv", text));
    }

    tests::TemporaryFolder folder_;
};

// --- numbers ----------------------------------------------------------------------------------

TEST(Nanoseconds, AreExactAndRoundedToTheNearest) {
    EXPECT_EQ(nanoseconds_of("211.94", "us"), 211'940);
    EXPECT_EQ(nanoseconds_of("2,000,000", "ns"), 2'000'000);
    EXPECT_EQ(nanoseconds_of("1.0000005", "ms"), 1'000'001);
    EXPECT_EQ(nanoseconds_of("1.00000049", "ms"), 1'000'000);
    EXPECT_EQ(nanoseconds_of("3", "second"), 3'000'000'000);
    EXPECT_EQ(nanoseconds_of("0", "ns"), 0);
}

TEST(Nanoseconds, OfAnotherTextAreNone) {
    for (const char* text : {"", "-1", ".5", "1e3", "n/a", "1.2.3", ",1", "99999999999999999999"})
        EXPECT_EQ(nanoseconds_of(text, "ns"), std::nullopt) << text;
    EXPECT_EQ(nanoseconds_of("1", "cycle"), std::nullopt);
    EXPECT_EQ(nanoseconds_of("1125899906842624", "ns"), longest_run);
    EXPECT_EQ(nanoseconds_of("1125899906842625", "ns"), std::nullopt);
}

TEST(LaunchText, IsThatOfTheShapes) {
    EXPECT_EQ(launch_text({4, 1, 1}, {64, 1, 1}, 0), "4x64");
    EXPECT_EQ(launch_text({4, 2, 1}, {16, 8, 1}, 2048),
              "8x128,shared-memory=2048,block=16x8,grid=4x2");
    EXPECT_EQ(launch_text({0, 1, 1}, {64, 1, 1}, 0), "");
    EXPECT_EQ(launch_text({1, 1, 1}, {2048, 1, 1}, 0), "");
}

// --- CSV --------------------------------------------------------------------------------------

constexpr const char* gpu_trace =
    "Start (ns),Duration (ns),CorrId,GrdX,GrdY,GrdZ,BlkX,BlkY,BlkZ,Reg/Trd,Device,Strm,Name\n"
    "900,70,3,4,1,1,64,1,1,16,NVIDIA T4 (0),7,\"scale(float *, int)\"\n"
    "100,50,1,4,1,1,64,1,1,16,NVIDIA T4 (0),7,\"scale(float *, int)\"\n"
    "200,60,2,8,1,1,64,1,1,16,NVIDIA T4 (0),7,\"scale(float *, int)\"\n"
    "10,30,0,,,,,,,,NVIDIA T4 (0),7,[CUDA memcpy Host-to-Device]\n";

TEST_F(ProfileFile, GpuTraceHasASeriesForEachLaunchInTheOrderOfStarts) {
    const auto profile = read_text(gpu_trace);
    ASSERT_TRUE(profile) << to_string(profile.error());
    const auto& series = profile.value().series;
    ASSERT_EQ(series.size(), 3U);
    EXPECT_EQ(series[0].name, "[CUDA memcpy Host-to-Device]");
    EXPECT_EQ(series[0].launch, "");
    EXPECT_EQ(series[1].launch, "4x64");
    EXPECT_THAT(series[1].times, ElementsAre(50, 70));
    EXPECT_EQ(series[1].device, "NVIDIA T4 (0)");
    EXPECT_EQ(series[2].launch, "8x64");
}

TEST_F(ProfileFile, RecordsOfCuptiHaveEndsAndColumnsInAnyOrder) {
    const auto profile =
        read_text("name,deviceId,start,end,gridX,gridY,gridZ,blockX,blockY,blockZ\n"
                  "_Z5scalePfi,0,1000,1500,2,1,1,32,1,1\n");
    ASSERT_TRUE(profile) << to_string(profile.error());
    EXPECT_THAT(profile.value().series.at(0).times, ElementsAre(500));
    EXPECT_EQ(profile.value().series.at(0).launch, "2x32");
}

TEST_F(ProfileFile, DamagedRecordsAreRefusedWithTheirLine) {
    const std::string head = "Start (ns),Duration (ns),Name\n1,2,a\n";
    for (const auto& [line, message] : std::vector<std::pair<std::string, std::string>>{
             {"3,x,a\n", "3:3: expected a time in whole ns"},
             {"3,-2,a\n", "3:3: expected a time in whole ns"},
             {"-3,2,a\n", "3:1: expected a start in whole ns"},
             {"3,2\n", "3:1: a record of 2 fields; the heading has 3"},
             {"3,2,\n", "3:5: expected the name of a kernel or copy"},
             {"3,2,\"a\n", "no quote at the end"}}) {
        const auto profile = read_text(head + line);
        ASSERT_FALSE(profile) << line;
        EXPECT_THAT(to_string(profile.error()), HasSubstr(message));
    }
    const auto early = read_text("name,start,end\na,5,4\n");
    ASSERT_FALSE(early);
    EXPECT_THAT(to_string(early.error()), HasSubstr("2:5: the run ends before it starts"));
}

constexpr const char* compute_head =
    "==PROF== Connected to process 1 (/tmp/app)\n"
    "the \"app\" says, hello\n"
    "==PROF== Profiling \"scale\" - 0: 0%....50%....100% - 1 pass\n"
    "\"ID\",\"Process ID\",\"Kernel Name\",\"Context\",\"Stream\",\"Block Size\",\"Grid Size\","
    "\"Device\",\"CC\",";

TEST_F(ProfileFile, PageOfDetailsHasARecordForEachMetric) {
    const std::string kernel = "\"1\",\"scale(float *, int)\",\"1\",\"7\",\"(64, 1, 1)\","
                               "\"(4, 1, 1)\",\"0\",\"7.5\",";
    const auto profile =
        read_text(std::string{compute_head} +
                  "\"Section Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n"
                  "\"0\"," +
                  kernel +
                  "\"S\",\"SM Frequency\",\"Ghz\",\"1.2\"\n"
                  "\"0\"," +
                  kernel +
                  "\"S\",\"Duration\",\"us\",\"211.94\"\n"
                  "\"1\"," +
                  kernel +
                  "\"C\",\"gpu__time_duration.sum\",\"ns\",\"203,020\"\n"
                  "\"1\"," +
                  kernel +
                  "\"S\",\"Duration\",\"us\",\"203.02\"\n"
                  "==PROF== Disconnected from process 1\n");
    ASSERT_TRUE(profile) << to_string(profile.error());
    ASSERT_EQ(profile.value().series.size(), 1U);
    EXPECT_THAT(profile.value().series[0].times, ElementsAre(211'940, 203'020));
    EXPECT_EQ(profile.value().series[0].launch, "4x64");
    EXPECT_EQ(profile.value().series[0].device, "GPU 0, compute capability 7.5");
    EXPECT_THAT(profile.value().conditions, HasSubstr("--clock-control none"));
}

TEST_F(ProfileFile, RawPageHasAColumnForEachMetricAndARecordOfUnits) {
    const auto profile = read_text(std::string{compute_head} +
                                   "\"gpu__time_duration.sum\"\n"
                                   "\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"msecond\"\n"
                                   "\"0\",\"1\",\"a\",\"1\",\"7\",\"(64, 1, 1)\",\"(4, 2, 1)\","
                                   "\"0\",\"7.5\",\"0.5\"\n");
    ASSERT_TRUE(profile) << to_string(profile.error());
    EXPECT_THAT(profile.value().series.at(0).times, ElementsAre(500'000));
    EXPECT_EQ(profile.value().series.at(0).launch, "8x64,grid=4x2");
}

TEST_F(ProfileFile, MetricWithoutAUnitOfTimeIsRefusedWithItsLine) {
    const auto profile = read_text(std::string{compute_head} +
                                   "\"gpu__time_duration.sum\"\n"
                                   "\"0\",\"1\",\"a\",\"1\",\"7\",\"(64, 1, 1)\",\"(4, 2, 1)\","
                                   "\"0\",\"7.5\",\"0.5\"\n");
    ASSERT_FALSE(profile);
    EXPECT_THAT(to_string(profile.error()), HasSubstr(":5:"));
    EXPECT_THAT(to_string(profile.error()), HasSubstr("'0.5' in '' is no time"));
}

// --- JSON -------------------------------------------------------------------------------------

TEST_F(ProfileFile, TimesOfInferencesAreReadUnderNamesOfEveryVersion) {
    const auto now = read_text(R"([ { "startEnqMs" : 1, "h2dMs" : 0.25, "computeMs" : 1.5,
                                     "d2hMs" : 0.125, "latencyMs" : 1.875 }
                                  , { "h2dMs" : 0.5, "computeMs" : 1.25, "d2hMs" : 0.25,
                                     "latencyMs" : 2 } ])");
    ASSERT_TRUE(now) << to_string(now.error());
    ASSERT_EQ(now.value().series.size(), 4U);
    EXPECT_EQ(now.value().series[1].name, "compute");
    EXPECT_THAT(now.value().series[1].times, ElementsAre(1'500'000, 1'250'000));
    EXPECT_THAT(now.value().series[3].times, ElementsAre(1'875'000, 2'000'000));
    const auto earlier =
        read_text(R"([{"inMs": 1, "computeMs": 2, "outMs": 3, "latencyMs": 6, "endToEndMs": 7}])");
    ASSERT_TRUE(earlier) << to_string(earlier.error());
    EXPECT_THAT(earlier.value().series[2].times, ElementsAre(3'000'000));
}

TEST_F(ProfileFile, DamagedTimesOfInferencesAreRefusedWithTheirEntry) {
    const auto lacks = read_text(R"([{"computeMs": 1, "h2dMs": 1, "d2hMs": 1, "latencyMs": 1},
                                     {"computeMs": 1, "h2dMs": 1, "d2hMs": 1}])");
    ASSERT_FALSE(lacks);
    EXPECT_THAT(to_string(lacks.error()), HasSubstr("/1/latencyMs: is missing"));
    const auto negative = read_text(R"([{"computeMs": -1, "h2dMs": 1}])");
    ASSERT_FALSE(negative);
    EXPECT_THAT(to_string(negative.error()), HasSubstr("/0/computeMs"));
    const auto cut = read_text("[{\"computeMs\": 1,\n");
    ASSERT_FALSE(cut);
    EXPECT_THAT(to_string(cut.error()), HasSubstr(":2:"));
}

TEST_F(ProfileFile, AveragesOfLayersAreRefusedAndNameTheOptionWithTimes) {
    const auto profile =
        read_text(R"([{"count": 5}, {"name": "conv1", "timeMs": 9, "averageMs": 1.8}])");
    ASSERT_FALSE(profile);
    EXPECT_THAT(to_string(profile.error()), HasSubstr("--exportTimes"));
}

std::string nvbench_json(const std::string& file, const std::string& size) {
    return R"({"meta": {"version": {"nvbench": {"string": "0.1"}}},
  "devices": [{"id": 0, "name": "NVIDIA T4"}],
  "benchmarks": [{"name": "copy", "states": [
    {"name": "Device=0 Size=2^8", "device": 0, "summaries": [
      {"tag": "nv/json/bin:nv/cold/sample_times", "data": [
        {"name": "filename", "type": "string", "value": ")" +
           file + R"("}, {"name": "size", "type": "int64", "value": ")" + size + R"("}]}]},
    {"name": "Device=0 Size=2^9", "device": 0, "summaries": null}]}]})";
}

TEST_F(ProfileFile, TimesOfNvBenchAreBesideItsJson) {
    std::string bytes;
    for (const float time : {1e-6F, 2.5e-6F}) {
        std::array<char, sizeof(float)> raw{};
        std::memcpy(raw.data(), &time, sizeof(float));
        bytes.append(raw.data(), raw.size());
    }
    write("run/times.json-bin/0.bin", bytes);
    const auto profile = read(write("run/times.json", nvbench_json("times.json-bin/0.bin", "2")));
    ASSERT_TRUE(profile) << to_string(profile.error());
    ASSERT_EQ(profile.value().series.size(), 1U);
    EXPECT_EQ(profile.value().series[0].name, "copy, Device=0 Size=2^8");
    EXPECT_EQ(profile.value().series[0].device, "NVIDIA T4");
    EXPECT_THAT(profile.value().series[0].times, ElementsAre(1000, 2500));
    EXPECT_THAT(profile.value().left_out, ElementsAre(HasSubstr("--jsonbin")));

    const auto fewer = read(write("run/times.json", nvbench_json("times.json-bin/0.bin", "3")));
    ASSERT_FALSE(fewer);
    EXPECT_THAT(to_string(fewer.error()), HasSubstr("has 8 bytes; expected 3 times"));
    for (const char* outside : {"../times.json-bin/0.bin", "/etc/hostname", "a/../../b"}) {
        const auto led = read(write("run/times.json", nvbench_json(outside, "2")));
        ASSERT_FALSE(led);
        EXPECT_THAT(to_string(led.error()), HasSubstr("outside its folder")) << outside;
    }
}

// --- SQLite -----------------------------------------------------------------------------------

/// As `nsys export` writes it, with few of the columns.
void write_database(const std::string& path, const std::string& more = {}) {
    sqlite3* database = nullptr;
    ASSERT_EQ(sqlite3_open(path.c_str(), &database), SQLITE_OK);
    const std::string sql =
        "CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT NOT NULL);"
        "INSERT INTO StringIds VALUES (1, 'scale(float *, int)'), (2, '_Z5scalePfi');"
        "CREATE TABLE TARGET_INFO_GPU (id INTEGER, name TEXT);"
        "INSERT INTO TARGET_INFO_GPU VALUES (0, 'NVIDIA T4');"
        "CREATE TABLE META_DATA_EXPORT (name TEXT, value TEXT);"
        "INSERT INTO META_DATA_EXPORT VALUES ('EXPORT_PRODUCT_VERSION', '2024.6.2');"
        "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INT, end INT, deviceId INT, gridX INT, "
        "gridY INT, gridZ INT, blockX INT, blockY INT, blockZ INT, staticSharedMemory INT, "
        "dynamicSharedMemory INT, demangledName INT, mangledName INT);"
        "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (500, 580, 0, 4, 1, 1, 64, 1, 1, 16, 32, 1, "
        "2), (100, 150, 0, 4, 1, 1, 64, 1, 1, 16, 32, 1, 2);"
        "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INT, end INT, deviceId INT, copyKind INT, "
        "bytes INT);"
        "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (10, 40, 0, 1, 4096);" +
        more;
    EXPECT_EQ(sqlite3_exec(database, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK);
    sqlite3_close(database);
}

TEST_F(ProfileFile, DatabaseOfNsightSystemsHasKernelsWithSymbolsAndCopies) {
    const std::string path = (folder_.path() / "app.sqlite").string();
    write_database(path);
    const auto profile = read(path);
    ASSERT_TRUE(profile) << to_string(profile.error());
    EXPECT_EQ(profile.value().profiler, "Nsight Systems 2024.6.2");
    const auto& series = profile.value().series;
    ASSERT_EQ(series.size(), 2U);
    EXPECT_EQ(series[0].name, "copy host to device, 4096 bytes");
    EXPECT_EQ(series[1].mangled, "_Z5scalePfi");
    EXPECT_EQ(series[1].launch, "4x64,shared-memory=48");
    EXPECT_EQ(series[1].device, "NVIDIA T4");
    EXPECT_THAT(series[1].times, ElementsAre(50, 80));
}

TEST_F(ProfileFile, DatabaseWithoutNamesOrWithWrongTimesIsRefusedWithItsRow) {
    const std::string path = (folder_.path() / "app.sqlite").string();
    write_database(path, "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET \"end\" = 90 WHERE start = 100;");
    const auto early = read(path);
    ASSERT_FALSE(early);
    EXPECT_THAT(to_string(early.error()),
                HasSubstr("kernel 2 ends at 90 ns, having started at 100 ns"));
    std::filesystem::remove(path);
    write_database(path, "DELETE FROM StringIds WHERE id = 1;");
    const auto nameless = read(path);
    ASSERT_FALSE(nameless);
    EXPECT_THAT(to_string(nameless.error()), HasSubstr("kernel 1 has no name"));
    std::filesystem::remove(path);
    write_database(path, "DROP TABLE CUPTI_ACTIVITY_KIND_KERNEL;"
                         "DROP TABLE CUPTI_ACTIVITY_KIND_MEMCPY;");
    const auto empty = read(path);
    ASSERT_FALSE(empty);
    EXPECT_THAT(to_string(empty.error()), HasSubstr("nsys profile --trace=cuda"));
}

TEST_F(ProfileFile, DamagedDatabaseIsRefusedOrGivesTimesInRange) {
    const std::string path = (folder_.path() / "app.sqlite").string();
    write_database(path);
    std::ifstream in{path, std::ios::binary};
    const std::string whole{std::istreambuf_iterator<char>{in}, {}};
    for (std::size_t at = 16; at < whole.size(); at += 37) {
        std::string damaged = whole;
        damaged[at] = static_cast<char>(damaged[at] ^ 0x55);
        const auto profile = read(write("damaged.sqlite", damaged));
        if (!profile) continue;
        for (const auto& series : profile.value().series)
            for (const std::int64_t time : series.times)
                EXPECT_TRUE(time >= 0 && time <= longest_run) << at;
    }
    for (const std::size_t size : {20U, 100U, 4096U, 5000U})
        EXPECT_FALSE(read(write("cut.sqlite", whole.substr(0, size)))) << size;
}

// --- campaigns --------------------------------------------------------------------------------

TEST_F(ProfileFile, IsRecordedAsSeriesOfACampaign) {
    const auto profile = read_text(gpu_trace);
    ASSERT_TRUE(profile);
    const auto campaign = Campaign::open(folder_.path() / "campaign.db");
    ASSERT_TRUE(campaign);
    const auto digest = [](const ProfiledSeries& series) {
        return series.launch.empty() ? std::string{} : "sha256:of " + series.name;
    };
    const auto recorded = record_profile(profile.value(), *campaign.value(), digest);
    ASSERT_TRUE(recorded) << to_string(recorded.error());
    const auto list = campaign.value()->list();
    ASSERT_TRUE(list);
    ASSERT_EQ(list.value().size(), 3U);
    const auto& kernel = list.value()[1];
    EXPECT_EQ(kernel.key.quantity, profiled_time);
    EXPECT_EQ(kernel.key.device, "profiled:NVIDIA T4 (0)");
    EXPECT_EQ(kernel.key.launch, "4x64");
    EXPECT_EQ(kernel.key.kernel_digest, "sha256:of scale(float *, int)");
    const auto samples = campaign.value()->samples(kernel.id);
    ASSERT_TRUE(samples);
    ASSERT_EQ(samples.value().size(), 2U);
    EXPECT_THAT(samples.value()[1].times, ElementsAre(70));
    EXPECT_FALSE(record_profile(profile.value(), *campaign.value()));
}

TEST_F(ProfileFile, OtherFilesAreNone) {
    for (const char* text : {"", "\n", "1\n2\n", "warpbound-campaign,3\n", "{\"format\": \"x\"}",
                             "[1, 2]", "time\n5\n"})
        EXPECT_EQ(format_of(write("other", text)), std::nullopt) << text;
    EXPECT_EQ(format_of((folder_.path() / "missing").string()), std::nullopt);
}

TEST(ProfilerCorpus, IsReadOrRefused) {
    int read = 0;
    for (const auto& file : std::filesystem::directory_iterator{
             WARPBOUND_SOURCE_DIR "/tests/fuzz/corpus/profiler_file"}) {
        const auto format = format_of(file.path().string());
        ASSERT_TRUE(format) << file.path();
        const auto profile = read_profile(file.path().string(), *format);
        if (profile)
            ++read;
        else
            EXPECT_FALSE(profile.error().what.empty()) << file.path();
    }
    EXPECT_GE(read, 6);
}

TEST(ProfiledTime, IsInNanosecondsAndOfNoDevice) {
    EXPECT_EQ(unit_of(profiled_time), "ns");
    const auto quantity = parse_quantity(profiled_time, "series");
    ASSERT_FALSE(quantity);
    EXPECT_THAT(quantity.error().what, HasSubstr("no device measures them"));
}

} // namespace
} // namespace warpbound::harness::profiles
