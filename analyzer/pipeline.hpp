#pragma once
/// \file
/// The abstract pipeline of one warp: how long until each thing that an instruction may wait for is
/// ready, seen from the last issue. In-order issue is a max-plus system, so larger times in mean
/// larger times out.

#include "analyzer/analysis.hpp"
#include "models/architecture/instruction_timing.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace warpbound::analyzer {

/// Remaining times since the last issue, none negative. `Unit:` core cycles. `Shape:` see
/// `Pipeline`'s layout.
using PipelineState = std::vector<std::int64_t>;

/// One issued instruction of the abstract run.
struct IssueStep {
    std::int64_t cycles = 0; ///< Since the previous issue.
    std::int64_t gap = 0;    ///< How much of it is the predecessor's gap.
    StackCategory gap_category = StackCategory::Issue;
    StackCategory wait = StackCategory::Issue; ///< What the rest of it waited for.
};

/// The rules C4 to C15 of docs/timing-contract.md for one side.
/// Side: upper: every drawn value at its upper end, guarded instructions execute. Lower: every
/// value at its lower end, guarded instructions are off. docs/soundness.md proves that no run is
/// beyond.
class Pipeline {
public:
    /// `timings[i]` must hold a value for every instruction that `advance` is called with.
    Pipeline(const assembly::Function& function, const models::Architecture& architecture,
             const std::vector<Result<models::InstructionTiming>>& timings,
             std::int64_t buffer_entries, models::Interval buffer_drain, Side side);

    /// Before the first issue: nothing outstanding.
    [[nodiscard]] PipelineState start() const;
    /// Issues an instruction. `state` becomes relative to its issue; the gap to the next one is set
    /// by `leave`.
    IssueStep advance(PipelineState& state, std::size_t instruction) const;
    /// Sets the gap behind the instruction that was issued last.
    void leave(PipelineState& state, std::size_t instruction, bool transferred) const;
    /// From the issue of an EXIT that ends the warp to completion (C2).
    [[nodiscard]] std::int64_t completion(const PipelineState& state) const;
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
        bool executes = true;
        bool enters_buffer = false;
        bool barrier = false;
        bool clears_nothing = false;
        bool transfers = false; ///< A control-transfer instruction.
        bool has_read_barrier = false;
    };

    void compile(std::size_t index, const assembly::Instruction& instruction,
                 const models::InstructionTiming& timing);
    void insert_release(PipelineState& state, int scoreboard, std::int64_t release) const;

    // Layout: gap, barrier, completion, scoreboards x depth (largest first), ports, buffer (oldest
    // first), registers.
    static constexpr std::size_t gap_slot = 0;
    static constexpr std::size_t barrier_slot = 1;
    static constexpr std::size_t completion_slot = 2;
    static constexpr std::size_t gap_kind_slot = 3; ///< 1 when the gap is a control transfer's.
    static constexpr std::size_t scoreboard_base = 4;
    [[nodiscard]] std::size_t scoreboard_slot(int scoreboard) const {
        return scoreboard_base + static_cast<std::size_t>(scoreboard) * depth_;
    }
    [[nodiscard]] std::size_t port_base() const {
        return scoreboard_base + static_cast<std::size_t>(assembly::scoreboard_count) * depth_;
    }
    [[nodiscard]] std::size_t buffer_base() const { return port_base() + units_; }
    [[nodiscard]] std::size_t register_base() const { return buffer_base() + entries_; }
    [[nodiscard]] std::size_t size() const { return register_base() + registers_; }

    Side side_;
    std::size_t depth_ =
        1; ///< Releases remembered per scoreboard: one more than the largest DEPBAR count.
    std::size_t units_ = 0;
    std::size_t entries_ = 0;
    std::size_t registers_ = 0;
    std::int64_t drain_ = 0;
    std::vector<Compiled> compiled_;
};

} // namespace warpbound::analyzer
