#include "harness/devices/cuda/user_kernel.hpp"

#include "assembly/support/digest.hpp"
#include "harness/card_identity.hpp"
#include "harness/devices/cuda/board_state.hpp"
#include "harness/devices/cuda/built_code.hpp"
#include "harness/devices/hip/generated_code.hpp"
#include "harness/suite/emission/ptx_emission.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

namespace warpbound::harness::cuda {

namespace {

constexpr const char* empty_entry = "empty_launch";
constexpr const char* empty_body = ".visible .entry empty_launch()\n{\n  ret;\n}\n";

std::int64_t nanoseconds(double seconds) {
    return static_cast<std::int64_t>(std::llround(1e9 * seconds));
}

bool misses_in_l2(ReleaseKind kind) {
    return kind == ReleaseKind::L2Flushed || kind == ReleaseKind::Cold;
}

} // namespace

Result<std::unique_ptr<UserKernelOnCard>>
UserKernelOnCard::prepare(std::shared_ptr<Card> card, UserKernel kernel, HostClock clock,
                          std::optional<UserKernel> co_runner) {
    std::unique_ptr<UserKernelOnCard> made{new UserKernelOnCard{std::move(card), std::move(clock)}};
    const auto& session = made->card_->session;
    const auto lock = session->busy();
    if (session->lost()) return Failure{"the device is lost: " + *session->lost(), session->name()};
    auto loaded = LoadedKernel::load(session, std::move(kernel));
    if (!loaded) return loaded.as_failure();
    made->kernel_.emplace(std::move(loaded).value());
    auto probe = Buffer::make(session, 1);
    if (!probe) return probe.as_failure();
    made->probe_.emplace(std::move(probe).value());
    if (!co_runner) return made;
    auto beside = CoRunner::prepare(session, std::move(*co_runner));
    if (!beside) return beside.as_failure();
    made->co_runner_ = std::move(beside).value();
    return made;
}

UserKernelOnCard::~UserKernelOnCard() {
    const auto lock = card_->session->busy();
    co_runner_.reset();
    kernel_.reset();
    probe_.reset();
}

std::int64_t UserKernelOnCard::time_of_co_runner() const {
    return co_runner_->time_alone();
}

/// Waits until the copies and fills before have ended.
Status UserKernelOnCard::settle() const {
    char byte = 0;
    return probe_->read(&byte);
}

Result<void> UserKernelOnCard::evict(const ReleasePattern& pattern, Remark& remark) {
    if (!misses_in_l2(pattern.kind)) return boost::outcome_v2::success();
    if (pattern.kind == ReleaseKind::Cold)
        if (auto loaded = kernel_->reload(); !loaded) return loaded;
    if (auto made = card_->prepare_eviction(true); !made) return made;
    if (const Status status = card_->evicting->fill(0); status != Status::Success)
        remark = card_->session->anomaly(status, "cuMemsetD8_v2");
    return boost::outcome_v2::success();
}

/// Beside a co-runner, which is kept busy meanwhile.
void UserKernelOnCard::wait_until(std::int64_t moment) {
    constexpr std::int64_t slice = 100'000; // Unit: ns.
    if (co_runner_)
        for (std::int64_t now = clock_.now(); now < moment; now = clock_.now()) {
            co_runner_->top_up();
            clock_.wait_until(std::min(moment, now + slice));
        }
    clock_.wait_until(moment);
}

std::int64_t UserKernelOnCard::wait_for_period(std::int64_t period) {
    const std::int64_t now = clock_.now();
    if (!first_due_) {
        first_due_ = last_due_ = now + period;
        wait_until(last_due_);
        return 0;
    }
    const std::int64_t late = std::max<std::int64_t>(0, now - (last_due_ + period));
    const std::int64_t skipped = (late + period - 1) / period;
    last_due_ += (1 + skipped) * period;
    wait_until(last_due_);
    return skipped;
}

Result<Remark> UserKernelOnCard::make_state(const ReleasePattern& pattern) {
    Session& session = *card_->session;
    Remark remark;
    const auto attempt = [&](Status status, const char* call) {
        if (remark.anomaly == RunAnomaly::None && status != Status::Success)
            remark = session.anomaly(status, call);
        return remark.anomaly == RunAnomaly::None;
    };
    if (!attempt(kernel_->restore(), "cuMemcpyHtoD_v2")) return remark;
    if (pattern.kind == ReleaseKind::Warm) {
        remark = session
                     .timed([this](Stream stream) { return kernel_->launch(stream); },
                            "cuLaunchKernel", "launch")
                     .remark;
        if (remark.anomaly != RunAnomaly::None) return remark;
        if (!attempt(kernel_->restore(), "cuMemcpyHtoD_v2")) return remark;
    }
    if (co_runner_ && !attempt(co_runner_->restore(), "cuMemcpyHtoD_v2")) return remark;
    if (auto evicted = evict(pattern, remark); !evicted) return evicted.as_failure();
    attempt(settle(), "cuMemcpyDtoH_v2");
    return remark;
}

std::int64_t UserKernelOnCard::wait_for_release(const ReleasePattern& pattern) {
    if (pattern.kind == ReleaseKind::Periodic) return wait_for_period(pattern.interval.count());
    if (pattern.kind == ReleaseKind::AfterIdle) wait_until(clock_.now() + pattern.interval.count());
    return 0;
}

Result<UserRun> UserKernelOnCard::run(const ReleasePattern& pattern) {
    Session& session = *card_->session;
    const auto lock = session.busy();
    UserRun run;
    if (session.lost()) {
        run.remark = {RunAnomaly::DeviceLost, *session.lost()};
        return run;
    }
    auto state = make_state(pattern);
    if (!state) return state.as_failure();
    run.remark = std::move(state).value();
    if (run.remark.anomaly == RunAnomaly::None && co_runner_) run.remark = co_runner_->start();
    if (run.remark.anomaly != RunAnomaly::None) return run;
    run.skipped = wait_for_release(pattern);
    const Launched launched = launch_released(pattern, run);
    run.remark = launched.remark;
    if (co_runner_)
        if (const Remark beside = co_runner_->finish(); run.remark.anomaly == RunAnomaly::None)
            run.remark = beside;
    if (!gives_times(run.remark.anomaly)) return run;
    run.device_time = nanoseconds(launched.seconds);
    read_outputs(run);
    if (gives_times(run.remark.anomaly)) read_state(run);
    return run;
}

Launched UserKernelOnCard::launch_released(const ReleasePattern& pattern, UserRun& run) {
    const std::function<Status(Stream)> issue = [this](Stream stream) {
        return kernel_->launch(stream);
    };
    const bool queued = pattern.kind == ReleaseKind::BackToBack;
    std::function<void()> meanwhile;
    if (co_runner_) {
        co_runner_->top_up();
        meanwhile = [this] { co_runner_->feed(); };
    }
    const std::int64_t begin = pattern.kind == ReleaseKind::Periodic ? last_due_ : clock_.now();
    const Launched launched =
        card_->session->timed(issue, "cuLaunchKernel", "launch",
                              queued ? issue : std::function<Status(Stream)>{}, meanwhile);
    run.host_time = clock_.now() - begin;
    return launched;
}

void UserKernelOnCard::read_outputs(UserRun& run) const {
    for (const Buffer& buffer : kernel_->buffers()) {
        std::string bytes(static_cast<std::size_t>(buffer.bytes()), '\0');
        if (const Status status = buffer.read(bytes.data()); status != Status::Success) {
            run.remark = card_->session->anomaly(status, "cuMemcpyDtoH_v2");
            return;
        }
        run.outputs.push_back(assembly::digest_of(bytes));
    }
}

void UserKernelOnCard::read_state(UserRun& run) {
    constexpr std::string_view unknown = "unknown";
    for (auto& condition : card_->state.conditions())
        if (condition.second.substr(0, unknown.size()) != unknown)
            run.state.push_back(std::move(condition));
    // NVML knows little of integrated GPUs; what it says comes first.
    for (auto& condition : board_state(board_root()))
        if (std::none_of(run.state.begin(), run.state.end(),
                         [&](const auto& known) { return known.first == condition.first; }))
            run.state.push_back(std::move(condition));
    if (!card_->rate) {
        std::sort(run.state.begin(), run.state.end());
        return;
    }
    const auto rate = card_->measured_rate();
    if (rate.remark.anomaly == RunAnomaly::None) {
        run.state.emplace_back("clock-rate", megahertz(rate.hertz));
        std::string slow = card_->slowness(rate.hertz);
        if (!slow.empty() && run.remark.anomaly == RunAnomaly::None)
            run.remark = {RunAnomaly::Throttled, std::move(slow)};
    } else if (!gives_times(rate.remark.anomaly) && card_->session->lost()) {
        run.remark = rate.remark;
    }
    std::sort(run.state.begin(), run.state.end());
}

Result<std::int64_t> UserKernelOnCard::longest_empty_launch(int runs) {
    const auto& session = card_->session;
    const auto lock = session->busy();
    auto text = session->is_amd() ? hip::empty_code(session->device().target, empty_entry)
                                  : ptx_header(session->device().target);
    if (!text) return text.as_failure();
    if (!session->is_amd()) text.value() += empty_body;
    auto code = BuiltCode::build(session, text.value(), empty_entry);
    if (!code) return code.as_failure();
    double longest = 0;
    for (int i = 0; i < runs; ++i) {
        const Launched launched = session->launch(code.value().function(), {}, nullptr);
        if (launched.remark.anomaly != RunAnomaly::None)
            return Failure{launched.remark.text, session->name()};
        longest = std::max(longest, launched.seconds);
    }
    return nanoseconds(longest);
}

DeviceIdentity identity_of(const Card& card) {
    const auto& device = card.session->device();
    return {card.session->name(),
            card_detail(device.name, device.target, card.session->driver().version())};
}

Conditions conditions_of(const Card& card) {
    return {{"driver", card.session->driver().version()}, {"name", card.session->device().name}};
}

Result<std::shared_ptr<Card>> open_card(std::string_view name) {
    const auto card = read_card_name(name);
    if (!card) return card.as_failure();
    return Card::open(Driver::load(card.value().interface), card.value().ordinal,
                      card.value().time_out);
}

} // namespace warpbound::harness::cuda
