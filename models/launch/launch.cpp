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
    2'147'483'647; // Largest grid dimension in x (CUDA C Programming Guide).
constexpr std::int64_t most_blocks_in_y_and_z = 65'535; // Likewise.
constexpr std::int64_t most_threads = 1024;

constexpr std::int64_t most_registers = 1 << 16U;
constexpr std::int64_t most_shared_memory = 1 << 30U;

Failure malformed(std::string_view text) {
    return Failure{.what = fmt::format(
                       "'{}' is no launch; expected GxB: blocks, 'x', threads per block, as in "
                       "1x32, then what is known of ,registers=R ,shared-memory=BYTES "
                       ",block=XxYxZ ,grid=XxYxZ and arguments ,0x160=VALUE",
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
    if (name == "grid") {
        const auto shape = parse_grid_shape(value);
        if (!shape) return shape.as_failure();
        if (launch.grid || shape.value().count() != launch.blocks)
            return Failure{.what = fmt::format("grid={} in a launch of {} blocks; expected one "
                                               "shape of that many blocks",
                                               value, launch.blocks),
                           .where = {}};
        launch.grid = shape.value();
        return boost::outcome_v2::success();
    }
    return malformed(whole);
}

/// One to three counts between 'x' or ','; nothing for another text.
std::optional<std::array<std::int64_t, 3>> read_extents(std::string_view text,
                                                        const std::array<std::int64_t, 3>& most) {
    std::array<std::int64_t, 3> extents{1, 1, 1};
    std::size_t dimension = 0;
    for (std::size_t begin = 0; begin <= text.size(); ++dimension) {
        const std::size_t end = std::min(text.find_first_of("x,", begin), text.size());
        if (dimension == extents.size()) return std::nullopt;
        const auto count = read_count(text.substr(begin, end - begin));
        if (!count || *count < 1 || *count > most[dimension]) return std::nullopt;
        extents[dimension] = *count;
        begin = end + 1;
    }
    return extents;
}

std::string text_of(const std::array<std::int64_t, 3>& extents) {
    const auto& [x, y, z] = extents;
    if (z > 1) return fmt::format("{}x{}x{}", x, y, z);
    return y > 1 ? fmt::format("{}x{}", x, y) : fmt::format("{}", x);
}

} // namespace

Result<BlockShape> parse_block_shape(std::string_view text) {
    const auto extents = read_extents(text, {most_threads, most_threads, most_threads});
    if (extents)
        if (const BlockShape shape{*extents}; shape.count() <= most_threads) return shape;
    return Failure{.what = fmt::format("'{}' is no block shape; expected X, XxY or XxYxZ threads, "
                                       "1 to {} in all, as in 16x16",
                                       text, most_threads),
                   .where = {}};
}

Result<GridShape> parse_grid_shape(std::string_view text) {
    const auto extents =
        read_extents(text, {most_blocks, most_blocks_in_y_and_z, most_blocks_in_y_and_z});
    if (extents) {
        const auto& [x, y, z] = *extents;
        if (x <= most_blocks / y / z) return GridShape{*extents};
    }
    return Failure{.what = fmt::format("'{}' is no grid shape; expected X, XxY or XxYxZ blocks, at "
                                       "most {} in y and in z and {} in all, as in 64x64",
                                       text, most_blocks_in_y_and_z, most_blocks),
                   .where = {}};
}

std::string to_string(const BlockShape& shape) {
    return text_of(shape.threads);
}

std::string to_string(const GridShape& shape) {
    return text_of(shape.blocks);
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
    if (launch.grid) text += fmt::format(",grid={}", to_string(*launch.grid));
    if (!launch.arguments.empty()) text += "," + to_string(launch.arguments);
    return text;
}

} // namespace warpbound::models
