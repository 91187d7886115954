#include "models/launch/launch.hpp"

#include <fmt/core.h>

#include <algorithm>
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

constexpr std::int64_t most_registers = 1 << 16U;
constexpr std::int64_t most_shared_memory = 1 << 30U;

Failure malformed(std::string_view text) {
    return Failure{.what = fmt::format(
                       "'{}' is no launch; expected GxB: blocks, 'x', threads per block, as in "
                       "1x32, then what is known of ,registers=R ,shared-memory=BYTES, "
                       ",block=XxYxZ and arguments ,0x160=VALUE",
                       text),
                   .where = {}};
}

/// A count as the launch states it, once.
Result<void> read_resource(std::string_view name, std::string_view text, std::int64_t least,
                           std::int64_t most, std::optional<std::int64_t>& resource) {
    const auto count = read_count(text);
    if (resource || !count || *count < least || *count > most)
        return Failure{.what = fmt::format("{}={} in a launch; expected one number {} to {}, once",
                                           name, text, least, most),
                       .where = {}};
    resource = *count;
    return boost::outcome_v2::success();
}

Result<void> read_resource(std::string_view whole, std::string_view text, Launch& launch) {
    if (text.substr(0, 2) == "0x") {
        const auto added = add_argument_word(text, launch.arguments);
        if (added) return added;
        return Failure{.what = fmt::format("{} in a launch; {}", text, added.error().what),
                       .where = {}};
    }
    const std::size_t equals = text.find('=');
    const std::string_view name = text.substr(0, equals);
    const std::string_view value =
        equals == std::string_view::npos ? std::string_view{} : text.substr(equals + 1);
    if (name == "registers") return read_resource(name, value, 1, most_registers, launch.registers);
    if (name == "shared-memory")
        return read_resource(name, value, 0, most_shared_memory, launch.shared_memory);
    if (name == "block") {
        const auto shape = parse_block_shape(value);
        if (!shape) return shape.as_failure();
        if (launch.shape || shape.value().count() != launch.threads)
            return Failure{.what = fmt::format("block={} in a launch with blocks of {} threads; "
                                               "expected one shape of that many threads",
                                               value, launch.threads),
                           .where = {}};
        launch.shape = shape.value();
        return boost::outcome_v2::success();
    }
    return malformed(whole);
}

} // namespace

Result<BlockShape> parse_block_shape(std::string_view text) {
    const auto refuse = [&] {
        return Failure{.what = fmt::format("'{}' is no block shape; expected X, XxY or XxYxZ "
                                           "threads, 1 to {} in all, as in 16x16",
                                           text, most_threads),
                       .where = {}};
    };
    BlockShape shape;
    std::size_t dimension = 0;
    for (std::size_t begin = 0; begin <= text.size(); ++dimension) {
        const std::size_t end = std::min(text.find('x', begin), text.size());
        const auto count = read_count(text.substr(begin, end - begin));
        if (dimension == shape.threads.size() || !count || *count < 1 || *count > most_threads)
            return refuse();
        shape.threads[dimension] = *count;
        begin = end + 1;
    }
    if (shape.count() > most_threads) return refuse();
    return shape;
}

std::string to_string(const BlockShape& shape) {
    const auto& [x, y, z] = shape.threads;
    if (z > 1) return fmt::format("{}x{}x{}", x, y, z);
    return y > 1 ? fmt::format("{}x{}", x, y) : fmt::format("{}", x);
}

BlockShape block_shape_of(const Launch& launch) {
    return launch.shape.value_or(BlockShape{{launch.threads, 1, 1}});
}

Result<Launch> parse_launch(std::string_view text) {
    const std::string_view grid = text.substr(0, text.find(','));
    const std::size_t cross = grid.find('x');
    const auto blocks = read_count(grid.substr(0, cross));
    std::optional<std::int64_t> threads;
    if (cross != std::string_view::npos) threads = read_count(grid.substr(cross + 1));
    if (!blocks || !threads) return malformed(text);
    if (*blocks < 1 || *blocks > most_blocks)
        return Failure{
            .what = fmt::format("a launch of {} blocks; expected 1 to {}", *blocks, most_blocks),
            .where = {}};
    if (*threads < 1 || *threads > most_threads)
        return Failure{
            .what = fmt::format("a block of {} threads; expected 1 to {}", *threads, most_threads),
            .where = {}};
    Launch launch{.blocks = *blocks, .threads = *threads};
    for (std::string_view rest = text.substr(grid.size()); !rest.empty();) {
        rest.remove_prefix(1);
        const std::string_view resource = rest.substr(0, rest.find(','));
        if (auto read = read_resource(text, resource, launch); !read) return read.as_failure();
        rest.remove_prefix(resource.size());
    }
    return launch;
}

std::string to_string(const Launch& launch) {
    std::string text = fmt::format("{}x{}", launch.blocks, launch.threads);
    if (launch.registers) text += fmt::format(",registers={}", *launch.registers);
    if (launch.shared_memory) text += fmt::format(",shared-memory={}", *launch.shared_memory);
    if (launch.shape) text += fmt::format(",block={}", to_string(*launch.shape));
    if (!launch.arguments.empty()) text += "," + to_string(launch.arguments);
    return text;
}

} // namespace warpbound::models
