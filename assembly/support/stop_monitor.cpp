#include "assembly/support/stop_monitor.hpp"

#include <utility>

namespace warpbound {

StopMonitor::StopMonitor(StopToken token, std::function<void()> interrupt)
    : token_{std::move(token)}, interrupt_{std::move(interrupt)}, thread_{[this] { watch(); }} {}

StopMonitor::~StopMonitor() {
    {
        const std::lock_guard lock{mutex_};
        has_ended_ = true;
    }
    ended_.notify_one();
    thread_.join();
}

void StopMonitor::watch() {
    constexpr std::chrono::milliseconds period{10};
    std::unique_lock lock{mutex_};
    while (!ended_.wait_for(lock, period, [this] { return has_ended_; }))
        if (token_.stop_requested()) interrupt_();
}

} // namespace warpbound
