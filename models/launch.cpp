#include "models/launch.hpp"

#include <fmt/core.h>

#include <charconv>
#include <optional>

namespace warpbound::models {
namespace {

/// Digits only, without sign.
std::optional<std::int64_t> read_count(std::string_view text) {
    std::int64_t count = 0;
    const char* const end = text.data() + text.size();
    if (text.empty() || text.front() == '-') return std::nullopt;
    const auto [stop, error] = std::from_chars(text.data(), end, count);
    if (error != std::errc{} || stop != end) return std::nullopt;
    return count;
}

constexpr std::int64_t most_blocks =
    2'147'483'647; // Largest grid dimension (CUDA C Programming Guide).
constexpr std::int64_t most_threads = 1024;

} // namespace

Result<Launch> parse_launch(std::string_view text) {
    const std::size_t cross = text.find('x');
    const auto blocks = read_count(text.substr(0, cross));
    const auto threads =
        cross == std::string_view::npos ? std::nullopt : read_count(text.substr(cross + 1));
    if (!blocks || !threads)
        return Failure{
            .what = fmt::format(
                "'{}' is no launch; expected GxB: blocks, 'x', threads per block, as in 1x32",
                text),
            .where = {}};
    if (*blocks < 1 || *blocks > most_blocks)
        return Failure{
            .what = fmt::format("a launch of {} blocks; expected 1 to {}", *blocks, most_blocks),
            .where = {}};
    if (*threads < 1 || *threads > most_threads)
        return Failure{
            .what = fmt::format("a block of {} threads; expected 1 to {}", *threads, most_threads),
            .where = {}};
    return Launch{.blocks = *blocks, .threads = *threads};
}

std::string to_string(const Launch& launch) {
    return fmt::format("{}x{}", launch.blocks, launch.threads);
}

} // namespace warpbound::models
