#pragma once
/// \file
/// One warp scheduler: chooses among its warps as its policy says.

#include "harness/simulator/clock/component.hpp"
#include "harness/simulator/clock/link.hpp"
#include "harness/simulator/memory/messages.hpp"
#include "harness/simulator/messages.hpp"
#include "harness/simulator/sm/arbitration.hpp"
#include "harness/simulator/sm/warp.hpp"

#include <optional>
#include <vector>

namespace warpbound::harness::simulator {

/// What a scheduler sees of the parts that the whole SM shares.
struct SharedView {
    std::vector<const Staged<std::int64_t>*> ports_free_at; ///< Core ports.
    const Staged<std::int64_t>* buffer_room_at = nullptr;
    std::vector<const Staged<std::int64_t>*> latch_room_at; ///< Per pool of operand collectors.
    const Staged<std::int64_t>* loads_room_at = nullptr;
};

/// Chooses the first candidate of the policy that may issue. What touches only this scheduler's
/// warps and ports issues at once; for the rest it asks the arbiter and, refused, goes on searching
/// in the same cycle.
class WarpScheduler final : public Component {
public:
    struct Config {
        std::size_t multiprocessor = 0; ///< Number of the SM.
        std::size_t index = 0;          ///< Among the schedulers of the SM.
        std::size_t warps = 0;          ///< Places for warps.
    };
    struct Ports {
        Source<IssueRequest> requests;
        Sink<IssueAnswer> answers;
        Source<WarpReport> reports;
        Sink<BlockOrder> orders;
        std::optional<Source<FetchRequest>> fetches; ///< When the machine has a fetch.
        std::optional<Sink<Fetched>> fetched;
        std::optional<Source<CollectOrder>> collects; ///< When it has a register file.
        std::optional<Sink<ResultNotice>> results;
        std::optional<Source<ConstantRequest>> constants; ///< When it has a constant cache.
        std::optional<Sink<ConstantAnswer>> constant_answers;
        SharedView shared;
        /// Where the machine has a load/store unit, and no operand collectors before it.
        struct Memory {
            Source<MemoryIssue> issues;
            Sink<ResultNotified> results;
            Sink<RoomNotice> notices;
        };
        std::optional<Memory> memory{};
    };
    /// `finished` takes the observation of each warp that ends, by its number.
    WarpScheduler(const Config& config, Ports links, const MachineShape& machine,
                  const RunOptions& options, EventLog& log,
                  std::vector<models::WarpObservation>& finished);

    void tick(std::int64_t now) override;
    [[nodiscard]] std::int64_t wake() const override { return wake_; }

    [[nodiscard]] const std::vector<Warp>& warps() const { return warps_; }
    /// Largest time told for warps of the launch that had ended (C50).
    [[nodiscard]] std::int64_t late_completion(std::size_t launch) const {
        return launch < awaited_.size() ? awaited_[launch].late : 0;
    }
    /// The times of everything that the launch issued to operand collectors here are known.
    [[nodiscard]] bool knows_results(std::size_t launch) const {
        return launch >= awaited_.size() || awaited_[launch].expected == 0;
    }
    /// Why a warp could not start.
    [[nodiscard]] const std::optional<Failure>& failure() const { return failure_; }

private:
    struct Asked {
        std::size_t warp = 0;
        Waits waits;
        bool paired = false;
    };

    /// Of a launch: what went to operand collectors.
    struct Awaited {
        std::int64_t expected = 0; ///< Results whose times were not told yet.
        std::int64_t late = 0;
    };
    Awaited& awaited_of(std::size_t launch);

    void start(std::size_t slot, const Placement& block);
    void obey(const BlockOrder& order);
    /// Returns whether anything was said.
    bool hear_memory();
    /// What the load/store unit learns of the next instruction of the warp, a load or store.
    [[nodiscard]] MemoryIssue memory_issue(std::size_t warp);
    void choose(std::int64_t now);
    /// Issues the warp's next instruction, or asks for it. Returns whether it issued.
    bool try_issue(std::size_t warp, std::int64_t now, bool paired);
    void issue(std::size_t warp, std::int64_t now, const Waits& waits, bool paired);
    [[nodiscard]] std::int64_t port_at(const Warp& warp) const;
    [[nodiscard]] std::int64_t loads_at(const Warp& warp) const;
    [[nodiscard]] std::int64_t buffer_at(const Warp& warp) const;
    [[nodiscard]] std::size_t pool_of(const Operation& operation) const;
    [[nodiscard]] std::int64_t collector_at(const Warp& warp) const;
    /// Returns whether anything was said.
    bool hear_pipeline(std::int64_t now);
    /// Asks for the constants of warps of which it is known when they need them. Returns whether an
    /// answer is due in this cycle, without which nobody is chosen.
    bool awaits_constants(std::int64_t now);
    /// Asks for what the empty buffer of a warp wants.
    void fetch_for(std::size_t warp, std::int64_t now);
    [[nodiscard]] std::size_t place_on_core(std::size_t warp) const {
        return warp * machine_->schedulers + config_.index;
    }
    [[nodiscard]] std::int64_t earliest(const Warp& warp) const;

    Config config_;
    Ports links_;
    const MachineShape* machine_;
    EventLog* log_;
    std::vector<models::WarpObservation>* finished_;
    RandomSource random_;
    std::vector<Warp> warps_;
    std::vector<std::size_t> slots_;    ///< Of the warps' blocks on the SM.
    std::vector<std::size_t> launches_; ///< Of the warps' blocks in the run.
    std::vector<Port> ports_;
    std::unique_ptr<Arbitration> arbitration_;
    std::int64_t next_choice_ = 0;
    std::optional<std::size_t> paired_; ///< This warp may go on without being chosen.
    std::optional<Asked> asked_;
    std::optional<Failure> failure_;
    std::vector<Awaited> awaited_; ///< By launch.
    std::int64_t wake_ = never;
};

} // namespace warpbound::harness::simulator
