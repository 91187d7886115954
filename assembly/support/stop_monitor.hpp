#pragma once
/// \file
/// Ends work in a library that cannot call `check_stop`, such as a solver's query.

#include "assembly/support/stop_token.hpp"

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace warpbound {

/// While it lives, calls `interrupt` every few milliseconds once the token requests a stop, from a
/// thread of its own: a call that comes before the work has begun has no effect.
class StopMonitor {
public:
    StopMonitor(StopToken token, std::function<void()> interrupt);
    ~StopMonitor();
    StopMonitor(const StopMonitor&) = delete;
    StopMonitor& operator=(const StopMonitor&) = delete;

private:
    void watch();

    StopToken token_;
    std::function<void()> interrupt_;
    std::mutex mutex_;
    std::condition_variable ended_;
    bool has_ended_ = false;
    std::thread thread_; ///< Last: it uses the others.
};

} // namespace warpbound
