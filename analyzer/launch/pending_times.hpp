#pragma once
/// \file
/// The pending times of a warp: for how long at most what its earlier instructions occupy stays
/// occupied. An abstract domain with one time for each resource; joins take the longer one.

#include "analyzer/launch/timed_kernel.hpp"

#include <algorithm>
#include <cstdint>
#include <map>

namespace warpbound::analyzer {

/// What an earlier instruction of the same warp occupies.
struct OwnResource {
    enum class Kind { Register, Scoreboard, Port };
    Kind kind = Kind::Register;
    assembly::Register reg{};
    std::size_t index = 0; ///< Of a scoreboard, or of the unit of a port.
    std::size_t user = 0;  ///< Of a port: the instruction that occupies it.
    bool queued = false;   ///< By an instruction that waits in a memory queue (C71).

    friend auto operator<=>(const OwnResource&, const OwnResource&) = default;
};

/// `Unit:` core cycles. Side: upper.
class PendingTimes {
public:
    void occupy(const OwnResource& resource, std::int64_t cycles) {
        if (cycles > 0) longest_[resource] = std::max(longest_[resource], cycles);
    }
    void release(const OwnResource& resource) {
        longest_.erase(resource);
        longest_.erase(behind_queue(resource));
    }
    template <class Predicate> void release_if(Predicate is_over) {
        std::erase_if(longest_, [&](const auto& one) { return is_over(one.first); });
    }
    /// After at least so many cycles. What a memory queue may delay is left as it is: cycles in
    /// which the queue delays it do not count (docs/theory, S78).
    [[nodiscard]] PendingTimes after(std::int64_t cycles) const;
    /// Covers the other one, too. Returns whether that changes it.
    bool join(const PendingTimes& other);
    /// Until the resource is available, but for what a memory queue may delay; 0: it is.
    [[nodiscard]] std::int64_t until(const OwnResource& resource) const;
    /// Until it is available of what a memory queue may delay.
    [[nodiscard]] std::int64_t until_behind_queue(const OwnResource& resource) const {
        return until(behind_queue(resource));
    }
    /// Until the ports of a unit are available, but for those of which `is_over`.
    template <class Predicate>
    [[nodiscard]] std::int64_t until_port(std::size_t unit, Predicate is_over) const {
        std::int64_t most = 0;
        for (const auto& [resource, cycles] : longest_)
            if (resource.kind == OwnResource::Kind::Port && resource.index == unit &&
                !is_over(resource))
                most = std::max(most, cycles);
        return most;
    }

private:
    static OwnResource behind_queue(OwnResource resource) {
        resource.queued = true;
        return resource;
    }

    std::map<OwnResource, std::int64_t> longest_; ///< What is not listed is available.
};

/// What the instructions of a kernel occupy and await, by rules C5 to C8 of
/// docs/reference/timing-contract.md. The kernel must live as long.
class OwnUses {
public:
    explicit OwnUses(const TimedKernel& kernel) : kernel_{&kernel} {}

    [[nodiscard]] const assembly::Instruction& instruction(std::size_t i) const {
        return kernel_->function->instructions[i];
    }
    [[nodiscard]] const models::InstructionTiming& timing(std::size_t i) const {
        return kernel_->timings[i].value();
    }
    /// `cycles` for the first pass, and the cost of its other passes.
    [[nodiscard]] std::int64_t with_passes(std::size_t i, std::int64_t cycles) const {
        return models::plus(cycles, models::times(timing(i).pass_cost.hi, timing(i).passes.hi - 1));
    }
    [[nodiscard]] std::int64_t result(std::size_t i) const {
        return with_passes(i, timing(i).latency.hi);
    }
    [[nodiscard]] std::int64_t source_read(std::size_t i) const {
        return with_passes(i, timing(i).source_read.hi);
    }

    /// Calls `use(resource)` for the registers and scoreboards that the instruction waits for in
    /// every execution, also when it is predicated off.
    template <class Use> void for_each_awaited(std::size_t i, Use use) const {
        if (timing(i).waits_for_registers)
            for (const auto* registers :
                 {&instruction(i).effects.reads, &instruction(i).effects.writes})
                for (const assembly::Register& one : *registers)
                    use(OwnResource{OwnResource::Kind::Register, one});
        const unsigned mask = instruction(i).control ? instruction(i).control->wait_mask : 0U;
        for (std::size_t scoreboard = 0; scoreboard < assembly::scoreboard_count; ++scoreboard)
            if ((mask >> scoreboard & 1U) != 0) use(scoreboard_of(scoreboard));
    }
    /// Longest wait of the instruction for registers, scoreboards and its port, but for ports of
    /// which `is_over`, and for what a memory queue may delay.
    template <class Predicate>
    [[nodiscard]] std::int64_t wait(std::size_t i, const PendingTimes& pending,
                                    Predicate is_over) const {
        std::int64_t most = pending.until_port(timing(i).unit, is_over);
        for_each_possible(i, [&](const OwnResource& resource) {
            most = std::max(most, pending.until(resource));
        });
        return most;
    }
    /// Longest wait of the instruction for what a memory queue may delay.
    [[nodiscard]] std::int64_t wait_behind_queue(std::size_t i, const PendingTimes& pending) const {
        std::int64_t most = 0;
        for_each_possible(i, [&](const OwnResource& resource) {
            most = std::max(most, pending.until_behind_queue(resource));
        });
        return most;
    }

    /// From the issue on: its port, and until its sources are read.
    void occupy_sources(std::size_t i, PendingTimes& pending) const;
    /// From the issue on: its results.
    void occupy_results(std::size_t i, PendingTimes& pending) const;

private:
    static OwnResource scoreboard_of(std::size_t index) {
        return {OwnResource::Kind::Scoreboard, {}, index};
    }
    /// The resource as the instruction occupies it.
    [[nodiscard]] OwnResource of_queue(std::size_t i, OwnResource resource) const;
    /// Registers and scoreboards that the instruction may wait for. A DEPBAR, which names its
    /// scoreboard among its operands, may wait for any.
    template <class Use> void for_each_possible(std::size_t i, Use use) const {
        for_each_awaited(i, use);
        if (instruction(i).opcode_class == assembly::OpcodeClass::DependenceBarrier)
            for (std::size_t scoreboard = 0; scoreboard < assembly::scoreboard_count; ++scoreboard)
                use(scoreboard_of(scoreboard));
    }

    const TimedKernel* kernel_;
};

} // namespace warpbound::analyzer
