#include "harness/host_clock.hpp"

#include <chrono>
#include <thread>

namespace warpbound::harness {

namespace {

using Steady = std::chrono::steady_clock;

std::int64_t steady_now() {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(Steady::now().time_since_epoch())
        .count();
}

void wait_until(std::int64_t moment) {
    constexpr std::int64_t awake = 200'000;
    if (const std::int64_t asleep = moment - steady_now() - awake; asleep > 0)
        std::this_thread::sleep_for(std::chrono::nanoseconds{asleep});
    while (steady_now() < moment)
        std::this_thread::yield();
}

} // namespace

HostClock system_clock() {
    return {steady_now, wait_until};
}

} // namespace warpbound::harness
