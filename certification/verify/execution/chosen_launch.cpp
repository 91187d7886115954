#include "certification/verify/execution/chosen_launch.hpp"

#include "harness/execution/launch_constants.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>
#include <variant>

namespace warpbound::certification::verify {

namespace {

namespace execution = harness::execution;

constexpr std::size_t buffer_bytes = std::size_t{4} << 20U;
constexpr std::size_t constant_bytes = std::size_t{1} << 16U;
constexpr std::int64_t most_shared_memory = 1 << 20U; ///< More than any machine has.
constexpr std::int64_t most_buffers = 16;
constexpr std::int64_t pair_bytes = 8;

/// Small, so that loops that count to it end and indices that it makes stay inside of buffers.
std::uint32_t small_number(std::uint64_t position) {
    constexpr std::uint64_t odd = 0x9e3779b97f4a7c15U;
    return static_cast<std::uint32_t>(position * odd >> 59U);
}

std::vector<std::byte> bytes_of(Choice::Data data, std::size_t size) {
    std::vector<std::byte> bytes(size);
    if (data == Choice::Data::Zeros) return bytes;
    for (std::size_t at = 0; at + 4 <= size; at += 4) {
        const std::uint32_t word = small_number(at / 4 + 1);
        std::memcpy(bytes.data() + at, &word, sizeof word);
    }
    return bytes;
}

/// Behind the last word of the parameters that the code names.
std::int64_t end_of_parameters(const assembly::Function& function, std::int64_t begin) {
    std::int64_t end = begin;
    for (const auto& instruction : function.instructions)
        for (const auto& operand : instruction.operands)
            if (const auto* constant = std::get_if<assembly::ConstantOperand>(&operand))
                if (constant->bank == 0) end = std::max(end, constant->offset + pair_bytes);
    return std::min<std::int64_t>(end, constant_bytes);
}

bool is_open(const models::Launch& launch, std::int64_t offset) {
    return !launch.arguments.contains(offset);
}

bool is_fixed(const models::Launch& launch, std::int64_t offset) {
    const auto word = launch.arguments.find(offset);
    return word != launch.arguments.end() && word->second.bits == 32;
}

/// Whether the stated low bits, if any, are those of `value`.
bool fits(const models::Launch& launch, std::int64_t offset, std::uint32_t value) {
    const auto word = launch.arguments.find(offset);
    if (word == launch.arguments.end()) return true;
    const std::uint64_t bits = (std::uint64_t{1} << word->second.bits) - 1;
    return ((value ^ word->second.value) & bits) == 0;
}

/// Fills the words one pair after the other.
class Arguments {
public:
    Arguments(models::Launch& launch, execution::DeviceMemory& memory, Choice choice)
        : launch_{launch}, memory_{memory}, choice_{choice} {}

    /// False: the stated bits of a pointer are those of no buffer.
    bool fill(std::int64_t offset) {
        const std::int64_t high = offset + 4;
        const bool is_unstated = is_open(launch_, offset) && is_open(launch_, high);
        const bool is_pointer = !is_fixed(launch_, offset) && is_open(launch_, high) &&
                                (choice_.pointers || !is_unstated) && buffers_ < most_buffers;
        if (is_pointer) return point(offset);
        number(offset);
        number(high);
        return true;
    }

private:
    bool point(std::int64_t offset) {
        ++buffers_;
        execution::Buffer buffer;
        buffer.bytes = bytes_of(choice_.data, buffer_bytes);
        const std::uint64_t address = memory_.add(std::move(buffer)) + buffer_bytes / 2;
        const auto low = static_cast<std::uint32_t>(address);
        if (!fits(launch_, offset, low)) return false;
        launch_.arguments[offset] = {low, 32};
        launch_.arguments[offset + 4] = {static_cast<std::uint32_t>(address >> 32U), 32};
        return true;
    }

    void number(std::int64_t offset) {
        if (is_fixed(launch_, offset)) return;
        const auto word = launch_.arguments.find(offset);
        const std::uint32_t value = word == launch_.arguments.end()
                                        ? small_number(static_cast<std::uint64_t>(offset))
                                        : word->second.value; // The bits above are 0.
        launch_.arguments[offset] = {value, 32};
    }

    models::Launch& launch_;
    execution::DeviceMemory& memory_;
    Choice choice_;
    std::int64_t buffers_ = 0;
};

} // namespace

Result<execution::LaunchInputs>
chosen_launch(const KernelCase& kernel, const assembly::ControlFlowGraph& graph, Choice choice) {
    const auto layout = execution::constant_layout(kernel.function->target);
    if (!layout) return layout.as_failure();
    const auto& stated = kernel.launch.shared_memory;
    const std::int64_t shared = stated.value_or(kernel.function->shared_memory.value_or(0));
    if (shared > most_shared_memory)
        return Failure{fmt::format("{} bytes of shared memory in a block", shared)};
    execution::LaunchInputs inputs;
    inputs.function = kernel.function;
    inputs.graph = &graph;
    inputs.launch = kernel.launch;
    Arguments arguments{inputs.launch, inputs.memory, choice};
    const std::int64_t begin = layout.value().parameters;
    for (std::int64_t offset = begin; offset < end_of_parameters(*kernel.function, begin);
         offset += pair_bytes)
        if (!arguments.fill(offset))
            return Failure{fmt::format("no buffer begins where c[0x0][0x{:x}] may lead", offset)};
    for (const std::int64_t bank : execution::named_banks(*kernel.function))
        inputs.constants[bank] = bytes_of(choice.data, constant_bytes);
    return inputs;
}

bool has_open_pairs(const KernelCase& kernel) {
    const auto layout = execution::constant_layout(kernel.function->target);
    if (!layout) return false;
    const std::int64_t begin = layout.value().parameters;
    for (std::int64_t offset = begin; offset < end_of_parameters(*kernel.function, begin);
         offset += pair_bytes)
        if (is_open(kernel.launch, offset) && is_open(kernel.launch, offset + 4)) return true;
    return false;
}

} // namespace warpbound::certification::verify
