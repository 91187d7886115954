#include "harness/recorded_launch.hpp"

#include "models/architecture/pass_rule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <optional>

namespace warpbound::harness {

namespace {

/// A size in bytes, or a count; none where it is not described.
Result<std::optional<std::uint64_t>> size_of(const models::Architecture& architecture,
                                             std::string_view memory, std::string_view name) {
    const models::ValueGroup* const group = architecture.memory(memory);
    if (group == nullptr || group->find(name) == nullptr) return std::optional<std::uint64_t>{};
    const auto value =
        models::require(architecture, *group, fmt::format("memories/{}", memory), name);
    if (!value) return value.as_failure();
    return std::optional{static_cast<std::uint64_t>(value.value().hi)};
}

} // namespace

models::LaneAddresses RecordedWarp::addresses(std::size_t access, std::uint64_t bytes) const {
    constexpr std::uint64_t space = (std::uint64_t{1} << 48U) - 1; // As patterns (C21).
    const RecordedAccess& recorded = accesses[access];
    models::LaneAddresses lanes;
    lanes.active = recorded.active;
    lanes.bytes = bytes;
    std::uint64_t next = recorded.base;
    std::size_t position = recorded.first;
    for (RecordedLanes left = recorded.active; left != 0; left &= left - 1) {
        const auto lane = static_cast<std::size_t>(std::countr_zero(left));
        if (recorded.first == RecordedAccess::none) {
            lanes.address[lane] = next & space;
            next += static_cast<std::uint64_t>(recorded.stride);
        } else {
            lanes.address[lane] = listed[position++] & space;
        }
    }
    return lanes;
}

std::size_t RecordedWarp::size() const {
    return sizeof *this + stretches.size() * sizeof(RecordedStretch) +
           executing.size() * sizeof(RecordedLanes) + accesses.size() * sizeof(RecordedAccess) +
           listed.size() * sizeof(std::uint64_t);
}

std::int64_t RecordedBlock::issues() const {
    std::int64_t issues = 0;
    for (const RecordedWarp& warp : warps)
        for (const RecordedStretch& stretch : warp.stretches)
            issues += stretch.last - stretch.first + 1;
    return issues;
}

bool guard_decides_execution(const assembly::Instruction& instruction) {
    return assembly::is_guarded(instruction) && !instruction.guard->never() &&
           !assembly::transfers_control(instruction.control_flow) &&
           instruction.control_flow != assembly::ControlFlow::Exit;
}

bool has_recorded_addresses(const assembly::Instruction& instruction) {
    const models::PassRule rule = models::pass_rule(instruction);
    return rule != models::PassRule::None && rule != models::PassRule::Words;
}

Result<models::InstructionTiming> recorded_timing(const assembly::Instruction& instruction,
                                                  const models::Architecture& architecture,
                                                  models::InstructionTiming timing) {
    const models::PassRule rule = models::pass_rule(instruction);
    const bool shared = models::uses_banks(rule);
    const auto line = size_of(architecture, "l1", "line");
    const auto banks = size_of(architecture, "shared", "banks");
    const auto width = size_of(architecture, "shared", "bank-width");
    for (const auto* size : {&line, &banks, &width})
        if (!*size) return size->as_failure();
    if (const auto& memory = instruction.effects.memory)
        timing.access.bytes = static_cast<std::uint64_t>(std::max(1, memory->bytes_per_lane));
    if (shared && banks.value() && width.value()) {
        timing.access.rule = rule;
        timing.access.banks = *banks.value();
        timing.access.width = *width.value();
    } else if (!shared && line.value()) {
        timing.access.rule = rule;
        timing.access.line = *line.value();
        if (rule == models::PassRule::GlobalAtomic)
            timing.access.sector = models::sector_of_atomics(architecture);
    }
    using enum assembly::OpcodeClass;
    const auto opcode_class = instruction.opcode_class;
    timing.through_caches =
        architecture.memory("interconnect") != nullptr && rule != models::PassRule::None &&
        (opcode_class == LoadGlobal || opcode_class == LoadLocal || timing.enters_write_buffer);
    if (timing.access.rule == models::PassRule::Lines && !timing.through_caches && banks.value() &&
        width.value()) {
        timing.access.lines_per_pass = models::lines_per_pass_of(instruction, architecture);
        timing.access.banks = *banks.value();
        timing.access.width = *width.value();
    }
    if (const auto why = models::objection_to(timing.access, recorded_lane_count))
        return Failure{*why, architecture.name};
    if (timing.through_caches && timing.access.rule == models::PassRule::None)
        return Failure{
            "memories/l1/line is not described, and memories/interconnect leads accesses "
            "through the caches",
            architecture.name};
    return timing;
}

} // namespace warpbound::harness
