#include "analyzer/pipeline/memory_interference.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace warpbound::analyzer {

namespace {

__extension__ using Wide = __int128; // Bytes times nanoseconds per second.
constexpr std::int64_t second = 1'000'000'000;

/// a b / c, rounded up. Requires: none negative, c not 0.
Wide scaled_up(Wide a, std::int64_t b, std::int64_t c) {
    std::int64_t product = 0; // Most are short, and short divisions are fast.
    if (a <= std::numeric_limits<std::int64_t>::max() / 2 &&
        !__builtin_mul_overflow(static_cast<std::int64_t>(a), b, &product))
        return product / c + (product % c == 0 ? 0 : 1);
    return (a * b + c - 1) / c;
}

/// Operations that may move bytes in a closed window.
std::int64_t operations_in(const RepeatedTraffic& traffic, std::int64_t window) {
    if (traffic.distance == 0) return 1;
    return models::plus(window, traffic.spread) / traffic.distance + 1;
}

} // namespace

bool MemoryInterference::is_none() const {
    return std::all_of(memories.begin(), memories.end(),
                       [](const MemoryTraffic& each) { return each.is_none(); });
}

std::int64_t MemoryInterference::delay(std::int64_t window) const {
    Wide sum = 0;
    for (const MemoryTraffic& memory : memories) {
        if (memory.is_none()) continue;
        Wide bytes = memory.burst + scaled_up(memory.rate, window, second);
        for (const RepeatedTraffic& traffic : memory.operations)
            bytes += static_cast<Wide>(traffic.bytes) * operations_in(traffic, window);
        if (bytes > std::numeric_limits<std::int64_t>::max())
            throw std::overflow_error{"traffic at a shared memory"};
        sum += scaled_up(bytes, second, memory.bandwidth);
    }
    if (sum > std::numeric_limits<std::int64_t>::max())
        throw std::overflow_error{"delay by traffic at a shared memory"};
    return static_cast<std::int64_t>(sum);
}

double MemoryInterference::utilisation() const {
    double sum = 0;
    for (const MemoryTraffic& memory : memories) {
        auto rate = static_cast<double>(memory.rate);
        for (const RepeatedTraffic& traffic : memory.operations)
            if (traffic.distance > 0)
                rate += static_cast<double>(traffic.bytes) * second /
                        static_cast<double>(traffic.distance);
        sum += rate / static_cast<double>(memory.bandwidth);
    }
    return sum;
}

} // namespace warpbound::analyzer
