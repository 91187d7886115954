#include "certification/verify/execution/chosen_launch.hpp"

#include "harness/execution/launch_constants.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <set>
#include <utility>
#include <variant>
#include <vector>

namespace warpbound::certification::verify {

namespace {

namespace execution = harness::execution;

constexpr std::size_t buffer_bytes = std::size_t{4} << 20U;
constexpr std::size_t constant_bytes = std::size_t{1} << 16U;
constexpr std::int64_t most_shared_memory = 1 << 20U; ///< More than any machine has.
constexpr std::int64_t most_buffers = 16;
constexpr std::int64_t pair_bytes = 8;

/// 0, 1 and -1, and what the code compares with; each with its neighbours.
std::vector<std::uint32_t> constants_of_comparisons(const assembly::Function& function) {
    std::set<std::uint32_t> compared{0};
    for (const auto& instruction : function.instructions) {
        if (instruction.mnemonic != "ISETP") continue;
        for (const auto& operand : instruction.operands)
            if (const auto* immediate = std::get_if<assembly::ImmediateOperand>(&operand);
                immediate != nullptr && immediate->integer)
                compared.insert(static_cast<std::uint32_t>(*immediate->integer));
    }
    std::set<std::uint32_t> all;
    for (const std::uint32_t number : compared)
        all.insert({number - 1, number, number + 1});
    return {all.begin(), all.end()};
}

/// The words of a choice.
class Numbers {
public:
    Numbers(const assembly::Function& function, Choice choice) : choice_{choice} {
        if (choice.data == Choice::Data::ComparedNumbers)
            some_ = constants_of_comparisons(function);
    }

    /// Small, so that loops that count to it end and indices that it makes stay inside of buffers;
    /// or one of those compared, in even rounds the next one for each word.
    [[nodiscard]] std::uint32_t at(std::uint64_t position) const {
        constexpr std::uint64_t odd = 0x9e3779b97f4a7c15U;
        constexpr std::uint64_t other = 0xd1b54a32d192ed03U;
        if (some_.empty()) return static_cast<std::uint32_t>(position * odd >> 59U);
        const std::uint64_t turn = choice_.round / 2;
        const std::uint64_t mixed = choice_.round % 2 == 0
                                        ? (position * odd >> 32U) + turn
                                        : (position + (turn + 1) * other) * odd >> 32U;
        return some_[mixed % some_.size()];
    }

    [[nodiscard]] std::vector<std::byte> bytes(std::size_t size) const {
        std::vector<std::byte> bytes(size);
        if (choice_.data == Choice::Data::Zeros) return bytes;
        for (std::size_t word = 0; word < size / 4; ++word) {
            const std::uint32_t number = at(word + 1);
            std::memcpy(bytes.data() + 4 * word, &number, sizeof number);
        }
        return bytes;
    }

private:
    Choice choice_;
    std::vector<std::uint32_t> some_;
};

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
    Arguments(models::Launch& launch, execution::DeviceMemory& memory, const Numbers& numbers,
              bool pointers)
        : launch_{launch}, memory_{memory}, numbers_{numbers}, pointers_{pointers} {}

    /// False: the stated bits of a pointer are those of no buffer.
    bool fill(std::int64_t offset) {
        const std::int64_t high = offset + 4;
        const bool is_unstated = is_open(launch_, offset) && is_open(launch_, high);
        const bool is_pointer = !is_fixed(launch_, offset) && is_open(launch_, high) &&
                                (pointers_ || !is_unstated) && buffers_ < most_buffers;
        if (is_pointer) return point(offset);
        number(offset);
        number(high);
        return true;
    }

private:
    bool point(std::int64_t offset) {
        ++buffers_;
        execution::Buffer buffer;
        buffer.bytes = numbers_.bytes(buffer_bytes);
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
                                        ? numbers_.at(static_cast<std::uint64_t>(offset))
                                        : word->second.value; // The bits above are 0.
        launch_.arguments[offset] = {value, 32};
    }

    models::Launch& launch_;
    execution::DeviceMemory& memory_;
    const Numbers& numbers_;
    bool pointers_;
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
    const Numbers numbers{*kernel.function, choice};
    Arguments arguments{inputs.launch, inputs.memory, numbers, choice.pointers};
    const std::int64_t begin = layout.value().parameters;
    for (std::int64_t offset = begin; offset < end_of_parameters(*kernel.function, begin);
         offset += pair_bytes)
        if (!arguments.fill(offset))
            return Failure{fmt::format("no buffer begins where c[0x0][0x{:x}] may lead", offset)};
    for (const std::int64_t bank : execution::named_banks(*kernel.function))
        inputs.constants[bank] = numbers.bytes(constant_bytes);
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
