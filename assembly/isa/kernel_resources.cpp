#include "assembly/isa/kernel_resources.hpp"

#include "assembly/isa/operand_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>
#include <vector>

namespace warpbound::assembly {

namespace {

constexpr std::int64_t most_registers = 1024;
constexpr std::int64_t most_bytes = std::int64_t{1} << 30;

bool starts_with(std::string_view text, std::string_view start) {
    return text.substr(0, start.size()) == start;
}

/// A number, hexadecimal with `0x` or by `base`.
std::optional<std::int64_t> number_at(std::string_view text, int base = 10) {
    if (starts_with(text, "0x")) {
        text.remove_prefix(2);
        base = 16;
    }
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
    if (error != std::errc{} || end != text.data() + text.size() || value < 0) return std::nullopt;
    return value;
}

std::vector<std::string_view> words_of(std::string_view text) {
    std::vector<std::string_view> words;
    while (!(text = trimmed(text)).empty()) {
        const std::size_t end = std::min(text.find_first_of(" \t"), text.size());
        words.push_back(text.substr(0, end));
        text = text.substr(end);
    }
    return words;
}

} // namespace

KernelResources::Known& KernelResources::of(std::string_view kernel) {
    return known_[{std::string{kernel}, target_ ? target_->sm : 0}];
}

Result<void> KernelResources::note(std::optional<Value>& known, std::string_view what,
                                   std::int64_t count, std::int64_t most) const {
    if (count > most) return Failure{fmt::format("{} {}; expected at most {}", count, what, most)};
    if (known && known->count != count)
        return Failure{
            fmt::format("{} {}, but {} in line {}", count, what, known->count, known->line)};
    known = Value{count, number_};
    return boost::outcome_v2::success();
}

Result<void> KernelResources::note_registers(std::string_view kernel, std::int64_t count) {
    return note(of(kernel).registers, fmt::format("registers of kernel '{}'", kernel), count,
                most_registers);
}

Result<void> KernelResources::note_shared_memory(std::string_view kernel, std::int64_t bytes) {
    return note(of(kernel).shared_memory,
                fmt::format("bytes of shared memory of kernel '{}'", kernel), bytes, most_bytes);
}

/// `REG:26 STACK:0 SHARED:2560 LOCAL:0 ..`.
Result<void> KernelResources::usage(std::string_view text) {
    const std::string kernel = std::exchange(used_by_, {});
    for (const std::string_view word : words_of(text)) {
        const bool registers = starts_with(word, "REG:");
        if (!registers && !starts_with(word, "SHARED:")) continue;
        const auto count = number_at(word.substr(word.find(':') + 1));
        if (!count)
            return Failure{
                fmt::format("a number was expected in '{}' of kernel '{}'", word, kernel)};
        if (!registers && target_ && reserved_shared_memory(*target_) != 0) continue;
        if (auto noted =
                registers ? note_registers(kernel, *count) : note_shared_memory(kernel, *count);
            !noted)
            return noted;
    }
    return boost::outcome_v2::success();
}

Result<void> KernelResources::shared_section(std::string_view kernel, std::int64_t bytes) {
    const std::int64_t reserved = target_ ? reserved_shared_memory(*target_) : 0;
    if (bytes < reserved) return boost::outcome_v2::success();
    return note_shared_memory(kernel, bytes - reserved);
}

/// `23 40e0 1010 0 10 NOBITS 3 0 1b .nv.shared.k` of a section table: index, offset, size.
Result<void> KernelResources::section_row(std::string_view text) {
    constexpr std::size_t columns = 10;
    constexpr std::string_view shared = ".nv.shared.";
    const auto words = words_of(text);
    if (words.size() != columns || words[5] != "NOBITS" || !starts_with(words.back(), shared))
        return boost::outcome_v2::success();
    const auto bytes = number_at(words[2], 16);
    if (!bytes) return Failure{fmt::format("the size of a section was expected in '{}'", words[2])};
    return shared_section(words.back().substr(shared.size()), *bytes);
}

/// `.zero 4096` in a section `.nv.shared.k`.
Result<void> KernelResources::zeros(std::string_view text) {
    const auto bytes = number_at(trimmed(text.substr(text.find_first_of(" \t"))));
    if (!bytes) return Failure{fmt::format("a number was expected in '{}'", text)};
    if (shared_is_sized_)
        return Failure{fmt::format("one size of section .nv.shared.{} was expected", shared_of_)};
    shared_is_sized_ = true;
    return shared_section(shared_of_, *bytes);
}

/// `.byte 0x04, 0x2f` opens an attribute REGCOUNT, `.word index@(k)` names its kernel, `.word 26`
/// is the count.
Result<void> KernelResources::word(std::string_view text) {
    constexpr std::string_view index = "index@(";
    if (starts_with(text, ".byte")) {
        const auto bytes = words_of(text);
        counting_ = bytes.size() == 3 && bytes[1] == "0x04," && bytes[2] == "0x2f";
        counted_of_.clear();
    } else if (counting_ && starts_with(text, ".word")) {
        const std::string_view value = trimmed(text.substr(5));
        if (starts_with(value, index)) {
            counted_of_ = value.substr(index.size(), value.find(')') - index.size());
            return boost::outcome_v2::success();
        }
        if (counted_of_.empty()) return boost::outcome_v2::success();
        counting_ = false;
        const auto count = number_at(value);
        if (!count) return Failure{fmt::format("a number was expected in '{}'", text)};
        return note_registers(counted_of_, *count);
    }
    return boost::outcome_v2::success();
}

Result<void> KernelResources::line(std::string_view text, std::optional<Target> target,
                                   std::int64_t number) {
    constexpr std::string_view arch = "arch = ";
    constexpr std::string_view function = "Function ";
    constexpr std::string_view section = ".section";
    constexpr std::string_view shared = ".nv.shared.";
    constexpr std::string_view attribute = "function: ";
    constexpr std::string_view registers = "register count: ";
    number_ = number;
    if (starts_with(text, arch)) of_file_ = parse_target(trimmed(text.substr(arch.size())));
    target_ = of_file_ ? of_file_ : target;
    if (starts_with(text, function) && text.back() == ':') {
        used_by_ = text.substr(function.size(), text.size() - function.size() - 1);
    } else if (!used_by_.empty() && starts_with(text, "REG:")) {
        return usage(text);
    } else if (starts_with(text, section)) {
        std::string_view name = trimmed(text.substr(section.size()));
        name = name.substr(0, name.find(','));
        shared_of_ = starts_with(name, shared) ? name.substr(shared.size()) : std::string_view{};
        shared_is_sized_ = false;
        counting_ = false;
    } else if (!shared_of_.empty() && starts_with(text, ".zero") &&
               text.find_first_of(" \t") != std::string_view::npos) {
        return zeros(text);
    } else if (starts_with(text, ".byte") || starts_with(text, ".word")) {
        return word(text);
    } else if (const std::size_t at = text.find(attribute), count_at = text.find(registers);
               at != std::string_view::npos && count_at != std::string_view::npos) {
        const std::string_view named = text.substr(at + attribute.size());
        const std::string_view kernel = named.substr(0, named.find_first_of("( \t"));
        const auto words = words_of(text.substr(count_at + registers.size()));
        const auto count = number_at(words.empty() ? std::string_view{} : words.front());
        if (!count) return Failure{fmt::format("a number was expected after '{}'", registers)};
        return note_registers(kernel, *count);
    } else if (text.find(shared) != std::string_view::npos) {
        return section_row(text);
    }
    return boost::outcome_v2::success();
}

Result<void> KernelResources::add_to(Function& function) const {
    const auto contradiction = [](const Value& here, std::string_view what,
                                  std::int64_t elsewhere) {
        return Failure{.what = fmt::format("{} {}, but {} elsewhere", here.count, what, elsewhere),
                       .where = {},
                       .line = here.line};
    };
    for (const int sm : {function.target.sm, 0}) {
        const auto found = known_.find({function.name, sm});
        if (found == known_.end()) continue;
        const Known& known = found->second;
        if (known.registers) {
            if (function.register_count && *function.register_count != known.registers->count)
                return contradiction(*known.registers,
                                     fmt::format("registers of kernel '{}'", function.name),
                                     *function.register_count);
            function.register_count = static_cast<int>(known.registers->count);
        }
        const bool may_reserve = sm == 0 && reserved_shared_memory(function.target) != 0;
        if (known.shared_memory && !may_reserve) {
            if (function.shared_memory && *function.shared_memory != known.shared_memory->count)
                return contradiction(
                    *known.shared_memory,
                    fmt::format("bytes of shared memory of kernel '{}'", function.name),
                    *function.shared_memory);
            function.shared_memory = known.shared_memory->count;
        }
    }
    return boost::outcome_v2::success();
}

} // namespace warpbound::assembly
