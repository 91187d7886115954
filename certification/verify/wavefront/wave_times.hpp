#pragma once
/// \file
/// When the instructions of a wavefront that has its SIMD to itself issue, and until when what they
/// started is pending: the rules C4 to C9, C12 to C16, C99, C100 and C107 of the timing contract,
/// each constant at one end of its interval.

#include "certification/verify/wavefront/wave_code.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace warpbound::certification::verify {

/// A moment that nothing decides.
inline constexpr std::int64_t undecided = std::numeric_limits<std::int64_t>::min() / 4;

/// One moment for each thing that a later instruction may wait for. `Unit:` core cycles.
/// `Shape:` `WaveTimes`.
using Moments = std::vector<std::int64_t>;

/// All rules are maxima of sums, so that the moments behind an instruction follow from those before
/// it one by one: those of which nothing is said stay `undecided`.
class WaveTimes {
public:
    /// `upper`: the latest moments, with every instruction executed; else the earliest, without
    /// those that EXEC may switch off. `drains`: stores wait for places of the write buffer and
    /// drain from it. `portless`: per instruction, whether it holds no port (S52); empty: none.
    /// Code and waves must live as long.
    WaveTimes(const TimedCode& code, const WaveCode& waves, bool upper, bool drains,
              std::vector<bool> portless = {});

    static constexpr std::size_t next_issue = 0;
    static constexpr std::size_t barrier = 1;
    static constexpr std::size_t last_result = 2;
    [[nodiscard]] std::size_t size() const {
        return parts_ + (waves_.waits_for_parts ? wave_parts : 0);
    }
    /// Whether the component is a register class that no instruction of `touched` touches.
    [[nodiscard]] bool is_idle(std::size_t component, const std::vector<bool>& touched) const;

    /// Issues the instruction. Returns the moment of its issue.
    std::int64_t issue(Moments& moments, std::size_t instruction) const;
    /// Lets the next instruction follow, where control falls through or is transferred.
    void follow(Moments& moments, std::size_t instruction, std::int64_t issued,
                bool transferred) const;
    /// When all is done that the wavefront started (C2). `issued`: its last instruction.
    [[nodiscard]] std::int64_t completion(const Moments& moments, std::int64_t issued) const;
    [[nodiscard]] bool is_upper() const { return upper_; }

private:
    [[nodiscard]] std::int64_t end_of(const models::Interval& interval) const {
        return upper_ ? interval.hi : interval.lo;
    }
    [[nodiscard]] std::size_t port(std::size_t unit) const { return 3 + unit; }
    [[nodiscard]] std::size_t returned(std::size_t counter, std::size_t later_ones) const {
        return returns_ + counter * depth_ + later_ones;
    }
    void count(Moments& moments, const WaveInstruction& wave, std::int64_t result) const;
    void drain(Moments& moments, const models::InstructionTiming& timing,
               std::int64_t issued) const;

    const TimedCode& code_;
    const WaveCode& waves_;
    bool upper_;
    std::vector<bool> portless_;
    std::size_t depth_;  ///< Operations of a counter that are told apart.
    std::size_t places_; ///< Of the write buffer; 0: stores neither wait for it nor drain.
    std::size_t registers_;
    std::size_t returns_;
    std::size_t drains_;
    std::size_t parts_; ///< Until when the parts of the pipeline are occupied; last.
};

} // namespace warpbound::certification::verify
