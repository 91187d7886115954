#include "harness/devices/cuda/co_runner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>
#include <utility>

namespace warpbound::harness::cuda {

namespace {

constexpr std::int64_t queued_time = 2'000'000; ///< So long the queue lasts. `Unit:` ns.
constexpr std::int64_t fewest = 2;              ///< One runs and one waits.
constexpr std::int64_t most = 256;

} // namespace

Result<std::unique_ptr<CoRunner>> CoRunner::prepare(std::shared_ptr<Session> session,
                                                    UserKernel kernel) {
    auto loaded = LoadedKernel::load(session, std::move(kernel));
    if (!loaded) return Failure{"the co-runner: " + loaded.error().what, loaded.error().where};
    std::unique_ptr<CoRunner> made{new CoRunner{std::move(session), std::move(loaded).value()}};
    if (auto ran = made->run_alone(); !ran) return ran.as_failure();
    if (auto stream = made->make_stream(); !stream) return stream.as_failure();
    return made;
}

CoRunner::~CoRunner() {
    if (session_->lost()) return;
    for (const Event event : ends_)
        session_->call().EventDestroy_v2(event);
    if (stream_ != nullptr) session_->call().StreamDestroy_v2(stream_);
}

Result<void> CoRunner::run_alone() {
    if (const Status status = kernel_.restore(); status != Status::Success)
        return session_->failure(status, "cuMemcpyHtoD_v2");
    // The driver may finish loading in the first launch.
    for (int run = 0; run < 2; ++run) {
        const Launched launched =
            session_->timed([this](Stream stream) { return kernel_.launch(stream); },
                            "cuLaunchKernel", "launch of the co-runner");
        if (launched.remark.anomaly != RunAnomaly::None)
            return Failure{"the co-runner: " + launched.remark.text, session_->name()};
        time_alone_ = static_cast<std::int64_t>(std::llround(1e9 * launched.seconds));
    }
    return boost::outcome_v2::success();
}

Result<void> CoRunner::make_stream() {
    if (const Status status = session_->call().StreamCreate(&stream_, stream_non_blocking);
        status != Status::Success)
        return session_->failure(status, "cuStreamCreate");
    const std::int64_t lasting = queued_time / std::max<std::int64_t>(time_alone_, 1) + 1;
    for (std::int64_t i = std::clamp(lasting, fewest, most); i > 0; --i) {
        constexpr unsigned plain = 0;
        Event event = nullptr;
        if (const Status status = session_->call().EventCreate(&event, plain);
            status != Status::Success)
            return session_->failure(status, "cuEventCreate");
        ends_.push_back(event);
    }
    return boost::outcome_v2::success();
}

void CoRunner::fail(Status status, const char* call) {
    remark_ = session_->anomaly(status, call);
    remark_.text = "the co-runner: " + remark_.text;
}

void CoRunner::issue() {
    if (const Status status = kernel_.launch(stream_); status != Status::Success)
        return fail(status, "cuLaunchKernel");
    if (const Status status = session_->call().EventRecord(ends_[issued_ % ends_.size()], stream_);
        status != Status::Success)
        return fail(status, "cuEventRecord");
    ++issued_;
}

void CoRunner::count_ended() {
    while (!failed() && ended_ < issued_) {
        const Status status = session_->call().EventQuery(ends_[ended_ % ends_.size()]);
        if (status == Status::NotReady) return;
        if (status != Status::Success) return fail(status, "a launch");
        ++ended_;
    }
}

void CoRunner::wait_for(std::size_t launches) {
    using Clock = std::chrono::steady_clock;
    auto began = Clock::now(); // Of a launch: the time-out holds for each.
    std::size_t known = ended_;
    for (count_ended(); !failed() && ended_ < launches; count_ended()) {
        if (std::exchange(known, ended_) != ended_) began = Clock::now();
        if (Clock::now() - began > session_->time_out()) {
            remark_ = {RunAnomaly::TimeOut, session_->give_up("a launch of the co-runner").what};
            return;
        }
        std::this_thread::yield();
    }
}

void CoRunner::top_up() {
    count_ended();
    while (!failed() && issued_ - ended_ < ends_.size())
        issue();
}

void CoRunner::feed() {
    if (ran_out_) return;
    count_ended();
    ran_out_ = ended_ == issued_;
    if (!ran_out_) top_up();
}

Remark CoRunner::start() {
    issued_ = ended_ = 0;
    ran_out_ = false;
    remark_ = {};
    top_up();
    wait_for(1);
    if (!failed()) top_up();
    if (!failed()) return {};
    const Remark why = remark_;
    remark_ = {};
    if (!session_->lost()) wait_for(issued_);
    return why;
}

Remark CoRunner::finish() {
    if (session_->lost()) return remark_;
    const Remark why = std::exchange(remark_, {});
    wait_for(issued_);
    if (why.anomaly != RunAnomaly::None) return why;
    if (failed()) return remark_;
    const auto later = session_->seconds_until(ends_[(issued_ - 1) % ends_.size()]);
    if (!later) return {RunAnomaly::CoRunner, "the co-runner: " + later.error().what};
    if (later.value() >= 0) return {};
    return {RunAnomaly::CoRunner,
            fmt::format("the co-runner ended {:.0f} ns before the kernel; a launch of it takes {} "
                        "ns alone, and {} were queued",
                        -1e9 * later.value(), time_alone_, issued_)};
}

} // namespace warpbound::harness::cuda
