#include "models/sourced.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace warpbound::models {
namespace {

constexpr auto grades = std::to_array<std::pair<Grade, std::string_view>>({
    {Grade::Vendor, "vendor"},
    {Grade::PeerReviewed, "peer-reviewed"},
    {Grade::Repository, "repository"},
    {Grade::Measured, "measured"},
    {Grade::Inferred, "inferred"},
    {Grade::Assumed, "assumed"},
    {Grade::Unknown, "unknown"},
});

constexpr auto cards = std::to_array<std::pair<MeasuredOn, std::string_view>>({
    {MeasuredOn::Nothing, "nothing"},
    {MeasuredOn::Family, "family"},
    {MeasuredOn::Card, "card"},
});

} // namespace

std::string_view to_string(Grade grade) {
    const auto found = std::ranges::find(grades, grade, &std::pair<Grade, std::string_view>::first);
    return found == grades.end() ? "unknown" : found->second;
}

std::optional<Grade> parse_grade(std::string_view text) {
    const auto found = std::ranges::find(grades, text, &std::pair<Grade, std::string_view>::second);
    if (found == grades.end()) return std::nullopt;
    return found->first;
}

std::string_view to_string(MeasuredOn card) {
    const auto found =
        std::ranges::find(cards, card, &std::pair<MeasuredOn, std::string_view>::first);
    return found == cards.end() ? "nothing" : found->second;
}

std::optional<MeasuredOn> parse_measured_on(std::string_view text) {
    const auto found =
        std::ranges::find(cards, text, &std::pair<MeasuredOn, std::string_view>::second);
    if (found == cards.end()) return std::nullopt;
    return found->first;
}

bool has_caveat(Grade grade) {
    return grade == Grade::Inferred || grade == Grade::Assumed || grade == Grade::Repository;
}

} // namespace warpbound::models
