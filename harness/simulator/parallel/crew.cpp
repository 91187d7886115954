#include "harness/simulator/parallel/crew.hpp"

#include <system_error>
#include <utility>

namespace warpbound::harness::simulator {

namespace {

/// Rounds follow each other within microseconds, so a thread looks for some time before it sleeps.
constexpr int looks = 2'000;

/// Returns when `value` is no longer `old`.
template <typename Value> void await_change(const std::atomic<Value>& value, Value old) {
    for (int look = 0; look < looks; ++look)
        if (value.load(std::memory_order_acquire) != old) return;
    value.wait(old, std::memory_order_acquire);
}

} // namespace

Crew::Crew(unsigned threads) {
    try {
        while (threads_.size() + 1 < threads)
            threads_.emplace_back([this] { wait_for_work(); });
    } catch (const std::system_error&) {
        // No further threads are available: the existing ones do the work.
    }
}

Crew::~Crew() {
    ends_ = true;
    ++round_;
    round_.notify_all();
    for (std::thread& thread : threads_)
        thread.join();
}

void Crew::wait_for_work() {
    const StopScope scope{token_};
    for (std::uint32_t seen = 0;;) {
        await_change(round_, seen);
        seen = round_;
        if (ends_) return;
        share();
    }
}

/// A piece that was taken keeps its round, so `work_` is that of the piece.
void Crew::share() {
    for (std::int64_t left = left_--; left > 0; left = left_--) {
        try {
            (*work_)(static_cast<std::size_t>(left - 1));
        } catch (...) {
            const std::lock_guard lock{mutex_};
            if (!exception_) exception_ = std::current_exception();
        }
        ++done_;
        done_.notify_one();
    }
}

void Crew::run(std::size_t count, const Work& work) {
    if (count < 2 || threads_.empty()) {
        for (std::size_t i = 0; i < count; ++i)
            work(i);
        return;
    }
    work_ = &work;
    done_ = 0;
    left_ = static_cast<std::int64_t>(count);
    ++round_;
    round_.notify_all();
    share();
    for (std::size_t done = done_; done != count; done = done_)
        await_change(done_, done);
    if (exception_) std::rethrow_exception(std::exchange(exception_, nullptr));
}

} // namespace warpbound::harness::simulator
