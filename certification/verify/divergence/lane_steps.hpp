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
    /// In all steps so far.
    [[nodiscard]] const SimtStack::PassedOver& passed_over() const { return passed_over_; }

private:
    /// How active lanes leave the block under work.
    struct Way {
        std::size_t block = 0;
        bool arrives = false; ///< At a point of the code, by the block's last instruction.

        auto operator<=>(const Way&) const = default;
        bool operator==(const Way&) const = default;
    };

    [[noreturn]] void refuse(std::size_t instruction, const std::string& what) const;
    void check_entries(const WarpState& state) const;
    void check_points(const WarpState& state) const;
    void check_iterations(const WarpState& state) const;

    void execute(std::size_t instruction, std::vector<SimtStack>& stacks);
    void execute_join(std::size_t instruction, SimtStack& stack) const;
    void execute_leave(std::size_t instruction, std::vector<SimtStack>& stacks);
    [[nodiscard]] std::set<Way> ways(const SimtStack& stack) const;
    void diverge(const std::set<Way>& ways, const SimtStack& stack);
    void diverge(const Way& now, const std::vector<Way>& later, bool optional, SimtStack stack);
    void diverge_from(const std::set<Way>& ways, const SimtStack& stack);
    [[nodiscard]] static bool is_in_explicit(const SimtStack& stack);
    void join_where_paths_meet(SimtStack& stack) const;
    void take(const Way& way, SimtStack stack);
    void reach(std::size_t block, const EdgeGaps& gaps, SimtStack stack);
    void go_on(const std::vector<SimtStack::Resumed>& resumed, const EdgeGaps& of_arrivals);
    [[nodiscard]] EdgeGaps gaps_over(const Way& way) const;
    [[nodiscard]] EdgeGaps gaps_before(const SimtStack::Resumed& lanes,
                                       const EdgeGaps& of_arrivals) const;

    /// The point at which lanes arrive that the block's last instruction transfers: its entry.
    [[nodiscard]] std::size_t arrival(const SimtStack& stack) const;
    [[nodiscard]] std::size_t arrival_over(const Way& way, const SimtStack& stack) const;
    [[nodiscard]] std::set<std::size_t> blocks_behind(std::size_t maker) const;
    void leave(int reg, SimtStack& stack) const;
    void leave_when_taking(const Way& way, SimtStack& stack) const;
    [[nodiscard]] bool is_divergent(std::size_t instruction) const;
    [[nodiscard]] std::optional<int> register_of(std::size_t instruction) const;
    [[nodiscard]] bool is_set(std::size_t instruction) const;
    [[nodiscard]] bool is_of(const SimtStack::Entry& entry, int reg) const;
    [[nodiscard]] bool falls(std::size_t way) const;
    [[nodiscard]] bool falls_once() const;

    const KernelCase& kernel_;
    const ControlFlow& flow_;
    const std::vector<assembly::Instruction>& code_;
    PostDominators meetings_;
    std::vector<EdgeGaps> in_text_; ///< Per instruction: to the next one.
    std::vector<bool> ends_; ///< Per block: an EXIT follows over no block that is never executed.
    std::vector<const CheckedLoop*> headed_;     ///< Per block: the loop that it heads, or null.
    std::set<std::int64_t> divergent_addresses_; ///< Of divergent instructions.
    SimtStack::PassedOver passed_over_;

    // Of the state under work.
    std::size_t block_ = 0;
    LaneSteps steps_;
    /// Registers of points that lanes leave as the block's branch transfers them, or does not.
    std::vector<int> left_when_taken_;
    std::vector<int> left_behind_;
    /// Where the lanes go on that become pending by the divergence under work.
    std::map<std::size_t, EdgeGaps> diverged_;
    bool diverged_perhaps_ = false; ///< Of each of these groups: if it is there.
};

} // namespace warpbound::certification::verify
