#include "harness/trace/trace_text.hpp"

#include "assembly/isa/operand_reader.hpp"

#include <fmt/format.h>

#include <charconv>

namespace warpbound::harness::trace {

namespace {

std::string no(const Word& word, std::string_view what) {
    return word.text.empty() ? fmt::format("missing {}", what)
                             : fmt::format("'{}' is no {}", word.text, what);
}

} // namespace

Word Line::next() {
    const auto is_blank = [](char c) { return c == ' ' || c == '\t'; };
    while (at_ < text_.size() && is_blank(text_[at_]))
        ++at_;
    std::size_t end = at_;
    while (end < text_.size() && !is_blank(text_[end]))
        ++end;
    const Word word{text_.substr(at_, end - at_), static_cast<std::int64_t>(at_) + 1};
    at_ = end;
    return word;
}

Result<std::int64_t> Line::decimal(const Word& word, std::string_view what, std::int64_t lo,
                                   std::int64_t hi) const {
    std::int64_t value = 0;
    const auto [end, error] =
        std::from_chars(word.text.data(), word.text.data() + word.text.size(), value);
    if (error != std::errc{} || end != word.text.data() + word.text.size() || value < lo ||
        value > hi)
        return refuse(fmt::format("{}; expected a number {}..{}", no(word, what), lo, hi),
                      word.column);
    return value;
}

Result<std::uint64_t> Line::hexadecimal(std::string_view what, std::uint64_t hi) {
    const Word word = next();
    std::string_view digits = word.text;
    if (digits.substr(0, 2) == "0x") digits.remove_prefix(2);
    std::uint64_t value = 0;
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
    if (error != std::errc{} || end != digits.data() + digits.size() || value > hi)
        return refuse(
            fmt::format("{}; expected a hexadecimal number up to {:#x}", no(word, what), hi),
            word.column);
    return value;
}

std::optional<Line> Lines::next() {
    while (at_ < source_.text.size()) {
        const std::size_t end = std::min(source_.text.find('\n', at_), source_.text.size());
        std::string_view text{source_.text.data() + at_, end - at_};
        at_ = end + 1;
        ++number_;
        if (!text.empty() && text.back() == '\r') text.remove_suffix(1);
        if (!assembly::trimmed(text).empty()) return Line{source_.name, text, number_};
    }
    return std::nullopt;
}

} // namespace warpbound::harness::trace
