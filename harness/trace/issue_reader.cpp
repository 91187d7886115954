#include "harness/trace/issue_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warpbound::harness::trace {

namespace {

constexpr int register_limit = 255;
constexpr std::int64_t operand_limit = 8;
constexpr std::int64_t operand_limit_of_values = 32;
constexpr std::int64_t version_with_values = 6;
constexpr int widest_access = 16; // `Unit:` bytes.

/// Access width from `.64`, `.U8`, `.128` in the opcode; 4 bytes without.
int width_of(std::string_view opcode) {
    for (std::size_t dot = opcode.find('.'); dot != std::string_view::npos;
         dot = opcode.find('.', dot + 1)) {
        std::string_view part = opcode.substr(dot + 1, opcode.find('.', dot + 1) - dot - 1);
        if (!part.empty() && (part.front() == 'U' || part.front() == 'S')) part.remove_prefix(1);
        int bits = 0;
        const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), bits);
        if (error == std::errc{} && end == part.data() + part.size() && bits >= 8 &&
            bits <= 8 * widest_access && bits % 8 == 0)
            return bits / 8;
    }
    return 4;
}

bool is_bulk_copy(std::string_view opcode) {
    return opcode.substr(0, 4) == "UTMA" || opcode.substr(0, 4) == "UBLK";
}

/// "Val", "NoVal": whether the values of registers follow.
bool is_values(std::string_view word) {
    return word == "Val" || word == "NoVal";
}

/// A decimal number of 64 bits, with or without sign.
bool is_immediate(std::string_view word) {
    const char* const end = word.data() + word.size();
    const auto is = [&](auto number) {
        const auto [stop, error] = std::from_chars(word.data(), end, number);
        return error == std::errc{} && stop == end;
    };
    return is(std::int64_t{}) || is(std::uint64_t{});
}

bool is_contiguous(std::uint32_t mask) {
    const std::uint32_t shifted = mask == 0 ? 0 : mask >> std::countr_zero(mask);
    return (shifted & (shifted + 1)) == 0;
}

/// Operands of one kind. Predicates and uniform registers are counted and not kept.
struct ReadRegisters {
    std::vector<int> general;
    std::int64_t count = 0; ///< All of them.
};

bool has_values(const IssueForm& form) {
    return form.tracer_version >= version_with_values;
}

Result<ReadRegisters> registers_of(Line& line, std::string_view what, const IssueForm& form) {
    const auto count =
        line.decimal(what, 0, has_values(form) ? operand_limit_of_values : operand_limit);
    if (!count) return count.as_failure();
    ReadRegisters registers{{}, count.value()};
    for (std::int64_t operand = 0; operand < count.value(); ++operand) {
        Word word = line.next();
        const std::string_view file =
            word.text.substr(0, std::min(word.text.find_first_of("0123456789"), word.text.size()));
        const bool is_other = has_values(form) && (file == "UR" || file == "UP" || file == "P");
        if (!is_other && (word.text.empty() || word.text.front() != 'R'))
            return line.refuse(
                fmt::format("'{}' is no register; expected R0..R{}", word.text, register_limit),
                word.column);
        word.text.remove_prefix(is_other ? file.size() : 1);
        const auto number = line.decimal(word, "register", 0, register_limit);
        if (!number) return number.as_failure();
        if (!is_other) registers.general.push_back(static_cast<int>(number.value()));
    }
    return registers;
}

Result<void> take_addresses(Line& line, TracedIssue& issue) {
    const auto form = line.decimal("form of addresses", 0, 2);
    if (!form) return form.as_failure();
    constexpr auto any = std::numeric_limits<std::uint64_t>::max();
    constexpr std::int64_t far = std::numeric_limits<std::int64_t>::max();
    PackedAddresses& addresses = issue.addresses;
    addresses.form = static_cast<PackedAddresses::Form>(form.value());
    const int active = std::popcount(issue.mask);
    if (addresses.form == PackedAddresses::Form::List) {
        for (int lane = 0; lane < active; ++lane) {
            const auto address = line.hexadecimal("address", any);
            if (!address) return address.as_failure();
            addresses.numbers.push_back(static_cast<std::int64_t>(address.value()));
        }
        return boost::outcome_v2::success();
    }
    const auto base = line.hexadecimal("address", any);
    if (!base) return base.as_failure();
    addresses.base = base.value();
    const bool stride = addresses.form == PackedAddresses::Form::Stride;
    if (stride && !is_contiguous(issue.mask))
        return line.refuse(
            fmt::format("a stride for the lanes {:08x}, which are not contiguous", issue.mask));
    for (int left = stride ? 1 : active - 1; left > 0; --left) {
        const auto number = line.decimal(stride ? "stride" : "difference", -far, far);
        if (!number) return number.as_failure();
        addresses.numbers.push_back(number.value());
    }
    return boost::outcome_v2::success();
}

