#include "certification/verify/divergence/warp_states.hpp"

#include "assembly/isa/branch_guard.hpp"
#include "certification/verify/divergence/simt_stack.hpp"
#include "certification/verify/flow/post_dominators.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>

namespace warpbound::certification::verify {

namespace {

using Transfer = assembly::ControlFlow;

/// The second abstraction has fewer states where both explorations end.
constexpr std::size_t most_states = 50'000;
constexpr std::size_t most_states_of_last = 200'000;
constexpr std::size_t most_ways = 10; ///< Targets of one branch.

bool makes_point(Transfer flow) {
    return flow == Transfer::PushReconvergence || flow == Transfer::PushBreak ||
           flow == Transfer::PushContinue || flow == Transfer::ConvergenceSet;
}

bool leaves_point(const assembly::Instruction& instruction) {
    return instruction.control_flow == Transfer::ConvergenceBreak ||
           (instruction.mnemonic == "BMOV" && instruction.has_modifier("CLEAR"));
}

class Follower {
public:
    Follower(const KernelCase& kernel, const ControlFlow& flow, Waiting known)
        : kernel_{kernel}, flow_{flow}, code_{kernel.function->instructions}, meetings_{flow},
          before_{predecessors_of(flow)}, headed_(flow.blocks.size(), nullptr),
          loops_around_(flow.blocks.size()), most_{known == Waiting::Each ? most_states
                                                                          : most_states_of_last} {
        for (const CheckedLoop& loop : flow.loops) {
            headed_[loop.header] = &loop;
            for (const std::size_t block : loop.blocks)
                loops_around_[block].push_back(&loop);
        }
        for (const models::DivergentFact& fact : kernel.facts.divergents)
            divergent_addresses_.insert(fact.at);
        found_.known = known;
        found_.states.push_back({0, {}, false, true});
        stacks_.emplace_back(known == Waiting::Each ? nullptr : &parting_);
        index_[{0, stacks_.front()}].push_back(0);
    }

    std::optional<WarpStates> run() {
        for (std::size_t state = 0; state < stacks_.size(); ++state) {
            current_ = state;
            const std::size_t block = found_.states[state].block;
            try {
                expand(block, stacks_[state]);
            } catch (const SimtStack::NotFollowed& not_followed) {
                refuse(flow_.last[block], not_followed.what);
            }
            if (found_.states.size() > most_) return std::nullopt;
        }
        return std::move(found_);
    }

private:
    [[noreturn]] void refuse(std::size_t instruction, const std::string& what) const {
        throw Finding{Verdict::Failed, fmt::format("{}: 0x{:04x}: {}", kernel_.id,
                                                   code_[instruction].address, what)};
    }

    // By value: states are added meanwhile.
    void expand(std::size_t block, SimtStack stack) {
        const std::size_t last = flow_.last[block];
        check_turns(block, stack);
        left_when_taken_.clear();
        left_behind_.clear();
        for (std::size_t i = flow_.first[block]; i <= last; ++i)
            pass(i, block, stack);
        if (flow_.blocks[block].exits) end(stack);
        std::set<std::size_t> ways;
        for (const std::size_t to : flow_.blocks[block].successors)
            if (!flow_.never[to]) ways.insert(to);
        // First, so that states that represent more are known before those that they represent.
        if (ways.size() > 1 && may_part(last)) part(block, ways, stack);
        for (const std::size_t way : ways)
            take(block, way, stack);
    }

    void part(std::size_t block, const std::set<std::size_t>& ways, const SimtStack& stack) {
        const std::size_t last = flow_.last[block];
        if (flow_.blocks[block].exits || ways.size() > most_ways)
            refuse(last, "lanes may diverge to more paths than this check follows");
        for (const std::size_t now : ways) {
            std::vector<std::size_t> others;
            std::copy_if(ways.begin(), ways.end(), std::back_inserter(others),
                         [now](std::size_t way) { return way != now; });
            for (std::size_t some = 1; some < std::size_t{1} << others.size(); ++some) {
                std::vector<std::size_t> later;
                for (std::size_t i = 0; i < others.size(); ++i)
                    if (((some >> i) & 1U) != 0) later.push_back(others[i]);
                part(block, now, later, stack);
            }
        }
    }

    [[nodiscard]] bool may_part(std::size_t instruction) const {
        return divergent_addresses_.count(code_[instruction].address) != 0;
    }

