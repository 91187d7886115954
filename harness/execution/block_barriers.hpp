#pragma once
/// \file
/// The barriers of a block: which warps wait at them, and the reductions of BAR.RED.

#include "harness/execution/step.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace warpbound::harness::execution {

class BlockBarriers {
public:
    explicit BlockBarriers(std::size_t warps) : waiting_(warps, no_barrier), live_{warps} {}

    /// The warp of the step arrives at the barrier that its BAR names. Returns whether it waits
    /// there: not for BAR.ARV.
    bool arrive(Step& step);
    /// Whether the barrier has opened at which the warp waits; then it waits no longer.
    bool may_pass(std::size_t warp);
    /// What the reduction of the warp that passed last found.
    [[nodiscard]] std::uint32_t result() const { return passed_result_; }
    /// A warp ended: barriers without a count wait for one warp less.
    void leave();
    /// Whether some waiting warp may pass.
    [[nodiscard]] bool is_any_open() const;

private:
    static constexpr std::size_t barrier_count = 16;
    static constexpr int no_barrier = -1;
    struct Barrier {
        std::size_t arrived = 0;
        std::size_t expected = 0; ///< 0: all warps that have not ended.
        std::uint64_t opened = 0; ///< How often.
        std::uint32_t count = 0;  ///< Threads whose predicate held, of the reduction under way.
        std::uint32_t threads = 0;
        bool is_or = false;
        bool is_and = false;
        std::uint32_t result = 0;
    };
    void open_if_complete(Barrier& barrier);

    std::array<Barrier, barrier_count> barriers_{};
    std::vector<int> waiting_; ///< By warp: the barrier.
    std::vector<std::uint64_t> generation_ = std::vector<std::uint64_t>(waiting_.size());
    std::size_t live_;
    std::uint32_t passed_result_ = 0;
};

/// Adds an access to the recording of a warp: a stride where the addresses have one, else a list.
void record_access(RecordedWarp& warp, const Wides& addresses, Lanes lanes);

} // namespace warpbound::harness::execution
