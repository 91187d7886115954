#include "certification/report/bound_choices.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace warpbound::certification {

namespace {

using analyzer::BoundExpression;

bool has_terms(const BoundExpression& sum, const std::vector<analyzer::BoundTerm>& terms) {
    return std::equal(sum.terms.begin(), sum.terms.end(), terms.begin(), terms.end(),
                      [](const analyzer::BoundTerm& a, const analyzer::BoundTerm& b) {
                          return a.text == b.text && a.count == b.count && a.cycles == b.cycles &&
                                 a.certificate == b.certificate;
                      });
}

ChoicePart described(const BoundExpression& part) {
    const BoundExpression& sum = analyzer::chosen_sum(part);
    return {sum.text, analyzer::sum_of(sum.terms).count(), sum.has_evidence};
}

bool is_tighter(std::int64_t one, std::int64_t other, bool is_least) {
    return is_least ? one < other : other < one;
}

/// Whether the claimed sum is below `bound`; collects the choices above it, the innermost first.
bool find(const Claim& claim, bool has_evidence, const BoundExpression& bound,
          std::vector<BoundChoice>& choices) {
    if (bound.kind == BoundExpression::Kind::Sum)
        return bound.has_evidence == has_evidence && has_terms(bound, claim.terms);
    const auto claimed =
        std::find_if(bound.parts.begin(), bound.parts.end(), [&](const BoundExpression& part) {
            return find(claim, has_evidence, part, choices);
        });
    if (claimed == bound.parts.end()) return false;
    BoundChoice choice;
    choice.is_least = bound.kind == BoundExpression::Kind::Minimum;
    choice.is_of_cases = choice.is_least == (claim.side == analyzer::Side::Lower);
    choice.chosen = described(*claimed);
    for (auto part = bound.parts.begin(); part != bound.parts.end(); ++part)
        if (part != claimed) choice.others.push_back(described(*part));
    std::stable_sort(choice.others.begin(), choice.others.end(),
                     [&](const ChoicePart& a, const ChoicePart& b) {
                         return is_tighter(a.cycles, b.cycles, choice.is_least);
                     });
    choice.is_best_with_evidence =
        !choice.others.empty() &&
        is_tighter(choice.others.front().cycles, choice.chosen.cycles, choice.is_least);
    choices.push_back(std::move(choice));
    return true;
}

} // namespace

std::vector<BoundChoice> choices_of(const Claim& claim) {
    std::vector<BoundChoice> choices;
    // Of equal sums the one with evidence is claimed.
    if (!find(claim, true, claim.bound, choices)) find(claim, false, claim.bound, choices);
    std::reverse(choices.begin(), choices.end());
    return choices;
}

std::string choice_text(const BoundChoice& choice) {
    return fmt::format("the {} of {} {}{}: {}", choice.is_least ? "least" : "largest",
                       choice.others.size() + 1, choice.is_of_cases ? "cases" : "bounds",
                       choice.is_best_with_evidence ? " that has evidence" : "",
                       part_text(choice.chosen));
}

std::string part_text(const ChoicePart& part) {
    return part.text + (part.has_evidence ? "" : " (no certificate)");
}

} // namespace warpbound::certification
