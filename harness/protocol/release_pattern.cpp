#include "harness/protocol/release_pattern.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace warpbound::harness {

namespace {

constexpr std::array<std::string_view, 6> words{"back-to-back", "warm",     "l2-flushed",
                                                "cold",         "periodic", "idle"};
constexpr std::int64_t shortest = 1'000;
constexpr std::int64_t longest = 3'600'000'000'000;

bool takes_interval(ReleaseKind kind) {
    return kind == ReleaseKind::Periodic || kind == ReleaseKind::AfterIdle;
}

} // namespace

Result<ReleasePattern> read_release(std::string_view text) {
    const std::size_t colon = text.find(':');
    const auto* const found = std::find(words.begin(), words.end(), text.substr(0, colon));
    const auto kind = static_cast<ReleaseKind>(found - words.begin());
    if (found == words.end() || takes_interval(kind) != (colon != std::string_view::npos))
        return Failure{fmt::format("no release pattern '{}'; expected back-to-back, warm, "
                                   "l2-flushed, cold, periodic:1ms or idle:100ms",
                                   text),
                       "--release"};
    if (!takes_interval(kind)) return ReleasePattern{kind};
    const auto interval = models::parse_duration(text.substr(colon + 1));
    if (!interval) return Failure{interval.error().what, "--release"};
    if (interval.value().count() < shortest || interval.value().count() > longest)
        return Failure{fmt::format("an interval of {}; expected 1 us to 1 hour (3600 s)",
                                   to_string(interval.value())),
                       "--release"};
    return ReleasePattern{kind, interval.value()};
}

std::string to_string(const ReleasePattern& pattern) {
    std::string text{words[static_cast<std::size_t>(pattern.kind)]};
    if (!takes_interval(pattern.kind)) return text;
    for (const char letter : ":" + models::to_string(pattern.interval))
        if (letter != ' ') text += letter;
    return text;
}

bool has_host_time(const ReleasePattern& pattern) {
    return pattern.kind != ReleaseKind::BackToBack;
}

} // namespace warpbound::harness
