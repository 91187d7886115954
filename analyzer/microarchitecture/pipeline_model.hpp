#pragma once
/// \file
/// The abstract pipeline of one warp. Its state holds, for each resource or result that an
/// instruction may wait for, the remaining time until it is ready, counted from the last issue.
/// In-order issue is a max-plus system: larger times in a state lead to larger times after it.

#include "analyzer/bound.hpp"
#include "analyzer/microarchitecture/register_reads.hpp"
#include "analyzer/microarchitecture/register_writes.hpp"
#include "assembly/isa/program.hpp"
#include "models/architecture/architecture.hpp"
#include "models/architecture/instruction_timing.hpp"

#include <array>
#include <cstdint>
#include <limits>
#include <vector>

namespace warpbound::analyzer {

/// Remaining times, counted from the last issue, none negative; one component per thing to wait
/// for. `Unit:` core cycles. `Shape:` see `PipelineModel`'s layout.
using PipelineState = std::vector<std::int64_t>;

/// A time as the maximum over several earlier times, each plus a delay. `Shape:` delays[earlier
/// time], `none` where it does not depend on that time. `Unit:` core cycles.
using Delays = std::vector<std::int64_t>;
/// Below every delay; a delay may be a few cycles below 0.
constexpr std::int64_t none = std::numeric_limits<std::int64_t>::min() / 2;

/// One issued instruction of the abstract run.
struct IssueStep {
    std::int64_t cycles = 0; ///< Since the previous issue.
    std::int64_t gap = 0;    ///< Of these, the gap of the predecessor.
    StackCategory gap_category = StackCategory::Issue;
    StackCategory wait = StackCategory::Issue; ///< What the remaining cycles waited for.
};

/// How long an instruction occupies the port of its unit. `Unit:` core cycles.
struct PortUse {
    std::size_t unit = 0;
    std::int64_t occupancy = 0;
    bool executes =
        true; ///< On the side's covering outcome; else it neither waits for nor occupies the port.
};

/// Distances between the time slots in which a warp may be chosen; 1: it may be chosen at any time.
/// `Unit:` core cycles.
struct SlotDistance {
    std::int64_t shortest = 1;
    std::int64_t longest = 1;

    friend auto operator<=>(const SlotDistance&, const SlotDistance&) = default;
};

/// The stages in front of the units (C60 to C62, C111), the write ports behind them (C108) and the
/// memory queue (C71 to C74).
struct IssueStages {
    const RegisterReads* reads = nullptr;   ///< Null: a machine without read ports.
    const RegisterWrites* writes = nullptr; ///< Null: a machine without write ports.
    /// Whether they are part of the state, as for a warp that has its scheduler to itself. Else
    /// what they delay is resource demand (docs/theory, S33, S38), but for the lag of
    /// results that S33 names.
    bool in_state = true;
};

/// The rules C4 to C15, C60 to C62, C71 to C74, C108 and C111 of docs/reference/timing-contract.md
/// for one side. Side: upper: every interval at its upper end, guarded instructions execute. Lower:
/// every interval at its lower end, guarded instructions are predicated off. docs/theory proves
/// that no run is beyond.
class PipelineModel {
public:
    static constexpr std::int64_t tracked_entries = 1024; ///< Of the write buffer.
    /// `timings[i]` must hold a value for every instruction that `advance` is called with.
    /// `slots`: distances between the warp's time slots under time-division scheduling
    /// (docs/theory, S17). Of several, each delay takes the one that is safe for the side;
    /// the lower side counts every distance as the longest. Empty: the warp may be chosen at any
    /// time.
    PipelineModel(const assembly::Function& function, const models::Architecture& architecture,
                  const std::vector<Result<models::InstructionTiming>>& timings,
                  std::int64_t buffer_entries, models::Interval buffer_drain, Side side,
                  std::vector<SlotDistance> slots = {}, const IssueStages& stages = {});