    /// Loop bounds are those of a thread: no lane may wait inside a loop while others iterate.
    void check_turns(std::size_t block, const SimtStack& stack) {
        const CheckedLoop* const loop = headed_[block];
        if (loop == nullptr) return;
        const auto check_inside = [&](std::size_t at) {
            if (at != SimtStack::none && loop->blocks.count(at) != 0)
                refuse(flow_.first[block], "some lanes may iterate this loop while others wait "
                                           "inside it, which this check does not follow");
        };
        for (const SimtStack::Entry& entry : stack.entries()) {
            if (entry.kind != SimtStack::Kind::Pending) {
                check_inside(entry.resume);
                continue;
            }
            for (const SimtStack::Group& group : stack.groups_of(entry)) {
                found_.turned[group].insert(block);
                check_inside(group.second);
            }
        }
    }

    void pass(std::size_t i, std::size_t block, SimtStack& stack) {
        const assembly::Instruction& instruction = code_[i];
        const bool guarded = assembly::is_guarded(instruction);
        if (assembly::synchronizes_threads(instruction) && (guarded || !stack.is_converged()))
            refuse(i, "some lanes may come to this barrier while others are elsewhere");
        if (leaves_point(instruction)) return pass_leaving(i, block, stack);
        if (!makes_point(instruction.control_flow)) return;
        if (guarded) refuse(i, "a guarded join is not followed where lanes may diverge");
        const auto reg = is_set(i) ? register_of(i) : std::nullopt;
        for (std::size_t at = 0; at < stack.entries().size(); ++at) {
            const SimtStack::Entry& entry = stack.entries()[at];
            if ((entry.kind == SimtStack::Kind::Explicit && entry.origin == i) ||
                (reg && stack.is_in(at) && is_of(entry, *reg)))
                refuse(i, "a point that lanes are in already, which this check does not follow");
        }
        stack.join(SimtStack::Kind::Explicit, i);
    }

    /// Under a guard either the lanes that the block's branch transfers leave the point, or the
    /// others.
    void pass_leaving(std::size_t i, std::size_t block, SimtStack& stack) {
        const assembly::Instruction& instruction = code_[i];
        if (instruction.guard && instruction.guard->never()) return;
        const auto reg = register_of(i);
        if (!reg || assembly::has_predicate_operand(instruction))
            refuse(i, "expected a barrier register alone");
        if (!assembly::is_guarded(instruction)) {
            leave(*reg, stack);
            return stack.open_points(later_iteration_);
        }
        const auto transferred =
            assembly::executes_if_taken(*kernel_.function, i, flow_.last[block]);
        if (!transferred || !falls_once(block))
            refuse(i, "lanes that leave a point under a guard without a branch to another block "
                      "with the same guard, or its opposite, are not followed");
        (*transferred ? left_when_taken_ : left_behind_).push_back(*reg);
    }

    void leave(int reg, SimtStack& stack) const {
        for (std::size_t i = stack.entries().size(); i-- > 0;)
            if (stack.is_in(i) && is_of(stack.entries()[i], reg)) return stack.leave(i);
    }

    [[nodiscard]] bool is_set(std::size_t i) const {
        return code_[i].control_flow == Transfer::ConvergenceSet;
    }
    [[nodiscard]] std::optional<int> register_of(std::size_t i) const {
        return assembly::barrier_register(code_[i]);
    }
    [[nodiscard]] bool is_of(const SimtStack::Entry& entry, int reg) const {
        return entry.kind == SimtStack::Kind::Explicit && is_set(entry.origin) &&
               register_of(entry.origin) == reg;
    }
    [[nodiscard]] bool falls(std::size_t block, std::size_t way) const {
        return flow_.first[way] == flow_.last[block] + 1;
    }
    /// One of the two successors is the instruction after the last one.
    [[nodiscard]] bool falls_once(std::size_t block) const {
        const auto& to = flow_.blocks[block].successors;
        return to.size() == 2 && falls(block, to.front()) != falls(block, to.back());
    }

    /// The lanes that take this successor leave points.
    void leave_over(std::size_t block, std::size_t way, SimtStack& stack) const {
        for (const int reg : falls(block, way) ? left_behind_ : left_when_taken_)
            leave(reg, stack);
    }

