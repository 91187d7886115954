#include "assembly/amd/lane_mask.hpp"

#include "assembly/amd/state_registers.hpp"

#include <array>
#include <charconv>
#include <system_error>
#include <utility>

namespace warpbound::assembly::amd {

namespace {

constexpr int narrow_wavefront = 32;

std::optional<int> number_in(std::string_view text) {
    int number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || end != text.data() + text.size() || number < 0) return std::nullopt;
    return number;
}

/// The even register of a pair: 4 of "[4:5]".
std::optional<int> pair_in(std::string_view text) {
    const std::size_t colon = text.find(':');
    if (!text.starts_with('[') || !text.ends_with(']') || colon == std::string_view::npos)
        return std::nullopt;
    const auto first = number_in(text.substr(1, colon - 1));
    const auto last = number_in(text.substr(colon + 1, text.size() - colon - 2));
    if (!first || !last || *last != *first + 1 || *first % 2 != 0) return std::nullopt;
    return first;
}

} // namespace

std::optional<std::string> mask_operation(std::string_view mnemonic, int lanes) {
    const std::string_view width = lanes == narrow_wavefront ? "_b32" : "_b64";
    constexpr std::string_view scalar = "s_";
    if (!mnemonic.starts_with(scalar) || !mnemonic.ends_with(width)) return std::nullopt;
    mnemonic.remove_prefix(scalar.size());
    std::string name{mnemonic.substr(0, mnemonic.size() - width.size())};
    // Of gfx11 on.
    for (const auto& [longer, shorter] :
         {std::pair<std::string_view, std::string_view>{"and_not1", "andn2"}, {"or_not1", "orn2"}})
        if (name.starts_with(longer)) name.replace(0, longer.size(), shorter);
    return name;
}

std::optional<Register> mask_register(std::string_view text, int lanes) {
    const bool narrow = lanes == narrow_wavefront;
    const auto state = [](StateRegister reg) {
        return Register{RegisterFile::State, static_cast<int>(reg)};
    };
    if (text == (narrow ? "exec_lo" : "exec")) return state(StateRegister::ExecLo);
    if (text == (narrow ? "vcc_lo" : "vcc")) return state(StateRegister::VccLo);
    if (!text.starts_with('s')) return std::nullopt;
    text.remove_prefix(1);
    const auto index = narrow ? number_in(text) : pair_in(text);
    return index ? std::optional{Register{RegisterFile::Scalar, *index}} : std::nullopt;
}

} // namespace warpbound::assembly::amd