    /// The state before the first issue: nothing outstanding.
    [[nodiscard]] PipelineState start() const;
    /// Issues an instruction. `state` becomes relative to its issue; `leave` sets the gap to the
    /// next one.
    IssueStep advance(PipelineState& state, std::size_t instruction) const;
    /// How long an instruction waits since the previous issue. Side: as the pipeline's.
    [[nodiscard]] IssueStep wait_of(const PipelineState& state, std::size_t instruction) const;
    /// Issues an instruction while `elapsed` cycles pass for what is outstanding. `advance` passes
    /// the wait of this side; the intervals of docs/theory, S9, pass that of the other side.
    void issue(PipelineState& state, std::size_t instruction, std::int64_t elapsed) const;
    /// Sets the gap after the instruction that was issued last.
    void leave(PipelineState& state, std::size_t instruction, bool transferred) const;
    [[nodiscard]] PortUse port_use(std::size_t instruction) const;
    /// From the issue of an EXIT that ends the warp to completion (C2).
    [[nodiscard]] std::int64_t completion(const PipelineState& state) const;

    /// The same rules on symbolic times: `components[c]` gives the delays of component `c` after
    /// earlier times. Returns the issue. Side: upper only; the operations of a scoreboard count as
    /// released in order, which is no earlier.
    Delays advance(std::vector<Delays>& components, std::size_t instruction) const;
    void leave(std::vector<Delays>& components, std::size_t instruction, bool transferred,
               const Delays& issue) const;
    /// Completion after the issue of an EXIT.
    [[nodiscard]] Delays completion(const std::vector<Delays>& components,
                                    const Delays& issue) const;
    /// Components of a state. `gap_component` is the earliest issue by the predecessor's gap;
    /// `gap_kind_component` is no time.
    [[nodiscard]] std::size_t size() const {
        return pending_base() + pending_banks_ * (assembly::scoreboard_count + 1);
    }
    static constexpr std::size_t gap_component = 0;
    static constexpr std::size_t gap_kind_component =
        3; ///< 1 when the gap is a control transfer's.

    /// Joins two states; the result covers both. Side: as the pipeline's.
    void join(PipelineState& into, const PipelineState& other) const;
    /// Covers every state that can occur.
    [[nodiscard]] PipelineState top() const;
    [[nodiscard]] Side side() const { return side_; }

private:
    /// A wait until at most so many operations of a scoreboard are unreleased.
    struct CountedWait {
        int scoreboard = 0;
        std::size_t unreleased = 0;
    };
    static std::vector<CountedWait> counted_waits(const assembly::Instruction& instruction,
                                                  assembly::Target target);
    /// Of an instruction of variable latency: what follows its reads (C111). `Unit:` core cycles.
    struct QueuedRead {
        BankCounts registers; ///< By bank; empty: nothing waits for its reads.
        std::int64_t due = 0; ///< From its issue to its reads without waits, at least.
        /// From its reads to its result and to its source read, at most; -1: it has none.
        std::int64_t result = -1;
        std::int64_t sources = -1;
    };
    /// What `advance` needs to know of an instruction, for this side.
    struct Compiled {
        std::int64_t gap = 0;
        std::int64_t gap_taken = 0;
        std::int64_t result = 0; ///< From issue to result, with all passes.
        std::int64_t source_read = 0;
        std::int64_t result_wait = 0; ///< The same as an instruction that waits for it counts it.
        std::int64_t source_wait = 0;
        std::int64_t barrier_wait = 0; ///< From the last arrival to the release of a barrier.
        std::int64_t occupancy = 0;
        std::int64_t drain = 0;
        std::size_t unit = 0;
        std::vector<std::size_t> waits; ///< Dense registers read or written (interlocked).
        std::vector<std::size_t> writes;
        unsigned wait_mask = 0; ///< Scoreboards that this side waits for.
        unsigned seen = ~0U;    ///< Scoreboards whose operations it certainly waits for (C85).
        /// Of DEPBAR at most one, of S_WAITCNT one for a counter.
        std::vector<CountedWait> counted;
        int write_barrier = -1;
        bool releases_in_order = false; ///< By its write barrier (C99).
        int read_barrier = -1;
        bool executes = true;        ///< On this side's covering outcome.
        bool always_executes = true; ///< Executes in every run.
        bool enters_buffer = false;
        bool barrier = false;
        bool transfers = false;         ///< A control-transfer instruction.
        bool has_fixed_latency = false; ///< Passes Allocate.
        bool has_latch = false;         ///< Its unit has a latch per scheduler.
        bool queues = false;            ///< Waits in the memory queue.
        std::int64_t entry = 0;         ///< From issue to hand-over, at this side's end.
        std::int64_t other_entry = 0;   ///< At the other end.
        std::int64_t spacing = 0;       ///< To the next hand-over.
        std::int64_t sources_before = 0;
        BankCounts reads; ///< By bank.
        /// Of a result of fixed latency: scoreboards whose operations may wait for its write.
        unsigned delayed = 0;
        std::int64_t delays_end = 0; ///< Likewise: the largest `after_fixed` of a result.
        /// Of a result of variable latency: from the grant of the last result of fixed latency
        /// that it may wait for, less two, to itself (C108); 0: it waits for none.
        std::int64_t after_fixed = 0;
        /// Of an instruction of fixed latency: by how much its reads of each bank delay those of
        /// variable latency that are pending (C111).
        BankCounts delays_reads;
        QueuedRead queued;
    };

