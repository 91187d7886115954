#pragma once
/// \file
/// The only random source of a run: streams of numbers that are the same on every platform.

#include "harness/device.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

namespace warpbound::harness::simulator {

/// The purpose of a stream. Every warp and every component has its own stream, so that no draw
/// depends on the order in which the others draw.
enum class StreamOf : std::uint32_t {
    WarpTiming,
    WarpPath,
    Scheduler,
    Arbiter,
    Blocks,
    Dispatcher,
    Fetch,
    Collectors,
    Adversary,
    LoadStore,
    Memory,
    Host,
    Constants,
    Choices,
    BlockPath,
    Atomics,
    InstructionCache,
    InstructionL0,
    MemoryQueue,
    OperandCache,
    Ties,
    Turns
};

/// xoshiro256**, seeded by splitmix64 from (seed, purpose, index).
class RandomStream {
public:
    RandomStream(std::uint64_t seed, StreamOf purpose, std::uint64_t index);

    std::uint64_t next();
    /// Uniform in lo .. hi, inclusive, without bias. Requires: lo <= hi.
    std::int64_t uniform(std::int64_t lo, std::int64_t hi);

private:
    std::array<std::uint64_t, 4> state_;
};

/// Integers lo .. hi, inclusive, from which a value is drawn at each use.
struct Range {
    std::int64_t lo = 0;
    std::int64_t hi = 0;
    std::optional<std::int64_t> typical{}; ///< What a typical draw takes; none: anywhere inside.

    friend bool operator==(const Range&, const Range&) = default;
};

/// A stream and the rule by which values are drawn from it.
class RandomSource {
public:
    RandomSource(Draw draw, const RandomStream& stream) : draw_{draw}, stream_{stream} {}

    /// A value in lo .. hi. A range of one value consumes nothing of the stream. Requires: lo <=
    /// hi.
    std::int64_t draw(std::int64_t lo, std::int64_t hi) {
        return lo == hi ? lo : draw_from_stream(lo, hi);
    }
    std::int64_t draw(const Range& range) {
        return draw_ == Draw::Typical ? draw_typical(range) : draw(range.lo, range.hi);
    }
    /// A number of which more makes runs shorter, as the ways of a cache or the time between
    /// refreshes: where everything is slow it is the lo, where everything is fast the hi.
    std::int64_t draw_capacity(const Range& range) {
        if (draw_ == Draw::AllHigh) return range.lo;
        if (draw_ == Draw::AllLow) return range.hi;
        return draw(range);
    }
    /// The service of a transaction of `part` of the `whole` sectors of a line: a typical draw
    /// takes that share of the typical number, rounded such that its mean is exact, but at least lo
    /// (C78).
    std::int64_t draw_share(const Range& range, std::int64_t part, std::int64_t whole) {
        if (draw_ != Draw::Typical || !range.typical) return draw(range.lo, range.hi);
        const std::int64_t product = *range.typical * part;
        const bool up = product % whole != 0 && stream_.uniform(0, whole - 1) < product % whole;
        return std::max(range.lo, product / whole + (up ? 1 : 0));
    }
    /// The same stream under another rule.
    [[nodiscard]] RandomSource with(Draw draw) const { return RandomSource{draw, stream_}; }

private:
    std::int64_t draw_from_stream(std::int64_t lo, std::int64_t hi);
    std::int64_t draw_typical(const Range& range);

    Draw draw_;
    RandomStream stream_;
};

} // namespace warpbound::harness::simulator
