#include "assembly/amd/processor.hpp"

#include <algorithm>
#include <array>

namespace warpbound::assembly::amd {

namespace {

constexpr Processor gcn(int gfx, std::uint32_t mach) {
    return {gfx, mach, WaitLayout::Gfx9, false, false, false, 4, false};
}
constexpr Processor cdna2(int gfx, std::uint32_t mach) {
    return {gfx, mach, WaitLayout::Gfx9, false, false, true, 8, true};
}
constexpr Processor rdna1(int gfx, std::uint32_t mach) {
    return {gfx, mach, WaitLayout::Gfx10, true, true, false, 4, false};
}
constexpr Processor rdna3(int gfx, std::uint32_t mach) {
    return {gfx, mach, WaitLayout::Gfx11, true, true, false, 4, true};
}

constexpr std::array processors{
    gcn(0x900, 0x02c),    gcn(0x906, 0x02f),    gcn(0x908, 0x030),    cdna2(0x90a, 0x03f),
    cdna2(0x942, 0x04c),  rdna1(0x1010, 0x033), rdna1(0x1011, 0x034), rdna1(0x1012, 0x035),
    rdna1(0x1030, 0x036), rdna1(0x1031, 0x037), rdna1(0x1032, 0x038), rdna3(0x1100, 0x041),
    rdna3(0x1101, 0x046), rdna3(0x1102, 0x047), rdna3(0x1103, 0x044), rdna3(0x1150, 0x043),
    rdna3(0x1151, 0x04a),
};

constexpr std::array<Target, 3> vliw_chips{{{0, 0x670}, {0, 0x770}, {0, 0x870}}};

template <class Condition> const Processor* find(Condition condition) {
    const auto* const found = std::find_if(processors.begin(), processors.end(), condition);
    return found == processors.end() ? nullptr : found;
}

} // namespace

const Processor* find_processor(Target target) {
    return find([&](const Processor& one) { return one.target() == target; });
}

const Processor* find_processor_of_elf(std::uint32_t elf_mach) {
    return find([&](const Processor& one) { return one.elf_mach == elf_mach; });
}

std::optional<Target> parse_processor(std::string_view text) {
    const std::string_view name = text.substr(0, text.find(':'));
    const auto* const found =
        find([&](const Processor& one) { return to_string(one.target()) == name; });
    return found == nullptr ? std::nullopt : std::optional{found->target()};
}

std::optional<Target> parse_vliw_chip(std::string_view text) {
    const auto* const found = std::find_if(vliw_chips.begin(), vliw_chips.end(),
                                           [&](Target chip) { return to_string(chip) == text; });
    return found == vliw_chips.end() ? std::nullopt : std::optional{*found};
}

bool is_vliw_chip(Target target) {
    return std::find(vliw_chips.begin(), vliw_chips.end(), target) != vliw_chips.end();
}

std::vector<Target> processor_targets() {
    std::vector<Target> targets;
    for (const Processor& one : processors)
        targets.push_back(one.target());
    return targets;
}

std::string list_of_processors() {
    std::string out;
    for (const Processor& one : processors)
        out += (out.empty() ? "" : ", ") + to_string(one.target());
    return out;
}

} // namespace warpbound::assembly::amd
