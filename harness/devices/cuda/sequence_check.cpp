#include "harness/devices/cuda/sequence_check.hpp"

#include "assembly/flow/dependences.hpp"
#include "assembly/isa/reader.hpp"
#include "harness/toolchain/disassembler.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace warpbound::harness::cuda {

namespace {

using State = SequenceVerdict::State;

SequenceVerdict unverified(const std::string& why) {
    return {State::Unverified, "unverified: " + why};
}

/// An instruction between the clock reads.
struct BuiltInstruction {
    const assembly::Instruction* instruction = nullptr;
    std::vector<std::size_t>
        producers; ///< Indices into the region: the instructions whose results it reads; ascending.
};
using BuiltRegion = std::vector<BuiltInstruction>;

/// Instructions `first` to `last`, both included. Requires: not first > last.
BuiltRegion region_of(const assembly::Function& function, std::size_t first, std::size_t last) {
    BuiltRegion region(last - first + 1);
    for (std::size_t i = 0; i < region.size(); ++i)
        region[i].instruction = &function.instructions[first + i];
    for (const auto& dependence : assembly::dependences_of(function, first, last))
        if (dependence.kind == assembly::DependenceKind::ReadAfterWrite)
            region[dependence.consumer - first].producers.push_back(dependence.producer - first);
    for (auto& of_one : region) {
        std::sort(of_one.producers.begin(), of_one.producers.end());
        of_one.producers.erase(std::unique(of_one.producers.begin(), of_one.producers.end()),
                               of_one.producers.end());
    }
    return region;
}

/// The role of an instruction in the control of a loop.
enum class LoopPart { None, Addition, Comparison, Branch };

LoopPart loop_part(const assembly::Instruction& instruction) {
    using enum assembly::OpcodeClass;
    const auto& name = instruction.mnemonic;
    if (instruction.opcode_class == Branch) return LoopPart::Branch;
    if (instruction.opcode_class == IntegerCompare || name == "UISETP") return LoopPart::Comparison;
    if (instruction.opcode_class == IntegerAdd || name.starts_with("UIADD"))
        return LoopPart::Addition;
    return LoopPart::None;
}

/// The text of an instruction in the listing, quoted.
std::string quoted(const BuiltInstruction& built) {
    return fmt::format("'{}'", assembly::print(*built.instruction));
}

/// The first result that passes between loop control and body, within one iteration or to the next;
/// empty: there is none. `twice`: two consecutive iterations.
std::string crossing_result(const BuiltRegion& twice) {
    const auto is_own = [&](std::size_t i) {
        return loop_part(*twice[i].instruction) != LoopPart::None;
    };
    for (std::size_t i = 0; i < twice.size(); ++i)
        for (const std::size_t producer : twice[i].producers)
            if (is_own(producer) != is_own(i))
                return fmt::format(
                    "{} reads the result of {}: one is the loop's own, the other is not",
                    quoted(twice[i]), quoted(twice[producer]));
    return {};
}

/// Removes the loop control: an addition, a comparison and, last, a branch. Returns what is wrong;
/// empty: exactly these were there, and no other instruction of their classes.
std::string without_loop(BuiltRegion& region) {
    const auto count = [&](LoopPart part) {
        return std::count_if(region.begin(), region.end(),
                             [&](const auto& one) { return loop_part(*one.instruction) == part; });
    };
    const auto additions = count(LoopPart::Addition);
    const auto comparisons = count(LoopPart::Comparison);
    const auto branches = count(LoopPart::Branch);
    if (additions != 1 || comparisons != 1 || branches != 1 || region.empty() ||
        loop_part(*region.back().instruction) != LoopPart::Branch)
        return fmt::format("the loop has {} additions, {} comparisons and {} branches of its own; "
                           "expected one of each, the branch last",
                           additions, comparisons, branches);
    assembly::Function two_trips;
    for (int trip = 0; trip < 2; ++trip)
        for (const auto& one : region)
            two_trips.instructions.push_back(*one.instruction);
    if (std::string wrong =
            crossing_result(region_of(two_trips, 0, two_trips.instructions.size() - 1));
        !wrong.empty())
        return wrong;
    std::vector<std::size_t> new_index(region.size(), 0); // After the removal.
    BuiltRegion rest;
    for (std::size_t i = 0; i < region.size(); ++i) {
        new_index[i] = rest.size();
        if (loop_part(*region[i].instruction) != LoopPart::None) continue;
        rest.push_back({region[i].instruction, {}});
        for (const std::size_t producer : region[i].producers)
            rest.back().producers.push_back(new_index[producer]);
    }
    region = std::move(rest);
    return {};
}

std::string chain_text(const std::vector<std::size_t>& producers) {
    if (producers.empty()) return "no other result";
    std::vector<std::size_t> numbers;
    for (const std::size_t producer : producers)
        numbers.push_back(producer + 1);
    return fmt::format("the result of {}", fmt::join(numbers, ", "));
}

std::string built_text(const BuiltInstruction& built) {
    return fmt::format("{} ({}, reads {})", quoted(built),
                       to_string(built.instruction->opcode_class), chain_text(built.producers));
}

std::string intended_text(const IntendedInstruction& intended) {
    return fmt::format("'{}' ({}, reads {})", intended.text, to_string(intended.opcode_class),
                       chain_text(intended.producers));
}

SequenceVerdict compare(BuiltRegion region, const PtxKernel& kernel, const std::string& tool) {
    if (kernel.loops)
        if (std::string wrong = without_loop(region); !wrong.empty())
            return {State::Differs, std::move(wrong)};
    const std::size_t intended_count = kernel.region.size();
    for (std::size_t i = 0; i < std::max(region.size(), intended_count); ++i) {
        const std::string is = i < region.size() ? built_text(region[i]) : "the second clock read";
        const std::string was =
            i < intended_count ? intended_text(kernel.region[i]) : "the second clock read";
        const bool same = i < region.size() && i < intended_count &&
                          region[i].instruction->opcode_class == kernel.region[i].opcode_class &&
                          region[i].producers == kernel.region[i].producers;
        if (!same)
            return {State::Differs,
                    fmt::format(
                        "of {} instructions built and {} intended, number {} is {}; expected {}",
                        region.size(), intended_count, i + 1, is, was)};
    }
    return {State::Verified, "verified with " + tool};
}

} // namespace

