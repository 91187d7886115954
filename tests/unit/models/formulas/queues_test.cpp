#include "models/formulas/queues.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpbound::models::queues {
namespace {

using testing::HasSubstr;

TEST(Queues, RefuseAServerThatDoesNotKeepUp) {
    for (const double rate : {0.25, 0.3}) { // Utilisation 1 and 1.2.
        const Load load{.rate = rate, .service = 4};
        for (const auto& wait : {constant_service_wait(load), exponential_service_wait(load),
                                 general_service_wait(load, 20)})
            EXPECT_THAT(wait.error().what, HasSubstr("utilisation"));
    }
}

TEST(Queues, RefuseWhatTheyCannotComputeWith) {
    EXPECT_THAT(constant_service_wait({.rate = -1, .service = 1}).error().what,
                HasSubstr("arrival rate is -1"));
    EXPECT_THAT(constant_service_wait({.rate = 0.1, .service = 0}).error().what,
                HasSubstr("service time is 0"));
    EXPECT_THAT(general_service_wait({.rate = 0.1, .service = 2}, 3).error().what,
                HasSubstr("mean square"));
    EXPECT_THAT(batch_wait(-1, 2).error().what, HasSubstr("requests is -1"));
    EXPECT_THAT(requests_in_system(1, 0).error().what, HasSubstr("time in the system"));
}

TEST(Queues, HaveNoDelayWithoutRequests) {
    EXPECT_EQ(constant_service_wait({.rate = 0, .service = 4}).value().value(), 0);
    EXPECT_EQ(batch_wait(0, 4).value().last, 0);
}

} // namespace
} // namespace warpbound::models::queues
