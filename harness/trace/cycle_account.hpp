#pragma once
/// \file
/// Cycle accounting of a run: every cycle of every warp and of every scheduler is in exactly one
/// category.

#include "harness/trace/waiting.hpp"

#include <string_view>
#include <vector>

namespace warpbound::harness::trace {

/// Cycles by category. `Unit:` core cycles.
struct CycleStack {
    std::int64_t not_started =
        0; ///< Before the start of the warp (scheduler stacks: of the warp that issued next).
    std::int64_t issue = 0; ///< Cycles with an issue; a pair in one cycle counts once.
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
/// All categories in a fixed order, also those without cycles, except an empty `constant`, which
/// few machines have.
std::vector<NamedCycles> categories_of(const CycleStack& stack);

/// Cycles of an instruction over all warps: issues and the stalls before them.
struct InstructionAccount {
    std::int64_t issues = 0;
    std::int64_t executed = 0; ///< Issues that were not predicated off.
    CycleStack cycles;         ///< `not_started` and `ended` are 0.
};

/// The account of a run. The stack of each warp and of each scheduler has `cycles` in total. In a
/// scheduler's stack a cycle without issue belongs to the stall of its next issue; not-chosen are
/// then the cycles that its policy or issue slot left unused. The stacks of all instructions add up
/// to those of the warps between start and end.
struct CycleAccount {
    std::int64_t cycles = 0;       ///< Execution time.
    std::int64_t instructions = 0; ///< Issued by all warps.
    std::vector<CycleStack> warps; ///< By number in the launch.
    std::vector<CycleStack> schedulers;
    std::vector<InstructionAccount> by_instruction; ///< By index into the function.

    /// Sum over all schedulers: `cycles` x schedulers in total.
    [[nodiscard]] CycleStack all_schedulers() const;
    [[nodiscard]] CycleStack all_warps() const;
    [[nodiscard]] double instructions_per_cycle() const;
};

/// Receives the events of one run. Its memory grows with the number of warps and instructions of
/// the code, not with time.
class CycleAccountant {
public:
    /// `schedulers`: per SM; `instructions`: of the function.
    CycleAccountant(std::size_t multiprocessors, std::size_t schedulers, std::size_t instructions)
        : schedulers_per_sm_{schedulers}, schedulers_(multiprocessors * schedulers),
          by_instruction_(instructions) {}

    void receive(const simulator::Event& event);
    /// The account of a run that took `cycles`. Requires: the run is over.
    [[nodiscard]] CycleAccount close(std::int64_t cycles) const;

private:
    struct Track {
        std::int64_t next = 0; ///< The first cycle without a category.
        CycleStack stack;
    };
    void receive_one(const simulator::WarpStarted& started);
    void receive_one(const simulator::Issued& issued);
    template <typename Other> void receive_one(const Other&) {}

    std::int64_t instructions_ = 0;
    std::vector<Track> warps_;
    std::vector<std::size_t> scheduler_of_; ///< By warp.
    std::size_t schedulers_per_sm_;
    std::vector<Track> schedulers_; ///< Of all SMs, grouped by SM.
    std::vector<InstructionAccount> by_instruction_;
};

} // namespace warpbound::harness::trace
