#pragma once
/// \file
/// One warp on the SM: its next instruction and the conditions under which it may issue.

#include "harness/simulator/clock/component.hpp"
#include "harness/simulator/clock/event_log.hpp"
#include "harness/simulator/decode/kernel_code.hpp"
#include "harness/simulator/launch/messages.hpp"
#include "harness/simulator/paths/instruction_stream.hpp"
#include "harness/simulator/pipeline/messages.hpp"
#include "harness/simulator/pipeline/read_ports.hpp"
#include "harness/simulator/sm/port.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

namespace warpbound::harness::simulator {

/// Implements the rules that concern a single warp: C4 to C6, its own ports, C9 after the release,
/// C10 to C14, its instruction buffer (C43, C46), the constants that it needs (C51). Everything
/// that the contract leaves open about an instruction is drawn when it becomes the next one.
class Warp {
public:
    Warp(const MachineShape& machine, const RunOptions& options, EventLog& log);

    /// A warp of a new block occupies this warp slot.
    Result<void> start(const Grid& grid, std::int64_t block, std::size_t in_block, std::int64_t at);

    [[nodiscard]] bool is_live() const { return live_; }
    /// Instructions issued so far.
    [[nodiscard]] std::int64_t issued() const { return number_; }
    /// Number of the warp in the run.
    [[nodiscard]] int number() const { return number_of_warp_; }
    /// The first cycle in which the warp's own conditions let its next instruction issue; `never`
    /// at a barrier and after the end.
    [[nodiscard]] std::int64_t ready_at() const { return ready_at_; }
    /// Increments of scoreboards by the instruction that issued last are not visible yet (C85).
    [[nodiscard]] bool has_unseen_increments() const { return unseen_; }
    /// The warp sees the increments of scoreboards that are visible at `now` (C85); `ready_at` may
    /// become later.
    void see_increments(std::int64_t now) {
        if (unseen_ && now > unseen_until_) forget_unseen();
    }
    /// The next instruction may issue in the same cycle as its predecessor (dual issue).
    [[nodiscard]] bool is_paired(std::int64_t now) const { return paired_ && gap_at_ == now; }

    /// When the next instruction no longer waits for a long operation. Under the two-level policy
    /// only.
    [[nodiscard]] std::int64_t long_at() const { return long_at_; }

    [[nodiscard]] const Operation& operation() const { return *operation_; }
    /// Index of the next instruction in the function.
    [[nodiscard]] std::size_t instruction() const { return instruction_; }
    [[nodiscard]] bool executes() const { return executes_; }
    /// Lanes for which the next instruction executes (C37).
    [[nodiscard]] LaneMask executing_lanes() const { return executing_lanes_; }
    [[nodiscard]] std::int64_t passes() const { return passes_; }
    /// Of the next instruction, if it is a store: the sectors that its lanes touch, where their
    /// addresses are recorded; else as in `Operation` (C94).
    [[nodiscard]] std::int64_t most_sectors() const { return most_sectors_; }
    /// Identifies the next execution of the instruction, for its address pattern.
    [[nodiscard]] models::WarpAccess execution() const;
    /// The address pattern of the next instruction. Requires: it has one.
    [[nodiscard]] const AccessCode& access() const { return code_->accesses[*operation_->access]; }
    /// Cycles between two of its passes; drawn anew at each call.
    [[nodiscard]] std::int64_t draw_pass_cost() { return random_.draw(operation_->pass_cost); }
    /// Its number among the instructions of the warp.
    [[nodiscard]] std::int64_t next_number() const { return number_; }
    /// Lanes that access memory (C21): all of the warp, unless lanes may diverge.
    [[nodiscard]] LaneMask active_lanes() const {
        return code_->tracks_active_lanes() ? executing_lanes_ : code_->lanes(observation_.warp);
    }
    /// The recorded addresses of the next instruction; null where none are recorded. Requires: it
    /// has `access`.
    [[nodiscard]] std::shared_ptr<const models::LaneAddresses> recorded_addresses() const;
    [[nodiscard]] std::int64_t occupancy() const { return occupancy_; }
    /// What the next instruction reads through the ports of its scheduler (C61), without unit.
    /// Requires: it has a fixed latency.
    [[nodiscard]] ReadPorts::Reader reader() const;
    /// The barrier at which the warp waits.
    [[nodiscard]] std::optional<std::uint8_t> waits_at() const { return waits_at_; }
    void release(std::int64_t at);

