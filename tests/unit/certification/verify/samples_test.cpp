/// \file
/// Recorded runs of a bundle's file, and what is no such file.

#include "certification/verify/samples.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

namespace warpbound::certification::verify {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::string key =
    R"("series":{"name":"n","device":"d","device-detail":"e","protocol":"p","kernel-digest":"k",)"
    R"("facts-digest":"f","launch":"1x32","quantity":"q"})";

std::string file_of(const std::string& samples) {
    return "{\"samples\":" + samples + "," + key + ",\"unit\":\"core cycles\"}";
}

std::string refusal_of(const std::string& text) {
    try {
        (void)read_samples(text, "s.json");
    } catch (const Finding& finding) {
        EXPECT_EQ(finding.verdict, Verdict::Incomplete);
        return finding.what();
    }
    return "read";
}

TEST(Samples, HaveKeySeedsAndTimes) {
    const Series series =
        read_samples(file_of(R"([["18446744073709551615",7,9],["1",-3],["2",4,5]])"), "s.json");
    EXPECT_EQ(series.path, "s.json");
    EXPECT_EQ(series.key.device_detail, "e");
    EXPECT_EQ(series.key.quantity, "q");
    ASSERT_EQ(series.samples.size(), 3U);
    EXPECT_EQ(series.samples[0].seed, UINT64_MAX);
    EXPECT_THAT(series.samples[0].times, ElementsAre(7, 9));
    EXPECT_THAT(series.samples[1].times, ElementsAre(-3));
    EXPECT_THAT(series.samples[2].times, ElementsAre(4, 5));
    EXPECT_EQ(series.samples[2].run, 2);
}

TEST(Samples, OtherValuesAreSkipped) {
    EXPECT_EQ(refusal_of("{\"more\":[[1,{\"samples\":[null,1.5]}],true]," +
                         file_of("[[\"1\",2]]").substr(1)),
              "read");
}

TEST(Samples, WhatIsNoneIsRefusedByFileAndRun) {
    const std::vector<std::pair<std::string, std::string>> cases{
        {file_of("[]"), "no samples"},
        {file_of("{}"), "no list"},
        {file_of("7"), "no list"},
        {file_of("[7]"), "run 0"},
        {file_of("[{}]"), "run 0"},
        {file_of("[[]]"), "run 0"},
        {file_of(R"([["1",2],["2"]])"), "run 1 without times"},
        {file_of(R"([["1",2],[2,3]])"), "run 1"},
        {file_of(R"([["1",2],["2","3"]])"), "run 1: '3'"},
        {file_of(R"([["1",2.5]])"), "'2.5'"},
        {file_of(R"([["1",true]])"), "run 0"},
        {file_of(R"([["1",[2]]])"), "run 0"},
        {file_of(R"([["1",4611686018427387905]])"), "4611686018427387905"},
        {file_of(R"([["1",-4611686018427387905]])"), "-4611686018427387905"},
        {file_of(R"([["1",18446744073709551616]])"), "run 0"},
        {file_of(R"([["18446744073709551616",1]])"), "below 2^64"},
        {file_of(R"([["x",1]])"), "seed 'x'"},
        {"{\"samples\":[[\"1\",2]]}", "'name'"},
        {"{\"samples\":[[\"1\",2]],\"series\":{\"name\":1}}", "texts"},
        {"{\"samples\":[[\"1\",2]],\"series\":{\"name\":\"a\",\"name\":\"b\"}}", "twice"},
        {"{\"samples\":[[\"1\",2]]," + file_of("[[\"1\",3]]").substr(1), "'samples' twice"},
        {"[1]", "an object"},
        {"1", "an object"},
        {"\"1\"", "an object"},
        {"", "s.json"},
        {file_of("[[\"1\",2]]").substr(0, 20), "s.json"},
        {file_of("[[\"1\",2]]") + "x", "s.json"},
        {"{\"a\":" + std::string(40, '[') + std::string(40, ']') + "}", "nested too deeply"},
    };
    for (const auto& [text, part] : cases) {
        EXPECT_THAT(refusal_of(text), HasSubstr(part)) << text;
        EXPECT_THAT(refusal_of(text), HasSubstr("s.json")) << text;
    }
}

} // namespace
} // namespace warpbound::certification::verify