SequenceVerdict compare_sequence(const std::string& listing, const PtxKernel& kernel,
                                 const std::string& tool) {
    const auto program = assembly::read_program({tool, listing});
    if (!program)
        return unverified(
            fmt::format("the listing of {} cannot be read: {}", tool, to_string(program.error())));
    const auto function = assembly::find_function(program.value(), kernel.entry);
    if (!function)
        return unverified(fmt::format("the listing of {}: {}", tool, to_string(function.error())));
    const auto& instructions = function.value()->instructions;
    std::vector<std::size_t> reads;
    for (std::size_t i = 0; i < instructions.size(); ++i)
        if (instructions[i].opcode_class == assembly::OpcodeClass::ClockRead) reads.push_back(i);
    if (reads.size() != 2)
        return unverified(
            fmt::format("the code built reads the clock {} times; expected 2", reads.size()));
    const bool nothing = reads[0] + 1 == reads[1];
    return compare(nothing ? BuiltRegion{}
                           : region_of(*function.value(), reads[0] + 1, reads[1] - 1),
                   kernel, tool);
}

SequenceVerdict check_sequence(const std::string& image, const PtxKernel& kernel) {
    const auto disassembler = toolchain::find_disassembler();
    if (!disassembler) return unverified("neither nvdisasm nor cuobjdump was found");
    const auto listing = toolchain::disassemble(*disassembler, image);
    if (!listing) return unverified(to_string(listing.error()));
    return compare_sequence(listing.value(), kernel, disassembler->name);
}

} // namespace warpbound::harness::cuda