    /// Issues the next instruction; the warp may then have ended or wait at a barrier. `lag`: by
    /// how much its reads are granted later than two cycles after the issue (C61). Requires:
    /// ready_at()
    /// <= now, and not is_on_wrong_path().
    void issue(std::int64_t now, const StallEnds& stalls, std::int64_t lag);

    /// Receives the times of instruction `number` of the warp with number `warp`, which issued from
    /// this warp slot with `result_is_notified` or through operand collectors: its result time
    /// `at`, the time `sources_read` of its read barrier, or both. Returns false when that warp has
    /// ended; its launch still completes no earlier than these times. Requires: each time is
    /// received once, before it has passed, and the result not before the sources.
    /// `waited`: cycles up to `at` in which it waited for write ports (C108).
    [[nodiscard]] bool complete(int warp, std::int64_t number, std::optional<std::int64_t> at,
                                std::optional<std::int64_t> sources_read = std::nullopt,
                                std::int64_t waited = 0);
    /// From the issue of the instruction that issued last to its result, without waits. Requires:
    /// it executes.
    [[nodiscard]] std::int64_t result_delay() const { return result_delay_; }
    /// Likewise, to its source read. Requires: its operation has `queued_reads`.
    [[nodiscard]] std::int64_t source_delay() const { return source_delay_; }
    /// An instruction whose operands are collected, or which waits in the memory queue.
    struct Deferral {
        std::size_t instruction = 0;
        std::int64_t number = 0;
        std::int64_t occupancy = 0; ///< As in `CollectOrder`, as all below.
        std::int64_t delay = 0;
        std::optional<std::int64_t> source_read;
    };
    /// The instruction that issued last, if it executes and is deferred; null otherwise.
    [[nodiscard]] const Deferral* deferral() const { return deferred_ ? &deferral_ : nullptr; }
    /// The code of the warp.
    [[nodiscard]] const KernelCode& code() const { return *code_; }
    /// From its issue to its hand-over, without waits. Requires: it waits in the memory queue.
    [[nodiscard]] std::int64_t entry() const { return entry_; }
    [[nodiscard]] const Range& hand_over_interval() const { return hand_over_interval_; }

    /// The request of an empty buffer, without warp slot and time; none when it was made already
    /// (C43).
    [[nodiscard]] std::optional<FetchRequest> take_fetch();
    /// `count` instructions entered the buffer; they may issue from `at` on.
    void fill_buffer(std::size_t count, std::int64_t at);
    /// The buffer holds the instructions after a taken branch in the text, not its target (C46).
    [[nodiscard]] bool is_on_wrong_path() const { return wrong_path_; }
    void flush_buffer();

    /// The line of the next instruction, when it has to be looked up (C67); none when that was
    /// asked already.
    [[nodiscard]] std::optional<std::uint64_t> take_line();
    /// That line is present from `at` on; `never`: not known yet.
    void receive_line(std::int64_t at);

    /// It has to request lines of constants, or waits for them.
    [[nodiscard]] bool waits_for_constants() const {
        return constants_at_ == never && (look_up_at_ != never || other_conditions_at_ != never);
    }
    /// The lines of constants that the next instruction needs, without warp slot, once the end of
    /// all other conditions of the warp is known; none when it needs none or the request was made
    /// already (C52).
    [[nodiscard]] std::optional<ConstantRequest> take_constants();
    /// Its lines of constants are present from `at` on.
    void receive_constants(std::int64_t at);
    /// Whether its lines of constants have to be looked up when it is chosen (C82), and which.
    [[nodiscard]] bool looks_up_operands() const { return looks_up_operands_; }
    [[nodiscard]] const std::vector<std::uint64_t>& constant_lines() const {
        return constant_lines_;
    }
    /// These lines were looked up; they are there from `at` on. None: they were at once.
    void receive_operands(std::optional<std::int64_t> at);
    /// When they are looked up; `never` when no look-up is pending.
    [[nodiscard]] std::int64_t look_up_at() const { return look_up_at_; }

