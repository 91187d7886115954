#pragma once
/// \file
/// Distributes numbered runs over threads so that the result does not depend on their number.

#include "assembly/support/result.hpp"
#include "assembly/support/stop_token.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace warpbound::harness {

/// Threads for each of `runs` runs that are made at once, of `threads` in all.
inline unsigned threads_of_each(unsigned threads, std::int64_t runs) {
    return std::max<unsigned>(1, threads / static_cast<unsigned>(std::clamp<std::int64_t>(
                                               runs, 1, std::max(1U, threads))));
}

/// Consecutive runs, and why they ended early. The exception or failure, if any, is that of the run
/// after the last one in `done`.
template <typename Run> struct Batch {
    std::vector<Run> done;
    std::optional<Failure> failure;
    std::exception_ptr exception;
};

/// Performs runs in order until one fails or is the last: all runs before the first such run
/// complete and are returned.
template <typename Run> class WorkerPool {
public:
    using Task = std::function<Result<Run>(std::int64_t)>;

    /// `task` is called with `first` .. `first + count - 1`, by several threads concurrently. No
    /// run is started after `stop` returned true, and a run that `check_stop` ends counts as not
    /// started; the runs before the first one not started are returned. The threads share the stop
    /// token of the one that calls `run`. After a run for which `is_last` returns true, no further
    /// run is started, and later runs are discarded.
    WorkerPool(Task task, std::int64_t first, std::int64_t count, std::function<bool()> stop = {},
               std::function<bool(const Run&)> is_last = {})
        : task_{std::move(task)}, stop_{std::move(stop)}, is_last_{std::move(is_last)},
          first_{first}, last_{count} {
        batch_.done.resize(static_cast<std::size_t>(count));
    }

    Batch<Run> run(unsigned threads) {
        const auto wanted = static_cast<unsigned>(
            std::min<std::int64_t>(std::max(1U, threads), std::max<std::int64_t>(1, last_)));
        std::vector<std::thread> workers;
        workers.reserve(wanted);
        try {
            while (workers.size() + 1 < wanted)
                workers.emplace_back([this] { work(); });
        } catch (const std::system_error&) {
            // No further threads are available: the existing ones do the work.
        }
        work();
        for (auto& worker : workers)
            worker.join();
        batch_.done.resize(static_cast<std::size_t>(last_.load()));
        return std::move(batch_);
    }

private:
    void work() noexcept {
        const StopScope scope{token_};
        for (std::int64_t i = next_++; i < last_; i = next_++) {
            if (stop_ && stop_()) {
                end_at(i, std::nullopt, nullptr);
                continue;
            }
            try {
                auto run = task_(first_ + i);
                if (!run) {
                    end_at(i, run.error(), nullptr);
                    continue;
                }
                const bool last = is_last_ && is_last_(run.value());
                batch_.done[static_cast<std::size_t>(i)] = std::move(run).value();
                if (last) end_at(i + 1, std::nullopt, nullptr);
            } catch (const Stopped&) {
                end_at(i, std::nullopt, nullptr);
            } catch (...) {
                end_at(i, std::nullopt, std::current_exception());
            }
        }
    }

    /// Ends the batch before `run`, unless an earlier run already ended it: the cause at a later
    /// run is dropped.
    void end_at(std::int64_t run, std::optional<Failure> failure,
                std::exception_ptr exception) noexcept {
        const std::lock_guard lock{mutex_};
        if (run >= last_) return;
        last_ = run;
        batch_.failure = std::move(failure);
        batch_.exception = std::move(exception);
    }

    Task task_;
    StopToken token_ = current_stop();
    std::function<bool()> stop_;
    std::function<bool(const Run&)> is_last_;
    std::int64_t first_;
    std::atomic<std::int64_t> next_{0};
    std::atomic<std::int64_t>
        last_; ///< Number of runs to make: the whole batch, or up to a failed run.
    std::mutex mutex_;
    Batch<Run> batch_;
};

} // namespace warpbound::harness
