#pragma once
/// \file
/// Where the cycles of a run went: every cycle of every warp and of every scheduler in exactly one
/// category.

#include "harness/trace/waiting.hpp"

#include <string_view>
#include <vector>

namespace warpbound::harness::trace {

/// Cycles by category. `Unit:` core cycles.
struct CycleStack {
    std::int64_t not_started = 0; ///< Before the warp, or the warp that issued next, had started.
    std::int64_t issue = 0;       ///< Cycles with an issue; a pair in one cycle counts once.
    WaitingCycles waiting{};
    std::int64_t ended = 0; ///< After the last issue, until the launch completed.

    [[nodiscard]] std::int64_t total() const;
    CycleStack& operator+=(const CycleStack& other);
    friend bool operator==(const CycleStack&, const CycleStack&) = default;
};

struct NamedCycles {
    std::string_view category;
    std::int64_t cycles = 0;
};
/// Every category, also those without cycles (but not `constant`, which few machines have), in a
/// fixed order.
std::vector<NamedCycles> categories_of(const CycleStack& stack);

/// What an instruction cost all warps: issues and the waiting before them.
struct InstructionAccount {
    std::int64_t issues = 0;
    std::int64_t executed = 0; ///< Of those, the ones not switched off by their predicate.
    CycleStack cycles;         ///< `not_started` and `ended` are 0.
};

/// The account of a run. The stack of each warp and of each scheduler has `cycles` in total. In a
/// scheduler's stack a cycle without issue belongs to what its next issue waited for; not-chosen
/// are then those that its policy or issue slot left unused. The stacks of the instructions
/// together are those of the warps between start and end.
struct CycleAccount {
    std::int64_t cycles = 0;       ///< Execution time.
    std::int64_t instructions = 0; ///< Issued, of all warps.
    std::vector<CycleStack> warps; ///< By number in the launch.
    std::vector<CycleStack> schedulers;
    std::vector<InstructionAccount> by_instruction; ///< By index into the function.

    /// Of all schedulers: `cycles` x schedulers in total.
    [[nodiscard]] CycleStack schedulers_together() const;
    [[nodiscard]] CycleStack warps_together() const;
    [[nodiscard]] double instructions_per_cycle() const;
};

/// Hears the events of one run. Its memory grows with warps and instructions of the code, not with
/// time.
class CycleAccountant {
public:
    /// For a machine of so many SMs with so many schedulers each, and a function of so many
    /// instructions.
    CycleAccountant(std::size_t multiprocessors, std::size_t schedulers, std::size_t instructions)
        : schedulers_per_sm_{schedulers}, schedulers_(multiprocessors * schedulers),
          by_instruction_(instructions) {}

    void hear(const simulator::Event& event);
    /// The account of a run that took `cycles`. Requires: the run is over.
    [[nodiscard]] CycleAccount close(std::int64_t cycles) const;

private:
    struct Track {
        std::int64_t next = 0; ///< The first cycle that belongs to no category yet.
        CycleStack stack;
    };
    void hear_one(const simulator::WarpStarted& started);
    void hear_one(const simulator::Issued& issued);
    template <typename Other> void hear_one(const Other&) {}

    std::int64_t instructions_ = 0;
    std::vector<Track> warps_;
    std::vector<std::size_t> scheduler_of_; ///< By warp.
    std::size_t schedulers_per_sm_;
    std::vector<Track> schedulers_; ///< Of all SMs, one SM after the other.
    std::vector<InstructionAccount> by_instruction_;
};

} // namespace warpbound::harness::trace
