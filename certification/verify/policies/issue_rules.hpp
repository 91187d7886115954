#pragma once
/// \file
/// What a warp waits for by itself before an issue (rules C4 to C7, C9, C10, C13, C14, C85 and C99
/// of docs/reference/timing-contract.md), on one side of a bound. No stage in front of the units
/// holds it, and the write buffer is not full. Memory queues delay results and source reads, and
/// instructions in them hold no port (step S78 of docs/theory).

#include "certification/verify/interference/demand.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace warpbound::certification::verify {

/// What is left, counted from a warp's last issue, of what it began; what is over is absent.
/// `Unit:` core cycles.
struct Outstanding {
    std::map<assembly::Register, std::int64_t> registers;
    std::map<std::size_t, std::int64_t> ports; ///< By unit.
    /// Releases of each scoreboard, the last one first.
    std::array<std::vector<std::int64_t>, assembly::scoreboard_count> scoreboards;
    std::int64_t end = 0; ///< Of all that completion includes.

    void pass(std::int64_t cycles);
    /// Takes the larger of each. Returns whether one grew.
    bool cover(const Outstanding& other);

    friend bool operator==(const Outstanding&, const Outstanding&) = default;
};

/// From an issue of a warp to its next one.
struct IssueStep {
    std::optional<std::size_t> before; ///< None: the first issue of the warp.
    std::size_t next = 0;
    bool transfers = false;  ///< `before` transfers control.
    bool ends_block = false; ///< `before` is the last instruction of its block.
};

/// Which cycles count behind memory queues (S78).
enum class QueueDelay {
    LongestStay,   ///< All.
    BesideBacklog, ///< Those in which neither the backlog falls nor a place is missing.
};

/// Of one kernel. Side: as asked; the upper one lets guarded instructions execute, the lower one
/// does not.
class WarpRules {
public:
    /// `code` must live as long.
    WarpRules(const TimedCode& code, bool upper, QueueDelay delay = QueueDelay::LongestStay);

    /// Until the warp is ready, from the issue before. Requires: a step with one.
    [[nodiscard]] std::int64_t wait(const Outstanding& left, const IssueStep& step) const;
    /// The waits of the next instruction are over, and what it begins is outstanding.
    void issue(Outstanding& left, const IssueStep& step) const;
    /// The use of its port, in cycles; 0: predicated off.
    [[nodiscard]] std::int64_t use_of_port(std::size_t i) const;

private:
    /// Until so many operations on a scoreboard are unreleased (C6).
    struct ScoreboardWait {
        std::size_t scoreboard = 0;
        std::size_t unreleased = 0;
    };
    static std::optional<ScoreboardWait> wait_of_depbar(const assembly::Instruction& instruction);
    [[nodiscard]] std::vector<ScoreboardWait> scoreboard_waits(std::size_t i) const;

    [[nodiscard]] const models::InstructionTiming& timing(std::size_t i) const {
        return code_.timings[i].value();
    }
    [[nodiscard]] std::int64_t end_of(const models::Interval& value) const {
        return upper_ ? value.hi : value.lo;
    }
    [[nodiscard]] bool always_executes(std::size_t i) const;
    [[nodiscard]] bool is_executed(std::size_t i) const;
    /// Upper side: behind a memory queue not before the entry, and later by the lag.
    [[nodiscard]] std::int64_t after_all_passes(const models::Interval& first, std::size_t i) const;
    [[nodiscard]] std::int64_t gap_of(const IssueStep& step) const;
    [[nodiscard]] std::int64_t left_on(const Outstanding& left, const ScoreboardWait& wait) const;
    void begin(Outstanding& left, std::size_t i) const;
    void note_lags(QueueDelay delay);
    void note_late(std::size_t i, std::int64_t delay);
    [[nodiscard]] bool is_unseen(const IssueStep& step, std::size_t scoreboard) const;
    template <class Use> void for_each_register(std::size_t i, Use use) const;

    const TimedCode& code_;
    const std::vector<assembly::Instruction>& text_;
    bool upper_;
    std::int64_t lag_ = 0;       ///< Upper side: of a grant of register reads.
    std::int64_t line_wait_ = 0; ///< Upper side.
    std::vector<bool> ends_line_;
    std::vector<std::int64_t> lags_; ///< Upper side, per instruction: behind memory queues.
    std::vector<std::vector<ScoreboardWait>> waits_; ///< Per instruction.
    /// C85. Per instruction: scoreboards, by bits, on which the next instruction of the warp may
    /// not see what this one begins.
    std::vector<unsigned> late_;
    unsigned late_behind_transfers_ = 0;
};

} // namespace warpbound::certification::verify
