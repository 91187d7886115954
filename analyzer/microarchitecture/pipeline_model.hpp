#pragma once
/// \file
/// The abstract pipeline of one warp: how long until each thing that an instruction may wait for is
/// ready, seen from the last issue. In-order issue is a max-plus system, so larger times in mean
/// larger times out.

#include "analyzer/bound.hpp"
#include "assembly/isa/program.hpp"
#include "models/architecture/architecture.hpp"
#include "models/architecture/instruction_timing.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace warpbound::analyzer {

/// Remaining times since the last issue, none negative. `Unit:` core cycles. `Shape:` see
/// `PipelineModel`'s layout.
using PipelineState = std::vector<std::int64_t>;

/// A time as the maximum of several earlier times plus a delay each: `Shape:` delays[earlier time],
/// `none` where it does not depend on that one. `Unit:` core cycles.
using Delays = std::vector<std::int64_t>;
constexpr std::int64_t none = -1;

/// One issued instruction of the abstract run.
struct IssueStep {
    std::int64_t cycles = 0; ///< Since the previous issue.
    std::int64_t gap = 0;    ///< How much of it is the predecessor's gap.
    StackCategory gap_category = StackCategory::Issue;
    StackCategory wait = StackCategory::Issue; ///< What the rest of it waited for.
};

/// What an instruction takes of its unit. `Unit:` core cycles.
struct PortUse {
    std::size_t unit = 0;
    std::int64_t occupancy = 0;
    bool executes = true; ///< On the side's covering outcome; else it neither waits nor takes it.
};

/// How far apart the slots are in which a warp may be chosen; 1: it may be at any time. `Unit:`
/// core cycles.
struct SlotDistance {
    std::int64_t shortest = 1;
    std::int64_t longest = 1;

    friend auto operator<=>(const SlotDistance&, const SlotDistance&) = default;
};

/// The rules C4 to C15 of docs/reference/timing-contract.md for one side.
/// Side: upper: every drawn value at its upper end, guarded instructions execute. Lower: every
/// value at its lower end, guarded instructions are off. docs/soundness.md proves that no run is
/// beyond.
class PipelineModel {
public:
    static constexpr std::int64_t tracked_entries = 1024; ///< Of the write buffer.
    /// `timings[i]` must hold a value for every instruction that `advance` is called with.
    /// `slots`: the warp is chosen in slots of its own only (docs/soundness.md, S17), which are so
    /// far apart; of several distances each delay takes the one that suits the side. The lower side
    /// counts every distance as the longest. None: it may be chosen at any time.
    PipelineModel(const assembly::Function& function, const models::Architecture& architecture,
                  const std::vector<Result<models::InstructionTiming>>& timings,
                  std::int64_t buffer_entries, models::Interval buffer_drain, Side side,
                  std::vector<SlotDistance> slots = {});

    /// Before the first issue: nothing outstanding.
    [[nodiscard]] PipelineState start() const;
    /// Issues an instruction. `state` becomes relative to its issue; the gap to the next one is set
    /// by `leave`.
    IssueStep advance(PipelineState& state, std::size_t instruction) const;
    /// How long an instruction waits since the previous issue. Side: as the pipeline's.
    [[nodiscard]] IssueStep wait_of(const PipelineState& state, std::size_t instruction) const;
    /// Issues an instruction while `elapsed` cycles pass for what is outstanding. `advance` passes
    /// what it waited; docs/soundness.md, S9, passes the other side's wait.
    void issue(PipelineState& state, std::size_t instruction, std::int64_t elapsed) const;
    /// Sets the gap behind the instruction that was issued last.
    void leave(PipelineState& state, std::size_t instruction, bool transferred) const;
    [[nodiscard]] PortUse port_use(std::size_t instruction) const;
    /// From the issue of an EXIT that ends the warp to completion (C2).
    [[nodiscard]] std::int64_t completion(const PipelineState& state) const;

