#include "harness/simulator/decode/architecture_values.hpp"

#include <fmt/format.h>

#include <bit>

namespace warpbound::harness::simulator {

namespace {

constexpr Range unusable{1, 1};

std::string text_of(const Range& range) {
    return range.lo == range.hi ? fmt::to_string(range.lo)
                                : fmt::format("{}..{}", range.lo, range.hi);
}

} // namespace

void ArchitectureValues::expect(bool holds, std::string_view what) {
    if (!holds && !failure_) failure_ = Failure{std::string{what}, architecture_.name, 0, 0};
}

Range ArchitectureValues::range(const Group& group, std::string_view name, std::int64_t lowest,
                                std::int64_t highest) {
    const models::ValueGroup nothing;
    const auto found = models::require(
        architecture_, group.values == nullptr ? nothing : *group.values, group.path, name);
    if (!found) {
        if (!failure_) {
            failure_ = found.error();
            failure_->what += needed_for_;
        }
        return unusable;
    }
    const Range range{found.value().lo, found.value().hi, found.value().typical};
    const bool fits = lowest <= range.lo && range.lo <= range.hi && range.hi <= highest;
    expect(fits, fmt::format("{}/{} is {}; expected {} to {}", group.path, name, text_of(range),
                             lowest, highest));
    return fits ? range : unusable;
}

std::int64_t ArchitectureValues::number(const Group& group, std::string_view name,
                                        std::int64_t lowest, std::int64_t highest) {
    const Range read = range(group, name, lowest, highest);
    expect(read.lo == read.hi,
           fmt::format("{}/{} is {}; expected one number", group.path, name, text_of(read)));
    return read.lo;
}

std::size_t ArchitectureValues::count(const Group& group, std::string_view name) {
    return static_cast<std::size_t>(number(group, name, 1, count_limit));
}

std::uint64_t ArchitectureValues::bytes(const Group& group, std::string_view name) {
    constexpr std::int64_t byte_limit = std::int64_t{1} << 30U;
    const auto size = static_cast<std::uint64_t>(number(group, name, 1, byte_limit));
    const bool fits = std::has_single_bit(size);
    expect(fits, fmt::format("{}/{} is {}; expected a power of two", group.path, name, size));
    return fits ? size : 1;
}

bool ArchitectureValues::flag(const Group& group, std::string_view name) {
    return number(group, name, 0, 1) == 1;
}

} // namespace warpbound::harness::simulator
