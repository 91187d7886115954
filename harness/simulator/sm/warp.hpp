#pragma once
/// \file
/// One warp on the SM: its next instruction, and what that waits for.

#include "harness/simulator/clock/component.hpp"
#include "harness/simulator/clock/event_log.hpp"
#include "harness/simulator/decode/kernel_code.hpp"
#include "harness/simulator/messages.hpp"
#include "harness/simulator/paths/instruction_stream.hpp"
#include "harness/simulator/sm/port.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

namespace warpbound::harness::simulator {

/// Holds the rules that concern one warp alone: C4 to C6, its own ports, C9 after the release, C10
/// to C14, its instruction buffer (C43, C46), what it needs of constants (C51). Everything about
/// the next instruction that is left open is drawn when it becomes the next one.
class Warp {
public:
    Warp(const MachineShape& machine, const RunOptions& options, EventLog& log);

    /// A warp of a new block takes this place.
    Result<void> start(const Grid& grid, std::int64_t block, std::size_t in_block, std::int64_t at);

    [[nodiscard]] bool is_live() const { return live_; }
    /// Instructions so far.
    [[nodiscard]] std::int64_t issued() const { return number_; }
    /// Among all warps of the run.
    [[nodiscard]] int number() const { return number_of_warp_; }
    /// The first cycle in which the warp itself lets its next instruction issue; `never` at a
    /// barrier and after the end.
    [[nodiscard]] std::int64_t ready_at() const { return ready_at_; }
    /// The next instruction follows in the cycle of its predecessor if it can (dual issue).
    [[nodiscard]] bool is_paired(std::int64_t now) const { return paired_ && gap_at_ == now; }

    /// When the next instruction no longer waits for a long operation. Known under the two-level
    /// policy only.
    [[nodiscard]] std::int64_t long_at() const { return long_at_; }

    [[nodiscard]] const Operation& operation() const { return *operation_; }
    [[nodiscard]] bool executes() const { return executes_; }
    /// Lanes for which the next instruction executes (C37).
    [[nodiscard]] LaneMask on() const { return on_; }
    [[nodiscard]] std::int64_t passes() const { return passes_; }
    /// Which execution of its instruction the next one is, as address patterns count.
    [[nodiscard]] models::AccessPlace execution() const;
    /// Its address pattern. Requires: it has one.
    [[nodiscard]] const AccessCode& access() const { return code_->accesses[*operation_->access]; }
    /// Between two of its passes; drawn anew at each call.
    [[nodiscard]] std::int64_t draw_pass_cost() { return random_.draw(operation_->pass_cost); }
    /// Its number among all that the warp issues.
    [[nodiscard]] std::int64_t next_number() const { return number_; }
    /// Lanes that access memory (C21): all, unless lanes may part.
    [[nodiscard]] std::uint64_t active_lanes() const {
        return code_->tells_lanes_apart() ? std::uint64_t{on_} : code_->all_lanes;
    }
    /// The addresses of the next instruction where they are recorded. Requires: it has `access`.
    [[nodiscard]] std::shared_ptr<const models::LaneAddresses> recorded_addresses() const;
    [[nodiscard]] std::int64_t occupancy() const { return occupancy_; }
    /// The barrier at which the warp waits.
    [[nodiscard]] std::optional<std::uint8_t> waits_at() const { return waits_at_; }
    void release(std::int64_t at);

    /// Issues the next instruction; the warp may then have ended or wait at a barrier. Requires:
    /// ready_at() <= now, and not is_on_wrong_path().
    void issue(std::int64_t now, const Waits& waits);

    /// Tells the result time of an operation that issued here with `result_is_told` or through
    /// operand collectors, the `number`-th of the warp with that number, or when its sources are
    /// read (of its read barrier), or both. Returns false when that warp has ended; its launch does
    /// not complete before them all the same. Requires: neither told before; they have not passed;
    /// the result is not told before the sources.
    [[nodiscard]] bool complete(int warp, std::int64_t number, std::optional<std::int64_t> at,
                                std::optional<std::int64_t> sources_read = std::nullopt);
    /// What issued last, when it executes and operands are collected; without pool and place.
    [[nodiscard]] const std::optional<CollectOrder>& order() const { return order_; }

    /// What the empty buffer wants, without place and time; nothing when it asked already (C43).
    [[nodiscard]] std::optional<FetchRequest> take_fetch();
    /// So many instructions entered the buffer; they may issue from `at` on.
    void fill_buffer(std::size_t count, std::int64_t at);
    /// The buffer holds what follows a transfer in the text instead of its target (C46).
    [[nodiscard]] bool is_on_wrong_path() const { return wrong_path_; }
    void flush_buffer();

    /// The lines of constants that the next instruction needs, without place, once it is known when
    /// nothing else of the warp holds it; nothing when it needs none or asked already (C52).
    [[nodiscard]] std::optional<ConstantRequest> take_constants();
    /// Its lines are there from `at` on.
    void learn_constants(std::int64_t at);
    /// When they are looked up; `never` when no look-up is open.
    [[nodiscard]] std::int64_t look_up_at() const { return look_up_at_; }

