#include "harness/simulated_identity.hpp"

#include <fmt/format.h>

#include <charconv>

namespace warpbound::harness {

namespace {

constexpr std::string_view before_policy = ", policy ";
constexpr std::string_view before_count = ", ";
constexpr std::string_view after_count = " multiprocessors";

} // namespace

std::string to_string(const SimulatedDetail& detail) {
    std::string text = fmt::format("{}{}{}", detail.description, before_policy, detail.policy);
    if (detail.multiprocessors != 1)
        text += fmt::format("{}{}{}", before_count, detail.multiprocessors, after_count);
    return text;
}

std::optional<SimulatedDetail> parse_simulated_detail(std::string_view text) {
    const std::size_t at = text.find(before_policy);
    if (at == std::string_view::npos || at == 0) return std::nullopt;
    SimulatedDetail detail{std::string{text.substr(0, at)}, {}, 1};
    std::string_view rest = text.substr(at + before_policy.size());
    if (rest.ends_with(after_count)) {
        // Parameters of a policy are separated by a comma alone.
        const std::size_t comma = rest.rfind(before_count);
        if (comma == std::string_view::npos) return std::nullopt;
        const auto count =
            rest.substr(comma + before_count.size(),
                        rest.size() - comma - before_count.size() - after_count.size());
        const auto [stopped, failed] =
            std::from_chars(count.data(), count.data() + count.size(), detail.multiprocessors);
        if (failed != std::errc{} || stopped != count.data() + count.size()) return std::nullopt;
        rest = rest.substr(0, comma);
    }
    if (rest.empty()) return std::nullopt;
    detail.policy = rest;
    return detail;
}

} // namespace warpbound::harness
