#pragma once
/// \file
/// What the instructions of a wavefront of AMD wait for and hold, read off mnemonics and encodings
/// by the rules C99, C100 and C107 of the timing contract.

#include "certification/verify/interference/demand.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace warpbound::certification::verify {

/// Counters of a wavefront: vector memory, scalar memory with LDS, and from gfx10 on stores.
inline constexpr std::size_t vector_counter = 0;
inline constexpr std::size_t mixed_counter = 1;
inline constexpr std::size_t store_counter = 2;
inline constexpr std::size_t wave_counters = 3;

/// Parts of the pipeline (C107): accesses that read their sources, and other instructions.
inline constexpr std::size_t sources_part = 0;
inline constexpr std::size_t arithmetic_part = 1;
inline constexpr std::size_t wave_parts = 2;

struct WaveInstruction {
    /// Counts as outstanding there until its result is back.
    std::optional<std::size_t> counter{};
    bool returns_in_order = false; ///< Not before what was issued before it on its counter.
    /// Per counter: it waits until at most so many operations are outstanding.
    std::array<std::optional<std::size_t>, wave_counters> waits{};
    std::optional<std::size_t> part{};             ///< In it for a time after its issue.
    std::array<bool, wave_parts> waits_for_part{}; ///< Until nothing is in it.
    /// Classes of registers that it reads or writes: registers that the same instructions read and
    /// write are one class.
    std::vector<std::size_t> touches{};
    std::vector<std::size_t> writes{};
    bool may_be_off = false; ///< EXEC may be empty: it then has no effect (C100).
};

struct WaveCode {
    std::vector<WaveInstruction> instructions;
    std::size_t register_classes = 0;
    bool waits_for_parts = false;    ///< Some instruction does.
    std::size_t most_waited_for = 0; ///< The largest count that an instruction waits for.
    /// It waits for some of the operations of a counter whose order of return is open.
    bool waits_in_open_order = false;
};

/// Throws `Finding` where an instruction counts or waits by a rule that is not covered.
WaveCode wave_code_of(const TimedCode& code);

} // namespace warpbound::certification::verify
