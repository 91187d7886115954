#include "assembly/amd/wait_counts.hpp"

#include <fmt/format.h>

namespace warpbound::assembly::amd {

namespace {

unsigned field(std::uint16_t bits, unsigned first, unsigned width) {
    return (static_cast<unsigned>(bits) >> first) & ((1U << width) - 1U);
}

std::optional<int> below_all_ones(unsigned value, unsigned width) {
    if (value == (1U << width) - 1U) return std::nullopt;
    return static_cast<int>(value);
}

} // namespace

WaitCounts decode_wait(WaitLayout layout, std::uint16_t bits) {
    WaitCounts counts;
    if (layout == WaitLayout::Gfx11) {
        counts.export_ = below_all_ones(field(bits, 0, 3), 3);
        counts.scalar_and_lds = below_all_ones(field(bits, 4, 6), 6);
        counts.vector = below_all_ones(field(bits, 10, 6), 6);
        return counts;
    }
    const unsigned lgkm_width = layout == WaitLayout::Gfx10 ? 6 : 4;
    counts.export_ = below_all_ones(field(bits, 4, 3), 3);
    counts.scalar_and_lds = below_all_ones(field(bits, 8, lgkm_width), lgkm_width);
    counts.vector = below_all_ones(field(bits, 14, 2) << 4U | field(bits, 0, 4), 6);
    return counts;
}

std::string to_string(const WaitCounts& counts) {
    std::string out;
    const auto add = [&](const char* name, const std::optional<int>& count) {
        if (count) out += fmt::format("{}{}({})", out.empty() ? "" : " ", name, *count);
    };
    add("vmcnt", counts.vector);
    add("lgkmcnt", counts.scalar_and_lds);
    add("expcnt", counts.export_);
    add("vscnt", counts.store);
    return out.empty() ? "none" : out;
}

} // namespace warpbound::assembly::amd
