#include "harness/execution/special_registers.hpp"

namespace warpbound::harness::execution {

namespace {

/// x, y or z of a thread of the block.
std::uint32_t thread_index(const Step& step, std::size_t lane, std::size_t dimension) {
    const Extents& extents = step.launch.block;
    const std::int64_t thread =
        step.warp.number * recorded_lane_count + static_cast<std::int64_t>(lane);
    const std::int64_t index = dimension == 0   ? thread % extents[0]
                               : dimension == 1 ? thread / extents[0] % extents[1]
                                                : thread / (extents[0] * extents[1]);
    return static_cast<std::uint32_t>(index);
}

template <typename Function> Words by_lane(Function function) {
    Words out;
    for (std::size_t lane = 0; lane < lane_count; ++lane)
        out[lane] = static_cast<std::uint32_t>(function(lane));
    return out;
}

std::optional<Words> by_dimension(const Step& step, std::string_view name) {
    if (name.size() < 2 || name[name.size() - 2] != '.') return std::nullopt;
    const auto dimension = static_cast<std::size_t>(name.back() - 'X');
    if (dimension > 2) return std::nullopt;
    const std::string_view of = name.substr(0, name.size() - 2);
    if (of == "SR_TID")
        return by_lane([&](std::size_t lane) { return thread_index(step, lane, dimension); });
    const auto same = [](std::int64_t value) {
        return by_lane([=](std::size_t) { return value; });
    };
    if (of == "SR_CTAID") return same(step.block.index[dimension]);
    if (of == "SR_NTID") return same(step.launch.block[dimension]);
    if (of == "SR_NCTAID") return same(step.launch.grid[dimension]);
    return std::nullopt;
}

} // namespace

std::optional<Words> special_register(const Step& step, std::string_view name) {
    if (name == "SRZ" || name == "SR_CgaCtaId" || name == "SR_CLOCKHI" ||
        name == "SR_GLOBALTIMERHI")
        return Words{};
    if (name == "SR_CLOCKLO" || name == "SR_ClockLo" || name == "SR_GLOBALTIMERLO" ||
        name == "SR_CLOCK")
        return by_lane([&](std::size_t) { return step.warp.issued; });
    if (name == "SR_LANEID") return by_lane([](std::size_t lane) { return lane; });
    if (name == "SR_WARPID" || name == "SR_VIRTID")
        return by_lane([&](std::size_t) { return step.warp.number; });
    const auto below = [](std::size_t lane) { return (std::uint32_t{1} << lane) - 1; };
    const auto own = [](std::size_t lane) { return std::uint32_t{1} << lane; };
    if (name == "SR_EQMASK") return by_lane(own);
    if (name == "SR_LTMASK") return by_lane(below);
    if (name == "SR_LEMASK")
        return by_lane([&](std::size_t lane) { return below(lane) | own(lane); });
    if (name == "SR_GTMASK")
        return by_lane([&](std::size_t lane) { return ~(below(lane) | own(lane)); });
    if (name == "SR_GEMASK") return by_lane([&](std::size_t lane) { return ~below(lane); });
    return by_dimension(step, name);
}

} // namespace warpbound::harness::execution
