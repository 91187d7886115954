/// \file
/// Waits grow with the load and with the spread of the service.

#include "models/formulas/queues.hpp"
#include "tests/support/campaign.hpp"

namespace warpbound::models::queues {
namespace {

TEST(QueuesProperty, WaitsGrowWithLoadAndSpread) {
    tests::for_seeds(2000, [](tests::RandomSource& random_source) {
        const Load load{.rate = random_source.real(1e-4, 0.09),
                        .service = random_source.real(1, 10)};
        const Load more{.rate = load.rate * random_source.real(1, 1.1), .service = load.service};
        const double constant = constant_service_wait(load).value().value();
        EXPECT_GE(constant_service_wait(more).value().value(), constant);
        const double squared = load.service * load.service;
        const double spread =
            general_service_wait(load, squared * random_source.real(1, 2)).value().value();
        EXPECT_GE(spread, constant);
        EXPECT_LE(spread, exponential_service_wait(load).value().value() * (1 + 1e-12));
        const double requests = random_source.real(0, 100);
        const auto batch = batch_wait(requests, load.service).value();
        EXPECT_LE(batch.mean.value(), batch.last);
    });
}

} // namespace
} // namespace warpbound::models::queues
