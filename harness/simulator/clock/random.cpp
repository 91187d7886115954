#include "harness/simulator/clock/random.hpp"

#include <bit>

namespace warpbound::harness::simulator {

namespace {

std::uint64_t splitmix(std::uint64_t& state) {
    state += 0x9e3779b97f4a7c15U;
    std::uint64_t mixed = state;
    mixed = (mixed ^ (mixed >> 30U)) * 0xbf58476d1ce4e5b9U;
    mixed = (mixed ^ (mixed >> 27U)) * 0x94d049bb133111ebU;
    return mixed ^ (mixed >> 31U);
}

} // namespace

RandomStream::RandomStream(std::uint64_t seed, StreamOf purpose, std::uint64_t index) : state_{} {
    std::uint64_t of_seed = seed;
    std::uint64_t of_purpose = static_cast<std::uint64_t>(purpose) + 1;
    std::uint64_t of_index = index ^ splitmix(of_purpose);
    std::uint64_t start = splitmix(of_seed) ^ splitmix(of_index);
    for (auto& word : state_)
        word = splitmix(start);
}

std::uint64_t RandomStream::next() {
    const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
    const std::uint64_t shifted = state_[1] << 17U;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= shifted;
    state_[3] = std::rotl(state_[3], 45);
    return result;
}

std::int64_t RandomStream::uniform(std::int64_t lo, std::int64_t hi) {
    const std::uint64_t width = static_cast<std::uint64_t>(hi) - static_cast<std::uint64_t>(lo);
    if (width == 0) return lo;
    // Takes as many high bits as the width needs and rejects larger values: fewer than two tries on
    // average.
    const int shift = std::countl_zero(width);
    std::uint64_t offset = next() >> static_cast<unsigned>(shift);
    while (offset > width)
        offset = next() >> static_cast<unsigned>(shift);
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(lo) + offset);
}

std::int64_t RandomSource::draw_typical(const Range& range) {
    return range.typical ? *range.typical : draw(range.lo, range.hi);
}

std::int64_t RandomSource::draw_from_stream(std::int64_t lo, std::int64_t hi) {
    switch (draw_) {
    case Draw::AllLow:
        return lo;
    case Draw::AllHigh:
        return hi;
    case Draw::Extremes:
        return stream_.uniform(0, 1) == 0 ? lo : hi;
    case Draw::Uniform:
    case Draw::Typical:
    case Draw::Adversarial: // Replaced once per run, see sm/adversary.hpp.
        break;
    }
    return stream_.uniform(lo, hi);
}

} // namespace warpbound::harness::simulator