    void compile_stages(const assembly::Function& function,
                        const models::Architecture& architecture,
                        const std::vector<Result<models::InstructionTiming>>& timings,
                        const IssueStages& stages);
    void compile(std::size_t index, const assembly::Instruction& instruction,
                 const models::InstructionTiming& timing);
    /// docs/theory, S69. Side: upper.
    void compile_writes(const RegisterWrites& writes);
    /// docs/theory, S73. Side: upper.
    void compile_queued_reads(const assembly::Function& function,
                              const std::vector<Result<models::InstructionTiming>>& timings,
                              const IssueStages& stages);
    [[nodiscard]] QueuedRead queued_read(const Compiled& compiled,
                                         const assembly::Instruction& instruction,
                                         const models::InstructionTiming& timing,
                                         const BankCounts& registers) const;
    void note_pending(const Compiled& compiled);
    void compile_queue(Compiled& compiled, const models::InstructionTiming& timing, bool in_state);
    [[nodiscard]] std::int64_t gap_between_choices(std::int64_t gap) const;
    [[nodiscard]] std::int64_t until_slot(std::int64_t wait) const;
    [[nodiscard]] std::int64_t until_slot(std::int64_t wait, const SlotDistance& slots) const;
    /// Whether it certainly waits for what the scoreboard counts (C85).
    [[nodiscard]] static bool sees(const Compiled& compiled, const CountedWait& wait) {
        return ((compiled.seen >> static_cast<unsigned>(wait.scoreboard)) & 1U) != 0;
    }
    /// Calls `wait(component, category)` for every component that an instruction waits for, except
    /// the gap.
    template <class Wait> void for_each_wait(const Compiled& compiled, Wait wait) const;
    /// Passes the stages in front of the units. Returns the time from which latency and source read
    /// count: two cycles before the grant.
    template <class Time>
    Time pass_stages(std::vector<Time>& components, const Compiled& compiled,
                     const Time& issue) const;
    /// When an executed instruction begins and is handed over.
    template <class Time> struct Passage {
        Time begin;       ///< Latency and source read count from here.
        Time handed_over; ///< By the memory queue; of other instructions `begin`.
    };
    /// Passes the memory queue, if it is in the state and the instruction waits in it.
    template <class Time>
    Passage<Time> pass_queue(std::vector<Time>& components, const Compiled& compiled,
                             const Time& issue, const Time& begin) const;
    /// Enters the effects of an executed instruction that issues at `issue`.
    template <class Time>
    void take_effect(std::vector<Time>& components, const Compiled& compiled, const Time& issue,
                     const Passage<Time>& passage) const;
    /// Results of variable latency that are pending wait for the write of a result of fixed
    /// latency, whose grant less two is `granted`.
    template <class Time>
    void delay_results(std::vector<Time>& components, const Compiled& compiled,
                       const Time& granted) const;
    /// Reads of variable latency that are pending wait for those of an instruction of fixed
    /// latency.
    template <class Time>
    void delay_reads(std::vector<Time>& components, const Compiled& compiled) const;
    /// The result and the source read of an instruction of variable latency that issues at `issue`.
    template <class Time>
    void enter_queued_read(std::vector<Time>& components, const Compiled& compiled,
                           const Time& issue) const;
    void pass_waits(PipelineState& state, const Compiled& compiled) const;
    void insert_release(PipelineState& state, int scoreboard, const std::int64_t& release) const;
    /// Likewise, of an operation that is released no earlier than those before it.
    void insert_in_order(PipelineState& state, int scoreboard, std::int64_t release) const;
    void insert_release(std::vector<Delays>& components, int scoreboard,
                        const Delays& release) const;
    void insert_in_order(std::vector<Delays>& components, int scoreboard,
                         const Delays& release) const {
        insert_release(components, scoreboard, release);
    }

