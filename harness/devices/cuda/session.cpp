#include "harness/devices/cuda/session.hpp"

#include "harness/card_identity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <string_view>
#include <thread>
#include <utility>

namespace warpbound::harness::cuda {

namespace {

constexpr int default_time_out = 10'000;

std::optional<int> whole_number(std::string_view text) {
    int number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || end != text.data() + text.size() || number < 0) return std::nullopt;
    return number;
}

/// Errors of a kernel; every later call in the context returns the same.
bool caused_by_kernel(Status status) {
    switch (status) {
    case Status::IllegalAddress:
    case Status::HardwareStackError:
    case Status::IllegalInstruction:
    case Status::MisalignedAddress:
    case Status::InvalidAddressSpace:
    case Status::InvalidPc:
    case Status::LaunchFailed:
        return true;
    default:
        return false;
    }
}

/// The device or its context is gone.
bool says_gone(Status status) {
    switch (status) {
    case Status::NotInitialized:
    case Status::Deinitialized:
    case Status::DeviceUnavailable:
    case Status::NoDevice:
    case Status::InvalidDevice:
    case Status::InvalidContext:
    case Status::EccUncorrectable:
    case Status::ContextIsDestroyed:
    case Status::SystemNotReady:
    case Status::Unknown:
        return true;
    default:
        return false;
    }
}

} // namespace

Result<CardName> read_card_name(std::string_view name) {
    const bool is_hip = name.starts_with(card_prefix_of(Interface::Hip));
    const Interface interface = is_hip ? Interface::Hip : Interface::Cuda;
    const std::string_view prefix = card_prefix_of(interface);
    const auto ordinal = is_card(name) ? whole_number(name.substr(prefix.size())) : std::nullopt;
    if (!ordinal)
        return Failure{fmt::format("expected the number of a device, as in {}0", prefix),
                       std::string{name}};
    const char* const time_out_variable =
        is_hip ? "WARPBOUND_HIP_TIME_OUT" : "WARPBOUND_CUDA_TIME_OUT";
    const char* stated = std::getenv(time_out_variable);
    const auto time_out =
        stated == nullptr ? std::optional{default_time_out} : whole_number(stated);
    if (!time_out || *time_out == 0)
        return Failure{fmt::format("expected milliseconds, not '{}' (at least 1)", stated),
                       time_out_variable};
    return CardName{interface, *ordinal, std::chrono::milliseconds{*time_out}};
}

Result<std::shared_ptr<Session>> Session::open(std::shared_ptr<const Driver> driver, int ordinal,
                                               std::chrono::milliseconds time_out) {
    auto described = driver->describe(ordinal);
    if (!described) return described.as_failure();
    const std::shared_ptr<Session> session{new Session{
        driver, fmt::format("{}{}", card_prefix_of(driver->interface()), ordinal), time_out}};
    session->device_ = std::move(described).value();
    const DriverFunctions& call = session->call();
    if (const Status status = driver->retain(&session->context_, session->device_.number);
        status != Status::Success)
        return session->failure(status, driver->interface() == Interface::Cuda
                                            ? "cuDevicePrimaryCtxRetain"
                                            : "hipSetDevice");
    session->retained_ = true;
    const auto lock = session->busy();
    // Such a stream waits for the preceding copies and fills, which use no stream.
    constexpr unsigned plain = 0;
    if (const Status status = call.StreamCreate(&session->stream_, plain);
        status != Status::Success)
        return session->failure(status, "cuStreamCreate");
    for (Event* event : {&session->before_, &session->after_})
        if (const Status status = call.EventCreate(event, plain); status != Status::Success)
            return session->failure(status, "cuEventCreate");
    return session;
}

Session::~Session() {
    if (!retained_ || lost_) return;
    for (const Event event : {before_, after_})
        if (event != nullptr) call().EventDestroy_v2(event);
    if (stream_ != nullptr) call().StreamDestroy_v2(stream_);
    driver_->release(device_.number);
}

std::unique_lock<std::mutex> Session::busy() {
    std::unique_lock lock{busy_};
    if (!lost_) driver_->bind(context_, device_.number); // A failure here shows in the next call.
    return lock;
}

Launched Session::launch(Function function, const LaunchGeometry& geometry, void** arguments) {
    return timed(
        [&](Stream stream) {
            return call().LaunchKernel(function, static_cast<unsigned>(geometry.blocks), 1, 1,
                                       static_cast<unsigned>(geometry.threads), 1, 1,
                                       static_cast<unsigned>(geometry.shared_bytes), stream,
                                       arguments, nullptr);
        },
        "cuLaunchKernel", "launch");
}

