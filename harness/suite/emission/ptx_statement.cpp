#include "harness/suite/emission/ptx_statement.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

namespace warpbound::harness {

namespace {

/// Statements whose first operand is not a destination.
constexpr std::array<std::string_view, 8> without_result{"st",     "red",   "bar",      "barrier",
                                                         "membar", "fence", "prefetch", "bra"};

bool is_name(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

std::int64_t number_at(std::string_view text) {
    std::int64_t number = 0;
    std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
}

std::vector<PtxRegister> registers_in(std::string_view text) {
    std::vector<PtxRegister> found;
    for (std::size_t at = text.find('%'); at != std::string_view::npos;
         at = text.find('%', at + 1)) {
        std::size_t end = at + 1;
        while (end < text.size() && is_name(text[end]))
            ++end;
        std::size_t digits = end;
        while (digits > at + 1 && is_digit(text[digits - 1]))
            --digits;
        if (digits == end || digits == at + 1 || text.substr(at, end - at) == "%clock64") continue;
        found.push_back({std::string{text.substr(at + 1, digits - at - 1)},
                         number_at(text.substr(digits, end - digits))});
    }
    return found;
}

std::int64_t largest_offset_in(std::string_view text) {
    std::int64_t largest = 0;
    for (std::size_t at = text.find('+'); at != std::string_view::npos; at = text.find('+', at + 1))
        largest = std::max(largest, number_at(text.substr(at + 1)));
    return largest;
}

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())) != 0)
        text.remove_prefix(1);
    return text;
}

void add_statement(std::string_view statement, PtxEffects& effects) {
    statement = trimmed(statement);
    const auto read = [&](std::string_view text) {
        for (auto& reg : registers_in(text))
            if (std::find(effects.writes.begin(), effects.writes.end(), reg) ==
                effects.writes.end())
                effects.reads.push_back(std::move(reg));
    };
    if (!statement.empty() && statement.front() == '@') { // A guard predicate.
        const std::size_t end = std::min(statement.find(' '), statement.size());
        read(statement.substr(0, end));
        statement = trimmed(statement.substr(end));
    }
    const std::size_t name_end = std::min(statement.find_first_of(". "), statement.size());
    const std::string_view name = statement.substr(0, name_end);
    const std::size_t operands = std::min(statement.find(' '), statement.size());
    std::string_view rest = trimmed(statement.substr(operands));
    effects.largest_offset = std::max(effects.largest_offset, largest_offset_in(rest));
    if (std::find(without_result.begin(), without_result.end(), name) != without_result.end()) {
        read(rest);
        return;
    }
    const bool several = !rest.empty() && rest.front() == '{';
    const std::size_t first_end = std::min(rest.find(several ? '}' : ','), rest.size());
    read(rest.substr(first_end));
    for (auto& reg : registers_in(rest.substr(0, first_end)))
        effects.writes.push_back(std::move(reg));
}

} // namespace

PtxEffects effects_of_ptx(std::string_view statements) {
    PtxEffects effects;
    while (!statements.empty()) {
        const std::size_t end = std::min(statements.find(';'), statements.size());
        add_statement(statements.substr(0, end), effects);
        statements.remove_prefix(std::min(end + 1, statements.size()));
    }
    return effects;
}

} // namespace warpbound::harness
