#include "harness/devices/cuda/user_kernel.hpp"

#include "assembly/support/digest.hpp"
#include "harness/card_identity.hpp"
#include "harness/devices/cuda/board_state.hpp"
#include "harness/devices/cuda/built_code.hpp"
#include "harness/suite/ptx_emission.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
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

Result<LoadedCode> LoadedCode::load(std::shared_ptr<Session> session, const std::string& image,
                                    const std::string& entry) {
    LoadedCode code;
    Status status = session->call().ModuleLoadData(&code.module_, image.data());
    if (status != Status::Success) return session->failure(status, "cuModuleLoadData");
    code.session_ = std::move(session);
    status = code.session_->call().ModuleGetFunction(&code.function_, code.module_, entry.c_str());
    if (status != Status::Success) return code.session_->failure(status, "cuModuleGetFunction");
    return code;
}

LoadedCode::LoadedCode(LoadedCode&& other) noexcept
    : session_{std::move(other.session_)}, module_{other.module_}, function_{other.function_} {}

LoadedCode& LoadedCode::operator=(LoadedCode&& other) noexcept {
    std::swap(session_, other.session_);
    std::swap(module_, other.module_);
    std::swap(function_, other.function_);
    return *this;
}

LoadedCode::~LoadedCode() {
    if (session_ && !session_->lost()) session_->call().ModuleUnload(module_);
}

Result<std::unique_ptr<UserKernelOnCard>>
UserKernelOnCard::prepare(std::shared_ptr<Card> card, UserKernel kernel, HostClock clock) {
    std::unique_ptr<UserKernelOnCard> made{
        new UserKernelOnCard{std::move(card), std::move(kernel), std::move(clock)}};
    const auto& session = made->card_->session;
    const auto lock = session->busy();
    if (session->lost()) return Failure{"the device is lost: " + *session->lost(), session->name()};
    if (auto loaded = made->load(); !loaded) return loaded.as_failure();
    auto probe = Buffer::make(session, 1);
    if (!probe) return probe.as_failure();
    made->probe_.emplace(std::move(probe).value());
    for (const UserBuffer& input : made->kernel_.buffers) {
        auto buffer = Buffer::make(session, static_cast<std::int64_t>(input.bytes.size()));
        if (!buffer) return buffer.as_failure();
        const Address address = buffer.value().address();
        if (address % buffer_alignment != 0)
            return Failure{fmt::format("the driver gave memory at {:#x}; expected a multiple of {}",
                                       address, buffer_alignment),
                           session->name()};
        std::memcpy(made->kernel_.parameters.data() + input.parameter, &address, sizeof(address));
        made->buffers_.push_back(std::move(buffer).value());
    }
    return made;
}

UserKernelOnCard::~UserKernelOnCard() {
    const auto lock = card_->session->busy();
    buffers_.clear();
    probe_.reset();
    code_.reset();
}

Result<void> UserKernelOnCard::load() {
    auto code = LoadedCode::load(card_->session, kernel_.image, kernel_.name);
    if (!code) return code.as_failure();
    code_.reset();
    code_.emplace(std::move(code).value());
    return set_shared_memory();
}

Result<void> UserKernelOnCard::set_shared_memory() const {
    if (kernel_.dynamic_shared_memory == 0) return boost::outcome_v2::success();
    const Status status = card_->session->call().FuncSetAttribute(
        code_->function(), FunctionAttribute::MaxDynamicSharedSizeBytes,
        static_cast<int>(kernel_.dynamic_shared_memory));
    if (status == Status::Success) return boost::outcome_v2::success();
    Failure why = card_->session->failure(status, "cuFuncSetAttribute");
    why.what += fmt::format(" ({} bytes of dynamic shared memory)", kernel_.dynamic_shared_memory);
    return why;
}

Status UserKernelOnCard::launch(Stream stream) {
    std::size_t size = kernel_.parameters.size();
    std::array<void*, 5> packed{launch_parameters, kernel_.parameters.data(),
                                launch_parameters_size, &size, nullptr};
    const auto count = [](std::int64_t extent) { return static_cast<unsigned>(extent); };
    return card_->session->call().LaunchKernel(
        code_->function(), count(kernel_.grid[0]), count(kernel_.grid[1]), count(kernel_.grid[2]),
        count(kernel_.block[0]), count(kernel_.block[1]), count(kernel_.block[2]),
        count(kernel_.dynamic_shared_memory), stream, nullptr, size == 0 ? nullptr : packed.data());
}

/// Writes the inputs.
Status UserKernelOnCard::restore() const {
    for (std::size_t i = 0; i < buffers_.size(); ++i)
        if (!kernel_.buffers[i].bytes.empty())
            if (const Status status = buffers_[i].write(kernel_.buffers[i].bytes.data());
                status != Status::Success)
                return status;
    return Status::Success;
}