Launched Session::timed(const std::function<Status(Stream)>& issue, const char* name,
                        const char* what, const std::function<Status(Stream)>& before,
                        const std::function<void()>& meanwhile) {
    if (lost_) return {{RunAnomaly::DeviceLost, *lost_}};
    if (before)
        if (const Status status = before(stream_); status != Status::Success)
            return {anomaly(status, name)};
    if (const Status status = call().EventRecord(before_, stream_); status != Status::Success)
        return {anomaly(status, "cuEventRecord")};
    if (const Status status = issue(stream_); status != Status::Success)
        return {anomaly(status, name)};
    if (const Status recorded = call().EventRecord(after_, stream_); recorded != Status::Success)
        return {anomaly(recorded, "cuEventRecord")};
    const Status ended = wait(meanwhile);
    if (ended == Status::NotReady) {
        lost_ = fmt::format("a {} did not end within {} ms", what, time_out_.count());
        return {{RunAnomaly::TimeOut, *lost_}};
    }
    if (ended != Status::Success) return {anomaly(ended, fmt::format("the {}", what).c_str())};
    float milliseconds = 0.0F;
    if (const Status read = call().EventElapsedTime(&milliseconds, before_, after_);
        read != Status::Success)
        return {anomaly(read, "cuEventElapsedTime")};
    return {{}, static_cast<double>(milliseconds) / 1000.0};
}

Result<double> Session::seconds_until(Event event) {
    float milliseconds = 0.0F;
    const Status status = call().EventElapsedTime(&milliseconds, after_, event);
    if (status != Status::Success) return failure(status, "cuEventElapsedTime");
    return static_cast<double>(milliseconds) / 1000.0;
}

Status Session::wait(const std::function<void()>& meanwhile) {
    using Clock = std::chrono::steady_clock;
    const auto started = Clock::now();
    constexpr auto impatient = std::chrono::milliseconds{2};
    for (;;) {
        if (meanwhile) meanwhile();
        const Status status = call().EventQuery(after_);
        if (status != Status::NotReady) return status;
        const auto waited = Clock::now() - started;
        if (waited > time_out_) return Status::NotReady;
        if (waited < impatient)
            std::this_thread::yield();
        else
            std::this_thread::sleep_for(
                std::min<Clock::duration>(std::chrono::microseconds{200}, waited / 100));
    }
}

Remark Session::anomaly(Status status, const char* what) {
    if (lost_) return {RunAnomaly::DeviceLost, *lost_};
    std::string text =
        fmt::format("{} failed: {}", driver_->name_of(what), driver_->message(status));
    const bool wrong = caused_by_kernel(status);
    const bool late = status == Status::LaunchTimeout;
    const bool gone = says_gone(status);
    if (wrong || late || gone) lost_ = text;
    if (late) return {RunAnomaly::TimeOut, std::move(text)};
    return {gone ? RunAnomaly::DeviceLost : RunAnomaly::LaunchFailure, std::move(text)};
}

Failure Session::failure(Status status, const char* what) {
    return {anomaly(status, what).text, name_};
}

Failure Session::give_up(const char* what) {
    if (!lost_) lost_ = fmt::format("{} did not end within {} ms", what, time_out_.count());
    return {*lost_, name_};
}

Result<Buffer> Buffer::make(std::shared_ptr<Session> session, std::int64_t bytes) {
    Buffer buffer;
    buffer.bytes_ = std::max<std::int64_t>(bytes, 1);
    const Status status =
        session->call().MemAlloc_v2(&buffer.address_, static_cast<std::size_t>(buffer.bytes_));
    if (status != Status::Success) {
        Failure why = session->failure(status, "cuMemAlloc_v2");
        why.what += fmt::format(" ({} bytes)", buffer.bytes_);
        return why;
    }
    buffer.session_ = std::move(session);
    return buffer;
}

Buffer::Buffer(Buffer&& other) noexcept
    : session_{std::move(other.session_)}, address_{other.address_}, bytes_{other.bytes_} {}

Buffer& Buffer::operator=(Buffer&& other) noexcept {
    std::swap(session_, other.session_);
    std::swap(address_, other.address_);
    std::swap(bytes_, other.bytes_);
    return *this;
}

Buffer::~Buffer() {
    if (session_ && !session_->lost()) session_->call().MemFree_v2(address_);
}

Status Buffer::fill(unsigned char value) const {
    return session_->call().MemsetD8_v2(address_, value, static_cast<std::size_t>(bytes_));
}

Status Buffer::write(const void* from) const {
    return session_->call().MemcpyHtoD_v2(address_, from, static_cast<std::size_t>(bytes_));
}

Status Buffer::read(void* to) const {
    return session_->call().MemcpyDtoH_v2(to, address_, static_cast<std::size_t>(bytes_));
}

} // namespace warpbound::harness::cuda
