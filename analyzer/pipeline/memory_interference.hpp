#pragma once
/// \file
/// What others' traffic at shared memories delays the operations of a server (docs/theory,
/// S60).

#include "models/pipeline/system.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace warpbound::analyzer {

/// Bytes that others' operations move, `bytes` per operation; operations arrive `distance` apart,
/// up to `spread` late, counted until they end. `Unit:` bytes, ns.
struct RepeatedTraffic {
    std::int64_t bytes = 0;
    std::int64_t distance = 1; ///< 0: at most one operation at all.
    std::int64_t spread = 0;
    std::size_t pipeline = 0; ///< Whose operations they are.
    std::size_t stage = 0;
};

/// Traffic of all others at one memory.
struct MemoryTraffic {
    std::int64_t bandwidth = 1; ///< `Unit:` bytes per second.
    std::int64_t burst = 0;     ///< Sum of budgets.
    std::int64_t rate = 0;      ///< Sum of budgets.
    std::vector<RepeatedTraffic> operations{};

    [[nodiscard]] bool is_none() const { return burst == 0 && rate == 0 && operations.empty(); }
};

struct MemoryInterference {
    models::PerMemory<MemoryTraffic> memories{};

    [[nodiscard]] bool is_none() const;
    /// Most time that service of others takes within a window of `window` ns: the delay of an
    /// operation that waits for each of their transactions once. `Side:` upper; 0 in no traffic.
    /// Does not decrease with the window. Throws `std::overflow_error` beyond 2^63 ns.
    [[nodiscard]] std::int64_t delay(std::int64_t window) const;
    /// Share of the time that the others' service takes in the long run, at most. For refusals
    /// only.
    [[nodiscard]] double utilisation() const;
};

} // namespace warpbound::analyzer
