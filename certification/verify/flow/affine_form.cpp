#include "certification/verify/flow/affine_form.hpp"

#include <algorithm>

namespace warpbound::certification::verify {

namespace {

__extension__ using WideInteger = __int128; // Six products of 2^62 have no 64 bits.
constexpr WideInteger residues = WideInteger{1} << 32U;

struct EndsInBox {
    WideInteger least = 0;
    WideInteger greatest = 0;
};

WideInteger quotient_down(WideInteger value, WideInteger divisor) {
    return value / divisor - (value % divisor < 0 ? 1 : 0);
}

/// As numbers of 32 bits with or without sign.
std::optional<EndsInBox> ends_in_box(const AffineForm& form, bool is_signed, const ThreadBox& box) {
    if (!form.words.empty()) return std::nullopt;
    EndsInBox ends{form.constant, form.constant};
    for (std::size_t i = 0; i < index_count; ++i) {
        const WideInteger factor = static_cast<std::int32_t>(form.factors.at(i));
        const WideInteger at_first = factor * box.first.at(i);
        const WideInteger at_last = factor * box.last.at(i);
        ends.least += std::min(at_first, at_last);
        ends.greatest += std::max(at_first, at_last);
    }
    const WideInteger window = is_signed ? -residues / 2 : 0;
    const WideInteger turns = quotient_down(ends.least - window, residues);
    if (turns != quotient_down(ends.greatest - window, residues)) return std::nullopt;
    return EndsInBox{ends.least - turns * residues, ends.greatest - turns * residues};
}

} // namespace

AffineForm AffineForm::of_index(std::size_t index) {
    AffineForm form;
    form.factors.at(index) = 1;
    return form;
}

bool AffineForm::is_number() const {
    return words.empty() && std::all_of(factors.begin(), factors.end(),
                                        [](std::uint32_t factor) { return factor == 0; });
}

std::optional<ConstantWord> AffineForm::only_word() const {
    if (words.size() != 1 || words.begin()->second != 1) return std::nullopt;
    return words.begin()->first;
}

AffineForm operator+(AffineForm left, const AffineForm& right) {
    for (std::size_t i = 0; i < index_count; ++i)
        left.factors.at(i) += right.factors.at(i);
    for (const auto& [word, factor] : right.words) {
        const std::uint32_t sum = left.words[word] += factor;
        if (sum == 0) left.words.erase(word);
    }
    left.constant += right.constant;
    return left;
}

AffineForm operator*(AffineForm form, std::uint32_t factor) {
    for (std::uint32_t& own : form.factors)
        own *= factor;
    for (auto word = form.words.begin(); word != form.words.end();) {
        word->second *= factor;
        word = word->second == 0 ? form.words.erase(word) : std::next(word);
    }
    form.constant *= factor;
    return form;
}

std::optional<bool> holds_in_box(Order order, bool is_signed, const AffineForm& left,
                                 const AffineForm& right, const ThreadBox& box) {
    const auto a = ends_in_box(left, is_signed, box);
    const auto b = ends_in_box(right, is_signed, box);
    if (!a || !b) return std::nullopt;
    const auto always = [&](Order of) {
        switch (of) {
        case Order::Less:
            return a->greatest < b->least;
        case Order::AtMost:
            return a->greatest <= b->least;
        case Order::More:
            return a->least > b->greatest;
        case Order::AtLeast:
            return a->least >= b->greatest;
        case Order::Equal:
            return a->least == b->greatest && a->greatest == b->least;
        case Order::NotEqual:
            return a->greatest < b->least || a->least > b->greatest;
        }
        return false;
    };
    if (always(order)) return true;
    return always(negation_of(order)) ? std::optional{false} : std::nullopt;
}

} // namespace warpbound::certification::verify
