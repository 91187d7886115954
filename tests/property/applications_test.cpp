/// \file
/// Random applications: every simulated time lies between the bounds, its critical path adds up to
/// it, and the same seed gives the same run.

#include "analyzer/application/application_bounds.hpp"
#include "harness/application/application_simulation.hpp"
#include "tests/support/application_text.hpp"
#include "tests/support/campaign.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

namespace warpbound {
namespace {

using harness::ApplicationRun;
using harness::ApplicationTimes;
using harness::simulate_application;
using harness::TimeDraw;
using models::application::Plan;

std::string range(tests::RandomSource& random, std::int64_t most) {
    const std::int64_t lo = random.whole(0, most);
    return fmt::format("{}ns..{}ns", lo, lo + random.whole(0, most));
}

std::string random_step(tests::RandomSource& random, int number) {
    const std::string wait = random.whole(0, 1) == 0 ? " wait=\"no\"" : "";
    const std::string stream = fmt::format(" stream=\"s{}\"", random.whole(0, 2));
    const std::string collective =
        fmt::format(" bytes=\"{}B\" link=\"net\" local-link=\"net\"", random.whole(0, 5000));
    switch (random.whole(0, 10)) {
    case 0:
        return fmt::format("<launch kernel=\"k{}\"{}{}/>", random.whole(0, 1), wait, stream);
    case 1:
        return fmt::format("<copy direction=\"{}\" bytes=\"{}B\"{}{}/>",
                           random.whole(0, 1) == 0 ? "host-to-device" : "device-to-host",
                           random.whole(0, 5000), wait, stream);
    case 2: // Around the ring, sent before it is received.
        return fmt::format("<send to=\"p\" rank=\"(rank+1) - ranks*((rank+1) == ranks)\" "
                           "bytes=\"{}B\" link=\"net\" when=\"ranks > 1\"{}/>"
                           "<receive from=\"p\" rank=\"(rank-1) + ranks*(rank == 0)\" "
                           "when=\"ranks > 1\"/>",
                           random.whole(0, 5000), wait);
    case 3:
        return fmt::format("<barrier time=\"{}\"/>", range(random, 500));
    case 5:
        return "<broadcast root=\"ranks-1\"" + collective + "/>";
    case 6:
        return "<reduce combine=\"1GB/s..5GB/s\"" + collective + "/>";
    case 7:
        return fmt::format("<allreduce combine=\"1GB/s..5GB/s\" algorithm=\"{}\"{}/>",
                           random.whole(0, 1) == 0 ? "ring" : "recursive-doubling", collective);
    case 8:
        return "<barrier link=\"net\"/>";
    case 4:
        return "<wait" + (random.whole(0, 1) == 0 ? stream : "") + "/>";
    default:
        return fmt::format("<compute name=\"c{}\" time=\"{}\"/>", number, range(random, 2000));
    }
}

std::string random_application(tests::RandomSource& random) {
    const std::string scope = random.whole(0, 1) == 0 ? "device" : "host";
    const std::string duplex = random.whole(0, 1) == 0 ? "half" : "full";
    std::string text = fmt::format(
        "<host name=\"h\" cores=\"{}\" count=\"{}\"/>"
        "<link name=\"bus\" connects=\"{}\" duplex=\"{}\" start=\"{}\" "
        "bandwidth=\"1GB/s..2GB/s\"/>"
        "<link name=\"net\" connects=\"cluster\" start=\"{}\" bandwidth=\"1GB/s..3GB/s\"/>"
        "<device name=\"g\" host=\"h\" count=\"{}\" link=\"bus\" launch=\"{}\"/>"
        "<kernel name=\"k0\" time=\"{}\"/><kernel name=\"k1\" time=\"{}\"/>"
        "<process name=\"p\" host=\"h\" ranks=\"{}\" device=\"g\">"
        "<loop count=\"{}\">",
        random.whole(1, 3), random.whole(1, 3), scope, duplex, range(random, 200),
        range(random, 200), random.whole(1, 2), range(random, 100), range(random, 3000),
        range(random, 3000), random.whole(1, 6), random.whole(1, 3));
    const std::int64_t steps = random.whole(1, 8);
    for (int i = 0; i < steps; ++i)
        text += random_step(random, i);
    return text + "</loop></process>";
}

/// Empty: as it should be.
std::string defect_of(const Plan& plan, const ApplicationTimes& times,
                      const analyzer::ApplicationBounds& bounds) {
    if (!bounds.time.contains(models::Nanoseconds{times.makespan}))
        return fmt::format("{} outside {} to {}", times.makespan, bounds.time.lower().count(),
                           bounds.time.upper().count());
    std::int64_t sum = 0;
    for (const std::size_t at : times.critical_path) {
        if (times.served[at].start != sum) return "a gap on the critical path";
        sum += times.served[at].end - times.served[at].start;
    }
    if (sum != times.makespan) return "the critical path does not add up";
    for (std::size_t s = 0; s < plan.servers.size(); ++s)
        if (times.servers[s].busy > times.makespan * plan.servers[s].capacity)
            return "a server is busier than it can be";
    return {};
}

TEST(Applications, LieBetweenTheirBounds) {
    const auto cases = static_cast<int>(tests::from_environment("WARPBOUND_PROPERTY_CASES", 150));
    int contended = 0;
    tests::for_seeds(cases, [&](tests::RandomSource& random) {
        const std::string text = random_application(random);
        const Plan plan = tests::plan_of_text(text);
        const auto bounds = analyzer::bound_application(plan);
        ASSERT_TRUE(bounds) << to_string(bounds.error()) << text;
        contended += bounds.value().contended.empty() ? 0 : 1;
        for (std::uint64_t run = 0; run < 12; ++run) {
            const ApplicationRun options{
                .draw = run < 3 ? static_cast<TimeDraw>(run) : TimeDraw::Drawn, .seed = run};
            const auto times = simulate_application(plan, options);
            ASSERT_TRUE(times) << to_string(times.error()) << text;
            EXPECT_EQ(defect_of(plan, times.value(), bounds.value()), "") << text;
        }
    });
    EXPECT_GT(contended, cases / 4);
    EXPECT_LT(contended, cases);
}

/// Where nothing waits for a server, the ends of the ranges are the bounds.
TEST(Applications, WithoutContentionAttainTheirBounds) {
    int exact = 0;
    tests::for_seeds(200, [&](tests::RandomSource& random) {
        const Plan plan = tests::plan_of_text(random_application(random));
        const auto bounds = analyzer::bound_application(plan);
        ASSERT_TRUE(bounds);
        if (!bounds.value().contended.empty()) return;
        ++exact;
        EXPECT_EQ(simulate_application(plan, {.draw = TimeDraw::Lower}).value().makespan,
                  bounds.value().time.lower().count());
        EXPECT_EQ(simulate_application(plan, {.draw = TimeDraw::Upper}).value().makespan,
                  bounds.value().time.upper().count());
    });
    EXPECT_GT(exact, 5);
}

TEST(Applications, RepeatWithTheSameSeed) {
    tests::for_seeds(50, [&](tests::RandomSource& random) {
        const Plan plan = tests::plan_of_text(random_application(random));
        const ApplicationRun options{.draw = TimeDraw::Drawn,
                                     .seed = static_cast<std::uint64_t>(random.whole(1, 1000))};
        const auto first = simulate_application(plan, options).value();
        const auto second = simulate_application(plan, options).value();
        EXPECT_EQ(first.makespan, second.makespan);
        EXPECT_EQ(first.critical_path, second.critical_path);
    });
}

/// Ranks with the same kernels and copies, each device with its own link.
TEST(Applications, OfIndependentWorkAreNotSlowerWithMoreDevices) {
    tests::for_seeds(50, [&](tests::RandomSource& random) {
        const std::string kernel = fmt::format("{}ns", random.whole(1, 5000));
        const std::int64_t ranks = random.whole(1, 12);
        const std::int64_t bytes = random.whole(0, 5000);
        std::int64_t last = std::numeric_limits<std::int64_t>::max();
        for (int devices = 1; devices <= 12; ++devices) {
            const Plan plan = tests::plan_of_text(fmt::format(
                "<host name=\"h\" cores=\"1\"/><link name=\"bus\" connects=\"device\" "
                "bandwidth=\"1GB/s\"/><device name=\"g\" host=\"h\" count=\"{}\" link=\"bus\"/>"
                "<kernel name=\"k\" time=\"{}\"/>"
                "<process name=\"p\" host=\"h\" ranks=\"{}\" device=\"g\">"
                "<copy direction=\"host-to-device\" bytes=\"{}B\"/><launch kernel=\"k\"/>"
                "</process>",
                devices, kernel, ranks, bytes));
            const std::int64_t now = simulate_application(plan, {}).value().makespan;
            EXPECT_LE(now, last) << devices << " devices";
            last = now;
        }
    });
}

} // namespace
} // namespace warpbound
