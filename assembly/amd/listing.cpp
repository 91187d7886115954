#include "assembly/amd/listing.hpp"

#include "assembly/amd/counters.hpp"
#include "assembly/isa/target.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <variant>
#include <vector>

namespace warpbound::assembly::amd {

namespace {

/// `bytes`: of the instruction, where they are known.
std::string encoding_text(const Instruction& instruction, std::int64_t bytes) {
    if (!instruction.encoding) return {};
    constexpr unsigned half = 32;
    constexpr std::uint64_t low_half = 0xffffffffU;
    const std::uint64_t bits = instruction.encoding->low;
    const auto first = fmt::format("{:08x}", bits & low_half);
    const bool is_one_word = bytes == 4 || (bytes == 0 && bits >> half == 0);
    return is_one_word ? first : fmt::format("{} {:08x}", first, bits >> half);
}

std::string operand_text(const Operand& operand) {
    if (const auto* text = std::get_if<TextOperand>(&operand)) return text->text;
    const auto* target = std::get_if<TargetOperand>(&operand);
    return target != nullptr && target->address ? fmt::format("0x{:04x}", *target->address)
                                                : std::string{};
}

std::string instruction_text(const Instruction& instruction) {
    std::string text = instruction.mnemonic;
    const char* between = " ";
    for (const Operand& operand : instruction.operands) {
        text += between + operand_text(operand);
        between = ", ";
    }
    return text;
}

std::string counter_name(int scoreboard) {
    switch (scoreboard) {
    case vector_scoreboard:
        return "vmcnt";
    case scalar_scoreboard:
        return "lgkmcnt";
    case export_scoreboard:
        return "expcnt";
    default:
        return "vscnt";
    }
}

std::string remark_on(const Instruction& instruction) {
    std::vector<std::string> remarks;
    if (instruction.control && instruction.control->write_barrier)
        remarks.push_back("counts in " + counter_name(*instruction.control->write_barrier));
    if (instruction.guard && instruction.control_flow == ControlFlow::None)
        remarks.emplace_back("EXEC may be empty");
    return remarks.empty() ? std::string{} : fmt::format("; {}", fmt::join(remarks, ", "));
}

} // namespace

std::string listing_of(const Function& function) {
    std::string text = fmt::format("; {} for {}\n", function.name, to_string(function.target));
    const auto& code = function.instructions;
    for (std::size_t i = 0; i < code.size(); ++i) {
        const std::int64_t bytes = i + 1 < code.size() ? code[i + 1].address - code[i].address : 0;
        std::string line = fmt::format("0x{:04x}  {:<17}  {:<44}  {}", code[i].address,
                                       encoding_text(code[i], bytes), instruction_text(code[i]),
                                       remark_on(code[i]));
        line.erase(line.find_last_not_of(' ') + 1);
        text += line + '\n';
    }
    return text;
}

} // namespace warpbound::assembly::amd
