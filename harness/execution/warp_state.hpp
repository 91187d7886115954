#pragma once
/// \file
/// Registers and predicates of a warp.

#include "harness/execution/lane_values.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace warpbound::harness::execution {

/// Number of RZ and URZ among registers, which stay 0.
inline constexpr std::size_t zero_register = 255;
/// Number of PT and UPT among predicates, which stay true.
inline constexpr std::size_t true_predicate = 7;

struct WarpState {
    /// The lanes with a thread.
    WarpState(std::int64_t warp_in_block, Lanes with_thread)
        : number{warp_in_block}, lanes{with_thread}, registers(zero_register + 1) {
        predicates[true_predicate] = all_lanes;
        uniform_predicates[true_predicate] = all_lanes;
    }

    std::int64_t number;
    Lanes lanes;
    std::vector<Words> registers;
    std::array<Lanes, true_predicate + 1> predicates{};
    std::array<std::uint32_t, zero_register + 1> uniform{};
    std::array<Lanes, true_predicate + 1> uniform_predicates{}; ///< All lanes or none.
    /// Local memory, by 4-byte word below the top of the stack: the first is the highest.
    std::vector<Words> local;
    std::int64_t issued = 0;   ///< Instructions so far.
    std::uint32_t reduced = 0; ///< What the last BAR.RED gave.
};

} // namespace warpbound::harness::execution
