#include "certification/verify/policies/path_states.hpp"

#include "models/units.hpp"

#include <algorithm>

namespace warpbound::certification::verify {

namespace {

/// Two states are equal where these are.
std::vector<std::int64_t> numbers_of(std::size_t next, std::int64_t ready,
                                     const Outstanding& left) {
    std::vector<std::int64_t> numbers{static_cast<std::int64_t>(next), ready};
    const auto add = [&](std::int64_t number) { numbers.push_back(number); };
    add(static_cast<std::int64_t>(left.registers.size()));
    for (const auto& [reg, cycles] : left.registers) {
        add(static_cast<std::int64_t>(reg.file));
        add(reg.index);
        add(cycles);
    }
    add(static_cast<std::int64_t>(left.ports.size()));
    for (const auto& [unit, cycles] : left.ports) {
        add(static_cast<std::int64_t>(unit));
        add(cycles);
    }
    for (const auto& releases : left.scoreboards) {
        add(static_cast<std::int64_t>(releases.size()));
        for (const std::int64_t cycles : releases)
            add(cycles);
    }
    return numbers;
}

} // namespace

std::size_t NumbersHash::operator()(const std::vector<std::int64_t>& numbers) const {
    std::uint64_t mixed = 14'695'981'039'346'656'037U;
    for (const std::int64_t number : numbers) {
        mixed = (mixed ^ static_cast<std::uint64_t>(number)) * 1'099'511'628'211U;
        mixed ^= mixed >> 32U;
    }
    return static_cast<std::size_t>(mixed);
}

PathStates::PathStates(const TimedCode& code, const std::vector<IssueStep>& path)
    : code_{code}, path_{path}, least_{code, false}, most_{code, true} {
    uses_.resize(path.size() + 1);
    completions_.resize(path.size() + 1, 0);
    for (std::size_t step = 0; step < path.size(); ++step)
        note_use(step);
    number_of({path.size(), 0, {}});
    number_of({0, 0, {}});
}

void PathStates::note_use(std::size_t step) {
    const std::size_t instruction = path_[step].next;
    const models::InstructionTiming& timing = code_.timings[instruction].value();
    SharedUse& use = uses_[step];
    use.unit = timing.unit;
    use.cycles = most_.use_of_port(instruction);
    if (use.cycles > 0 && !is_port_of_warp(code_, timing))
        use.port = is_port_of_multiprocessor(code_, timing) ? SharedUse::Port::OfMultiprocessor
                                                            : SharedUse::Port::OfScheduler;
    use.stores = timing.enters_write_buffer && use.cycles > 0;
    bool is_exact = use.cycles == least_.use_of_port(instruction);
    if (use.stores) {
        use.drain = drain_time(code_, timing, true);
        is_exact = is_exact && use.drain == drain_time(code_, timing, false) &&
                   timing.passes.is_exact() && write_buffer_entries(code_).is_exact() &&
                   write_buffer_entries(code_).lo > 0;
    }
    Outstanding least;
    Outstanding most;
    least_.issue(least, path_[step]);
    most_.issue(most, path_[step]);
    completions_[step] = std::max<std::int64_t>(1, most.end);
    has_exact_uses_ = has_exact_uses_ && is_exact && least.end == most.end;
}

PathStates::State PathStates::state_of(PathState of) const {
    auto number = states_[of]->begin();
    const auto count = [&number] { return static_cast<std::size_t>(*number++); };
    State state;
    state.next = count();
    state.ready = *number++;
    for (std::size_t left = count(); left > 0; --left) {
        assembly::Register reg;
        reg.file = static_cast<assembly::RegisterFile>(*number++);
        reg.index = static_cast<int>(*number++);
        state.left.registers[reg] = *number++;
    }
    for (std::size_t left = count(); left > 0; --left) {
        const std::size_t unit = count();
        state.left.ports[unit] = *number++;
    }
    for (std::vector<std::int64_t>& releases : state.left.scoreboards)
        for (std::size_t left = count(); left > 0; --left)
            releases.push_back(*number++);
    return state;
}

std::optional<PathState> PathStates::issue_after(PathState state, std::int64_t cycles) {
    if (issues_.size() >= most_remembered) issues_.clear();
    const auto [known, is_new] =
        issues_.try_emplace({static_cast<std::int64_t>(state), cycles}, std::nullopt);
    if (!is_new) return known->second;
    State least = state_of(state);
    const IssueStep& step = path_[least.next++];
    if (least.next == path_.size()) return known->second = ended;
    least.left.pass(cycles);
    State most = least;
    least_.issue(least.left, step);
    most_.issue(most.left, step);
    least.left.end = most.left.end = 0; // Completions are counted apart.
    most.ready = most_.wait(most.left, path_[most.next]);
    if (least.left != most.left || most.ready < 1 ||
        least_.wait(least.left, path_[least.next]) != most.ready)
        return std::nullopt;
    return known->second = number_of(most);
}

PathState PathStates::seen_from(PathState state, std::int64_t issue,
                                const std::function<std::int64_t(std::int64_t)>& when) {
    State seen = state_of(state);
    seen.ready = issue > when(0) ? issue : 0;
    const auto left_then = [&](std::int64_t cycles) {
        const std::int64_t then = when(cycles);
        return then <= issue ? 0 : then; // Over by the issue.
    };
    for (auto& [reg, cycles] : seen.left.registers)
        cycles = left_then(cycles);
    // A port that warps share is free no sooner than its last use by this one is over.
    for (auto& [unit, cycles] : seen.left.ports)
        cycles = code_.kernel.architecture.units[unit].scope == models::UnitScope::Warp
                     ? left_then(cycles)
                     : 0;
    std::erase_if(seen.left.registers, [](const auto& left) { return left.second == 0; });
    std::erase_if(seen.left.ports, [](const auto& left) { return left.second == 0; });
    for (std::vector<std::int64_t>& releases : seen.left.scoreboards) {
        for (std::int64_t& cycles : releases)
            cycles = left_then(cycles);
        std::erase(releases, 0);
    }
    return number_of(seen);
}

PathState PathStates::number_of(const State& state) {
    const auto [known, is_new] = numbers_.try_emplace(
        numbers_of(state.next, state.ready, state.left), static_cast<PathState>(states_.size()));
    if (is_new) states_.push_back(&known->first);
    return known->second;
}

} // namespace warpbound::certification::verify
