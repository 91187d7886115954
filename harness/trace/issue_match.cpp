#include "harness/trace/issue_match.hpp"

#include <fmt/format.h>

namespace warpbound::harness::trace {

namespace {

using assembly::Instruction;

constexpr int zero_register = 255;

std::string register_text(std::optional<int> reg) {
    return reg ? fmt::format("R{}", *reg) : std::string{"no general register"};
}

} // namespace

std::optional<int> destination_of(const Instruction& instruction) {
    if (instruction.operands.empty()) return std::nullopt;
    const auto* reg = std::get_if<assembly::RegisterOperand>(&instruction.operands.front());
    if (reg == nullptr || reg->file != assembly::RegisterFile::General) return std::nullopt;
    return reg->index.value_or(zero_register);
}

Result<void> match_kernel(const assembly::Function& listing, std::string_view file,
                          const SassTrace& trace) {
    if (trace.kernel != listing.name)
        return Failure{fmt::format("a trace of kernel '{}'; '{}' of {} was expected", trace.kernel,
                                   listing.name, file),
                       ""};
    if (trace.binary_version != 0 && trace.binary_version != listing.target.sm)
        return Failure{fmt::format("a trace of sm_{} code; {} has {}", trace.binary_version, file,
                                   to_string(listing.target)),
                       ""};
    return boost::outcome_v2::success();
}

Result<std::size_t> match_issue(const assembly::Function& listing, std::string_view file,
                                const TracedIssue& issue) {
    const auto index = listing.index_of(issue.address);
    if (!index)
        return Failure{fmt::format("0x{:04x} is no instruction of kernel '{}' in {}", issue.address,
                                   listing.name, file),
                       ""};
    const Instruction& instruction = listing.instructions[*index];
    const std::string opcode = assembly::opcode_text(instruction);
    const std::string listed = fmt::format("{} ({}:{})", opcode, file, instruction.position.line);
    if (opcode != issue.opcode)
        return Failure{fmt::format("{} at 0x{:04x}, where the listing has {}", issue.opcode,
                                   issue.address, listed),
                       ""};
    const auto expected = destination_of(instruction);
    const auto found = issue.destinations.empty() ? std::optional<int>{}
                                                  : std::optional{issue.destinations.front()};
    // From version 6 on all registers of a wide destination are recorded.
    bool consecutive = true;
    for (std::size_t i = 1; i < issue.destinations.size(); ++i)
        consecutive = consecutive && issue.destinations[i] == issue.destinations[i - 1] + 1;
    if (!consecutive || found != expected)
        return Failure{fmt::format("{} at 0x{:04x} writes {}, where the listing has {} with {}",
                                   issue.opcode, issue.address, register_text(found), listed,
                                   register_text(expected)),
                       ""};
    return *index;
}

} // namespace warpbound::harness::trace