    /// All active lanes take the edge.
    void take(std::size_t block, std::size_t way, SimtStack stack) {
        leave_over(block, way, stack);
        stack.open_points(later_iteration_);
        if (const auto point = arrival(block, way, stack))
            arrive(*point, way, std::move(stack));
        else
            go_on(way, std::move(stack));
    }

    /// Divergence: some lanes take one successor now, the others take theirs later.
    void part(std::size_t block, std::size_t now, const std::vector<std::size_t>& later,
              SimtStack stack) {
        const auto& entries = stack.entries();
        bool in_made = false;
        for (std::size_t i = 0; i < entries.size(); ++i)
            in_made = in_made || (stack.is_in(i) && entries[i].kind == SimtStack::Kind::Explicit);
        if (!in_made)
            if (const auto meeting = meetings_.immediate(block)) {
                const auto point = stack.innermost();
                if (!point || !is_at(entries[*point], *meeting)) {
                    for (const SimtStack::Entry& entry : entries)
                        if (is_at(entry, *meeting))
                            refuse(flow_.last[block],
                                   "the paths from here reconverge where those "
                                   "around it do, which this check does not follow");
                    stack.join(SimtStack::Kind::PostDominator, *meeting);
                }
            }
        const SimtStack before = stack;
        for (const std::size_t way : later) {
            SimtStack others = before;
            leave_over(block, way, others);
            auto point = arrival(block, way, others);
            if (const auto inner = others.innermost();
                !point && inner && is_at(others.entries()[*inner], way))
                point = inner;
            if (point)
                stack.wait_at(*point, way, others);
            else {
                stack.push_pending(block, way, others, later.size() > 1);
                found_.groups.emplace(block, way);
            }
        }
        take(block, now, std::move(stack));
    }

    [[nodiscard]] static bool is_at(const SimtStack::Entry& point, std::size_t block) {
        return point.kind == SimtStack::Kind::PostDominator && point.origin == block;
    }

    /// The point at which the lanes arrive that take this successor by the block's last
    /// instruction.
    [[nodiscard]] std::optional<std::size_t> arrival(std::size_t block, std::size_t way,
                                                     const SimtStack& stack) const {
        const std::size_t last = flow_.last[block];
        const auto kind = pushed_by(code_[last].control_flow);
        if (!kind) return std::nullopt;
        const bool waits = *kind == Transfer::ConvergenceSet;
        if (assembly::is_guarded(code_[last])) {
            if (waits || !falls_once(block))
                refuse(last, "a guarded arrival that this check does not follow");
            if (falls(block, way)) return std::nullopt;
        }
        for (std::size_t i = stack.entries().size(); i-- > 0;) {
            if (!stack.is_in(i) || stack.entries()[i].kind != SimtStack::Kind::Explicit) continue;
            const std::size_t maker = stack.entries()[i].origin;
            const Transfer made = code_[maker].control_flow;
            if (made == *kind && (!waits || register_of(maker) == register_of(last))) {
                check_target(maker, last, way);
                return i;
            }
            if (waits || made == Transfer::ConvergenceSet)
                refuse(last, "lanes arrive at a point that is not the innermost, which this check "
                             "does not follow");
        }
        refuse(last, "no point is joined at which lanes arrive");
    }

    /// Lanes go on where the instruction that set the point says; BSYNC to itself falls through.
    void check_target(std::size_t maker, std::size_t last, std::size_t way) const {
        const auto target = target_of(code_[maker]);
        std::optional<std::size_t> behind =
            target ? kernel_.function->index_of(*target) : std::nullopt;
        if (is_set(maker) && behind == last) behind = last + 1;
        if (behind != flow_.first[way]) refuse(last, "lanes go on elsewhere than their point says");
    }

    /// The active lanes have arrived at the point; `behind`: the block where they go on.
    void arrive(std::size_t point, std::size_t behind, SimtStack stack) {
        if (!stack.arrive(point, behind, later_iteration_)) return let_next(stack);
        found_.resumed_blocks.insert(behind);
        go_on(behind, std::move(stack));
    }

    /// The active lanes have ended.
    void end(SimtStack stack) {
        stack.end(later_iteration_);
        let_next(stack);
    }

    void let_next(const SimtStack& stack) {
        auto choices = stack.next();
        if (choices.empty()) found_.states[current_].ends = true;
        for (auto& [waited, rest] : choices) {
            if (waited.kind != SimtStack::Kind::Pending)
                found_.resumed_blocks.insert(waited.resume);
            go_on(waited.resume, std::move(rest));
        }
    }

