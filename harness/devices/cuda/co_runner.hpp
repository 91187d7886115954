#pragma once
/// \file
/// A kernel that is kept running on a stream of its own while another one is measured.

#include "harness/devices/cuda/loaded_kernel.hpp"
#include "harness/run_anomaly.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace warpbound::harness::cuda {

/// Launches are queued ahead, so that the stream has work all the while:
///   start                    feed .. feed                      finish
///   [beside][beside][beside][beside][beside][beside][beside]
///            measured work: [-------------]
/// A stream that ran out of work is not filled again, so that one comparison at the end decides:
/// the last launch must have ended after the measured work. Whether the card runs both at once is
/// up to the card. Requires: the caller holds the session lock, also during destruction.
class CoRunner {
public:
    /// Loads it and runs it twice alone. Refuses what `LoadedKernel` refuses, and a launch that
    /// fails.
    static Result<std::unique_ptr<CoRunner>> prepare(std::shared_ptr<Session> session,
                                                     UserKernel kernel);
    CoRunner(const CoRunner&) = delete;
    CoRunner& operator=(const CoRunner&) = delete;
    ~CoRunner();

    /// Of a launch with nothing beside it, between events. `Unit:` ns.
    [[nodiscard]] std::int64_t time_alone() const { return time_alone_; }
    /// Writes its inputs. Launches work on what the one before left.
    [[nodiscard]] Status restore() const { return kernel_.restore(); }
    /// Queues launches and waits until one has ended. After an anomaly nothing of it runs.
    Remark start();
    /// Queues launches. Before the measured work begins.
    void top_up();
    /// Queues launches, unless the stream ran out of work.
    void feed();
    /// Waits until all has ended. Its anomaly, or that it ended before the last work that was
    /// timed.
    Remark finish();

private:
    CoRunner(std::shared_ptr<Session> session, LoadedKernel kernel)
        : session_{std::move(session)}, kernel_{std::move(kernel)} {}

    Result<void> make_stream();
    Result<void> run_alone();
    void count_ended();
    /// Waits until so many launches have ended.
    void wait_for(std::size_t launches);
    void issue();
    void fail(Status status, const char* call);
    [[nodiscard]] bool failed() const { return remark_.anomaly != RunAnomaly::None; }

    std::shared_ptr<Session> session_;
    LoadedKernel kernel_;
    Stream stream_ = nullptr;
    std::vector<Event> ends_; ///< As many as launches may be queued; used in turn.
    std::int64_t time_alone_ = 0;
    std::size_t issued_ = 0; ///< Launches since `start`.
    std::size_t ended_ = 0;  ///< Of those.
    bool ran_out_ = false;
    Remark remark_; ///< Since `start`.
};

} // namespace warpbound::harness::cuda