/// Waits until the copies and fills before have ended.
Status UserKernelOnCard::settle() const {
    char byte = 0;
    return probe_->read(&byte);
}

Result<void> UserKernelOnCard::evict(const ReleasePattern& pattern, Remark& remark) {
    if (!misses_in_l2(pattern.kind)) return boost::outcome_v2::success();
    if (pattern.kind == ReleaseKind::Cold)
        if (auto loaded = load(); !loaded) return loaded;
    if (auto made = card_->prepare_eviction(true); !made) return made;
    if (const Status status = card_->evicting->fill(0); status != Status::Success)
        remark = card_->session->anomaly(status, "cuMemsetD8_v2");
    return boost::outcome_v2::success();
}

std::int64_t UserKernelOnCard::wait_for_period(std::int64_t period) {
    const std::int64_t now = clock_.now();
    if (!first_due_) {
        first_due_ = last_due_ = now + period;
        clock_.wait_until(last_due_);
        return 0;
    }
    const std::int64_t late = std::max<std::int64_t>(0, now - (last_due_ + period));
    const std::int64_t skipped = (late + period - 1) / period;
    last_due_ += (1 + skipped) * period;
    clock_.wait_until(last_due_);
    return skipped;
}

Result<std::int64_t> UserKernelOnCard::release(const ReleasePattern& pattern, Remark& remark) {
    Session& session = *card_->session;
    const auto attempt = [&](Status status, const char* call) {
        if (remark.anomaly == RunAnomaly::None && status != Status::Success)
            remark = session.anomaly(status, call);
        return remark.anomaly == RunAnomaly::None;
    };
    if (!attempt(restore(), "cuMemcpyHtoD_v2")) return 0;
    if (pattern.kind == ReleaseKind::Warm) {
        remark =
            session
                .timed([this](Stream stream) { return launch(stream); }, "cuLaunchKernel", "launch")
                .remark;
        if (remark.anomaly != RunAnomaly::None) return 0;
        if (!attempt(restore(), "cuMemcpyHtoD_v2")) return 0;
    }
    if (auto evicted = evict(pattern, remark); !evicted) return evicted.as_failure();
    if (!attempt(settle(), "cuMemcpyDtoH_v2")) return 0;
    if (pattern.kind == ReleaseKind::Periodic) return wait_for_period(pattern.interval.count());
    if (pattern.kind == ReleaseKind::AfterIdle)
        clock_.wait_until(clock_.now() + pattern.interval.count());
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
    const auto released = release(pattern, run.remark);
    if (!released) return released.as_failure();
    run.skipped = released.value();
    if (run.remark.anomaly != RunAnomaly::None) return run;
    const auto launched_here = [this](Stream stream) { return launch(stream); };
    const bool queued = pattern.kind == ReleaseKind::BackToBack;
    const std::int64_t begin = pattern.kind == ReleaseKind::Periodic ? last_due_ : clock_.now();
    const Launched launched =
        queued ? session.timed(launched_here, "cuLaunchKernel", "launch", launched_here)
               : session.timed(launched_here, "cuLaunchKernel", "launch");
    run.host_time = clock_.now() - begin;
    run.remark = launched.remark;
    if (run.remark.anomaly != RunAnomaly::None) return run;
    run.device_time = nanoseconds(launched.seconds);
    read_outputs(run);
    if (gives_times(run.remark.anomaly)) read_state(run);
    return run;
}

void UserKernelOnCard::read_outputs(UserRun& run) const {
    for (const Buffer& buffer : buffers_) {
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
    const auto rate = card_->rate->measure();
    if (rate.remark.anomaly == RunAnomaly::None) {
        run.state.emplace_back("clock-rate", megahertz(rate.hertz));
        if (std::string slow = card_->slowness(rate.hertz); !slow.empty())
            run.remark = {RunAnomaly::Throttled, std::move(slow)};
    } else if (!gives_times(rate.remark.anomaly) && card_->session->lost()) {
        run.remark = rate.remark;
    }
    std::sort(run.state.begin(), run.state.end());
}

Result<std::int64_t> UserKernelOnCard::longest_empty_launch(int runs) {
    const auto& session = card_->session;
    const auto lock = session->busy();
    auto header = ptx_header(session->device().target);
    if (!header) return header.as_failure();
    auto code = BuiltCode::build(session, header.value() + empty_body, empty_entry);
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
    return Card::open(Driver::load(), card.value().ordinal, card.value().time_out);
}

} // namespace warpbound::harness::cuda