    /// The active lanes reach the block.
    void go_on(std::size_t block, SimtStack stack) {
        for (std::size_t i = 0; i < stack.entries().size(); ++i) {
            if (!stack.is_in(i) || !is_at(stack.entries()[i], block)) continue;
            if (stack.innermost() != i)
                refuse(flow_.first[block], "lanes pass a reconvergence point without arriving, "
                                           "which this check does not follow");
            return arrive(i, block, std::move(stack));
        }
        enter(block, std::move(stack));
    }

    void enter(std::size_t block, SimtStack stack) {
        std::vector<std::size_t>& alike = index_[{block, stack.without_earlier()}];
        auto state = std::find_if(alike.begin(), alike.end(),
                                  [&](std::size_t i) { return stacks_[i].covers(stack); });
        if (state == alike.end()) {
            state = alike.insert(state, stacks_.size());
            found_.states.push_back({block, {}, false, stack.is_converged()});
            stacks_.push_back(std::move(stack));
        }
        found_.states[current_].next.push_back(*state);
    }

    [[nodiscard]] bool is_later_iteration(std::size_t of, std::size_t at) {
        const auto [known, fresh] = later_iterations_.try_emplace({of, at}, false);
        if (fresh) known->second = find_later_iteration(of, at);
        return known->second;
    }
    [[nodiscard]] bool find_later_iteration(std::size_t of, std::size_t at) const {
        std::set<std::size_t> headers;
        for (const CheckedLoop* loop : loops_around_[of]) {
            if (loop->blocks.count(at) == 0) return false;
            headers.insert(loop->header);
        }
        if (headers.empty()) return false;
        std::set<std::size_t> seen{at};
        std::vector<std::size_t> work{at};
        while (!work.empty()) {
            const std::size_t block = work.back();
            work.pop_back();
            if (block == of) return false;
            for (const std::size_t to : flow_.blocks[block].successors)
                if (headers.count(to) == 0 && seen.insert(to).second) work.push_back(to);
        }
        return true;
    }

    const KernelCase& kernel_;
    const ControlFlow& flow_;
    const std::vector<assembly::Instruction>& code_;
    PostDominators meetings_;
    std::vector<std::vector<std::size_t>> before_;              ///< Predecessors of blocks.
    std::vector<const CheckedLoop*> headed_;                    ///< Per block: by it, or null.
    std::vector<std::vector<const CheckedLoop*>> loops_around_; ///< Per block.
    std::set<std::int64_t> divergent_addresses_;                ///< Of divergent instructions.
    std::size_t most_;                                          ///< States.
    WarpStates found_;
    std::vector<SimtStack> stacks_; ///< Per state.
    /// Of the block that is expanded: registers of points that lanes leave as its branch transfers
    /// them, or does not.
    std::vector<int> left_when_taken_;
    std::vector<int> left_behind_;
    /// By block and by the stack without groups that may be below others.
    std::map<std::pair<std::size_t, SimtStack>, std::vector<std::size_t>> index_;
    std::map<std::size_t, std::vector<std::size_t>> divergent_blocks_; ///< As far as asked for.
    const SimtStack::DivergentBlocks parting_ = [this](std::size_t at) -> const auto& {
        const auto [known, fresh] = divergent_blocks_.try_emplace(at);
        if (!fresh) return known->second;
        for (const std::size_t block : before_[at])
            if (may_part(flow_.last[block]) &&
                (known->second.empty() || known->second.back() != block))
                known->second.push_back(block);
        return known->second;
    };
    std::map<std::pair<std::size_t, std::size_t>, bool> later_iterations_; ///< As asked for.
    std::size_t current_ = 0;
    const SimtStack::LaterIteration later_iteration_ = [this](std::size_t of, std::size_t at) {
        return is_later_iteration(of, at);
    };
};

} // namespace

std::optional<WarpStates> follow_lanes(const KernelCase& kernel, const ControlFlow& flow,
                                       Waiting known) {
    return Follower{kernel, flow, known}.run();
}

WarpStates follow_lanes(const KernelCase& kernel, const ControlFlow& flow) {
    for (const Waiting known : {Waiting::Each, Waiting::Last})
        if (auto states = follow_lanes(kernel, flow, known)) return std::move(*states);
    throw Finding{Verdict::Failed,
                  kernel.id + ": lanes may diverge in more ways than this check follows"};
}

} // namespace warpbound::certification::verify
