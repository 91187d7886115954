/// \file
/// The inputs of the formulas of Voudouris 2014 from the text of a program.
#include "assembly/isa/program.hpp"
#include "models/formulas/voudouris.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>

namespace warpbound::models::voudouris {
namespace {

using assembly::Instruction;
using assembly::OpcodeClass;

/// L(d): until a result can be used.
Cycles latency(const Instruction& instruction, const Parameters& parameters) {
    if (is_global_load(instruction.opcode_class)) return Cycles{parameters.global_load};
    if (instruction.opcode_class == OpcodeClass::LoadShared) return Cycles{parameters.shared_load};
    if (instruction.opcode_class == OpcodeClass::SpecialFunction)
        return Cycles{parameters.special_dependent};
    return Cycles{parameters.dependent};
}

bool moves_control(const Instruction& instruction) {
    return instruction.control_flow != assembly::ControlFlow::None;
}

/// L_i of eq. 8.
Cycles hiding_cost(const ProfileStep& step, const Parameters& parameters) {
    if (is_global_load(step.opcode_class)) return Cycles{parameters.independent};
    if (is_global_store(step.opcode_class)) return Cycles{parameters.global_store};
    if (step.opcode_class == OpcodeClass::LoadShared) return Cycles{parameters.shared_load};
    if (step.opcode_class == OpcodeClass::StoreShared) return Cycles{parameters.shared_store};
    const bool dependent = !step.distances.empty() && step.distances.front() == 1;
    return Cycles{dependent ? parameters.dependent : parameters.independent};
}

bool is_modelled(OpcodeClass opcode_class) {
    switch (opcode_class) {
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
        const auto& effect = instruction.effects;
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

std::vector<HiddenLatency> hidden_latency_of(const Steps& steps, const Parameters& parameters) {
    const Cycles most{parameters.global_load};
    std::vector<HiddenLatency> loads;
    for (std::size_t load = 0; load < steps.size(); ++load) {
        if (!is_global_load(steps[load].opcode_class)) continue;
        HiddenLatency found{.load = load, .use = std::nullopt, .hidden = {}};
        // Once the whole cost is hidden, the use no longer matters.
        for (std::size_t at = load + 1; at < steps.size() && found.hidden < most; ++at) {
            if (std::ranges::binary_search(steps[at].distances,
                                           static_cast<std::int64_t>(at - load))) {
                found.use = at;
                break;
            }
            found.hidden = std::min(found.hidden + hiding_cost(steps[at], parameters), most);
        }
        loads.push_back(found);
    }
    return loads;
}

Result<ProfiledWarp> profile_of(const Steps& steps, const Parameters& parameters) {
    for (const auto& step : steps.kinds())
        if (!is_modelled(step.opcode_class))
            return Failure{fmt::format(
                "{}{} is not in the model of V14", to_string(step.opcode_class),
                step.address ? fmt::format(" at 0x{:04x}", *step.address) : std::string{})};
    ProfiledWarp profile{.counts = counts_of(steps), .hidden_latency = {}};
    for (const auto& load : hidden_latency_of(steps, parameters))
        profile.hidden_latency += load.hidden;
    return profile;
}

} // namespace warpbound::models::voudouris