    // Layout: gap, barrier, completion, kind of the gap, scoreboards x depth (largest first),
    // ports, buffer (oldest first), registers; with stages: the end of the hold by Control, the
    // grant that may follow the last one, of each unit the grant that its latch allows (both less
    // two cycles), of each bank the first cycle with a free port (less three cycles); with a
    // memory queue: the last hand-overs, as many as there are places (oldest first), the earliest
    // next hand-over; where reads of variable latency wait: for each scoreboard and the end of the
    // warp, by bank, the latest of what follows them.
    static constexpr std::size_t barrier_component = 1;
    static constexpr std::size_t completion_component = 2;
    static constexpr std::size_t scoreboard_base = 4;
    [[nodiscard]] std::size_t scoreboard_component(int scoreboard) const {
        return scoreboard_base + static_cast<std::size_t>(scoreboard) * depth_;
    }
    [[nodiscard]] std::size_t port_base() const {
        return scoreboard_base + static_cast<std::size_t>(assembly::scoreboard_count) * depth_;
    }
    [[nodiscard]] std::size_t buffer_base() const { return port_base() + units_; }
    [[nodiscard]] std::size_t register_base() const { return buffer_base() + entries_; }
    [[nodiscard]] std::size_t hold_component() const { return register_base() + registers_; }
    [[nodiscard]] std::size_t grant_component() const { return hold_component() + 1; }
    [[nodiscard]] std::size_t latch_base() const { return grant_component() + 1; }
    [[nodiscard]] std::size_t bank_base() const {
        return has_stages() ? latch_base() + units_ : hold_component();
    }
    [[nodiscard]] bool has_stages() const { return banks_ > 0; }
    [[nodiscard]] std::size_t queue_base() const { return bank_base() + banks_; }
    [[nodiscard]] std::size_t hand_over_component() const { return queue_base() + places_; }
    /// The longest time from an issue to what follows a pending read, upper side.
    [[nodiscard]] std::int64_t longest_pending() const;
    [[nodiscard]] std::size_t pending_base() const {
        return queue_base() + (places_ > 0 ? places_ + 1 : 0);
    }
    [[nodiscard]] std::size_t pending_component(int scoreboard, std::size_t bank) const {
        return pending_base() + static_cast<std::size_t>(scoreboard) * pending_banks_ + bank;
    }
    static constexpr int end_of_warp = assembly::scoreboard_count; ///< In place of a scoreboard.
    /// The longest time from an issue to the hand-over, upper side.
    [[nodiscard]] std::int64_t longest_in_queue() const;

    Side side_;
    std::size_t depth_ =
        1; ///< Releases kept per scoreboard: one more than the largest DEPBAR count.
    std::size_t units_ = 0;
    std::size_t entries_ = 0;
    std::size_t registers_ = 0;
    std::size_t banks_ = 0;        ///< Register banks whose reads are part of the state.
    std::size_t places_ = 0;       ///< Of a memory queue that is part of the state.
    std::int64_t window_ = 0;      ///< Cycles in which they take place.
    std::int64_t longest_lag_ = 0; ///< Of a grant, upper side.
    /// The largest `after_fixed`, upper side; by scoreboard: of its operations.
    std::int64_t after_fixed_ = 0;
    std::array<std::int64_t, assembly::scoreboard_count> after_fixed_on_{};
    std::size_t pending_banks_ = 0; ///< Banks for whose ports reads of variable latency wait.
    /// By component of theirs: whether a read may be pending. Upper side.
    std::vector<bool> may_be_pending_;
    /// What is left of the delays by other warps after such a wait (S73); 0: there are none.
    std::int64_t after_read_wait_ = 0;
    std::int64_t beyond_window_ = 0;  ///< Most reads of a bank, less the window.
    models::Interval drain_{0, 0, 0}; ///< Of a transaction.
    bool buffer_fills_ = true; ///< False: more entries than are tracked, so no instruction waits.
    std::int64_t issue_slot_ = 1; ///< Cycles between two choices of a scheduler.
    std::int64_t least_issue_slot_ = 1;
    std::vector<SlotDistance> slots_;
    std::int64_t slot_slack_ = 0; ///< Between the first and the last cycle of a time slot.
    std::vector<Compiled> compiled_;
};

} // namespace warpbound::analyzer
