#include "harness/profiles/series_by_launch.hpp"

#include "models/launch/launch.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace warpbound::harness::profiles {

namespace {

/// `Unit:` decimal digits of a nanosecond.
std::optional<int> digits_of(std::string_view unit) {
    if (unit == "ns" || unit == "nsecond") return 0;
    if (unit == "us" || unit == "usecond") return 3;
    if (unit == "ms" || unit == "msecond") return 6;
    if (unit == "s" || unit == "second") return 9;
    return std::nullopt;
}

bool is_digit(char letter) {
    return letter >= '0' && letter <= '9';
}

} // namespace

void SeriesByLaunch::add(ProfiledSeries of, std::int64_t nanoseconds) {
    const auto [place, is_new] =
        places_.try_emplace({of.name, of.mangled, of.launch, of.device}, series_.size());
    if (is_new) series_.push_back(std::move(of));
    series_[place->second].times.push_back(nanoseconds);
}

std::vector<ProfiledSeries> series_in_order(std::vector<StartedRun> runs) {
    std::stable_sort(runs.begin(), runs.end(),
                     [](const auto& a, const auto& b) { return a.start < b.start; });
    SeriesByLaunch collected;
    for (auto& run : runs)
        collected.add(std::move(run.series), run.time);
    return collected.take();
}

std::string launch_text(const std::array<std::int64_t, 3>& grid,
                        const std::array<std::int64_t, 3>& block, std::int64_t dynamic_shared) {
    // Parsed again, so that a launch that no GPU accepts is none.
    const auto shape =
        models::parse_block_shape(models::to_string(models::BlockShape{.threads = block}));
    const auto blocks =
        models::parse_grid_shape(models::to_string(models::GridShape{.blocks = grid}));
    if (!shape || !blocks) return {};
    models::Launch launch;
    launch.blocks = blocks.value().count();
    launch.threads = shape.value().count();
    if (block[1] != 1 || block[2] != 1) launch.shape = shape.value();
    if (grid[1] != 1 || grid[2] != 1) launch.grid = blocks.value();
    if (dynamic_shared > 0) launch.shared_memory = dynamic_shared;
    return models::to_string(launch);
}

std::optional<std::int64_t> nanoseconds_of(std::string_view number, std::string_view unit) {
    const auto power = digits_of(unit);
    if (!power) return std::nullopt;
    const std::size_t point = std::min(number.find('.'), number.size());
    std::string whole;
    for (const char letter : number.substr(0, point)) {
        if (letter == ',' && !whole.empty()) continue;
        if (!is_digit(letter)) return std::nullopt;
        whole += letter;
    }
    std::string decimals{point < number.size() ? number.substr(point + 1) : std::string_view{}};
    if (whole.empty() || !std::all_of(decimals.begin(), decimals.end(), is_digit))
        return std::nullopt;
    const auto kept = static_cast<std::size_t>(*power);
    decimals.resize(std::max(decimals.size(), kept + 1), '0');
    constexpr std::size_t most_digits = 18; // Of 63 bits.
    const std::string digits = whole + decimals.substr(0, kept);
    const std::size_t zeros = std::min(digits.find_first_not_of('0'), digits.size());
    if (digits.size() - zeros > most_digits) return std::nullopt;
    std::int64_t value = 0;
    for (const char digit : digits)
        value = value * 10 + (digit - '0');
    if (decimals[kept] >= '5') ++value;
    if (value > longest_run) return std::nullopt;
    return value;
}

} // namespace warpbound::harness::profiles
