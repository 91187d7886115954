#include "assembly/isa/annotation.hpp"

#include <fmt/format.h>

#include <charconv>

namespace warpbound::assembly {

namespace {

bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/// A number below `limit` that takes the whole text.
std::optional<int> small_number(std::string_view text, int base, int limit) {
    int value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
    if (text.empty() || error != std::errc{} || end != text.data() + text.size() || value < 0 ||
        value >= limit)
        return std::nullopt;
    return value;
}

/// Takes the list for the mask, if none was given yet.
bool read_wait_mask(std::string_view list, Control& control) {
    const auto mask = scoreboards_of_list(list);
    if (control.wait_mask != 0 || !mask) return false;
    control.wait_mask = *mask;
    return true;
}

bool read_barrier(std::string_view text, std::optional<int>& barrier) {
    if (barrier || text.substr(0, 2) != "0x") return false;
    barrier = small_number(text.substr(2), 16, scoreboard_count);
    return barrier.has_value();
}

} // namespace

std::optional<std::uint8_t> scoreboards_of_list(std::string_view list) {
    if (list.size() < 2 || list.front() != '{' || list.back() != '}') return std::nullopt;
    list = list.substr(1, list.size() - 2);
    std::uint8_t mask = 0;
    for (bool is_last = list.empty(); !is_last;) {
        const std::size_t comma = list.find(',');
        const auto number = small_number(list.substr(0, comma), 10, scoreboard_count);
        if (!number) return std::nullopt;
        mask = static_cast<std::uint8_t>(mask | (1U << static_cast<unsigned>(*number)));
        is_last = comma == std::string_view::npos;
        if (!is_last) list = list.substr(comma + 1);
    }
    return mask;
}

std::size_t annotation_start(std::string_view text) {
    for (std::size_t i = 1; i + 1 < text.size(); ++i)
        if ((text[i] == '&' || text[i] == '?') && (text[i - 1] == ' ' || text[i - 1] == '\t') &&
            is_letter(text[i + 1]))
            return i;
    return std::string_view::npos;
}

bool read_annotation_word(std::string_view word, Annotation& annotation) {
    constexpr std::string_view keeps = "?trans";
    constexpr std::string_view wait = "?WAIT";
    constexpr std::string_view group = "_END_GROUP";
    Control& control = annotation.control;
    const std::string_view kind = word.substr(0, 4);
    if (kind == "&req" && word.substr(4, 1) == "=") return read_wait_mask(word.substr(5), control);
    if (kind == "&wr=") return read_barrier(word.substr(4), control.write_barrier);
    if (kind == "&rd=") return read_barrier(word.substr(4), control.read_barrier);
    constexpr int stall_limit = 16;
    std::optional<int> stall;
    if (word.substr(0, keeps.size()) == keeps) {
        stall = small_number(word.substr(keeps.size()), 10, stall_limit);
        control.yield = false;
    } else if (word.substr(0, wait.size()) == wait && word.size() > wait.size() + group.size() &&
               word.substr(word.size() - group.size()) == group) {
        stall = small_number(word.substr(wait.size(), word.size() - wait.size() - group.size()), 10,
                             stall_limit);
        control.yield = true;
    }
    if (!stall || annotation.has_stall) return false;
    control.stall = *stall;
    annotation.has_stall = true;
    return true;
}

bool agrees(const Annotation& annotation, const Control& decoded) {
    const Control& written = annotation.control;
    return written.wait_mask == decoded.wait_mask &&
           written.write_barrier == decoded.write_barrier &&
           written.read_barrier == decoded.read_barrier &&
           (!annotation.has_stall ||
            (written.stall == decoded.stall && written.yield == decoded.yield));
}

std::string print_annotation(const Control& control) {
    std::string text;
    if (control.wait_mask != 0) {
        text += "&req={";
        for (int i = 0; i < scoreboard_count; ++i)
            if (((control.wait_mask >> static_cast<unsigned>(i)) & 1U) != 0)
                text += fmt::format("{}{}", text.back() == '{' ? "" : ",", i);
        text += "} ";
    }
    if (control.write_barrier) text += fmt::format("&wr=0x{} ", *control.write_barrier);
    if (control.read_barrier) text += fmt::format("&rd=0x{} ", *control.read_barrier);
    return text + (control.yield ? fmt::format("?WAIT{}_END_GROUP", control.stall)
                                 : fmt::format("?trans{}", control.stall));
}

} // namespace warpbound::assembly
