#include "harness/profiles/read_profile.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <fstream>

namespace warpbound::harness::profiles {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// --- a writer of reports ----------------------------------------------------------------------

std::string varint(std::uint64_t value) {
    std::string out;
    for (; value >= 0x80U; value >>= 7U)
        out += static_cast<char>(0x80U | (value & 0x7fU));
    return out + static_cast<char>(value);
}

std::string fixed(std::uint64_t value, unsigned size) {
    std::string out;
    for (unsigned i = 0; i < size; ++i)
        out += static_cast<char>((value >> (8 * i)) & 0xffU);
    return out;
}

std::string number(std::uint64_t field, std::uint64_t value) {
    return varint(field << 3U) + varint(value);
}
std::string bytes(std::uint64_t field, const std::string& content) {
    return varint((field << 3U) | 2U) + varint(content.size()) + content;
}
std::string sized(const std::string& message) {
    return fixed(message.size(), 4) + message;
}
std::string extents(std::uint64_t x, std::uint64_t y, std::uint64_t z) {
    return number(1, x) + number(2, y) + number(3, z);
}
std::string metric(std::uint64_t name, const std::string& value) {
    return bytes(13, number(1, name) + bytes(2, value));
}
std::string double_value(double value) {
    return varint((3U << 3U) | 1U) + fixed(std::bit_cast<std::uint64_t>(value), 8);
}
std::string float_value(float value) {
    return varint((2U << 3U) | 5U) + fixed(std::bit_cast<std::uint32_t>(value), 4);
}
std::string named(const std::string& name) {
    return bytes(5, "_Z5" + name + "Pfi") + bytes(6, name) + bytes(7, name + "(float *, int)");
}
std::string kernel(const std::string& name, const std::string& metrics) {
    return number(1, 77) + named(name) + number(8, 3) + bytes(9, extents(0, 0, 0)) +
           bytes(10, extents(4, 2, 1)) + bytes(11, extents(64, 1, 1)) + metrics + number(22, 1) +
           number(23, 7) + varint((35U << 3U) | 5U) + fixed(0, 4) + bytes(99, "later");
}

const std::vector<std::string> names = {"sm__cycles_elapsed.max", "gpu__time_duration.sum",
                                        "device__attribute_display_name"};

std::string block(const std::vector<std::string>& strings, const std::vector<std::string>& results,
                  const std::string& more = {}) {
    std::string table;
    for (const auto& text : strings)
        table += bytes(1, text);
    std::string payload = sized("source");
    for (const auto& result : results)
        payload += sized(result);
    payload += more;
    std::string header = number(1, 1) + number(2, results.size()) + bytes(3, number(1, 5));
    if (!strings.empty()) header += bytes(4, table);
    return sized(header + number(5, payload.size()) + number(7, more.empty() ? 0 : 1)) + payload;
}
std::string report(const std::string& blocks, std::uint64_t version = 7) {
    return std::string{"NVR\0", 4} + sized(number(1, version)) + blocks;
}

class NsightComputeReport : public testing::Test {
protected:
    Result<Profile> read(const std::string& content) const {
        const std::string path = (folder_.path() / "app.ncu-rep").string();
        std::ofstream{path, std::ios::binary} << content;
        return read_profile(path, ProfileFormat::NsightComputeReport);
    }
    std::string refusal(const std::string& content) const {
        const auto profile = read(content);
        return profile ? std::string{"is read"} : profile.error().what;
    }
    /// The time of one kernel with this value.
    std::vector<std::int64_t> time(const std::string& value) const {
        const auto profile = read(report(block(names, {kernel("scale", metric(1, value))})));
        return profile ? profile.value().series.at(0).times : std::vector<std::int64_t>{-1};
    }

