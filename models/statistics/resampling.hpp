#pragma once
/// \file
/// Pseudo-random numbers for resampling: determined by a seed, the name of a test and a replicate,
/// and the same on every platform.

#include <cstdint>
#include <string_view>

namespace warpbound::models {

/// splitmix64's finalizer: every input bit affects every output bit (Steele, Lea and Flood 2014).
constexpr std::uint64_t mix(std::uint64_t value) {
    value += 0x9e3779b97f4a7c15ULL;
    value = (value ^ (value >> 30U)) * 0xbf58476d1ce4e5b9ULL;
    value = (value ^ (value >> 27U)) * 0x94d049bb133111ebULL;
    return value ^ (value >> 31U);
}

/// The pseudo-random numbers of one replicate.
class Resampling {
public:
    Resampling(std::uint64_t seed, std::string_view test, std::uint64_t replicate)
        : state_{mix(seed)} {
        for (const char letter : test)
            state_ = mix(state_ ^ static_cast<unsigned char>(letter));
        state_ = mix(state_ ^ replicate);
    }

    /// Uniform in 0 .. count - 1, without bias. Requires: 0 < count < 2^32.
    std::uint64_t below(std::uint64_t count) {
        constexpr std::uint64_t values = std::uint64_t{1} << 32U;
        const std::uint64_t uneven = values % count;
        for (;;) {
            state_ += 0x9e3779b97f4a7c15ULL;
            const std::uint64_t product = (mix(state_) >> 32U) * count;
            if (product % values >= uneven) return product / values;
        }
    }

    /// Uniform in the open interval (0, 1), in steps of 2^-52.
    double uniform() {
        state_ += 0x9e3779b97f4a7c15ULL;
        return (static_cast<double>(mix(state_) >> 12U) + 0.5) * 0x1p-52;
    }

private:
    std::uint64_t state_;
};

} // namespace warpbound::models
