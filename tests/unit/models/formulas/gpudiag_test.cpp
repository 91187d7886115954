#include "models/formulas/gpudiag.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace warpbound::models::gpudiag {
namespace {

using testing::HasSubstr;

// Two units: the load unit passes 1 * 1 / 4 a cycle, the adder 2 * 4 / 2.
Mix two_units() {
    return {
        .units = {{.name = "adder", .inverse_throughput = 2, .units_per_group = 2, .groups = 4},
                  {.name = "loads", .inverse_throughput = 4, .units_per_group = 1, .groups = 1}},
        .period = 20};
}

TEST(Gpudiag, NamesTheUnitOfLeastThroughput) {
    const auto found = bottleneck(two_units()).value();
    EXPECT_EQ(found.unit, "loads");
    EXPECT_EQ(found.throughput.value(), 0.25);
}

TEST(Gpudiag, TakesTheSlowestUnitForEveryNumberOfWarps) {
    const auto fu = relative_times(two_units(), 10).value();
    EXPECT_EQ(fu[5], 1);  // 4 * 5 / 20
    EXPECT_EQ(fu[10], 2); // 4 * 10 / 20
}

TEST(Gpudiag, TakesMeasuredRelativeTimes) {
    const std::vector<double> measured{0, 1, 1.1, 1.3};
    EXPECT_DOUBLE_EQ(waves_time(7, 1, 3, measured).value().value(), 2 * 1.3 + 1);
    EXPECT_DOUBLE_EQ(throughput(measured, 2).value().value(), 3 / 1.3 / 2);
}

TEST(Gpudiag, RefusesWhatItCannotComputeWith) {
    EXPECT_THAT(bottleneck({.units = {}, .period = 8}).error().what,
                HasSubstr("no functional unit"));
    auto mix = two_units();
    mix.units[1].groups = 0;
    EXPECT_THAT(relative_times(mix, 8).error().what, HasSubstr("groups of loads is 0"));
    mix = two_units();
    mix.period = std::numeric_limits<double>::quiet_NaN();
    EXPECT_THAT(relative_times(mix, 8).error().what, HasSubstr("period of one warp is nan"));
    const std::vector<double> literal{1, 1};
    EXPECT_THAT(waves_time(1, 1, 1, literal).error().what, HasSubstr("no warp is not 0"));
    const std::vector<double> few{0, 1};
    EXPECT_THAT(waves_time(2, 1, 2, few).error().what, HasSubstr("2 relative times"));
    EXPECT_THAT(kernel_time({.slots = 1, .periods = 1}, two_units()).error().what,
                HasSubstr("multiprocessors is 0"));
}

TEST(Gpudiag, ExplainsItself) {
    const Execution execution{
        .launch = {.blocks = 3, .threads = 64}, .multiprocessors = 1, .slots = 2, .periods = 1};
    const auto symbols =
        explain(execution, two_units(), kernel_time(execution, two_units()).value());
    const ExplainedSymbol expected{"throughput of loads", 0.25, "1/cycle", "K23 eq. 3.7"};
    EXPECT_THAT(symbols, testing::Contains(expected));
    EXPECT_EQ(symbols.back().symbol, "time");
}

} // namespace
} // namespace warpbound::models::gpudiag
