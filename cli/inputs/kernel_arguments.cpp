#include "cli/inputs/kernel_arguments.hpp"

#include "harness/execution/input_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace warpbound::cli {

namespace {

using assembly::KernelParameterLayout;
using Parameters = std::vector<KernelParameterLayout>;

constexpr std::uint64_t word_values = std::uint64_t{1} << 32U;

Failure refused(const std::string& argument, const std::string& what) {
    return Failure{fmt::format("--arg {}: {}", argument, what)};
}

/// The value in two's complement; nothing where it does not fit the size.
std::optional<std::uint64_t> read_value(std::string_view text, std::int64_t size) {
    const bool negative = !text.empty() && text.front() == '-';
    const auto number = models::read_number(text.substr(negative ? 1 : 0));
    if (!number) return std::nullopt;
    const std::uint64_t values = size == 4 ? word_values : 0; // 0: 2^64.
    const std::uint64_t largest = negative ? (values - 1) / 2 + 1 : values - 1;
    if (*number > largest) return std::nullopt;
    return negative ? 0 - *number : *number;
}

/// Also with a type, as f32:1.5. Without one, 1e3 might be meant as a whole number.
std::optional<std::uint64_t> read_number_of(std::string_view text, std::int64_t size) {
    if (text.find(':') == std::string_view::npos) return read_value(text, size);
    const auto bits = harness::execution::scalar_text(text, size);
    return bits ? read_value(*bits, size) : std::nullopt;
}

/// Of a buffer with data, as an executed launch has it, what holds for any data: the pointer.
/// Other arguments as they are.
Result<std::string> pointer_of(const std::string& argument) {
    const std::size_t equals = std::min(argument.find('='), argument.size() - 1);
    const std::string_view value = std::string_view{argument}.substr(equals + 1);
    if (!harness::execution::is_buffer_form(value)) return argument;
    const std::string name = argument.substr(0, equals);
    if (auto checked = harness::execution::check_buffer_form(name, value); !checked)
        return checked.as_failure();
    return name + "=disjoint:256";
}

/// The word of a parameter, `index` words from its beginning, as `add_argument_word` reads it.
std::string word_text(const KernelParameterLayout& parameter, std::int64_t index,
                      std::uint64_t value) {
    return fmt::format("0x{:x}={}", parameter.offset + 4 * index, value % word_values);
}

Result<void> add_words(models::ArgumentWords& words, const std::string& argument,
                       const KernelParameterLayout& parameter, std::string_view value) {
    if ((parameter.size != 4 && parameter.size != 8) || parameter.offset % 4 != 0)
        return refused(argument,
                       fmt::format("this parameter has {} bytes at 0x{:x}; values are stated of "
                                   "parameters of 4 or 8 bytes, or of single words: --arg "
                                   "0x{:x}=VALUE",
                                   parameter.size, parameter.offset,
                                   parameter.offset - parameter.offset % 4));
    std::vector<std::string> texts;
    if (value.rfind("multiple:", 0) == 0 || value.rfind("disjoint:", 0) == 0) {
        texts.push_back(fmt::format("0x{:x}={}", parameter.offset, value));
    } else {
        const auto number = read_number_of(value, parameter.size);
        if (!number)
            return refused(argument,
                           fmt::format("expected a whole number of {} bits, one in "
                                       "floating point with its type, as {}:1.5, "
                                       "multiple:N or disjoint:N",
                                       8 * parameter.size, parameter.size == 4 ? "f32" : "f64"));
        texts.push_back(word_text(parameter, 0, *number));
        if (parameter.size == 8) texts.push_back(word_text(parameter, 1, *number / word_values));
    }
    for (const std::string& text : texts)
        if (auto added = models::add_argument_word(text, words); !added)
            return refused(argument, added.error().what);
    return boost::outcome_v2::success();
}

/// Where the names are, in case the file has none.
std::string advice_on_names(const Parameters& parameters) {
    const bool has_names = std::ranges::any_of(
        parameters, [](const KernelParameterLayout& one) { return !one.name.empty(); });
    if (has_names || parameters.empty()) return "";
    return "; a binary holds no names: give their numbers, as in --arg 0=512, or the .cu or PTX "
           "file";
}

} // namespace

const KernelParameterLayout* find_parameter(const Parameters& parameters, std::string_view key) {
    if (const auto index = models::read_number(key))
        return *index < parameters.size() ? &parameters[static_cast<std::size_t>(*index)] : nullptr;
    const auto found =
        std::find_if(parameters.begin(), parameters.end(),
                     [&](const KernelParameterLayout& one) { return one.name == key; });
    return key.empty() || found == parameters.end() ? nullptr : &*found;
}

std::string parameter_list(const Parameters& parameters) {
    std::string out;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        const KernelParameterLayout& one = parameters[i];
        out += fmt::format("{}{}: {}{}{} bytes at 0x{:x}", i == 0 ? "" : "; ", i, one.name,
                           one.name.empty() ? "" : ", ", one.size, one.offset);
    }
    return out.empty() ? "none" : out;
}

std::string parameter_key(const Parameters& parameters, std::int64_t offset) {
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        const KernelParameterLayout& one = parameters[i];
        if (offset < one.offset || offset >= one.offset + one.size) continue;
        return one.name.empty() ? std::to_string(i) : one.name;
    }
    return fmt::format("0x{:x}", offset);
}

Result<void> add_arguments_to(models::ArgumentWords& words,
                              const std::vector<std::string>& arguments,
                              const std::optional<Parameters>& parameters) {
    for (const std::string& stated : arguments) {
        const auto without_data = pointer_of(stated);
        if (!without_data) return without_data.as_failure();
        const std::string& argument = without_data.value();
        const std::size_t equals = argument.find('=');
        const std::string_view key = std::string_view{argument}.substr(0, equals);
        if (equals == std::string::npos || key.substr(0, 2) == "0x") {
            if (auto added = models::add_argument_word(argument, words); !added)
                return refused(argument, added.error().what);
            continue;
        }
        if (!parameters)
            return refused(argument, "a listing does not say where parameters lie; give a cubin, "
                                     "or the offset in constant bank 0, as in --arg 0x160=512");
        const KernelParameterLayout* parameter = find_parameter(*parameters, key);
        if (parameter == nullptr)
            return refused(argument,
                           fmt::format("no parameter '{}'; the kernel's parameters: {}{}", key,
                                       parameter_list(*parameters), advice_on_names(*parameters)));
        if (auto added = add_words(words, argument, *parameter,
                                   std::string_view{argument}.substr(equals + 1));
            !added)
            return added;
    }
    return boost::outcome_v2::success();
}

} // namespace warpbound::cli
