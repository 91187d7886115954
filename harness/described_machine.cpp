#include "harness/described_machine.hpp"

#include "harness/card_identity.hpp"
#include "harness/simulated_identity.hpp"
#include "models/architecture/library.hpp"

#include <array>
#include <cctype>

namespace warpbound::harness {

namespace {

/// Letters and digits, in lower case.
std::string letters_of(std::string_view text) {
    std::string letters;
    for (const char c : text)
        if (std::isalnum(static_cast<unsigned char>(c)) != 0)
            letters += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return letters;
}

/// Whether the name of a card contains that of another, and is not that of a larger or smaller one:
/// a T400 is no T4, and an RTX 3060 Ti no RTX 3060.
bool names(const std::string& card, const std::string& described) {
    const std::size_t at = card.find(described);
    if (described.empty() || at == std::string::npos) return false;
    const std::string_view rest = std::string_view{card}.substr(at + described.size());
    if (!rest.empty() && rest.front() >= '0' && rest.front() <= '9') return false;
    constexpr std::array<std::string_view, 4> variants{"ti", "super", "laptop", "mobile"};
    for (const std::string_view variant : variants)
        if (rest.starts_with(variant)) return false;
    return true;
}

} // namespace

Result<models::Architecture> described_machine(const DeviceIdentity& device) {
    if (device.name.starts_with(simulated_prefix))
        return models::load_architecture(
            std::string_view{device.name}.substr(simulated_prefix.size()));
    const auto target = target_of_card(device);
    if (!target) return target.as_failure();
    const std::string card = letters_of(name_in_detail(device.detail));
    std::string best;
    std::string longest;
    for (const auto& entry : models::list_architectures()) {
        const std::string described = letters_of(entry.name.substr(entry.name.find('-') + 1));
        if (described.size() <= longest.size() || !names(card, described)) continue;
        const auto loaded = models::load_architecture(entry);
        if (!loaded || loaded.value().target != target.value()) continue;
        best = entry.name;
        longest = described;
    }
    return models::load_architecture(best.empty() ? to_string(target.value()) : best);
}

} // namespace warpbound::harness
