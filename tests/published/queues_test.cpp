// Queue forms of reference models 12: textbook equations from memory of the literature; the rows
// are computed from them by hand. Tolerance: print precision of a double.
#include "models/formulas/queues.hpp"

#include <gtest/gtest.h>

#include <array>

namespace warpbound::models::queues {
namespace {

struct Row {
    double rho;
    double constant;    ///< M/D/1 in services: rho / (2 (1 - rho)).
    double exponential; ///< M/M/1: rho / (1 - rho).
};
constexpr auto rows =
    std::to_array<Row>({{0.5, 0.5, 1.0}, {0.8, 2.0, 4.0}, {0.9, 4.5, 9.0}, {0.2, 0.125, 0.25}});

TEST(QueueForms, GiveTheTextbookWaits) {
    constexpr double service = 8;
    for (const auto& row : rows) {
        const Load load{.rate = row.rho / service, .service = service};
        EXPECT_NEAR(constant_service_wait(load).value().value(), row.constant * service, 1e-12);
        EXPECT_NEAR(exponential_service_wait(load).value().value(), row.exponential * service,
                    1e-12);
        // E[S^2] = s^2 is M/D/1, 2 s^2 is M/M/1.
        EXPECT_NEAR(general_service_wait(load, service * service).value().value(),
                    row.constant * service, 1e-12);
        EXPECT_NEAR(general_service_wait(load, 2 * service * service).value().value(),
                    row.exponential * service, 1e-12);
    }
}

// A batch of n: mean n s / 2, last n s. Little: N = lambda T.
TEST(QueueForms, GiveABatchAndLittlesLaw) {
    const auto batch = batch_wait(32, 4).value();
    EXPECT_EQ(batch.mean.value(), 64);
    EXPECT_EQ(batch.last, 128);
    EXPECT_DOUBLE_EQ(requests_in_system(0.25, 400).value(), 100);
}

} // namespace
} // namespace warpbound::models::queues
