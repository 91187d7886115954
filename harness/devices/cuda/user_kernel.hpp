#pragma once
/// \file
/// A user's kernel on a card: loaded, launched by a release pattern, timed by events and by the
/// host.

#include "harness/devices/cuda/card.hpp"
#include "harness/devices/cuda/co_runner.hpp"
#include "harness/devices/cuda/loaded_kernel.hpp"
#include "harness/host_clock.hpp"
#include "harness/protocol/release_pattern.hpp"
#include "harness/user_kernel.hpp"

#include <memory>
#include <optional>
#include <string_view>

namespace warpbound::harness::cuda {

/// The card of that name: `cuda:<n>` or `hip:<n>`. Refuses what `open_cuda_device` refuses.
Result<std::shared_ptr<Card>> open_card(std::string_view name);
DeviceIdentity identity_of(const Card& card);
/// "name" and "driver" of the card.
Conditions conditions_of(const Card& card);

/// Inputs are written before each run, so that each begins with the stated ones; outputs are read
/// after it. Copies and the measurement of the clock lie between runs, when a co-runner has ended.
class UserKernelOnCard {
public:
    /// Refuses what `LoadedKernel` and, of a co-runner, what `CoRunner` refuses.
    static Result<std::unique_ptr<UserKernelOnCard>>
    prepare(std::shared_ptr<Card> card, UserKernel kernel, HostClock clock,
            std::optional<UserKernel> co_runner = {});
    UserKernelOnCard(const UserKernelOnCard&) = delete;
    UserKernelOnCard& operator=(const UserKernelOnCard&) = delete;
    ~UserKernelOnCard();

    /// An anomaly is part of the run. A pattern that must miss in the L2 is a refusal where the
    /// driver does not say how large it is.
    Result<UserRun> run(const ReleasePattern& pattern);
    /// The longest time between events around a kernel of one thread that does nothing: what event
    /// times contain beside the kernel. `Unit:` ns. Estimate, not a bound.
    Result<std::int64_t> longest_empty_launch(int runs = 32);
    /// Of a launch of the co-runner with nothing beside it. `Unit:` ns. Requires: a co-runner.
    [[nodiscard]] std::int64_t time_of_co_runner() const;

private:
    UserKernelOnCard(std::shared_ptr<Card> card, HostClock clock)
        : card_{std::move(card)}, clock_{std::move(clock)} {}

    Status settle() const;
    /// Inputs and caches as the pattern wants them.
    Result<Remark> make_state(const ReleasePattern& pattern);
    Result<void> evict(const ReleasePattern& pattern, Remark& remark);
    /// The number of periods skipped.
    std::int64_t wait_for_release(const ReleasePattern& pattern);
    std::int64_t wait_for_period(std::int64_t period);
    void wait_until(std::int64_t moment);
    Launched launch_released(const ReleasePattern& pattern, UserRun& run);
    void read_outputs(UserRun& run) const;
    void read_state(UserRun& run);

    std::shared_ptr<Card> card_;
    HostClock clock_;
    std::optional<LoadedKernel> kernel_;
    std::unique_ptr<CoRunner> co_runner_;   ///< Null: none.
    std::optional<Buffer> probe_;           ///< Read to wait for the work before.
    std::optional<std::int64_t> first_due_; ///< Of a periodic release.
    std::int64_t last_due_ = 0;
};

} // namespace warpbound::harness::cuda
