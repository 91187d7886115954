/// \file
/// Bounds of applications that are computed by hand.

#include "analyzer/application/application_bounds.hpp"
#include "tests/support/application_text.hpp"

#include <gtest/gtest.h>

#include <string>

namespace warpbound::analyzer {
namespace {

using models::application::Basis;

std::pair<std::int64_t, std::int64_t> bounds_of(const std::string& elements) {
    const auto bounds = bound_application(tests::plan_of_text(elements));
    EXPECT_TRUE(bounds) << to_string(bounds.error());
    return {bounds.value().time.lower().count(), bounds.value().time.upper().count()};
}

/// One rank: nothing waits, so both ends are the sums of its steps.
TEST(ApplicationBounds, AreTheSumsOfOneRank) {
    EXPECT_EQ(bounds_of("<host name=\"pc\" cores=\"1\"/><process name=\"p\" host=\"pc\">"
                        "<compute time=\"1us..2us\"/><compute time=\"3us..5us\"/></process>"),
              (std::pair<std::int64_t, std::int64_t>{4'000, 7'000}));
}

/// Four computations of 6 us on two cores: lower 24/2 = 12. Upper: the work over two is 12, and on
/// a path each of them counts 6 - 6/2 = 3: 15 in all, below the serial sum of 24.
TEST(ApplicationBounds, CountSharedCoresByTheirWork) {
    EXPECT_EQ(bounds_of("<host name=\"pc\" cores=\"2\"/><process name=\"p\" host=\"pc\" "
                        "ranks=\"4\"><compute time=\"6us\"/></process>"),
              (std::pair<std::int64_t, std::int64_t>{12'000, 15'000}));
}

/// Two ranks compute 5 us, each on a core of its own, and launch 10 us on one device. Lower: 20 us
/// of the device. Upper: 5 + 20, since kernels on the path are part of the work of the device.
TEST(ApplicationBounds, AddTheWorkOfASharedDeviceToThePath) {
    EXPECT_EQ(bounds_of("<host name=\"pc\" cores=\"2\"/><link name=\"bus\" connects=\"device\" "
                        "bandwidth=\"1GB/s\"/><device name=\"gpu\" host=\"pc\" link=\"bus\"/>"
                        "<kernel name=\"k\" time=\"10us\"/>"
                        "<process name=\"p\" host=\"pc\" ranks=\"2\" device=\"gpu\">"
                        "<compute time=\"5us\"/><launch kernel=\"k\"/></process>"),
              (std::pair<std::int64_t, std::int64_t>{20'000, 25'000}));
}

/// The barrier counts once, however many ranks pass it.
TEST(ApplicationBounds, CountABarrierOnce) {
    EXPECT_EQ(bounds_of("<host name=\"pc\" cores=\"4\"/><process name=\"p\" host=\"pc\" "
                        "ranks=\"4\"><compute time=\"(rank+1)*1us\"/><barrier time=\"2us\"/>"
                        "</process>"),
              (std::pair<std::int64_t, std::int64_t>{6'000, 6'000}));
}

/// One rank computes 4 to 7 us.
TEST(ApplicationBounds, DecideADeadlineUnlessATimeIsAnEstimate) {
    using models::DeadlineVerdict;
    const auto verdict = [](const std::string& deadline, const std::string& basis) {
        auto plan = tests::plan_of_text(
            "<host name=\"pc\" cores=\"1\"/><process name=\"p\" host=\"pc\"><compute "
            "time=\"4us..7us\" source=\"s\" basis=\"" +
            basis + "\"/></process>");
        if (!deadline.empty()) plan.deadline = models::parse_duration(deadline).value();
        return verdict_on(plan, bound_application(plan).value());
    };
    EXPECT_EQ(verdict("", "bounds"), std::nullopt);
    for (const auto* basis : {"bounds", "measured"}) {
        EXPECT_EQ(verdict("7us", basis), DeadlineVerdict::Met);
        EXPECT_EQ(verdict("6999ns", basis), DeadlineVerdict::Undecided);
        EXPECT_EQ(verdict("4us", basis), DeadlineVerdict::Undecided);
        EXPECT_EQ(verdict("3999ns", basis), DeadlineVerdict::Violated);
    }
    for (const auto* deadline : {"1us", "1s"})
        EXPECT_EQ(verdict(deadline, "estimate"), DeadlineVerdict::Undecided);
}

TEST(ApplicationBounds, ClaimNoMoreThanTheWeakestTime) {
    const auto basis = [](const std::string& second) {
        return bound_application(
                   tests::plan_of_text(
                       "<host name=\"pc\" cores=\"1\"/><process name=\"p\" host=\"pc\">"
                       "<compute time=\"1us\" basis=\"bounds\" source=\"analysis\"/>" +
                       second + "</process>"))
            .value()
            .basis;
    };
    EXPECT_EQ(basis(""), Basis::Bounds);
    EXPECT_EQ(basis("<compute time=\"1us\" basis=\"measured\" source=\"runs\"/>"), Basis::Measured);
    EXPECT_EQ(basis("<compute time=\"1us\"/>"), Basis::Estimate);
}

TEST(ApplicationBounds, RefuseRanksThatWaitForEver) {
    const auto bounds = bound_application(
        tests::plan_of_text("<host name=\"pc\" cores=\"1\"/><process name=\"p\" host=\"pc\" "
                            "ranks=\"2\"><receive from=\"p\" rank=\"1-rank\"/></process>"));
    ASSERT_FALSE(bounds);
    EXPECT_NE(bounds.error().what.find("waits for ever"), std::string::npos);
}

} // namespace
} // namespace warpbound::analyzer