    /// When each stall of the next instruction ends, given when its port, the latch of its operand
    /// collectors, the write buffer and the load queue are free.
    [[nodiscard]] StallEnds stalls(std::int64_t port_at, std::int64_t collector_at,
                                   std::int64_t buffer_at, std::int64_t loads_at) const;

    /// Largest completion time (C2) of the instructions that the warp issued so far.
    [[nodiscard]] std::int64_t completion() const { return completion_; }
    /// An effect of the warp completes at `at`.
    void completes_after(std::int64_t at) { completion_ = std::max(completion_, at); }
    [[nodiscard]] const models::WarpObservation& observation() const { return observation_; }

private:
    /// Operations outstanding on scoreboards.
    struct Counters {
        /// Latest release times of each scoreboard, largest first: from the k-th (counted from 0)
        /// on at most k operations are unreleased.
        std::vector<std::int64_t> releases;
        /// Operations of each scoreboard whose release time is unknown; later than all of
        /// `releases`.
        std::array<std::uint32_t, assembly::scoreboard_count> unknown{};
        /// Of long operations: the latest such release, and those unknown.
        std::array<std::int64_t, assembly::scoreboard_count> long_release{};
        std::array<std::uint32_t, assembly::scoreboard_count> unknown_long{};
        /// The latest release of an operation that is released in order (C99).
        std::array<std::int64_t, assembly::scoreboard_count> in_order{};

        void add_release(std::uint8_t scoreboard, std::int64_t at);
        /// When at most `allowed` operations of the scoreboard are unreleased.
        [[nodiscard]] std::int64_t clear_at(std::size_t scoreboard, std::size_t allowed) const;
        [[nodiscard]] std::int64_t long_clear_at(std::size_t scoreboard) const {
            return unknown_long[scoreboard] > 0 ? never : long_release[scoreboard];
        }
    };

    /// An instruction whose result time is not known yet.
    struct Unfinished {
        int warp = 0; ///< Number of the warp in the run.
        std::int64_t number = 0;
        std::size_t instruction = 0;
        bool has_result = true; ///< False: only its source read is not known.
    };

    /// An operation that is released in order (C99), behind one whose result time is not known yet.
    struct InOrder {
        std::int64_t number = 0;          ///< Of its instruction.
        std::optional<std::int64_t> at{}; ///< Result time; none: not known yet.
        bool is_long = false;
    };

    void execute(std::int64_t now, std::int64_t lag);
    void choose_reads();
    void set_result(const Operation& operation, std::int64_t at);
    /// Passes of the next instruction, from the addresses of its lanes.
    [[nodiscard]] std::int64_t counted_passes();
    [[nodiscard]] std::int64_t sectors_of_store() const;
    /// Sectors that the lanes of the next instruction touch. None: not of these sizes. Requires:
    /// its addresses are recorded.
    [[nodiscard]] std::optional<std::int64_t> touched_sectors(std::uint64_t sector) const;
    /// Of the port, for each line of the next instruction (C95, C112).
    [[nodiscard]] Range line_interval() const;
    /// Determines the lanes for which the next instruction executes.
    void find_lanes();
    /// Advances to the next instruction. Returns false at the end of the warp.
    bool advance(std::int64_t now);
    void prepare_next();
    /// Determines when registers and scoreboards let the next instruction issue, from the result
    /// times known now.
    void find_dependences();
    void find_long_dependences();
    void find_ready();
    void check_buffer();
    void find_constants();
    void expect_result();
    /// Its registers are read `delay` after the issue, or later (C111).
    void expect_read(std::int64_t delay);
    void collect(std::int64_t delay, std::optional<std::int64_t> source_read);
    void set_registers(const Operation& operation, std::int64_t at);
    /// The operation of instruction `number` has a release time: it is no longer unknown.
    void find_release(std::int64_t number, std::uint8_t scoreboard, std::int64_t at, bool is_long);
    /// The same for an operation that is released in order: it may wait for those before it.
    void find_release_in_order(std::int64_t number, std::uint8_t scoreboard, std::int64_t at);
    /// What the next instruction sees of the scoreboards.
    [[nodiscard]] const Counters& seen() const { return unseen_ ? before_increments_ : counters_; }
    /// Keeps the scoreboards as they are before the increments of the next instruction.
    void keep_counters();
    void forget_unseen();

