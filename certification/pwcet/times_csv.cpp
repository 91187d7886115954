#include "certification/pwcet/times_csv.hpp"

#include "models/time/time_column.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>

namespace warpbound::certification {

namespace {

constexpr int most_decimals = 9;
constexpr std::int64_t largest_ticks = std::int64_t{1} << 53U; ///< Exact as a double.

/// A time as it is written: digits without the point, and how many were behind it.
struct Written {
    std::int64_t digits = 0;
    int decimals = 0;
};

bool is_digit(char letter) {
    return letter >= '0' && letter <= '9';
}

std::optional<Written> read_time(std::string_view text) {
    const std::size_t point = text.find('.');
    std::string digits{text.substr(0, point)};
    Written written;
    if (point != std::string_view::npos) {
        const auto decimals = text.substr(point + 1);
        if (decimals.empty() || decimals.size() > most_decimals) return std::nullopt;
        digits += decimals;
        written.decimals = static_cast<int>(decimals.size());
    }
    if (digits.empty() || point == 0 || !std::all_of(digits.begin(), digits.end(), is_digit))
        return std::nullopt;
    const char* const end = digits.data() + digits.size();
    const auto [stopped, failed] = std::from_chars(digits.data(), end, written.digits);
    if (failed != std::errc{} || stopped != end || written.digits > largest_ticks)
        return std::nullopt;
    return written;
}

} // namespace

Result<TimesInRunOrder> read_times(const assembly::SourceText& source, std::string unit) {
    const auto lines = models::read_time_column(source);
    if (!lines) return lines.as_failure();
    std::vector<std::pair<Written, std::int64_t>> written; // With their lines.
    int decimals = 0;
    for (const auto& [text, line] : lines.value()) {
        const auto time = read_time(text);
        if (!time)
            return Failure{"is no time; expected digits with at most nine decimals, from 0 to 2^53 "
                           "of the last one",
                           source.name, line, 1};
        decimals = std::max(decimals, time->decimals);
        written.emplace_back(*time, line);
    }
    TimesInRunOrder times;
    times.name = source.name;
    times.unit = std::move(unit);
    times.decimals = decimals;
    for (int i = 0; i < decimals; ++i)
        times.tick /= 10;
    std::string canonical;
    for (const auto& [time, line] : written) {
        std::int64_t ticks = time.digits;
        for (int i = time.decimals; i < decimals; ++i) {
            ticks *= 10;
            if (ticks > largest_ticks)
                return Failure{"is too large beside times with more decimals", source.name, line,
                               1};
        }
        times.ticks.push_back(ticks);
        canonical += fmt::format("{}\n", ticks);
    }
    times.digest = assembly::digest_of(canonical);
    return times;
}

} // namespace warpbound::certification
