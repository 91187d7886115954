#include "harness/devices/cuda/sequence_check.hpp"

#include "assembly/flow/dependences.hpp"
#include "assembly/isa/reader.hpp"
#include "harness/devices/cuda/disassembler.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace warpbound::harness::cuda {

namespace {

using State = SequenceVerdict::State;

SequenceVerdict unverified(const std::string& why) {
    return {State::Unverified, "unverified: " + why};
}

/// Instructions between the clock reads.
struct BuiltRegion {
    std::size_t first = 0; ///< Index into the function's instructions.
    std::size_t count = 0;
};

/// By position in the region: the positions whose results it reads; ascending.
std::vector<std::vector<std::size_t>> producers_in(const assembly::Function& function,
                                                   const BuiltRegion& region) {
    std::vector<std::vector<std::size_t>> producers(region.count);
    if (region.count == 0) return producers;
    for (const auto& dependence :
         assembly::dependences_of(function, region.first, region.first + region.count - 1))
        if (dependence.kind == assembly::DependenceKind::ReadAfterWrite)
            producers[dependence.consumer - region.first].push_back(dependence.producer -
                                                                    region.first);
    for (auto& of_one : producers) {
        std::sort(of_one.begin(), of_one.end());
        of_one.erase(std::unique(of_one.begin(), of_one.end()), of_one.end());
    }
    return producers;
}

std::string chain_text(const std::vector<std::size_t>& producers) {
    if (producers.empty()) return "no other's result";
    std::vector<std::size_t> numbers;
    for (const std::size_t producer : producers)
        numbers.push_back(producer + 1);
    return fmt::format("the result of {}", fmt::join(numbers, ", "));
}

std::string built_text(const assembly::Instruction& instruction,
                       const std::vector<std::size_t>& producers) {
    return fmt::format("'{}' ({}, reads {})", assembly::print(instruction),
                       to_string(instruction.opcode_class), chain_text(producers));
}

std::string meant_text(const MeantInstruction& meant) {
    return fmt::format("'{}' ({}, reads {})", meant.text, to_string(meant.opcode_class),
                       chain_text(meant.producers));
}

SequenceVerdict compare(const assembly::Function& function, const BuiltRegion& region,
                        const PtxKernel& kernel, const std::string& tool) {
    const auto producers = producers_in(function, region);
    const std::size_t meant_count = kernel.region.size();
    for (std::size_t i = 0; i < std::max(region.count, meant_count); ++i) {
        const std::string is =
            i < region.count ? built_text(function.instructions[region.first + i], producers[i])
                             : "the second clock read";
        const std::string was =
            i < meant_count ? meant_text(kernel.region[i]) : "the second clock read";
        const bool same =
            i < region.count && i < meant_count &&
            function.instructions[region.first + i].opcode_class == kernel.region[i].opcode_class &&
            producers[i] == kernel.region[i].producers;
        if (!same)
            return {State::Differs,
                    fmt::format("of {} instructions built and {} meant, number {} is {}; meant was "
                                "{}",
                                region.count, meant_count, i + 1, is, was)};
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
    return compare(*function.value(), {reads[0] + 1, reads[1] - reads[0] - 1}, kernel, tool);
}

SequenceVerdict check_sequence(const std::string& image, const PtxKernel& kernel) {
    const auto disassembler = find_disassembler();
    if (!disassembler) return unverified("neither nvdisasm nor cuobjdump is on PATH");
    const auto listing = disassemble(*disassembler, image);
    if (!listing) return unverified(to_string(listing.error()));
    return compare_sequence(listing.value(), kernel, disassembler->name);
}

} // namespace warpbound::harness::cuda
