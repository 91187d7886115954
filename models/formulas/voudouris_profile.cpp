/// \file
/// What the formulas of Voudouris 2014 take from the text of a program.
#include "assembly/isa/effects.hpp"
#include "models/formulas/voudouris.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>

namespace warpbound::models::voudouris {
namespace {

using assembly::Instruction;
using assembly::OpcodeClass;

bool is_global_load(const Instruction& instruction) {
    return instruction.opcode_class == OpcodeClass::LoadGlobal ||
           instruction.opcode_class == OpcodeClass::LoadLocal;
}

bool is_global_store(const Instruction& instruction) {
    return instruction.opcode_class == OpcodeClass::StoreGlobal ||
           instruction.opcode_class == OpcodeClass::StoreLocal;
}

/// Both sorted.
bool overlap(const std::vector<assembly::Register>& a, const std::vector<assembly::Register>& b) {
    return std::ranges::any_of(
        a, [&b](assembly::Register reg) { return std::ranges::binary_search(b, reg); });
}

/// L(d): until a result can be used.
Cycles latency(const Instruction& instruction, const Parameters& parameters) {
    if (is_global_load(instruction)) return Cycles{parameters.global_load};
    if (instruction.opcode_class == OpcodeClass::LoadShared) return Cycles{parameters.shared_load};
    if (instruction.opcode_class == OpcodeClass::SpecialFunction)
        return Cycles{parameters.special_dependent};
    return Cycles{parameters.dependent};
}

bool moves_control(const Instruction& instruction) {
    return instruction.control_flow != assembly::ControlFlow::None;
}

/// The effects of instructions first..last.
std::vector<assembly::Effects> effects(const assembly::Function& function, std::size_t first,
                                       std::size_t last) {
    std::vector<assembly::Effects> all;
    for (std::size_t at = first; at <= last; ++at)
        all.push_back(assembly::effects_of(function.instructions[at], function.target));
    return all;
}

/// L_i of eq. 8.
Cycles hiding_cost(const Instruction& instruction, bool dependent, const Parameters& parameters) {
    if (is_global_load(instruction)) return Cycles{parameters.independent};
    if (is_global_store(instruction)) return Cycles{parameters.global_store};
    if (instruction.opcode_class == OpcodeClass::LoadShared) return Cycles{parameters.shared_load};
    if (instruction.opcode_class == OpcodeClass::StoreShared)
        return Cycles{parameters.shared_store};
    return Cycles{dependent ? parameters.dependent : parameters.independent};
}

std::int64_t& count_of(KernelProfile& profile, const Instruction& instruction, bool dependent) {
    if (is_global_load(instruction)) return profile.global_loads;
    if (is_global_store(instruction)) return profile.global_stores;
    if (instruction.opcode_class == OpcodeClass::LoadShared) return profile.shared_loads;
    if (instruction.opcode_class == OpcodeClass::StoreShared) return profile.shared_stores;
    return dependent ? profile.arithmetic_dependent : profile.arithmetic_independent;
}

bool is_modelled(const Instruction& instruction) {
    switch (instruction.opcode_class) {
    case OpcodeClass::AtomicShared:
    case OpcodeClass::AtomicGlobal:
    case OpcodeClass::Texture:
    case OpcodeClass::Unknown:
        return false;
    default:
        return true;
    }
}

} // namespace

Result<Schedule> schedule_of(const assembly::Function& function, std::size_t first,
                             std::size_t last, const Parameters& parameters) {
    if (first > last || last >= function.instructions.size())
        return Failure{.what = fmt::format("instructions {} to {} of {}; expected a range of the "
                                           "function",
                                           first, last, function.instructions.size()),
                       .where = {}};
    struct Producer {
        Cycles ready;
    };
    std::map<assembly::Register, Producer> producers;
    Schedule schedule;
    std::optional<Cycles> first_read;
    for (std::size_t at = first; at <= last; ++at) {
        const Instruction& instruction = function.instructions[at];
        if (moves_control(instruction) && at != last)
            return Failure{.what =
                               fmt::format("{} at 0x{:04x} moves control; expected a straight "
                                           "line",
                                           assembly::opcode_text(instruction), instruction.address),
                           .where = {},
                           .line = instruction.position.line};
        const auto effect = assembly::effects_of(instruction, function.target);
        Cycles issue;
        if (at != first) issue = schedule.steps.back().issue + Cycles{parameters.independent};
        for (const auto& reg : effect.reads)
            if (const auto producer = producers.find(reg); producer != producers.end())
                issue = std::max(issue, producer->second.ready);
        for (const auto& reg : effect.writes)
            producers[reg] = {.ready = issue + latency(instruction, parameters)};
        const Cycles done = issue + Cycles{parameters.dependent};
        schedule.steps.push_back({.issue = issue, .done = done});
        if (instruction.opcode_class != OpcodeClass::ClockRead) continue;
        if (first_read)
            schedule.measured = done - *first_read;
        else
            first_read = done;
    }
    return schedule;
}

std::vector<HiddenLatency> hidden_latency_of(const assembly::Function& function, std::size_t first,
                                             std::size_t last, const Parameters& parameters) {
    std::vector<HiddenLatency> loads;
    const auto all = effects(function, first, last);
    for (std::size_t load = 0; load < all.size(); ++load) {
        if (!is_global_load(function.instructions[first + load])) continue;
        HiddenLatency found{.load = first + load, .use = std::nullopt, .hidden = {}};
        const Cycles most{parameters.global_load};
        for (std::size_t at = load + 1; at < all.size(); ++at) {
            if (overlap(all[at].reads, all[load].writes)) {
                found.use = first + at;
                break;
            }
            const bool dependent = overlap(all[at].reads, all[at - 1].writes);
            const Cycles more =
                hiding_cost(function.instructions[first + at], dependent, parameters);
            found.hidden = std::min(found.hidden + more, most);
        }
        loads.push_back(found);
    }
    return loads;
}

Result<ProfiledFunction> profile_of(const assembly::Function& function,
                                    const assembly::ControlFlowGraph& graph,
                                    const std::vector<std::int64_t>& counts,
                                    const Parameters& parameters) {
    if (counts.size() != graph.blocks.size() || std::ranges::any_of(counts, [](std::int64_t count) {
            return count < 0 || count > 1'000'000'000'000;
        }))
        return Failure{.what = fmt::format("{} block counts; expected one from 0 to 10^12 for each "
                                           "of {} blocks",
                                           counts.size(), graph.blocks.size()),
                       .where = {}};
    ProfiledFunction profile;
    for (std::size_t index = 0; index < counts.size(); ++index) {
        const auto& block = graph.blocks[index];
        const auto all = effects(function, block.first, block.last);
        for (std::size_t at = block.first; at <= block.last; ++at) {
            const Instruction& instruction = function.instructions[at];
            if (!is_modelled(instruction))
                return Failure{.what = fmt::format("{} at 0x{:04x} is not in the model of V14",
                                                   assembly::opcode_text(instruction),
                                                   instruction.address),
                               .where = {},
                               .line = instruction.position.line};
            const std::size_t here = at - block.first;
            const bool dependent = here > 0 && overlap(all[here].reads, all[here - 1].writes);
            count_of(profile.counts, instruction, dependent) += counts[index];
        }
        for (const auto& load : hidden_latency_of(function, block.first, block.last, parameters)) {
            profile.hidden_latency += load.hidden * counts[index];
            profile.loads.push_back(load);
        }
    }
    return profile;
}

} // namespace warpbound::models::voudouris
