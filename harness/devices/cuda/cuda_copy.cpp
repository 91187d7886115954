#include "harness/devices/cuda/cuda_copy.hpp"

#include <cstring>
#include <utility>

namespace warpbound::harness::cuda {

namespace {

/// Page-locked memory of the host. Requires: the caller holds the session lock, also during
/// destruction.
class HostBuffer {
public:
    static Result<HostBuffer> make(std::shared_ptr<Session> session, std::int64_t bytes) {
        HostBuffer buffer;
        const auto size = static_cast<std::size_t>(bytes);
        const Status status = session->call().MemAllocHost_v2(&buffer.address_, size);
        if (status != Status::Success) return session->failure(status, "cuMemAllocHost_v2");
        std::memset(buffer.address_, 1, size);
        buffer.session_ = std::move(session);
        return buffer;
    }
    HostBuffer(HostBuffer&& other) noexcept
        : session_{std::move(other.session_)}, address_{other.address_} {}
    HostBuffer& operator=(HostBuffer&&) = delete;
    HostBuffer(const HostBuffer&) = delete;
    HostBuffer& operator=(const HostBuffer&) = delete;
    ~HostBuffer() {
        // A lost device may still write to this memory.
        if (session_ && !session_->lost()) session_->call().MemFreeHost(address_);
    }

    [[nodiscard]] void* address() const { return address_; }

private:
    HostBuffer() = default;

    std::shared_ptr<Session> session_;
    void* address_ = nullptr;
};

class CudaCopy final : public PreparedKernel {
public:
    CudaCopy(std::shared_ptr<Card> card, const Copy& copy, HostBuffer host, Buffer device)
        : card_{std::move(card)}, copy_{copy} {
        host_.emplace(std::move(host));
        device_.emplace(std::move(device));
    }
    CudaCopy(const CudaCopy&) = delete;
    CudaCopy& operator=(const CudaCopy&) = delete;
    ~CudaCopy() override {
        const auto lock = card_->session->busy();
        host_.reset();
        device_.reset();
    }

    Result<Outcome> run(const RunOptions& options) const override {
        if (auto taken = card_->check_options(options); !taken) return taken.as_failure();
        Session& session = *card_->session;
        const auto lock = session.busy();
        Outcome outcome;
        outcome.observation.seed = options.seed;
        const bool to_device = copy_.direction == models::HostOperationKind::CopyToDevice;
        const auto bytes = static_cast<std::size_t>(copy_.bytes);
        Launched copied = session.timed(
            [&](Stream stream) {
                return to_device
                           ? session.call().MemcpyHtoDAsync_v2(device_->address(), host_->address(),
                                                               bytes, stream)
                           : session.call().MemcpyDtoHAsync_v2(host_->address(), device_->address(),
                                                               bytes, stream);
            },
            to_device ? "cuMemcpyHtoDAsync_v2" : "cuMemcpyDtoHAsync_v2", "copy");
        outcome.remark = std::move(copied.remark);
        if (outcome.remark.anomaly != RunAnomaly::None) return outcome;
        const auto rate = card_->measured_rate();
        outcome.remark = rate.remark;
        if (outcome.remark.anomaly != RunAnomaly::None) return outcome;
        outcome.observation.execution_time =
            models::Cycles{static_cast<std::int64_t>(copied.seconds * rate.hertz)};
        if (std::string slow = card_->slowness(rate.hertz); !slow.empty())
            outcome.remark = {RunAnomaly::Throttled, std::move(slow)};
        return outcome;
    }

    [[nodiscard]] Result<void> supports(Quantity quantity) const override {
        return copy_supports(quantity);
    }
    [[nodiscard]] Conditions conditions() const override {
        return {{"host-memory", "page-locked"}};
    }

private:
    std::shared_ptr<Card> card_;
    Copy copy_;
    std::optional<HostBuffer> host_;
    std::optional<Buffer> device_;
};

} // namespace

Result<std::unique_ptr<PreparedKernel>> prepare_copy(std::shared_ptr<Card> card, const Copy& copy) {
    if (auto rate = card->require_rate(); !rate) return rate.as_failure();
    const auto lock = card->session->busy();
    auto device = Buffer::make(card->session, copy.bytes);
    if (!device) return device.as_failure();
    if (const Status status = device.value().fill(1); status != Status::Success)
        return card->session->failure(status, "cuMemsetD8_v2");
    auto host = HostBuffer::make(card->session, copy.bytes);
    if (!host) return host.as_failure();
    return std::unique_ptr<PreparedKernel>{
        std::make_unique<CudaCopy>(card, copy, std::move(host).value(), std::move(device).value())};
}

} // namespace warpbound::harness::cuda
