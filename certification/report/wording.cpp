/// \file
/// Shared phrases, and the text that is safe to print.
#include "certification/report/wording.hpp"

#include <fmt/format.h>

namespace warpbound::certification {

namespace {

unsigned byte_at(std::string_view text, std::size_t at) {
    return at < text.size() ? static_cast<unsigned char>(text[at]) : 0U;
}

/// Length in bytes of the UTF-8 character at an offset; 0 where XML 1.0 allows no such character.
std::size_t character_length(std::string_view text, std::size_t at) {
    const unsigned first = byte_at(text, at);
    if (first < 0x80) return first < 0x20 || first == 0x7F ? 0 : 1;
    const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
    if (first < 0xC2 || first > 0xF4) return 0;
    unsigned code = first & (0xFFU >> (length + 1));
    for (std::size_t i = 1; i < length; ++i) {
        const unsigned next = byte_at(text, at + i);
        if ((next & 0xC0U) != 0x80U) return 0;
        code = (code << 6U) | (next & 0x3FU);
    }
    const bool overlong = (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
    const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
    const bool control = code < 0xA0 || code == 0xFFFE || code == 0xFFFF;
    return overlong || surrogate || control || code > 0x10FFFF ? 0 : length;
}

} // namespace

std::string verdict_of(const Report& report) {
    using models::DeadlineVerdict;
    if (report.refuted()) return "refuted";
    const auto deadline = report.deadline_verdict();
    if (deadline == DeadlineVerdict::Violated) return "violated";
    if (deadline == DeadlineVerdict::Undecided || !report.undecided.empty()) return "undecided";
    return report.compared() || deadline ? "holds" : "none";
}

std::string time_text(models::Nanoseconds time, analyzer::Side side) {
    return models::to_string(side == analyzer::Side::Upper ? models::rounded_up(time)
                                                           : models::rounded_down(time));
}

std::string value_phrase(const Report& report, const Claim& claim) {
    const auto time = report.time_of(claim);
    return fmt::format("{} {}{}", claim.value, claim.unit,
                       time ? ", " + time_text(*time, claim.side) : "");
}

std::string deadline_phrase(const Report& report) {
    const auto verdict = report.deadline_verdict().value();
    const models::Cycles upper{report.claim("execution-time", analyzer::Side::Upper)->value};
    const auto range = report.clock ? std::optional{report.clock->range} : std::nullopt;
    const std::string margin = models::margin_text(upper, *report.deadline, range);
    switch (verdict) {
    case models::DeadlineVerdict::Met:
        return "met, margin " + margin;
    case models::DeadlineVerdict::Violated:
        return "violated: even the lower bound ends after it";
    case models::DeadlineVerdict::Undecided:
        break;
    }
    return fmt::format("undecided: it lies between the bounds; the upper bound needs {} more",
                       margin.substr(margin.starts_with('-') ? 1 : 0));
}

std::string clock_phrase(const std::optional<models::Clock>& clock) {
    if (!clock)
        return "unknown: times are core cycles only; state --clock LO..HI, such as "
               "1350..1590MHz, for seconds";
    return fmt::format("{} ({})", models::to_string(clock->range), clock->source);
}

std::string_view side_name(analyzer::Side side) {
    return side == analyzer::Side::Upper ? "upper" : "lower";
}

std::string kind_phrase(const Report& report, const Claim& claim) {
    switch (claim.kind) {
    case ClaimKind::ProvedBound:
        return "proved bound";
    case ClaimKind::BoundUnderAssumptions:
        return fmt::format("bound under assumptions, {} unchecked",
                           report.unchecked_assumptions(claim));
    default:
        return std::string{to_string(claim.kind)};
    }
}

std::string launch_text(const std::string& launch, std::int64_t multiprocessors) {
    return multiprocessors == 1 ? launch
                                : fmt::format("{} on {} multiprocessors", launch, multiprocessors);
}

std::string launch_text(const Report& report) {
    return launch_text(models::to_string(report.launch), report.multiprocessors);
}

std::string address_text(std::int64_t address) {
    return fmt::format("0x{:04x}", address);
}

std::string quantity_phrase(std::string_view quantity) {
    std::string out{quantity};
    for (char& c : out)
        if (c == '-') c = ' ';
    return out;
}

std::string joined(const std::vector<std::string>& parts, std::string_view separator) {
    std::string out;
    for (const auto& part : parts) {
        if (!out.empty()) out += separator;
        out += part;
    }
    return out;
}

std::string_view subject_title(analyzer::AssumptionSubject subject) {
    switch (subject) {
    case analyzer::AssumptionSubject::Code:
        return "about the code";
    case analyzer::AssumptionSubject::User:
        return "about you: what was stated, and how the launch runs";
    case analyzer::AssumptionSubject::Machine:
        return "about the machine";
    case analyzer::AssumptionSubject::NotModelled:
        break;
    }
    return "not modelled: effects that must not occur";
}

std::int64_t stack_total(const Report& report) {
    std::int64_t total = 0;
    for (const auto& [category, cycles] : report.stack)
        total += cycles;
    return total;
}

std::string printable(std::string_view text) {
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t length = character_length(text, at);
        if (length == 0) {
            out += '?';
            ++at;
        } else {
            out += text.substr(at, length);
            at += length;
        }
    }
    return out;
}

} // namespace warpbound::certification
