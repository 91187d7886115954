#pragma once
/// \file
/// Threads that share out short pieces of work again and again.

#include "assembly/support/stop_token.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace warpbound::harness::simulator {

/// The thread that calls `run` and others, which wait in between. A round does not wait for a
/// thread that has taken no piece of it, as where the cores are busy with something else. The
/// threads share the stop token of the one that makes the crew.
class Crew {
public:
    using Work = std::function<void(std::size_t)>;

    /// `threads`: with the calling one. Fewer work where the system has no more.
    explicit Crew(unsigned threads);
    ~Crew();
    Crew(const Crew&) = delete;
    Crew& operator=(const Crew&) = delete;
    Crew(Crew&&) = delete;
    Crew& operator=(Crew&&) = delete;

    /// Calls `work` with 0 .. count - 1, each once, and returns when all calls have. Rethrows the
    /// first exception.
    void run(std::size_t count, const Work& work);

private:
    void wait_for_work();
    void share();

    StopToken token_ = current_stop();
    const Work* work_ = nullptr;
    std::atomic<std::int64_t> left_{0};   ///< Pieces that nobody has taken; negative: none.
    std::atomic<std::size_t> done_{0};    ///< Pieces of the round that are done.
    std::atomic<std::uint32_t> round_{0}; ///< Changes when there is work.
    std::atomic<bool> ends_{false};
    std::mutex mutex_; ///< Of `exception_`.
    std::exception_ptr exception_;
    std::vector<std::thread> threads_; ///< Last: they use the others.
};

} // namespace warpbound::harness::simulator