    // What every issue touches comes first, close together: a machine has thousands of warps.
    std::int64_t ready_at_ = never;
    const Operation* operation_ = nullptr;
    const KernelCode* code_ = nullptr; ///< Of the current warp.
    EventLog* log_;
    std::int64_t gap_at_ = 0;
    std::int64_t barrier_at_ = 0;
    /// When the instructions in the buffer may issue, or the line of the next one is present.
    std::int64_t fetched_at_ = 0;
    std::int64_t registers_at_ = 0;
    std::int64_t scoreboards_at_ = 0;
    std::int64_t port_at_ = 0;
    std::int64_t constants_at_ = 0; ///< When its lines of constants are present; 0: it needs none.
    /// When all conditions of the warp except constants let the next instruction issue.
    std::int64_t other_conditions_at_ = 0;
    std::int64_t look_up_at_ = never;
    std::int64_t since_ = 0;  ///< As in `Issued`.
    std::int64_t number_ = 0; ///< Of the next instruction.
    std::size_t instruction_ = 0;
    std::size_t last_of_stretch_ = 0;
    std::int64_t passes_ = 1;
    std::int64_t most_sectors_ = 0;
    std::int64_t occupancy_ = 0;
    std::int64_t completion_ = 0;
    std::int64_t result_delay_ = 0;
    std::int64_t source_delay_ = 0;
    int number_of_warp_ = 0;
    LaneMask executing_lanes_ = 0;
    bool live_ = false;
    bool executes_ = true;
    bool paired_ = false;   ///< The gap before the next instruction is 0.
    bool unseen_ = false;   ///< Increments of the instruction that issued last are not seen yet.
    bool deferred_ = false; ///< The instruction that issued last sent `deferral_`.
    bool looks_up_operands_ = false;
    bool wants_fetch_ = false;
    bool wants_line_ = false;
    bool wrong_path_ = false;
    bool looks_up_lines_ = false; ///< The machine has instruction caches (C66 to C70).
    bool tracks_long_ = false;
    bool collects_ = false; ///< The machine has a register file (C47 to C50).
    std::optional<std::uint8_t> waits_at_;
    std::vector<std::int64_t> register_ready_;
    std::size_t delivered_ = 0; ///< Per fetch; 0: no instruction buffer (C43 to C46).
    Counters counters_;
    RandomSource random_;
    InstructionStream stream_;

    const RunOptions* options_;
    ReadChoice read_choice_;
    std::int64_t long_at_ = 0;
    std::vector<std::uint64_t> constant_lines_;
    std::vector<std::int64_t> long_ready_; ///< Results of long operations among them.
    std::optional<Range> counter_delay_;   ///< C85
    Counters before_increments_;           ///< As the next instruction sees them while `unseen_`.
    std::int64_t unseen_until_ = 0;
    /// Per scoreboard, as they issued; the first one has no result time.
    std::array<std::vector<InOrder>, assembly::scoreboard_count> in_order_;
    std::vector<Unfinished> unfinished_;    ///< Of all warps that occupied this warp slot.
    std::vector<std::uint64_t> executions_; ///< So far, per instruction with a pattern.
    std::vector<Port> ports_;
    std::int64_t entry_ = 0;   ///< Of the instruction that issued last into the memory queue.
    Range hand_over_interval_; ///< Likewise.
    Deferral deferral_;
    std::size_t buffered_ = 0;
    std::size_t buffer_first_ = 0; ///< First instruction in the buffer, or the next to be fetched.
    models::WarpObservation observation_;
};

} // namespace warpbound::harness::simulator