    tests::TemporaryFolder folder_;
};

// --- what is read -----------------------------------------------------------------------------

TEST_F(NsightComputeReport, HasASeriesForEachKernelAndLaunch) {
    const std::string device = metric(2, bytes(1, "NVIDIA T4"));
    const std::string cycles = metric(0, double_value(5000));
    const auto profile =
        read(report(block(names,
                          {kernel("scale", cycles + metric(1, double_value(211'940)) + device),
                           kernel("copy", metric(1, double_value(10)))},
                          sized("range")) +
                    block({}, {kernel("scale", device + metric(1, number(5, 203'020)))})));
    ASSERT_TRUE(profile) << to_string(profile.error());
    const auto& series = profile.value().series;
    ASSERT_EQ(series.size(), 2U);
    EXPECT_EQ(series[0].name, "scale(float *, int)");
    EXPECT_EQ(series[0].mangled, "_Z5scalePfi");
    EXPECT_EQ(series[0].launch, "8x64,grid=4x2");
    EXPECT_EQ(series[0].device, "NVIDIA T4");
    EXPECT_THAT(series[0].times, ElementsAre(211'940, 203'020));
    EXPECT_EQ(series[1].device, "");
    EXPECT_THAT(profile.value().conditions, HasSubstr("--clock-control none"));
}

TEST_F(NsightComputeReport, IsRecognisedByItsFirstBytes) {
    const std::string path = (folder_.path() / "app").string();
    std::ofstream{path, std::ios::binary} << report("");
    EXPECT_EQ(format_of(path), ProfileFormat::NsightComputeReport);
}

TEST_F(NsightComputeReport, TimesAreOfEveryTypeOfNumberAndRounded) {
    EXPECT_THAT(time(double_value(1.5)), ElementsAre(2));
    EXPECT_THAT(time(float_value(7.25F)), ElementsAre(7));
    EXPECT_THAT(time(number(4, 9)), ElementsAre(9));
    EXPECT_THAT(time(number(5, std::uint64_t{1} << 40U)), ElementsAre(std::int64_t{1} << 40U));
}

TEST_F(NsightComputeReport, NamesAndLaunchesMayBeMissing) {
    const std::string timed = metric(1, number(5, 9));
    const auto profile =
        read(report(block(names, {bytes(5, "_Z1av") + timed, bytes(6, "b") + timed})));
    ASSERT_TRUE(profile) << to_string(profile.error());
    EXPECT_EQ(profile.value().series.at(0).name, "_Z1av");
    EXPECT_EQ(profile.value().series.at(0).launch, "");
    EXPECT_EQ(profile.value().series.at(1).name, "b");
    EXPECT_THAT(refusal(report(block(names, {timed}))),
                HasSubstr("without the name of its kernel"));
}

TEST_F(NsightComputeReport, KernelsWithoutADurationAreLeftOut) {
    const std::string without = kernel("copy", metric(0, number(5, 9)) + bytes(13, number(1, 1)));
    const auto profile =
        read(report(block(names, {without, kernel("scale", metric(1, number(5, 9))), without})));
    ASSERT_TRUE(profile) << to_string(profile.error());
    EXPECT_EQ(profile.value().series.size(), 1U);
    EXPECT_THAT(profile.value().left_out,
                ElementsAre(HasSubstr("copy(float *, int): no gpu__time_duration.sum")));
    EXPECT_THAT(refusal(report(block(names, {without}))),
                HasSubstr("`ncu --metrics gpu__time_duration.sum"));
}

TEST_F(NsightComputeReport, TablesOfBlocksAreJoinedOnlyWhereThatIsCertain) {
    const std::string timed = kernel("scale", metric(1, number(5, 9)));
    const auto repeated = read(report(block(names, {timed}) + block(names, {timed})));
    ASSERT_TRUE(repeated) << to_string(repeated.error());
    EXPECT_THAT(repeated.value().series.at(0).times, ElementsAre(9, 9));
    const auto longer = read(report(block(names, {timed}) + block({"more"}, {timed})));
    ASSERT_TRUE(longer) << to_string(longer.error());
    EXPECT_THAT(longer.value().series.at(0).times, ElementsAre(9, 9));
    EXPECT_THAT(refusal(report(block(names, {timed}) + block({"a", "b"}, {timed}))),
                HasSubstr("name its metrics in two ways"));
}

// --- what is refused --------------------------------------------------------------------------

TEST_F(NsightComputeReport, OtherVersionsAreRefusedWithTheCommandThatMakesCsv) {
    const std::string other = refusal(report("", 8));
    EXPECT_THAT(other, HasSubstr("at byte 8: report version 8; expected 7"));
    EXPECT_THAT(other, HasSubstr("--csv --page raw > report.csv`"));
    EXPECT_THAT(refusal(std::string{"NVR\0\0\0\0\0", 8}), HasSubstr("without the version"));
    EXPECT_THAT(refusal(report("")), HasSubstr("holds no time of a run"));
}

TEST_F(NsightComputeReport, DamageIsRefusedWithItsByte) {
    const auto of = [&](const std::string& result) {
        return refusal(report(block(names, {result})));
    };
    EXPECT_THAT(of(kernel("a", metric(3, number(5, 9)))),
                HasSubstr("the name 3 of 3 in the table"));
    EXPECT_THAT(of(kernel("a", metric(1, bytes(1, "9")))), HasSubstr("a duration that is a text"));
    EXPECT_THAT(of(kernel("a", metric(1, double_value(-1)))), HasSubstr("not from 0 to 2^50 ns"));
    EXPECT_THAT(of(kernel("a", metric(1, double_value(0.0 / 0.0)))), HasSubstr("not from 0"));
    EXPECT_THAT(of(kernel("a", metric(1, number(3, 9)))), HasSubstr("wire type 0; expected 1"));
    EXPECT_THAT(of(bytes(7, "\xff")), HasSubstr("a name that is not UTF-8"));
    EXPECT_THAT(of(number(7, 1)), HasSubstr("field 7 has wire type 0; expected 2"));
    EXPECT_THAT(of(std::string(11, '\xff')), HasSubstr("a number of more than 64 bits"));
    EXPECT_THAT(of(varint((9U << 3U) | 3U)), HasSubstr("a field of wire type 3"));
    EXPECT_THAT(of(std::string(2, '\0')), HasSubstr("a field with number 0"));
    EXPECT_THAT(of(bytes(10, number(1, std::uint64_t{1} << 40U))), HasSubstr("more than 2^32"));
    EXPECT_THAT(refusal(report(fixed(100, 4) + "ab")),
                HasSubstr("at byte 14: a block header of 100 bytes, of which 2 are there"));
}

TEST_F(NsightComputeReport, CutAnywhereItIsRefused) {
    const std::string whole = report(block(names, {kernel("scale", metric(1, double_value(9)))}));
    ASSERT_TRUE(read(whole));
    for (std::size_t size = 0; size < whole.size(); ++size)
        EXPECT_FALSE(read(whole.substr(0, size))) << size;
}

TEST_F(NsightComputeReport, DamagedAnywhereItIsRefusedOrGivesTimesInRange) {
    const std::string whole = report(block(names, {kernel("scale", metric(1, double_value(9)))}));
    for (std::size_t at = 4; at < whole.size(); ++at)
        for (const unsigned change : {0x01U, 0x80U, 0xffU}) {
            std::string damaged = whole;
            damaged[at] = static_cast<char>(static_cast<unsigned char>(damaged[at]) ^ change);
            const auto profile = read(damaged);
            if (!profile) continue;
            for (const auto& series : profile.value().series)
                for (const std::int64_t time : series.times)
                    EXPECT_TRUE(time >= 0 && time <= std::int64_t{1} << 50U) << at;
        }
}

} // namespace
} // namespace warpbound::harness::profiles
