/// \file
/// Divisions that nvcc compiles, slow paths and calls included, give what the host gives.

#include "assembly/isa/reader.hpp"
#include "tests/support/executed_everyday.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace warpbound::tests {
namespace {

TEST(ExecutedDivision, EqualsThatOfTheHost) {
    DataLaunch launch;
    const auto text = assembly::read_source(std::string{WARPBOUND_SOURCE_DIR} +
                                            "/tests/data/execution/division.sm_75.sass");
    ASSERT_TRUE(text);
    auto program = assembly::read_program(text.value());
    ASSERT_TRUE(program) << to_string(program.error());
    launch.program = std::move(program).value();
    auto graph = assembly::build_control_flow_graph(launch.function());
    ASSERT_TRUE(graph) << to_string(graph.error());
    launch.graph = std::move(graph).value();
    constexpr std::size_t threads = 128;
    launch.launch.threads = threads;
    const std::vector<float> floats{
        0.0F,          -0.0F,   1.0F,     3.0F, 1e-40F,
        -1e-45F,       3.4e38F, 1.2e-38F, 7.5F, std::numeric_limits<float>::infinity(),
        std::nanf(""), -2e30F};
    const std::vector<std::int32_t> ints{1, -1, 7, -7, 100000, -100000, 0x7fffffff, -0x7fffffff, 3};
    const std::vector<std::int64_t> longs{1, -1,        12345678901, -12345678901,
                                          3, INT64_MAX, 1LL << 33};
    std::vector<float> a(threads);
    std::vector<float> b(threads);
    std::vector<std::int32_t> c(threads);
    std::vector<std::int32_t> d(threads);
    std::vector<std::int64_t> e(threads);
    std::vector<std::int64_t> f(threads);
    for (std::size_t i = 0; i < threads; ++i) {
        a[i] = floats[i % floats.size()];
        b[i] = floats[i / floats.size() % floats.size()];
        c[i] = ints[i % ints.size()];
        d[i] = ints[i / ints.size() % ints.size()];
        e[i] = longs[i % longs.size()];
        f[i] = longs[i / longs.size() % longs.size()];
    }
    launch.set(0x160, "a", a);
    launch.set(0x168, "b", b);
    launch.set(0x170, "quotient", std::vector<float>(threads));
    launch.set(0x178, "c", c);
    launch.set(0x180, "d", d);
    launch.set(0x188, "ratio", std::vector<std::int32_t>(threads));
    launch.set(0x190, "rest", std::vector<std::int32_t>(threads));
    launch.set(0x198, "e", e);
    launch.set(0x1a0, "f", f);
    launch.set(0x1a8, "wide", std::vector<std::int64_t>(threads));
    const auto executed = launch.run();
    ASSERT_TRUE(executed) << to_string(executed.error());
    const auto& memory = executed.value()->memory();
    const auto quotient = elements_of<float>(memory, "quotient");
    const auto ratio = elements_of<std::int32_t>(memory, "ratio");
    const auto rest = elements_of<std::int32_t>(memory, "rest");
    const auto wide = elements_of<std::int64_t>(memory, "wide");
    for (std::size_t i = 0; i < threads; ++i) {
        const float expected = a[i] / b[i];
        if (std::isnan(expected))
            EXPECT_TRUE(std::isnan(quotient[i])) << a[i] << " / " << b[i];
        else
            EXPECT_EQ(quotient[i], expected) << a[i] << " / " << b[i];
        EXPECT_EQ(ratio[i], c[i] / d[i]) << c[i] << " / " << d[i];
        EXPECT_EQ(rest[i], c[i] % d[i] + c[i] / 7) << c[i] << " % " << d[i];
        EXPECT_EQ(wide[i], e[i] / f[i]) << e[i] << " / " << f[i];
    }
}

} // namespace
} // namespace warpbound::tests
