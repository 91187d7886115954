#include "analyzer/policies/loose_round_robin.hpp"

#include "analyzer/interference/queue_demand.hpp"
#include "analyzer/policies/work_conserving.hpp"

#include <optional>
#include <utility>

namespace warpbound::analyzer {

namespace {

/// In loose round robin every other warp is chosen at most once while a warp may issue. While a
/// port or the write buffer blocks the warp, the others can be chosen again (S27).
Demand with_turns_of_others(const TimedKernel& kernel, const LaunchGeometry& shape, Demand demand) {
    const models::Warps resident = shape.most_resident_warps();
    const models::Warps on_scheduler = shape.on_one_scheduler(resident);
    const bool is_only_scheduler = on_scheduler == resident;
    const models::Cycles turns =
        models::Cycles{shape.issue_slot.hi} * (on_scheduler - models::Warps{1});
    const auto with_turns = [&](std::int64_t cycles) {
        return (models::Cycles{cycles} + turns).count();
    };
    demand.rotation_warps = on_scheduler;
    demand.turns = turns.count();
    const InstructionCosts ports = port_times(kernel);
    InstructionCosts entering(ports.size(), 0);
    for (std::size_t i = 0; i < ports.size(); ++i) {
        const bool blocks_others = !is_only_scheduler && demand.other_schedulers[i] > 0;
        demand.other_schedulers[i] = blocks_others ? with_turns(ports[i]) : 0;
        // Never less than the demand on other schedulers: it is not fixed how many warps are there.
        const bool outlasts_slot = blocks_others || ports[i] > shape.issue_slot.lo;
        demand.own_scheduler[i] = outlasts_slot ? with_turns(ports[i]) : 0;
        entering[i] = enters_write_buffer(kernel, i) ? 1 : 0;
    }
    const models::Cycles stores = models::Cycles{most_on_a_path(kernel, entering)} * shape.warps();
    if (stores > models::Cycles{kernel.write_buffer.entries.lo})
        for (std::size_t i = 0; i < ports.size(); ++i)
            if (entering[i] > 0) demand.drain[i] = with_turns(demand.drain[i]);
    return demand;
}

class LooseRoundRobin final : public WorkConserving {
public:
    /// The rotation does not bound how many warps are chosen while an access waits in memory, a
    /// warp for its line of instructions, its constants hold the scheduler, reads occupy the stages
    /// in front of the units, or the memory queue is full.
    [[nodiscard]] std::optional<Demand> demand_in_turns(const TimedKernel& kernel,
                                                        const LaunchGeometry& shape,
                                                        const MemoryPath& memory) const override {
        if (memory.has_queueing() || kernel.registers.reads || kernel.delivery.lines ||
            kernel.delivery.operands || uses_memory_queue(kernel))
            return std::nullopt;
        return with_turns_of_others(kernel, shape, demand(kernel, shape));
    }
};

} // namespace

const Policy& loose_round_robin() {
    static const LooseRoundRobin policy;
    return policy;
}

} // namespace warpbound::analyzer
