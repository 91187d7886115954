#include "assembly/isa/target.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <stdexcept>

namespace warpbound::assembly {

namespace {

std::optional<Generation> find_generation(int sm) {
    if (sm >= 20 && sm < 30) return Generation::Fermi;
    if (sm >= 30 && sm < 40) return Generation::Kepler;
    if (sm >= 50 && sm < 60) return Generation::Maxwell;
    if (sm >= 60 && sm < 70) return Generation::Pascal;
    if (sm >= 70 && sm < 75) return Generation::Volta;
    if (sm >= 75 && sm < 80) return Generation::Turing;
    if (sm >= 80 && sm < 89) return Generation::Ampere;
    if (sm == 89) return Generation::Ada;
    if (sm >= 90 && sm < 100) return Generation::Hopper;
    if (sm >= 100 && sm < 130) return Generation::Blackwell;
    return std::nullopt;
}

} // namespace

std::string to_string(Target target) {
    if (!is_amd(target)) return fmt::format("sm_{}", target.sm);
    const bool is_vliw = target.gfx == 0x670 || target.gfx == 0x770 || target.gfx == 0x870;
    return fmt::format("{}{:x}", is_vliw ? "rv" : "gfx", target.gfx);
}

bool is_amd(Target target) {
    return target.gfx != 0;
}

std::optional<Target> parse_target(std::string_view text) {
    for (const std::string_view prefix : {"sm_", "compute_"}) {
        if (text.substr(0, prefix.size()) != prefix) continue;
        const std::string_view digits = text.substr(prefix.size());
        int sm = 0;
        const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), sm);
        const std::string_view rest{end,
                                    static_cast<std::size_t>(digits.data() + digits.size() - end)};
        if (error != std::errc{} || !(rest.empty() || rest == "a" || rest == "f"))
            return std::nullopt;
        if (!find_generation(sm)) return std::nullopt;
        return Target{sm};
    }
    return std::nullopt;
}

Generation generation_of(Target target) {
    const auto generation = find_generation(target.sm);
    if (!generation) throw std::logic_error{"no generation covers " + to_string(target)};
    return *generation;
}

std::int64_t reserved_shared_memory(Target target) {
    constexpr int first_to_reserve = 90;
    return target.sm >= first_to_reserve ? 1024 : 0;
}

std::string objection_to_running(Target code, Target machine) {
    if (code == machine) return {};
    const auto is_tegra = [](Target target) {
        constexpr std::array<int, 5> tegra{32, 53, 62, 72, 87};
        return std::find(tegra.begin(), tegra.end(), target.sm) != tegra.end();
    };
    if (is_amd(code) != is_amd(machine)) return "another vendor's instructions";
    if (is_amd(code)) return "another processor";
    if (code.sm / 10 != machine.sm / 10) return "another major revision";
    if (code.sm > machine.sm) return "a later minor revision";
    if (is_tegra(code) || is_tegra(machine)) return "Tegra runs code of its own target only";
    return {};
}

} // namespace warpbound::assembly