    /// The same rules on times that are not known yet: `slots[slot]` says on which earlier times a
    /// slot's time depends. Returns the issue. Side: upper only; releases of a scoreboard count as
    /// released in order, which is no earlier.
    Delays advance(std::vector<Delays>& slots, std::size_t instruction) const;
    void leave(std::vector<Delays>& slots, std::size_t instruction, bool transferred,
               const Delays& issue) const;
    /// Completion behind the issue of an EXIT.
    [[nodiscard]] Delays completion(const std::vector<Delays>& slots, const Delays& issue) const;
    /// Slots of a state; slot `gap_slot` is the earliest issue by the predecessor's gap, slot
    /// `gap_kind_slot` is no time.
    [[nodiscard]] std::size_t size() const { return register_base() + registers_; }
    static constexpr std::size_t gap_slot = 0;
    static constexpr std::size_t gap_kind_slot = 3; ///< 1 when the gap is a control transfer's.

    /// Combines two states so that both are covered. Side: as the pipeline's.
    void join(PipelineState& into, const PipelineState& other) const;
    /// Covers every state that can occur.
    [[nodiscard]] PipelineState top() const;
    [[nodiscard]] Side side() const { return side_; }

private:
    /// What `advance` needs of an instruction, the side chosen.
    struct Compiled {
        std::int64_t gap = 0;
        std::int64_t gap_taken = 0;
        std::int64_t result = 0; ///< Issue to result, all passes.
        std::int64_t source_read = 0;
        std::int64_t result_wait = 0; ///< The same for an instruction that waits for it.
        std::int64_t source_wait = 0;
        std::int64_t occupancy = 0;
        std::int64_t drain = 0;
        std::size_t unit = 0;
        std::vector<std::size_t> waits; ///< Dense registers read or written (interlocked).
        std::vector<std::size_t> writes;
        unsigned wait_mask = 0;
        int depbar = -1;             ///< Scoreboard of DEPBAR, or -1.
        std::size_t depbar_left = 0; ///< Operations that may stay unreleased.
        int write_barrier = -1;
        int read_barrier = -1;
        bool executes = true; ///< On this side's covering outcome.
        bool surely = true;   ///< Executes in every run.
        bool enters_buffer = false;
        bool barrier = false;
        bool transfers = false; ///< A control-transfer instruction.
    };

    void compile(std::size_t index, const assembly::Instruction& instruction,
                 const models::InstructionTiming& timing);
    [[nodiscard]] std::int64_t gap_between_choices(std::int64_t gap) const;
    [[nodiscard]] std::int64_t until_slot(std::int64_t wait) const;
    [[nodiscard]] std::int64_t until_slot(std::int64_t wait, const SlotDistance& slots) const;
    /// Calls `wait(slot, category)` for everything that an instruction waits for but the gap.
    template <class Wait> void each_wait(const Compiled& compiled, Wait wait) const;
    /// What an executed instruction issued at `issue` leaves behind.
    template <class Time>
    void take_effect(std::vector<Time>& slots, const Compiled& compiled, const Time& issue) const;
    void pass_waits(PipelineState& state, const Compiled& compiled) const;
    void insert_release(PipelineState& state, int scoreboard, const std::int64_t& release) const;
    void insert_release(std::vector<Delays>& slots, int scoreboard, const Delays& release) const;

    // Layout: gap, barrier, completion, kind of the gap, scoreboards x depth (largest first),
    // ports, buffer (oldest first), registers.
    static constexpr std::size_t barrier_slot = 1;
    static constexpr std::size_t completion_slot = 2;
    static constexpr std::size_t scoreboard_base = 4;
    [[nodiscard]] std::size_t scoreboard_slot(int scoreboard) const {
        return scoreboard_base + static_cast<std::size_t>(scoreboard) * depth_;
    }
    [[nodiscard]] std::size_t port_base() const {
        return scoreboard_base + static_cast<std::size_t>(assembly::scoreboard_count) * depth_;
    }
    [[nodiscard]] std::size_t buffer_base() const { return port_base() + units_; }
    [[nodiscard]] std::size_t register_base() const { return buffer_base() + entries_; }

    Side side_;
    std::size_t depth_ =
        1; ///< Releases remembered per scoreboard: one more than the largest DEPBAR count.
    std::size_t units_ = 0;
    std::size_t entries_ = 0;
    std::size_t registers_ = 0;
    std::int64_t drain_ = 0;
    bool buffer_fills_ = true;    ///< False: more entries than are tracked, so none waits.
    std::int64_t issue_slot_ = 1; ///< Between two choices of a scheduler.
    std::vector<SlotDistance> slots_;
    std::int64_t slot_slack_ = 0; ///< Between the first and the last cycle of a slot.
    std::vector<Compiled> compiled_;
};

} // namespace warpbound::analyzer