/// What is behind the addresses: immediates, and from version 6 on `NoVal`, or `Val` and what
/// each register held, as one value or one of each lane. `registers`: all operands.
Result<void> take_rest(Line& line, const IssueForm& form, std::int64_t registers) {
    Word word = line.next();
    if (!word.text.empty() && !form.has_immediate)
        return line.refuse(fmt::format("unexpected '{}' after the instruction", word.text),
                           word.column);
    const int immediates = has_values(form) ? 2 : 1;
    for (int i = 0; i < immediates && !word.text.empty() && !is_values(word.text); ++i) {
        if (!is_immediate(word.text))
            return line.refuse(fmt::format("'{}' is no immediate", word.text), word.column);
        word = line.next();
    }
    if (has_values(form) && is_values(word.text)) {
        for (std::int64_t i = 0; word.text == "Val" && i < registers; ++i) {
            const auto count = line.decimal("number of values, 1 or 32", 1, trace_lanes);
            if (!count) return count.as_failure();
            if (count.value() != 1 && count.value() != trace_lanes)
                return line.refuse("a register with neither one value nor one of each lane");
            for (std::int64_t lane = 0; lane < count.value(); ++lane)
                if (const auto value = line.hexadecimal("value of a register", 0xffffffffU); !value)
                    return value.as_failure();
        }
        word = line.next();
    }
    if (!word.text.empty())
        return line.refuse(fmt::format("unexpected '{}' after the immediate", word.text),
                           word.column);
    return boost::outcome_v2::success();
}

} // namespace

Result<TracedIssue> read_issue(Line& line, const IssueForm& form) {
    TracedIssue issue;
    if (form.has_source_line) {
        const auto number =
            line.decimal("source line", 0, std::numeric_limits<std::int32_t>::max());
        if (!number) return number.as_failure();
        issue.line = number.value();
    }
    const auto address = line.hexadecimal("address of an instruction", 0x7fffffffU);
    if (!address) return address.as_failure();
    issue.address = static_cast<std::int64_t>(address.value());
    const auto mask = line.hexadecimal("mask of lanes", 0xffffffffU);
    if (!mask) return mask.as_failure();
    issue.mask = static_cast<std::uint32_t>(mask.value());
    auto destinations = registers_of(line, "number of destinations", form);
    if (!destinations) return destinations.as_failure();
    issue.destinations = std::move(destinations.value().general);
    const Word opcode = line.next();
    if (opcode.text.empty() || opcode.text.front() < 'A' || opcode.text.front() > 'Z')
        return line.refuse(fmt::format("'{}' is no opcode", opcode.text), opcode.column);
    if (is_bulk_copy(opcode.text))
        return line.refuse(fmt::format("bulk copies ({}) are not read", opcode.text),
                           opcode.column);
    issue.opcode = std::string{opcode.text};
    auto sources = registers_of(line, "number of sources", form);
    if (!sources) return sources.as_failure();
    if (has_values(form) && issue.opcode.find("GMMA") != std::string::npos)
        if (const auto flag = line.decimal("flag of a group of GMMA", 0, 1); !flag)
            return flag.as_failure();
    issue.sources = std::move(sources.value().general);
    const auto width = line.decimal("memory width", 0, 1 << 20);
    if (!width) return width.as_failure();
    if (width.value() > 0) {
        issue.width = width_of(issue.opcode);
        const auto taken = take_addresses(line, issue);
        if (!taken) return taken.as_failure();
    }
    const std::int64_t registers = destinations.value().count + sources.value().count;
    if (const auto ended = take_rest(line, form, registers); !ended) return ended.as_failure();
    return issue;
}

} // namespace warpbound::harness::trace
