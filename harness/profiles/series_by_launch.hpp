#pragma once
/// \file
/// Runs collected into series: equal name, symbol, launch and device.

#include "harness/profiles/profile.hpp"

#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace warpbound::harness::profiles {

/// No run may be longer: 13 days. `Unit:` ns.
inline constexpr std::int64_t longest_run = std::int64_t{1} << 50U;

class SeriesByLaunch {
public:
    /// Adds a run after those that were added before. `of` has no times.
    void add(ProfiledSeries of, std::int64_t nanoseconds);
    /// In the order of their first run.
    [[nodiscard]] std::vector<ProfiledSeries> take() { return std::move(series_); }

private:
    std::map<std::array<std::string, 4>, std::size_t> places_;
    std::vector<ProfiledSeries> series_;
};

/// A run with the time at which it started.
struct StartedRun {
    std::int64_t start = 0; ///< `Unit:` ns.
    std::int64_t time = 0;  ///< `Unit:` ns.
    ProfiledSeries series;  ///< Without times.
};
/// The series of the runs, in the order of their starts.
std::vector<ProfiledSeries> series_in_order(std::vector<StartedRun> runs);

/// The launch in the form of `models::to_string`; empty if its shapes are none of a launch.
/// `dynamic_shared`: bytes; 0: none.
std::string launch_text(const std::array<std::int64_t, 3>& grid,
                        const std::array<std::int64_t, 3>& block, std::int64_t dynamic_shared);

/// A decimal number of a unit (s, ms, us or ns, or Nsight Compute's second, msecond, usecond,
/// nsecond) with commas between thousands, rounded to whole ns. None: another text or unit, a
/// negative number, or one beyond `longest_run`.
std::optional<std::int64_t> nanoseconds_of(std::string_view number, std::string_view unit);

} // namespace warpbound::harness::profiles
