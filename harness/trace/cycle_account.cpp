#include "harness/trace/cycle_account.hpp"

#include <algorithm>
#include <numeric>

namespace warpbound::harness::trace {

namespace {

template <typename Value> Value& at_least(std::vector<Value>& values, std::size_t index) {
    if (index >= values.size()) values.resize(index + 1);
    return values[index];
}

CycleStack sum_of(const std::vector<CycleStack>& stacks) {
    CycleStack sum;
    for (const CycleStack& stack : stacks)
        sum += stack;
    return sum;
}

} // namespace

std::int64_t CycleStack::total() const {
    return std::accumulate(waiting.begin(), waiting.end(), not_started + issue + ended);
}

CycleStack& CycleStack::operator+=(const CycleStack& other) {
    not_started += other.not_started;
    issue += other.issue;
    for (std::size_t stall = 0; stall < waiting.size(); ++stall)
        waiting[stall] += other.waiting[stall];
    ended += other.ended;
    return *this;
}

std::vector<NamedCycles> categories_of(const CycleStack& stack) {
    std::vector<NamedCycles> categories{{"not-started", stack.not_started}, {"issue", stack.issue}};
    for (std::size_t index = 0; index < stack.waiting.size(); ++index) {
        const auto stall = static_cast<simulator::Stall>(index);
        if (stall != simulator::Stall::Constant || stack.waiting[index] > 0)
            categories.push_back({to_string(stall), stack.waiting[index]});
    }
    categories.push_back({"ended", stack.ended});
    return categories;
}

CycleStack CycleAccount::all_schedulers() const {
    return sum_of(schedulers);
}

CycleStack CycleAccount::all_warps() const {
    return sum_of(warps);
}

double CycleAccount::instructions_per_cycle() const {
    return cycles == 0 ? 0.0 : static_cast<double>(instructions) / static_cast<double>(cycles);
}

void CycleAccountant::receive(const simulator::Event& event) {
    std::visit([this](const auto& what) { receive_one(what); }, event);
}

void CycleAccountant::receive_one(const simulator::WarpStarted& started) {
    const auto warp = static_cast<std::size_t>(started.warp);
    Track& track = at_least(warps_, warp);
    track.stack.not_started = started.cycle;
    track.next = started.cycle;
    at_least(scheduler_of_, warp) =
        static_cast<std::size_t>(started.multiprocessor) * schedulers_per_sm_ +
        static_cast<std::size_t>(started.scheduler);
}

void CycleAccountant::receive_one(const simulator::Issued& issued) {
    const auto warp = static_cast<std::size_t>(issued.warp);
    ++instructions_;
    InstructionAccount& account = by_instruction_.at(issued.instruction);
    ++account.issues;
    if (issued.executed) ++account.executed;

    // The second instruction of a pair issues in a cycle that is already counted.
    const auto spend = [&](Track& track) {
        CycleStack spent;
        if (issued.cycle < track.next) return spent;
        spent.waiting = waiting_cycles(issued, track.next);
        spent.issue = 1;
        track.stack += spent;
        track.next = issued.cycle + 1;
        return spent;
    };
    account.cycles += spend(warps_[warp]);
    Track& scheduler = schedulers_.at(scheduler_of_[warp]);
    const std::int64_t idle = issued.since - scheduler.next;
    if (idle > 0) {
        scheduler.stack.not_started += idle;
        scheduler.next = issued.since;
    }
    spend(scheduler);
}

CycleAccount CycleAccountant::close(std::int64_t cycles) const {
    CycleAccount account;
    account.cycles = cycles;
    account.instructions = instructions_;
    account.by_instruction = by_instruction_;
    const auto stack_of = [cycles](Track track) {
        const bool issued = track.stack.issue > 0;
        (issued ? track.stack.ended : track.stack.not_started) = cycles - (issued ? track.next : 0);
        return track.stack;
    };
    for (const Track& track : warps_)
        account.warps.push_back(stack_of(track));
    for (const Track& track : schedulers_)
        account.schedulers.push_back(stack_of(track));
    return account;
}

} // namespace warpbound::harness::trace
