#pragma once
/// \file
/// Values of an architecture description, checked against the ranges that the simulator supports.

#include "harness/simulator/clock/random.hpp"
#include "models/architecture/architecture.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace warpbound::harness::simulator {

/// Keeps every sum of times within 64 bits. `Unit:` core cycles.
inline constexpr std::int64_t cycle_limit = std::int64_t{1} << 31U;
/// Largest number of components of one type.
inline constexpr std::int64_t count_limit = std::int64_t{1} << 16U;

/// Reads values one after the other and keeps the first failure. Values read after a failure are
/// meaningless but safe to compute with, so the reader checks `failure` once, at the end.
class ArchitectureValues {
public:
    /// A group of a description; null: all its values are absent.
    struct Group {
        const models::ValueGroup* values = nullptr;
        std::string path;
    };

    /// `needed_for`: end of the message about an absent value.
    explicit ArchitectureValues(const models::Architecture& architecture,
                                std::string needed_for = {})
        : architecture_{architecture}, needed_for_{std::move(needed_for)} {}

    Range range(const Group& group, std::string_view name, std::int64_t lowest = 0,
                std::int64_t highest = cycle_limit);
    /// Refuses an interval: expects one number.
    std::int64_t number(const Group& group, std::string_view name, std::int64_t lowest = 1,
                        std::int64_t highest = cycle_limit);
    /// At least 1 and at most `count_limit`.
    std::size_t count(const Group& group, std::string_view name);
    /// A power of two.
    std::uint64_t bytes(const Group& group, std::string_view name);
    /// 0 or 1.
    bool flag(const Group& group, std::string_view name);
    /// A failure with this text unless the condition holds.
    void expect(bool holds, std::string_view what);

    [[nodiscard]] const std::optional<Failure>& failure() const { return failure_; }

private:
    const models::Architecture& architecture_;
    std::string needed_for_;
    std::optional<Failure> failure_;
};

} // namespace warpbound::harness::simulator
