#include "models/launch/launch_identity.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace warpbound::models {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

LaunchIdentity of(const std::string& launch, const std::string& policy = "unknown") {
    return {.kernel_digest = "sha256:code",
            .kernel = "saxpy",
            .launch = parse_launch(launch).value(),
            .machine_digest = "sha256:machine",
            .policy = policy,
            .multiprocessors = 1};
}

void expect_same(const LaunchComparison& comparison) {
    EXPECT_THAT(comparison.differences, IsEmpty());
    EXPECT_THAT(comparison.not_compared, IsEmpty());
}

TEST(LaunchIdentity, IsTheSameForTheSameLaunch) {
    for (const std::string launch : {"2x128", "4x64,block=8x8,grid=2x2,0x160=512"})
        expect_same(compare(of(launch), of(launch)));
    // All threads in x is what a launch without a shape has.
    expect_same(compare(of("2x128"), of("2x128,block=128")));
}

TEST(LaunchIdentity, DiffersInBlocksThreadsShapesAndArguments) {
    const auto differs = [](const std::string& bound, const std::string& runs,
                            const std::string& text) {
        EXPECT_THAT(compare(of(bound), of(runs)).differences, ElementsAre(text));
    };
    differs("2x128", "2x64", "launch 2x64, that of the bound is 2x128");
    differs("2x64", "2x64,block=8x8", "block 8x8, that of the bound is 64");
    differs("4x64,grid=2x2", "4x64,grid=4", "grid 4, that of the bound is 2x2");
    differs("2x64,registers=16", "2x64,registers=32", "registers 32, that of the bound is 16");
    differs("2x64,0x160=512", "2x64,0x160=513",
            "argument 0x160 0x160=513, that of the bound is 0x160=512");
    differs("2x64,0x160=multiple:4", "2x64,0x160=2",
            "argument 0x160 0x160=2, that of the bound is 0x160=multiple:4");
}

TEST(LaunchIdentity, OfABoundCoversWhatItDoesNotState) {
    expect_same(compare(of("4x64"), of("4x64,grid=2x2,0x160=512")));
    expect_same(compare(of("4x64,0x160=multiple:4"), of("4x64,0x160=512")));
    for (const std::string policy : {"lrr", "gto", "oldest"})
        expect_same(compare(of("4x64"), of("4x64", policy)));
}

TEST(LaunchIdentity, IsNotComparedWhereTheRunsDoNotSayIt) {
    const auto open = [](const std::string& bound, const std::string& runs) {
        const auto comparison = compare(of(bound), of(runs));
        EXPECT_THAT(comparison.differences, IsEmpty());
        return comparison.not_compared;
    };
    EXPECT_THAT(open("4x64,grid=2x2", "4x64"), ElementsAre("grid"));
    EXPECT_THAT(open("4x64,0x160=512", "4x64"), ElementsAre("argument 0x160"));
    EXPECT_THAT(open("4x64,0x160=512", "4x64,0x160=multiple:4"), ElementsAre("argument 0x160"));
    EXPECT_THAT(open("4x64,registers=16", "4x64"), ElementsAre("registers"));
    for (const auto& comparison :
         {compare(of("4x64"), {}), compare({}, of("4x64")), compare({}, {})})
        EXPECT_THAT(comparison.not_compared,
                    ElementsAre("code", "launch", "machine", "policy", "multiprocessors"));
}

TEST(LaunchIdentity, DiffersInCodeMachineAndPolicy) {
    const LaunchIdentity bound = of("4x64");
    LaunchIdentity runs = bound;
    runs.kernel_digest = "sha256:other";
    EXPECT_THAT(compare(bound, runs).differences, ElementsAre(HasSubstr("other code")));
    runs = bound;
    runs.kernel = "sgemm";
    EXPECT_THAT(compare(bound, runs).differences, ElementsAre(HasSubstr("kernel sgemm")));
    runs = bound;
    runs.machine_digest = "sha256:other";
    EXPECT_THAT(compare(bound, runs).differences, ElementsAre(HasSubstr("other machine")));
    runs = bound;
    runs.multiprocessors = 2;
    EXPECT_THAT(compare(bound, runs).differences, ElementsAre(HasSubstr("multiprocessors 2")));
    EXPECT_THAT(compare(bound, of("4x64", "srr")).differences,
                ElementsAre(HasSubstr("policy srr")));
    EXPECT_THAT(
        compare(of("4x64", "two-level:active=4"), of("4x64", "two-level:active=8")).differences,
        ElementsAre(HasSubstr("policy two-level:active=8")));
}

} // namespace
} // namespace warpbound::models
