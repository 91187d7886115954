#pragma once
/// \file
/// Numbers of a description, checked so that the simulator can compute with them.

#include "harness/simulator/clock/random.hpp"
#include "models/architecture/architecture.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace warpbound::harness::simulator {

/// Keeps every sum of times inside 64 bits. `Unit:` core cycles.
inline constexpr std::int64_t cycle_limit = std::int64_t{1} << 31U;
/// Of things that a machine has several of.
inline constexpr std::int64_t count_limit = std::int64_t{1} << 16U;

/// Reads values one after the other and keeps the first failure. What is read from then on means
/// nothing but can be computed with: the reader looks at `failure` once, at the end.
class ArchitectureValues {
public:
    /// A part of a description; without values all of them are absent.
    struct Group {
        const models::ValueGroup* values = nullptr;
        std::string path;
    };

    /// What is said of an absent value ends with `needed_for`.
    explicit ArchitectureValues(const models::Architecture& architecture,
                                std::string needed_for = {})
        : architecture_{architecture}, needed_for_{std::move(needed_for)} {}

    Range range(const Group& group, std::string_view name, std::int64_t lowest = 0,
                std::int64_t highest = cycle_limit);
    /// Refuses an interval: these are one number.
    std::int64_t number(const Group& group, std::string_view name, std::int64_t lowest = 1,
                        std::int64_t highest = cycle_limit);
    /// At least 1 and at most `count_limit`.
    std::size_t count(const Group& group, std::string_view name);
    /// A power of two.
    std::uint64_t bytes(const Group& group, std::string_view name);
    /// 0 or 1.
    bool flag(const Group& group, std::string_view name);
    /// A failure with these words unless the condition holds.
    void expect(bool holds, std::string_view what);

    [[nodiscard]] const std::optional<Failure>& failure() const { return failure_; }

private:
    const models::Architecture& architecture_;
    std::string needed_for_;
    std::optional<Failure> failure_;
};

} // namespace warpbound::harness::simulator
