#include "cli/inputs/launch_inputs.hpp"

#include "assembly/support/digest.hpp"
#include "cli/inputs/kernel_arguments.hpp"
#include "harness/execution/input_values.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string_view>

namespace warpbound::cli {

namespace {

using harness::execution::DeviceMemory;
using ParameterLayouts = std::optional<std::vector<assembly::KernelParameterLayout>>;

/// `Unit:` bytes of the parameter that an argument names; 4 for a word named by its offset.
std::int64_t size_of_argument(const ParameterLayouts& parameters, const std::string& name) {
    if (!parameters || name.substr(0, 2) == "0x") return 4;
    const auto* const found = find_parameter(*parameters, name);
    return found == nullptr ? 4 : found->size;
}

/// A pointer named by its offset takes two words.
void add_address(const std::string& name, std::uint64_t address,
                 std::vector<std::string>& arguments) {
    if (name.substr(0, 2) != "0x") {
        arguments.push_back(fmt::format("{}={}", name, address));
        return;
    }
    const auto offset = models::read_number(name).value_or(0);
    arguments.push_back(fmt::format("0x{:x}={}", offset, address & 0xffffffffU));
    arguments.push_back(fmt::format("0x{:x}={}", offset + 4, address >> 32U));
}

/// The arguments as whole numbers: buffers are added to the memory and become addresses.
Result<std::vector<std::string>> plain_arguments(const std::vector<std::string>& arguments,
                                                 const ParameterLayouts& parameters,
                                                 DeviceMemory& memory) {
    std::vector<std::string> plain;
    for (const std::string& argument : arguments) {
        const auto [name, value] = name_and_value(argument);
        if (harness::execution::is_buffer_form(value)) {
            auto buffer = harness::execution::read_buffer(name, value);
            if (!buffer) return buffer.as_failure();
            add_address(name, memory.add(std::move(buffer).value()), plain);
            continue;
        }
        const auto number =
            harness::execution::scalar_text(value, size_of_argument(parameters, name));
        if (!number)
            return Failure{fmt::format("--arg {}: expected a number, as 512, -1, 1.5 or f32:2, or "
                                       "{}",
                                       argument, harness::execution::buffer_forms)};
        plain.push_back(fmt::format("{}={}", name, *number));
    }
    return plain;
}

/// Refuses parameters that no argument states in full, all at once.
Result<void> check_parameters(const ParameterLayouts& parameters,
                              const models::ArgumentWords& words) {
    if (!parameters) return boost::outcome_v2::success();
    std::vector<std::string> missing;
    for (std::size_t index = 0; index < parameters->size(); ++index) {
        const auto& parameter = (*parameters)[index];
        for (std::int64_t word = parameter.offset / 4 * 4; word < parameter.offset + parameter.size;
             word += 4) {
            const auto found = words.find(word);
            if (found != words.end() && found->second.bits == 32) continue;
            missing.push_back(fmt::format("{}{}{}, {} bytes", index,
                                          parameter.name.empty() ? "" : ": ", parameter.name,
                                          parameter.size));
            break;
        }
    }
    if (missing.empty()) return boost::outcome_v2::success();
    return Failure{fmt::format("arguments that are not stated: {}; expected --arg NAME=VALUE, by "
                               "name or index, for each",
                               fmt::join(missing, "; "))};
}

std::string_view as_text(const std::vector<std::byte>& bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

} // namespace

std::pair<std::string, std::string> name_and_value(const std::string& text) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos) return {{}, text};
    return {text.substr(0, equals), text.substr(equals + 1)};
}

Result<void> add_data_arguments(const std::vector<std::string>& arguments,
                                const ParameterLayouts& parameters, DeviceMemory& memory,
                                models::ArgumentWords& words) {
    const auto plain = plain_arguments(arguments, parameters, memory);
    if (!plain) return plain.as_failure();
    if (auto added = add_arguments_to(words, plain.value(), parameters); !added) return added;
    return check_parameters(parameters, words);
}

std::string digest_of_inputs(const models::Launch& launch, const DeviceMemory& memory,
                             const std::map<std::int64_t, std::vector<std::byte>>& constants) {
    assembly::Digest digest;
    digest.add(models::to_string(launch));
    for (const auto& buffer : memory.buffers())
        digest.add(as_text(buffer.bytes));
    for (const auto& [bank, bytes] : constants) {
        digest.add(fmt::format("c[{}]", bank));
        digest.add(as_text(bytes));
    }
    return digest.text();
}

} // namespace warpbound::cli
