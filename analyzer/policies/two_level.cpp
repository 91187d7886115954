#include "analyzer/policies/two_level.hpp"

#include "analyzer/interference/resource_demand.hpp"
#include "analyzer/policies/work_conserving.hpp"
#include "models/launch/active_set.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace warpbound::analyzer {

namespace {

using Timing = models::InstructionTiming;

constexpr auto scoreboards = static_cast<std::size_t>(assembly::scoreboard_count);

enum class ResourceKind { Register, Scoreboard, Port };

/// A resource that an earlier instruction of the same warp occupies.
struct OwnResource {
    ResourceKind kind = ResourceKind::Register;
    assembly::Register reg{};
    std::size_t index = 0; ///< Of a scoreboard, or of the unit of a port.
    std::size_t user = 0;  ///< Of a port: the instruction that occupies it.

    friend auto operator<=>(const OwnResource&, const OwnResource&) = default;
};

/// Longest time until a resource is available; a resource that is not listed is available.
using Remaining = std::map<OwnResource, std::int64_t>;

void raise(Remaining& remaining, const OwnResource& resource, std::int64_t cycles) {
    if (cycles > 0) remaining[resource] = std::max(remaining[resource], cycles);
}

/// Per instruction: longest stall of a warp before it that does not make the warp leave the active
/// set (C19). It counts from the end of the issue slot of the previous instruction, after a barrier
/// from its opening. Holds for any interference by others. `Unit:` core cycles. Side: upper.
class ActiveSetStalls {
public:
    explicit ActiveSetStalls(const AnalysisContext& context)
        : context_{context}, graph_{*context.request.graph}, entries_(graph_.blocks.size()),
          stalls_(context.timings.size(), 0) {}

    InstructionCosts stalls() {
        entries_.front().emplace();
        std::vector<std::size_t> changed{0};
        while (!changed.empty()) {
            const std::size_t block = changed.back();
            changed.pop_back();
            const Remaining after = follow(block);
            for (const std::size_t edge : graph_.blocks[block].out) {
                const std::size_t to = graph_.edges[edge].to;
                const std::size_t last = graph_.blocks[block].last;
                const std::size_t next = graph_.blocks[to].first;
                if (!context_.used[next]) continue;
                raise_stall(next, last, true, after);
                if (join(to, later(after, least_gap(last, true)))) changed.push_back(to);
            }
        }
        return std::move(stalls_);
    }

private:
    [[nodiscard]] const assembly::Instruction& instruction_at(std::size_t i) const {
        return context_.request.function->instructions[i];
    }
    [[nodiscard]] const Timing& timing(std::size_t i) const { return context_.timings[i].value(); }
    [[nodiscard]] std::int64_t least_gap(std::size_t i, bool may_transfer) const {
        return may_transfer ? std::min(timing(i).gap.lo, timing(i).gap_taken.lo) : timing(i).gap.lo;
    }
    [[nodiscard]] std::int64_t with_transactions(std::size_t i, std::int64_t first) const {
        return models::plus(first, models::times(timing(i).pass_cost.hi, timing(i).passes.hi - 1));
    }

    /// Issues the instructions of a block. Returns the remaining times as seen from the last issue.
    Remaining follow(std::size_t block) {
        const assembly::BasicBlock& code = graph_.blocks[block];
        Remaining remaining = *entries_[block];
        issue(code.first, remaining);
        for (std::size_t i = code.first + 1; i <= code.last; ++i) {
            raise_stall(i, i - 1, false, remaining);
            remaining = later(remaining, least_gap(i - 1, false));
            issue(i, remaining);
        }
        return remaining;
    }

    static Remaining later(const Remaining& remaining, std::int64_t cycles) {
        Remaining left;
        for (const auto& [resource, most] : remaining)
            raise(left, resource, most - cycles);
        return left;
    }

    /// Whether the entry state changed.
    bool join(std::size_t block, const Remaining& other) {
        auto& entry = entries_[block];
        if (!entry) {
            entry = other;
            return true;
        }
        bool changed = false;
        for (const auto& [resource, cycles] : other) {
            std::int64_t& most = (*entry)[resource];
            changed = changed || cycles > most;
            most = std::max(most, cycles);
        }
        return changed;
    }

    /// Calls `use(resource)` for the registers and scoreboards that an instruction waits for in
    /// every execution, also when it is predicated off.
    template <class Use> void for_each_awaited(std::size_t i, Use use) const {
        const assembly::Instruction& instruction = instruction_at(i);
        if (timing(i).waits_for_registers)
            for (const auto* registers : {&instruction.effects.reads, &instruction.effects.writes})
                for (const assembly::Register& one : *registers)
                    use(OwnResource{ResourceKind::Register, one});
        const unsigned mask = instruction.control ? instruction.control->wait_mask : 0U;
        for (std::size_t scoreboard = 0; scoreboard < scoreboards; ++scoreboard)
            if ((mask >> scoreboard & 1U) != 0)
                use(OwnResource{ResourceKind::Scoreboard, {}, scoreboard});
    }

