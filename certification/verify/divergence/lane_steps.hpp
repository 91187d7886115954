#pragma once
/// \file
/// The steps of a warp whose lanes may diverge, from one abstract state: rules C38 to C40 of the
/// timing contract (S19e in docs/theory). Shares no code with the analysis.

#include "certification/verify/divergence/simt_stack.hpp"
#include "certification/verify/flow/control_flow.hpp"
#include "certification/verify/flow/post_dominators.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace warpbound::certification::verify {

/// A block that the active lanes are about to execute, and all other lanes.
struct WarpState {
    std::size_t block = 0;
    SimtStack stack;

    auto operator<=>(const WarpState&) const = default;
    bool operator==(const WarpState&) const = default;
};

/// What a warp may do from a state.
struct LaneSteps {
    std::map<WarpState, EdgeGaps> next; ///< With the gaps of the lanes that go on there (C41).
    bool ends = false;                  ///< All lanes may have ended after it.
};

class LaneRules {
public:
    LaneRules(const KernelCase& kernel, const ControlFlow& flow);

    /// Throws `Finding` at code that it does not follow: named in
    /// docs/reference/evidence-format.md.
    [[nodiscard]] LaneSteps after(const WarpState& state);
    /// In all steps so far: blocks after which groups diverged above which lanes go on that waited.
    [[nodiscard]] std::set<std::size_t> passed_over() const;
    /// The loop that a block heads. Null: none.
    [[nodiscard]] const CheckedLoop* headed_by(std::size_t block) const { return headed_[block]; }

private:
    [[noreturn]] void refuse(std::size_t instruction, const std::string& what) const;
    void check_entries(const WarpState& state) const;
    void check_points(const WarpState& state) const;
    void check_iterations(const WarpState& state) const;

    void execute(std::size_t instruction, std::vector<SimtStack>& stacks);
    void execute_join(std::size_t instruction, SimtStack& stack) const;
    void execute_leave(std::size_t instruction, std::vector<SimtStack>& stacks);
    void diverge(const std::set<std::size_t>& ways, const SimtStack& stack);
    void diverge(std::size_t now, const std::vector<std::size_t>& later, bool optional,
                 SimtStack stack);
    void diverge_from(const std::set<std::size_t>& ways, const SimtStack& stack);
    [[nodiscard]] static bool is_in_explicit(const SimtStack& stack);
    void join_where_paths_meet(SimtStack& stack) const;
    void take(std::size_t way, SimtStack stack);
    void reach(std::size_t block, const EdgeGaps& gaps, SimtStack stack);
    void go_on(const std::vector<SimtStack::Resumed>& resumed, const EdgeGaps& of_arrivals);
    [[nodiscard]] EdgeGaps gaps_over(std::size_t way) const;
    [[nodiscard]] EdgeGaps gaps_before(const SimtStack::Resumed& lanes,
                                       const EdgeGaps& of_arrivals) const;

    /// The point at which lanes arrive that take this successor by the block's last instruction.
    [[nodiscard]] std::optional<std::size_t> arrival(std::size_t way, const SimtStack& stack) const;
    void check_target(std::size_t maker, std::size_t last, std::size_t way) const;
    void leave(int reg, SimtStack& stack) const;
    void leave_when_taking(std::size_t way, SimtStack& stack) const;
    [[nodiscard]] bool is_divergent(std::size_t instruction) const;
    [[nodiscard]] std::optional<int> register_of(std::size_t instruction) const;
    [[nodiscard]] bool is_set(std::size_t instruction) const;
    [[nodiscard]] bool is_of(const SimtStack::Entry& entry, int reg) const;
    [[nodiscard]] bool falls(std::size_t way) const;
    [[nodiscard]] bool falls_once() const;
    [[nodiscard]] bool is_later_iteration(std::size_t of, std::size_t at);
    [[nodiscard]] bool find_later_iteration(std::size_t of, std::size_t at) const;

    const KernelCase& kernel_;
    const ControlFlow& flow_;
    const std::vector<assembly::Instruction>& code_;
    PostDominators meetings_;
    std::vector<EdgeGaps> in_text_; ///< Per instruction: to the next one.
    std::vector<bool> ends_; ///< Per block: an EXIT follows over no block that is never executed.
    std::vector<const CheckedLoop*> headed_;                    ///< Per block: by it, or null.
    std::vector<std::vector<const CheckedLoop*>> loops_around_; ///< Per block.
    std::set<std::int64_t> divergent_addresses_;                ///< Of divergent instructions.
    std::map<std::pair<std::size_t, std::size_t>, bool> later_iterations_; ///< As asked for.
    const SimtStack::LaterIteration later_iteration_ = [this](std::size_t of, std::size_t at) {
        return is_later_iteration(of, at);
    };

    // Of the state under work.
    std::size_t block_ = 0;
    LaneSteps steps_;
    /// Registers of points that lanes leave as the block's branch transfers them, or does not.
    std::vector<int> left_when_taken_;
    std::vector<int> left_behind_;
    /// Where the lanes go on that become pending by the divergence under work.
    std::set<std::size_t> diverged_;
    bool diverged_perhaps_ = false; ///< Of each of these groups: if it is there.
};

} // namespace warpbound::certification::verify
