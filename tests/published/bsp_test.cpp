// BSP model, Amaris et al. 2015, as eq. 3.1 of Gajger 2017. No worked number is published; the row
// is constructed (reference models 6).
#include "models/formulas/bsp.hpp"

#include <gtest/gtest.h>

namespace warpbound::models::bsp {
namespace {

// t = 256, comp = 100, comm_GM = 300, R = 1e9, P = 256, lambda = 1: 256 * 400 / (1e9 * 256) s.
// Tolerance: rounding of the division.
TEST(BspEquation31, GivesTheConstructedRow) {
    const Work work{.computation = 100, .global_loads = 1};
    const Machine machine{.clock = 1e9, .cores = 256, .latencies = {.global = 300}};
    const auto found = kernel_time(256, work, machine, 1);
    ASSERT_TRUE(found) << to_string(found.error());
    EXPECT_EQ(found.value().global, 300);
    EXPECT_DOUBLE_EQ(found.value().time.value(), 400e-9);
}

} // namespace
} // namespace warpbound::models::bsp
