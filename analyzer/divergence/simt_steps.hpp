#pragma once
/// \file
/// The steps of a warp whose lanes may diverge, from one block to the next: rules C38 to C40 on
/// abstract stacks (docs/theory, S67).

#include "analyzer/divergence/abstract_stack.hpp"
#include "analyzer/launch/timed_kernel.hpp"
#include "assembly/isa/program.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace warpbound::analyzer {

/// The active lanes are about to execute a block.
struct WarpState {
    BlockIndex block;
    TraversalIndex traversal; ///< Of the loops around the block.
    AbstractStack stack;
};

/// A state that may follow, and whether the gap before it is that of lanes that fell through (C41).
struct WarpStep {
    WarpState next;
    bool falls = false;
};

/// By origin and resume of pending groups: blocks where lanes go on above them that waited at a
/// point which these groups left.
using Overtaking = std::map<std::pair<BlockIndex, BlockIndex>, std::set<BlockIndex>>;

/// The blocks after which lanes may diverge, and what the code says about their points.
class SimtRules {
public:
    /// The traversal, of the given one and those around it, that contains the block.
    using Trim = std::function<TraversalIndex(TraversalIndex traversal, BlockIndex block)>;
    /// `counted`: branches whose sets make as many nodes as that let any groups be pending, at most
    /// as many as diverged; positive. None: no branches do.
    SimtRules(const TimedKernel& kernel, const std::optional<std::size_t>& counted, Trim trim);

    /// Refuses, with the address: guarded pushes of a point, points that are joined again while
    /// lanes are in them, arrivals at a point that is not the innermost, barriers that some lanes
    /// execute while others are elsewhere.
    [[nodiscard]] Result<std::vector<WarpStep>> after(const WarpState& state);
    /// For messages: at which branch the lanes diverged, or at which point they wait.
    [[nodiscard]] std::string place_of(const PendingGroup& others) const;
    /// All paths from the first block to an EXIT lead over the second one.
    [[nodiscard]] bool is_post_dominated(BlockIndex block, BlockIndex by) const;
    /// In all steps so far.
    [[nodiscard]] const Overtaking& overtaking() const { return overtaking_; }

private:
    static constexpr std::size_t most_steps = 5'000; ///< From one state.

    struct Refused {
        Failure failure;
    };
    /// A stack, and whether lanes that a point released are on top of it for sure.
    struct Opened {
        AbstractStack stack;
        bool released = false;
    };
    void release(std::size_t entry, AbstractStack& stack);
    void add_opened(Opened from, bool active, std::size_t first, std::vector<Opened>& to);
    [[nodiscard]] std::vector<Opened> opened(const AbstractStack& stack, bool active);
    /// Lanes that arrived at a point over an edge.
    struct Arrival {
        StackPoint point;
        bool falls = false;
    };
    /// With which gaps lanes may go on (C41).
    struct Gaps {
        bool of_fall = false;
        bool of_transfer = false;
    };
    [[noreturn]] void refuse(std::size_t instruction, const std::string& what) const;
    [[noreturn]] void refuse_barrier(std::size_t instruction, const AbstractStack& stack) const;
    [[nodiscard]] std::size_t last() const;
    [[nodiscard]] std::vector<std::size_t> ways() const;

    void execute(std::size_t instruction, std::vector<AbstractStack>& stacks);
    void join(std::size_t instruction, AbstractStack& stack) const;
    void leave(std::size_t instruction, std::vector<AbstractStack>& stacks);
    static void leave_register(const TimedKernel& kernel, int reg, AbstractStack& stack);
    void leave_over(std::size_t edge, AbstractStack& stack) const;
    [[nodiscard]] std::size_t most_pending_groups() const;
    void diverge(const std::vector<std::size_t>& edges, const AbstractStack& stack);
    [[nodiscard]] AbstractStack without_active(std::size_t now,
                                               const std::vector<std::size_t>& edges,
                                               const AbstractStack& before) const;
    void join_post_dominator(AbstractStack& stack) const;
    void take(std::size_t edge, AbstractStack stack);
    void reach(BlockIndex block, TraversalIndex traversal, AbstractStack stack, bool falls);
    void arrive(std::size_t entry, BlockIndex block, TraversalIndex traversal, AbstractStack stack,
                bool falls);
    void wait(std::size_t entry, BlockIndex block, TraversalIndex traversal,
              const std::vector<StackPoint>& left, bool certain, AbstractStack& stack) const;
    void go_on(const AbstractStack& stack, const std::optional<Arrival>& arrival);
    void go_on_from_top(AbstractStack stack, bool certain, const std::optional<Arrival>& arrival);
    [[nodiscard]] Gaps gaps_of_newest(const PendingGroup& group, bool is_released,
                                      const Arrival& arrival) const;
    void resume(const PendingGroup& group, AbstractStack rest, bool falls);
    [[nodiscard]] bool is_arrival(std::size_t edge) const;
    [[nodiscard]] bool go_on_together(std::size_t edge, std::size_t other) const;
    [[nodiscard]] std::optional<std::size_t> arrival_at(std::size_t edge,
                                                        const AbstractStack& stack) const;

    const TimedKernel& kernel_;
    const assembly::Function& function_;
    const assembly::ControlFlowGraph& graph_;
    Trim trim_;
    PerBlock<std::optional<BlockIndex>> post_dominators_;
    PerBlock<bool> ends_; ///< Lanes may end after it.
    PerBlock<bool> divergent_;
    PerBlock<bool> counted_; ///< Of the groups that diverge the number is known.
    Overtaking overtaking_;
    // Of the state under work.
    BlockIndex block_;
    TraversalIndex traversal_;
    std::vector<int> left_when_taken_; ///< Registers.
    std::vector<int> left_behind_;
    std::vector<WarpStep> steps_;
};

} // namespace warpbound::analyzer
