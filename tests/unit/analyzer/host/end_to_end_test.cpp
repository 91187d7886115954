// The time from the host's first call to the end of its last operation.
#include "tests/support/made_values.hpp"
#include "tests/unit/analyzer/analyzed.hpp"

#include <gmock/gmock.h>

namespace warpbound::analyzer {
namespace {

using testing::HasSubstr;
using tests::put_value;

models::HostOperation copy(models::HostOperationKind kind, std::int64_t bytes) {
    models::HostOperation operation;
    operation.kind = kind;
    operation.bytes = bytes;
    return operation;
}

/// A machine of 1 to 2 GHz whose copies start in 1000 to 1500 ns and move 1 to 2 GB/s.
std::unique_ptr<Analyzed> with_copies() {
    auto kernel = analyzed("EXIT;");
    auto& machine = kernel->architecture;
    put_value(machine, "geometry/core-clock", {1'000'000, std::nullopt, 2'000'000});
    for (const std::string direction : {"host-to-device", "device-to-host"}) {
        put_value(machine, "transfers/" + direction + "-start", {1000, std::nullopt, 1500});
        put_value(machine, "transfers/" + direction + "-bandwidth",
                  {1'000'000, std::nullopt, 2'000'000});
    }
    kernel->request.host = HostTimeline{{copy(models::HostOperationKind::CopyToDevice, 4096)},
                                        {copy(models::HostOperationKind::CopyToHost, 1001)},
                                        models::Interval{500, std::nullopt, 700}};
    return kernel;
}

std::int64_t execution(const Analysis& analysis, Side side) {
    return (side == Side::Upper ? analysis.execution_time.upper : analysis.execution_time.lower)
        .proved.count();
}

TEST(EndToEnd, AddsCopiesAndTheLaunch) {
    const auto analysis = with_copies()->run();
    ASSERT_TRUE(analysis) << to_string(analysis.error());
    ASSERT_TRUE(analysis.value().end_to_end);
    const auto bounds = analysis.value().end_to_end->bounds();
    // Lower: 1000 + 2048 cycles, 500, 1000 + 501 (rounded up). Upper: 3000 + 8192, 700, one cycle
    // for the write buffer, 3000 + 2002.
    EXPECT_EQ(bounds.lower().count(), 3048 + 500 + execution(analysis.value(), Side::Lower) + 1501);
    EXPECT_EQ(bounds.upper().count(),
              11192 + 700 + execution(analysis.value(), Side::Upper) + 1 + 5002);
    EXPECT_EQ(sum_of(analysis.value().end_to_end->upper.terms), bounds.upper());
    EXPECT_EQ(sum_of(analysis.value().end_to_end->lower.terms), bounds.lower());
    std::string assumed;
    for (const auto& assumption : analysis.value().host_assumptions)
        assumed += assumption.id + " " + assumption.text + "\n";
    EXPECT_THAT(assumed, HasSubstr("costs 500 to 700 cycles"));
    EXPECT_THAT(assumed, HasSubstr("transfers/call is not described"));
}

// Calls that take longer than what they ask for decide when the next operation begins.
TEST(EndToEnd, WaitsForTheCallsOfTheHost) {
    auto kernel = with_copies();
    put_value(kernel->architecture, "transfers/call", {100, std::nullopt, 50'000});
    const auto analysis = kernel->run();
    ASSERT_TRUE(analysis) << to_string(analysis.error());
    const auto& host = *analysis.value().end_to_end;
    EXPECT_EQ(host.upper.proved.count(), 2 * 100'000 + 5002);
    EXPECT_EQ(host.lower.proved.count(),
              3048 + 500 + execution(analysis.value(), Side::Lower) + 1501);
    EXPECT_EQ(sum_of(host.upper.terms), host.upper.proved);
    EXPECT_EQ(sum_of(host.lower.terms), host.lower.proved);
}

TEST(EndToEnd, OfALaunchAloneIsItsCostMore) {
    auto kernel = with_copies();
    kernel->request.host = HostTimeline{{}, {}, models::Interval{9, 9, 9}};
    const auto analysis = kernel->run();
    ASSERT_TRUE(analysis);
    EXPECT_EQ(analysis.value().end_to_end->bounds().upper().count(),
              9 + execution(analysis.value(), Side::Upper));
}

TEST(EndToEnd, RefusesWhatIsNotDescribed) {
    auto kernel = with_copies();
    kernel->request.host->launch_cost.reset();
    EXPECT_THAT(to_string(kernel->run().error()),
                testing::AllOf(HasSubstr("blocks/launch"), HasSubstr("--launch-cost")));
    auto bare = analyzed("EXIT;");
    bare->request.host = with_copies()->request.host;
    EXPECT_THAT(to_string(bare->run().error()), HasSubstr("transfers/host-to-device-start"));
    auto none = with_copies();
    none->request.host->before.front().bytes = 0;
    EXPECT_THAT(to_string(none->run().error()), HasSubstr("a copy of 0 bytes"));
}

} // namespace
} // namespace warpbound::analyzer
