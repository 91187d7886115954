#include "harness/run_anomaly.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace warpbound::harness {

namespace {

constexpr auto words = std::to_array<std::pair<Trouble, std::string_view>>({
    {Trouble::None, "none"},
    {Trouble::Throttled, "throttled"},
    {Trouble::Sequence, "sequence"},
    {Trouble::Clock, "clock"},
    {Trouble::TimeOut, "time-out"},
    {Trouble::LaunchFailure, "launch-failure"},
    {Trouble::DeviceLost, "device-lost"},
});

} // namespace

std::string_view to_string(Trouble trouble) {
    return words[static_cast<std::size_t>(trouble)].second;
}

std::optional<Trouble> parse_trouble(std::string_view word) {
    const auto* const found = std::find_if(words.begin(), words.end(),
                                           [&](const auto& known) { return known.second == word; });
    if (found == words.end()) return std::nullopt;
    return found->first;
}

bool gives_times(Trouble trouble) {
    return trouble == Trouble::None || trouble == Trouble::Throttled ||
           trouble == Trouble::Sequence;
}

bool counts(Trouble trouble) {
    return trouble == Trouble::None || trouble == Trouble::Throttled;
}

} // namespace warpbound::harness
