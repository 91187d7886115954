// Collectives under Hockney's model of a message, alpha + n beta, on links that nobody shares: the
// costs of Thakur, Rabenseifner and Gropp 2005 (binomial trees, recursive doubling), Patarasuk and
// Yuan 2009 (ring) and Hensgen, Finkel and Manber 1988 (dissemination), with gamma per combined
// byte. Tolerance 0: alpha = 1000 ns, beta = 1 ns and gamma = 2 ns are whole.
#include "analyzer/application/application_bounds.hpp"
#include "harness/application/application_simulation.hpp"
#include "tests/support/application_text.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <string>

namespace warpbound {
namespace {

constexpr std::int64_t alpha = 1000;
constexpr std::int64_t beta = 1;
constexpr std::int64_t gamma = 2;

/// p hosts with a link of their own between each two of them.
models::application::Plan plan_of(std::int64_t p, const std::string& step) {
    return tests::plan_of_text(fmt::format(
        "<host name=\"h\" cores=\"1\" count=\"{}\"/><link name=\"net\" connects=\"pair\" "
        "duplex=\"full\" start=\"1us\" bandwidth=\"1GB/s\"/><process name=\"p\" host=\"h\" "
        "ranks=\"{}\">{}</process>",
        p, p, step));
}

std::int64_t time_of(std::int64_t p, const std::string& step) {
    const auto plan = plan_of(p, step);
    const auto times = harness::simulate_application(plan, {});
    EXPECT_TRUE(times) << to_string(times.error());
    const auto bounds = analyzer::bound_application(plan);
    EXPECT_TRUE(bounds) << to_string(bounds.error());
    if (!times || !bounds) return -1;
    // One rank on a core and one sender on a link: nothing is contended, so the bounds meet.
    EXPECT_EQ(bounds.value().time.lower().count(), times.value().makespan) << step;
    EXPECT_EQ(bounds.value().time.upper().count(), times.value().makespan) << step;
    return times.value().makespan;
}

std::int64_t rounds(std::int64_t p) {
    return static_cast<std::int64_t>(
        std::bit_width(static_cast<std::uint64_t>(p - 1))); // ceil(log2 p)
}

TEST(Collectives, BroadcastTakesTheTimeOfABinomialTree) {
    for (const std::int64_t p : {1, 2, 3, 4, 5, 7, 8, 13, 16})
        for (const std::int64_t root : {std::int64_t{0}, p - 1, p / 2})
            EXPECT_EQ(time_of(p, fmt::format("<broadcast bytes=\"500B\" link=\"net\" "
                                             "root=\"{}\"/>",
                                             root)),
                      rounds(p) * (alpha + 500 * beta))
                << p << " ranks, root " << root;
}

TEST(Collectives, ReduceTakesTheTimeOfABinomialTree) {
    for (const std::int64_t p : {1, 2, 4, 8, 16})
        for (const std::int64_t root : {std::int64_t{0}, p - 1})
            EXPECT_EQ(time_of(p, fmt::format("<reduce bytes=\"500B\" link=\"net\" root=\"{}\" "
                                             "combine=\"0.5GB/s\"/>",
                                             root)),
                      rounds(p) * (alpha + 500 * (beta + gamma)))
                << p << " ranks, root " << root;
}

/// Five ranks: the last joins the first in a round of its own, and hears the result in another.
TEST(Collectives, AllReduceTakesTheTimeOfRecursiveDoubling) {
    const auto allreduce = [](std::int64_t p) {
        return time_of(p, "<allreduce bytes=\"500B\" link=\"net\" combine=\"0.5GB/s\"/>");
    };
    for (const std::int64_t p : {1, 2, 4, 8, 16})
        EXPECT_EQ(allreduce(p), rounds(p) * (alpha + 500 * (beta + gamma))) << p;
    EXPECT_EQ(allreduce(5), 3 * (alpha + 500 * (beta + gamma)) + alpha + 500 * beta);
}

TEST(Collectives, RingAllReduceSendsEachBlockTwice) {
    for (const std::int64_t p : {1, 2, 3, 5, 8}) {
        const std::int64_t bytes = 840; // A multiple of each p.
        EXPECT_EQ(time_of(p, "<allreduce bytes=\"840B\" link=\"net\" algorithm=\"ring\" "
                             "combine=\"0.5GB/s\"/>"),
                  2 * (p - 1) * alpha + (p - 1) * bytes / p * (2 * beta + gamma))
            << p;
    }
}

TEST(Collectives, BarrierTakesTheRoundsOfDissemination) {
    for (const std::int64_t p : {1, 2, 3, 4, 6, 8, 9})
        EXPECT_EQ(time_of(p, "<barrier link=\"net\"/>"), rounds(p) * alpha) << p;
}

/// The barrier lets nobody go before the last rank has come: rank 2 computes 7 us.
TEST(Collectives, BarrierWaitsForTheLastRank) {
    EXPECT_EQ(time_of(4, "<compute time=\"7us\" when=\"rank == 2\"/><barrier link=\"net\"/>"),
              7000 + 2 * alpha);
}

} // namespace
} // namespace warpbound
