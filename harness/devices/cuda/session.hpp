#pragma once
/// \file
/// A session with one device: its context, its launches, and whether it is lost.

#include "assembly/isa/target.hpp"
#include "harness/devices/cuda/driver.hpp"
#include "harness/run_anomaly.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace warpbound::harness::cuda {

/// A card as named by users, and how long its work may take.
struct CardName {
    Interface interface = Interface::Cuda;
    int ordinal = 0;
    std::chrono::milliseconds time_out{};
};
/// Reads `cuda:<n>` and WARPBOUND_CUDA_TIME_OUT, or `hip:<n>` and WARPBOUND_HIP_TIME_OUT
/// (milliseconds; 10 s without it).
Result<CardName> read_card_name(std::string_view name);

/// The outcome of a launch or a copy.
struct Launched {
    Remark remark;        ///< No anomaly: it ended.
    double seconds = 0.0; ///< Between the events before and after it.
};

struct LaunchGeometry {
    std::int64_t blocks = 1;
    std::int64_t threads = 1;
    std::int64_t shared_bytes = 0; ///< Dynamic, of a block.
};

/// Runs on a device are serialized: callers hold the lock of `busy` from the first call to the last
/// of a run. The device is lost if work does not end in time, or if an error occurs after which the
/// driver fails every call. A lost device is not called again, because the driver might block
/// forever, and nothing of it is freed.
class Session : public std::enable_shared_from_this<Session> {
public:
    static Result<std::shared_ptr<Session>> open(std::shared_ptr<const Driver> driver, int ordinal,
                                                 std::chrono::milliseconds time_out);
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;
    ~Session();

    [[nodiscard]] const Driver& driver() const { return *driver_; }
    [[nodiscard]] const DriverFunctions& call() const { return driver_->call(); }
    [[nodiscard]] const DeviceDescription& device() const { return device_; }
    [[nodiscard]] const std::string& name() const { return name_; }
    /// Whether it is a card of AMD.
    [[nodiscard]] bool is_amd() const { return assembly::is_amd(device_.target); }
    /// Why the device is lost; empty: it is not.
    [[nodiscard]] const std::optional<std::string>& lost() const { return lost_; }

    /// Binds the device to the calling thread until the lock is released.
    [[nodiscard]] std::unique_lock<std::mutex> busy();
    /// Issues work between two events and waits until it ends, at most the time-out. For messages:
    /// `call`, the driver's function that issues it, and `what`, "launch" or "copy". `before`:
    /// issued before the first event, so that it is not timed; empty: nothing. `meanwhile`: called
    /// again and again while it waits; empty: nothing.
    Launched timed(const std::function<Status(Stream)>& issue, const char* call, const char* what,
                   const std::function<Status(Stream)>& before = {},
                   const std::function<void()>& meanwhile = {});
    /// From the end of the last work that was timed until the event; negative: the event came
    /// first. `Unit:` seconds. Requires: both have passed.
    Result<double> seconds_until(Event event);
    Launched launch(Function function, const LaunchGeometry& shape, void** arguments);
    /// The anomaly that a call's status means for a run; marks the device as lost where it must.
    Remark anomaly(Status status, const char* call);
    /// How long work may take.
    [[nodiscard]] std::chrono::milliseconds time_out() const { return time_out_; }
    /// Work that did not end in time: the device is lost.
    Failure give_up(const char* what);
    /// The status as a refusal: "cuMemAlloc_v2 failed: CUDA_ERROR_OUT_OF_MEMORY: out of memory".
    Failure failure(Status status, const char* call);

private:
    Session(std::shared_ptr<const Driver> driver, std::string name,
            std::chrono::milliseconds time_out)
        : driver_{std::move(driver)}, name_{std::move(name)}, time_out_{time_out} {}

    /// The status of the work once it has ended; `NotReady` after the time-out.
    Status wait(const std::function<void()>& meanwhile);

    std::shared_ptr<const Driver> driver_;
    std::string name_;
    DeviceDescription device_;
    std::chrono::milliseconds time_out_;
    std::mutex busy_;
    Context context_ = nullptr; ///< Of CUDA.
    bool retained_ = false;
    Stream stream_ = nullptr;
    Event before_ = nullptr;
    Event after_ = nullptr;
    std::optional<std::string> lost_;
};

/// Memory of the device. Requires: the caller holds the session lock, also during destruction.
class Buffer {
public:
    /// Allocates at least one byte.
    static Result<Buffer> make(std::shared_ptr<Session> session, std::int64_t bytes);
    Buffer(Buffer&& other) noexcept;
    Buffer& operator=(Buffer&& other) noexcept;
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;
    ~Buffer();

    [[nodiscard]] Address address() const { return address_; }
    [[nodiscard]] std::int64_t bytes() const { return bytes_; }
    [[nodiscard]] Status fill(unsigned char value) const;
    /// Writes or reads all of it.
    Status write(const void* from) const;
    Status read(void* to) const;

private:
    Buffer() = default;

    std::shared_ptr<Session> session_;
    Address address_ = 0;
    std::int64_t bytes_ = 0;
};

} // namespace warpbound::harness::cuda
