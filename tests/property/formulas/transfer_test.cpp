/// \file
/// Copies take longer for more bytes, and calibration closes.

#include "models/formulas/transfer.hpp"
#include "tests/support/campaign.hpp"

namespace warpbound::models::transfer {
namespace {

TEST(TransferProperty, GrowsWithBytesAndIsRecoveredByCalibration) {
    tests::for_seeds(2000, [](tests::RandomSource& random_source) {
        const Direction direction{.start = Seconds{random_source.real(1e-6, 2e-5)},
                                  .bandwidth = random_source.real(1e9, 6e10),
                                  .lambda = random_source.real(0.3, 1),
                                  .empty = std::nullopt};
        const std::int64_t bytes = random_source.whole(1'000'000, 1'000'000'000);
        const Seconds time{time_of(bytes, direction).value().value()};
        EXPECT_GT(time_of(bytes + random_source.whole(1, 1000), direction).value().value(),
                  time.count());
        EXPECT_GT(time, direction.start);
        EXPECT_NEAR(lambda_from(bytes, time, direction.start, direction.bandwidth).value(),
                    direction.lambda, 1e-9);
    });
}

} // namespace
} // namespace warpbound::models::transfer
