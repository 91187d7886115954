#pragma once
/// \file
/// What a drawing of a thread trace shows of each slot, by column.

#include "harness/trace/thread_trace.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace warpbound::certification {

inline constexpr std::size_t trace_kinds = 8;
inline constexpr std::size_t trace_columns = 840;
/// The name of a kind of instructions: "vector", "scalar", ...
std::string_view name_of_kind(std::size_t kind);

/// What wavefronts do in the cycles of a column of a drawing. A kind is counted from 1 on; 0: none.
struct DrawnColumn {
    std::uint8_t executing = 0; ///< The kind that issues or executes longest.
    std::uint8_t share = 0;     ///< Of the cycles in which one issues or executes. `Unit:` 1/255.
    std::uint8_t stalled = 0;   ///< The kind that waits to issue longest.
    bool present = false;       ///< There is a wavefront.
};
using DrawnColumns = std::array<DrawnColumn, trace_columns>;

/// The wavefronts of a slot, one after another.
struct DrawnSlot {
    std::string engine;
    std::int64_t simd = 0;
    std::int64_t slot = 0;
    std::int64_t wavefronts = 0;
    DrawnColumns columns{};
};

/// In the order of engine, SIMD and slot, on an axis of these cycles.
std::vector<DrawnSlot> drawn_slots(const std::vector<const harness::trace::ThreadTraceWave*>& waves,
                                   std::int64_t begin, std::int64_t end);

} // namespace warpbound::certification