    /// What holds the next instruction, given when its port, the latch before its operand
    /// collectors, the write buffer and the load queue are free.
    [[nodiscard]] Waits waits(std::int64_t port_at, std::int64_t collector_at,
                              std::int64_t buffer_at, std::int64_t loads_at) const;

    /// Largest completion time (C2) of what the warp issued so far.
    [[nodiscard]] std::int64_t completion() const { return completion_; }
    /// What it did is not done before `at`.
    void completes_after(std::int64_t at) { completion_ = std::max(completion_, at); }
    [[nodiscard]] const models::WarpObservation& observation() const { return observation_; }

private:
    /// An operation whose result time is not known yet.
    struct Unfinished {
        int warp = 0; ///< Among all warps of the run.
        std::int64_t number = 0;
        std::size_t instruction = 0;
    };

    void execute(std::int64_t now);
    void set_result(const Operation& operation, std::int64_t at);
    /// Passes of the next instruction by the addresses of its lanes.
    [[nodiscard]] std::int64_t counted_passes() const;
    /// For which lanes the next instruction executes, and how many passes it takes.
    void find_lanes();
    /// Makes the following instruction the next one. Returns false at the end of the warp.
    bool advance(std::int64_t now);
    void prepare_next();
    /// What the next instruction waits for, from what is known of results now.
    void find_waits();
    void find_long_waits();
    void find_ready();
    void check_buffer();
    void find_constants();
    void expect_result();
    void collect(std::int64_t delay, std::optional<std::int64_t> source_read);
    void add_release(std::uint8_t scoreboard, std::int64_t at);
    /// When at most `allowed` operations on the scoreboard are unreleased.
    [[nodiscard]] std::int64_t clear_at(std::size_t scoreboard, std::size_t allowed) const {
        const std::size_t unknown = unknown_releases_[scoreboard];
        if (allowed < unknown) return never;
        return releases_[scoreboard * code_->scoreboard_depth + allowed - unknown];
    }
    [[nodiscard]] std::int64_t long_clear_at(std::size_t scoreboard) const {
        return unknown_long_[scoreboard] > 0 ? never : long_release_[scoreboard];
    }

    const KernelCode* code_ = nullptr; ///< Of the warp that is here.
    const RunOptions* options_;
    EventLog* log_;

    std::int64_t ready_at_ = never;
    const Operation* operation_ = nullptr;
    bool live_ = false;
    bool paired_ = false; ///< The gap before the next instruction is 0.
    bool executes_ = true;
    LaneMask on_ = 0;
    std::int64_t passes_ = 1;
    std::int64_t occupancy_ = 0;

    std::int64_t since_ = 0; ///< As in `Issued`.
    std::int64_t gap_at_ = 0;
    std::int64_t registers_at_ = 0;
    std::int64_t scoreboards_at_ = 0;
    std::int64_t long_at_ = 0;
    std::int64_t port_at_ = 0;
    std::int64_t barrier_at_ = 0;
    std::int64_t own_at_ = 0;       ///< When nothing else of the warp holds the next instruction.
    std::int64_t constants_at_ = 0; ///< When its lines of constants are there; 0: it needs none.
    std::int64_t look_up_at_ = never;
    std::vector<std::uint64_t> constant_lines_;
    std::int64_t fetched_at_ = 0; ///< From when on the buffer's instructions may issue.
    std::optional<std::uint8_t> waits_at_;

    int number_of_warp_ = 0;
    std::size_t instruction_ = 0;
    std::int64_t number_ = 0; ///< Of the next instruction.
    std::size_t last_of_stretch_ = 0;
    std::vector<std::int64_t> register_ready_;
    /// Of those, results of long operations, and the latest such release per scoreboard.
    std::vector<std::int64_t> long_ready_;
    std::array<std::int64_t, assembly::scoreboard_count> long_release_{};
    /// Latest release times of each scoreboard, largest first: with at most k unreleased from the
    /// k-th on.
    std::vector<std::int64_t> releases_;
    /// Operations on each scoreboard whose release is not known yet; they come before `releases_`.
    std::array<std::uint32_t, assembly::scoreboard_count> unknown_releases_{};
    std::array<std::uint32_t, assembly::scoreboard_count> unknown_long_{}; ///< The long of them.
    std::vector<Unfinished> unfinished_;    ///< Of all warps that took this place.
    std::vector<std::uint64_t> executions_; ///< So far, of each instruction with a pattern.
    std::vector<Port> ports_;
    bool tracks_long_ = false;
    bool collects_ = false; ///< The machine has a register file (C47 to C50).
    std::optional<CollectOrder> order_;
    std::size_t delivered_ = 0; ///< By one fetch; 0: without instruction buffer (C43 to C46).
    std::size_t buffered_ = 0;
    std::size_t buffer_first_ = 0; ///< What stands first in the buffer, or is fetched to do so.
    bool wants_fetch_ = false;
    bool wrong_path_ = false;
    RandomSource random_;
    InstructionStream stream_;

    std::int64_t completion_ = 0;
    models::WarpObservation observation_;
};

} // namespace warpbound::harness::simulator
