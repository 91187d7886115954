#pragma once
/// \file
/// A user's kernel on a card: loaded, launched by a release pattern, timed by events and by the
/// host.

#include "harness/devices/cuda/card.hpp"
#include "harness/host_clock.hpp"
#include "harness/protocol/release_pattern.hpp"
#include "harness/user_kernel.hpp"

#include <memory>
#include <optional>
#include <string_view>

namespace warpbound::harness::cuda {

/// The card of that name: `cuda:<n>`. Refuses what `open_cuda_device` refuses.
Result<std::shared_ptr<Card>> open_card(std::string_view name);
DeviceIdentity identity_of(const Card& card);
/// "name" and "driver" of the card.
Conditions conditions_of(const Card& card);

/// Machine code in the memory of a card, which the driver loaded. Requires: the caller holds the
/// session lock, also during destruction.
class LoadedCode {
public:
    static Result<LoadedCode> load(std::shared_ptr<Session> session, const std::string& image,
                                   const std::string& entry);
    LoadedCode(LoadedCode&& other) noexcept;
    LoadedCode& operator=(LoadedCode&& other) noexcept;
    LoadedCode(const LoadedCode&) = delete;
    LoadedCode& operator=(const LoadedCode&) = delete;
    ~LoadedCode();
    [[nodiscard]] Function function() const { return function_; }

private:
    LoadedCode() = default;

    std::shared_ptr<Session> session_;
    Module module_ = nullptr;
    Function function_ = nullptr;
};

/// Inputs are written before each run, so that each begins with the stated ones; outputs are read
/// after it. Copies and the measurement of the clock lie between runs.
class UserKernelOnCard {
public:
    /// Refuses code that the driver refuses, buffers that do not fit, and a block that has more
    /// shared memory than the card allows.
    static Result<std::unique_ptr<UserKernelOnCard>> prepare(std::shared_ptr<Card> card,
                                                             UserKernel kernel, HostClock clock);
    UserKernelOnCard(const UserKernelOnCard&) = delete;
    UserKernelOnCard& operator=(const UserKernelOnCard&) = delete;
    ~UserKernelOnCard();

    /// An anomaly is part of the run. A pattern that must miss in the L2 is a refusal where the
    /// driver does not say how large it is.
    Result<UserRun> run(const ReleasePattern& pattern);
    /// The longest time between events around a kernel of one thread that does nothing: what event
    /// times contain beside the kernel. `Unit:` ns. Estimate, not a bound.
    Result<std::int64_t> longest_empty_launch(int runs = 32);

private:
    UserKernelOnCard(std::shared_ptr<Card> card, UserKernel kernel, HostClock clock)
        : card_{std::move(card)}, kernel_{std::move(kernel)}, clock_{std::move(clock)} {}

    Result<void> load();
    [[nodiscard]] Result<void> set_shared_memory() const;
    Status launch(Stream stream);
    Status restore() const;
    Status settle() const;
    /// What the pattern does before the launch; the number of periods skipped.
    Result<std::int64_t> release(const ReleasePattern& pattern, Remark& remark);
    Result<void> evict(const ReleasePattern& pattern, Remark& remark);
    std::int64_t wait_for_period(std::int64_t period);
    void read_outputs(UserRun& run) const;
    void read_state(UserRun& run);

    std::shared_ptr<Card> card_;
    UserKernel kernel_;
    HostClock clock_;
    std::optional<LoadedCode> code_;
    std::vector<Buffer> buffers_;
    std::optional<Buffer> probe_;           ///< Read to wait for the work before.
    std::optional<std::int64_t> first_due_; ///< Of a periodic release.
    std::int64_t last_due_ = 0;
};

} // namespace warpbound::harness::cuda