    /// Whether the occupancy of a port has ended when the registers and scoreboards of an
    /// instruction are available.
    [[nodiscard]] bool has_ended(const OwnResource& use, std::size_t i) const {
        return outlasts_port(use.user) && waits_for_result(i, use.user);
    }
    /// Whether an instruction always waits for the result of another one, whenever that issued.
    [[nodiscard]] bool waits_for_result(std::size_t i, std::size_t of) const {
        bool found = false;
        const auto& writes = instruction_at(of).effects.writes;
        const auto& control = instruction_at(of).control;
        for_each_awaited(i, [&](const OwnResource& resource) {
            found = found ||
                    (resource.kind == ResourceKind::Register
                         ? std::ranges::count(writes, resource.reg) > 0
                         : control && control->write_barrier == static_cast<int>(resource.index));
        });
        return found;
    }
    /// Whether an instruction leaves its port before its result is available.
    [[nodiscard]] bool outlasts_port(std::size_t i) const {
        const auto ends_first = [&](std::int64_t passes) {
            return models::longest_occupancy_of_port(timing(i), passes) <=
                   models::plus(timing(i).latency.lo,
                                models::times(timing(i).pass_cost.lo, passes - 1));
        };
        return ends_first(timing(i).passes.lo) && ends_first(timing(i).passes.hi);
    }

    /// At issue the awaited resources are available; each resource that the instruction occupies
    /// may last its longest time.
    void issue(std::size_t i, Remaining& remaining) const {
        std::erase_if(remaining, [&](const auto& one) {
            return one.first.kind == ResourceKind::Port && has_ended(one.first, i);
        });
        for_each_awaited(i, [&](const OwnResource& resource) { remaining.erase(resource); });
        const assembly::Instruction& instruction = instruction_at(i);
        raise(remaining, {ResourceKind::Port, {}, timing(i).unit, i},
              models::occupancy_of_port(timing(i)).hi);
        const bool counts = !models::leaves_active_set(instruction.opcode_class);
        const std::int64_t result = with_transactions(i, timing(i).latency.hi);
        if (counts && timing(i).waits_for_registers)
            for (const assembly::Register& written : instruction.effects.writes)
                raise(remaining, {ResourceKind::Register, written}, result);
        if (!instruction.control) return;
        const auto announce = [&](const std::optional<int>& scoreboard, std::int64_t cycles) {
            if (scoreboard)
                raise(remaining,
                      {ResourceKind::Scoreboard, {}, static_cast<std::size_t>(*scoreboard)},
                      cycles);
        };
        if (counts) announce(instruction.control->write_barrier, result);
        announce(instruction.control->read_barrier, with_transactions(i, timing(i).source_read.hi));
    }

    /// `remaining`: seen from the issue of `before`, which `i` may follow.
    void raise_stall(std::size_t i, std::size_t before, bool may_transfer,
                     const Remaining& remaining) {
        std::int64_t stall = timing(before).gap.hi;
        if (may_transfer) stall = std::max(stall, timing(before).gap_taken.hi);
        const auto wait_for = [&](const OwnResource& resource) {
            const auto found = remaining.find(resource);
            if (found != remaining.end()) stall = std::max(stall, found->second);
        };
        for_each_awaited(i, wait_for);
        for (const auto& [resource, cycles] : remaining)
            if (resource.kind == ResourceKind::Port && resource.index == timing(i).unit &&
                !has_ended(resource, i))
                stall = std::max(stall, cycles);
        // DEPBAR names its scoreboard among its operands: assume any.
        if (instruction_at(i).opcode_class == assembly::OpcodeClass::DependenceBarrier)
            for (std::size_t scoreboard = 0; scoreboard < scoreboards; ++scoreboard)
                wait_for({ResourceKind::Scoreboard, {}, scoreboard});
        // When a barrier opens later than its warp arrived, no issue slot of that warp runs.
        if (timing(before).is_barrier_wait)
            stall = std::max(stall, with_transactions(before, timing(before).latency.hi));
        else
            stall -= context_.shape.issue_slot.lo;
        stalls_[i] = std::max(stalls_[i], stall);
    }

    const AnalysisContext& context_;
    const assembly::ControlFlowGraph& graph_;
    /// Seen from the first cycle in which the gap allows the first instruction of the block to
    /// issue.
    std::vector<std::optional<Remaining>> entries_;
    InstructionCosts stalls_; ///< The first instruction of a warp does not stall.
};

class TwoLevel final : public WorkConserving {
public:
    [[nodiscard]] Demand demand(const AnalysisContext& context) const override {
        Demand demand = WorkConserving::demand(context);
        demand.within_active_set = ActiveSetStalls{context}.stalls();
        demand.residual_occupancy = port_times(context);
        for (std::int64_t& occupancy : demand.residual_occupancy)
            occupancy = std::max<std::int64_t>(0, occupancy - context.shape.issue_slot.lo);
        return demand;
    }
};

} // namespace

const Policy& two_level() {
    static const TwoLevel policy;
    return policy;
}

} // namespace warpbound::analyzer
