#include "certification/bundle/node_stacks.hpp"

#include "certification/verify/divergence/lane_steps.hpp"
#include "certification/verify/divergence/warp_cfg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>
#include <string>
#include <tuple>
#include <utility>

namespace warpbound::certification {

namespace {

constexpr std::size_t most_pairs = 100'000;
constexpr std::size_t most_alike = 500; ///< Stacks of a node.

/// Which stacks of a node become one that stands for all of them.
enum class Joining {
    All,         ///< Those that can.
    OfOneChoice, ///< Those after the same choice between several nodes of one block.
    None
};

/// Pairs of a node and a stack with which lanes come there. Each step of a warp leads to a pair at
/// one of the successors that are of its block. A pair is dropped of which a step leads to none;
/// the steps to it then try another pair.
class NodePairs {
public:
    NodePairs(const verify::KernelCase& kernel, const verify::ControlFlow& flow, Joining joining)
        : kernel_{kernel}, rules_{kernel, flow}, joining_{joining} {}

    /// Whether the nodes have all that lanes may do. False, too, where these are too many pairs.
    bool find() {
        add(0, {}, {});
        while (!work_.empty() || !dropped_.empty()) {
            if (pairs_.size() > most_pairs || has_many_alike_) {
                pairs_.front().lacks =
                    kernel_.id + ": lanes may diverge in more ways than the search follows";
                return false;
            }
            if (!dropped_.empty()) {
                const std::size_t pair = dropped_.back();
                dropped_.pop_back();
                for (const auto& [before, step] : std::exchange(pairs_[pair].used_by, {}))
                    if (!pairs_[before].dropped && step < pairs_[before].steps.size() &&
                        pairs_[before].steps[step].pair == pair)
                        choose(before, step, pairs_[pair].lacks);
                continue;
            }
            const std::size_t pair = work_.back();
            work_.pop_back();
            pairs_[pair].waits = false;
            if (!pairs_[pair].dropped) expand(pair);
        }
        return !pairs_.front().dropped;
    }
    [[nodiscard]] const std::string& lacks() const { return pairs_.front().lacks; }

    /// Of the pairs that steps lead to.
    [[nodiscard]] NodeStacks stacks() const {
        NodeStacks found;
        found.of_node.resize(kernel_.serialized.size());
        std::map<verify::SimtStack, std::size_t> index;
        std::vector<bool> seen(pairs_.size(), false);
        std::vector<std::size_t> work{0};
        seen.front() = true;
        for (std::size_t done = 0; done < work.size(); ++done) {
            const Pair& pair = pairs_[work[done]];
            const auto [known, fresh] = index.emplace(pair.stack, found.stacks.size());
            if (fresh) found.stacks.push_back(known->first);
            std::vector<std::size_t>& here = found.of_node[pair.node];
            if (std::find(here.begin(), here.end(), known->second) == here.end())
                here.push_back(known->second);
            for (const Step& step : pair.steps) {
                if (!seen[step.pair]) work.push_back(step.pair);
                seen[step.pair] = true;
            }
        }
        return found;
    }

private:
    static constexpr std::size_t none = SIZE_MAX;
    /// Two nodes between which the last of several possible successors of one block was chosen, and
    /// the top of the stack. What follows one choice is kept apart from what follows another.
    using Choice = std::tuple<std::size_t, std::size_t, verify::SimtStack::Point, std::size_t>;
    struct Step {
        verify::WarpState next;
        std::size_t successor = 0; ///< Of the node: the one in use.
        std::size_t pair = none;
    };
    struct Pair {
        std::size_t node = 0;
        Choice choice;
        verify::SimtStack stack;
        std::vector<Step> steps;
        std::vector<std::pair<std::size_t, std::size_t>> used_by; ///< Pair and its step.
        bool waits = false;                                       ///< To be expanded.
        bool dropped = false;
        std::string lacks; ///< Why.
    };
    struct Alike {
        std::vector<std::size_t> pairs;
        bool joins = true; ///< No pair that stands for several stacks was dropped.
    };

    /// None: such a pair was dropped.
    std::size_t add(std::size_t node, Choice choice, const verify::SimtStack& stack) {
        if (stack.is_converged()) choice = {};
        Alike& alike = of_node_[{node, choice}];
        for (const std::size_t pair : alike.pairs)
            if (pairs_[pair].dropped && stack.covers(pairs_[pair].stack)) return none;
        for (const std::size_t pair : alike.pairs) {
            if (pairs_[pair].dropped) continue;
            verify::SimtStack& known = pairs_[pair].stack;
            if (known.covers(stack)) return pair;
            if (!alike.joins || joining_ == Joining::None) continue;
            if (auto joined = known.joined(stack)) {
                known = std::move(*joined);
                expand_later(pair);
                return pair;
            }
        }
        has_many_alike_ = has_many_alike_ || alike.pairs.size() == most_alike;
        alike.pairs.push_back(pairs_.size());
        pairs_.push_back({node, choice, stack, {}, {}, false, false, {}});
        expand_later(alike.pairs.back());
        return alike.pairs.back();
    }

    void expand_later(std::size_t pair) {
        if (pairs_[pair].waits) return;
        pairs_[pair].waits = true;
        work_.push_back(pair);
    }

    void expand(std::size_t pair) {
        const std::size_t block = kernel_.serialized[pairs_[pair].node].of;
        verify::LaneSteps steps;
        try {
            steps = rules_.after({block, pairs_[pair].stack});
        } catch (const verify::Finding& finding) {
            return drop(pair, finding.what());
        }
        if (steps.ends && !kernel_.blocks[block].exits)
            return drop(pair, kernel_.id +
                                  ": serialized control flow: a path does not end where all "
                                  "lanes have");
        pairs_[pair].steps.clear();
        for (const verify::WarpState& next : steps.next)
            pairs_[pair].steps.push_back({next, 0, none});
        for (std::size_t step = 0; step < steps.next.size() && !pairs_[pair].dropped; ++step)
            choose(pair, step, {});
    }

    /// The first successor from the one in use on that has a pair for this step.
    void choose(std::size_t pair, std::size_t at, const std::string& lacks) {
        const std::size_t node = pairs_[pair].node;
        const auto& successors = kernel_.serialized[node].successors;
        const verify::WarpState next = pairs_[pair].steps[at].next;
        const auto is_of_block = [&](std::size_t to) {
            return kernel_.serialized[to].of == next.block;
        };
        const bool is_choice = joining_ == Joining::OfOneChoice &&
                               std::count_if(successors.begin(), successors.end(), is_of_block) > 1;
        Choice choice = pairs_[pair].choice;
        for (std::size_t& i = pairs_[pair].steps[at].successor; i < successors.size(); ++i) {
            if (!is_of_block(successors[i])) continue;
            if (is_choice && !next.stack.entries().empty()) {
                const auto& top = next.stack.entries().back();
                choice = {node, successors[i], {top.kind, top.origin}, top.resume};
            }
            const std::size_t found = add(successors[i], choice, next.stack);
            if (found == none) continue;
            pairs_[pair].steps[at].pair = found;
            pairs_[found].used_by.emplace_back(pair, at);
            return;
        }
        drop(pair,
             !lacks.empty()
                 ? lacks
                 : fmt::format("{}: serialized control flow: the path of lanes from 0x{:04x} to "
                               "0x{:04x} is missing at a node",
                               kernel_.id, kernel_.blocks[kernel_.serialized[node].of].first,
                               kernel_.blocks[next.block].first));
    }

    void drop(std::size_t pair, std::string lacks) {
        pairs_[pair].dropped = true;
        pairs_[pair].lacks = std::move(lacks);
        of_node_[{pairs_[pair].node, pairs_[pair].choice}].joins = false;
        dropped_.push_back(pair);
    }

    const verify::KernelCase& kernel_;
    verify::LaneRules rules_;
    Joining joining_;
    bool has_many_alike_ = false; ///< More than `most_alike`.
    std::deque<Pair> pairs_;
    std::map<std::pair<std::size_t, Choice>, Alike> of_node_;
    std::vector<std::size_t> work_;
    std::vector<std::size_t> dropped_; ///< Whose users are to try other pairs.
};

} // namespace

NodeStacks node_stacks(verify::KernelCase& kernel) {
    const verify::ControlFlow flow = verify::check_control_flow(kernel);
    std::string lacks;
    for (const Joining joining : {Joining::All, Joining::OfOneChoice, Joining::None}) {
        NodePairs pairs{kernel, flow, joining};
        if (!pairs.find()) {
            if (lacks.empty() || joining != Joining::None) lacks = pairs.lacks();
            continue;
        }
        NodeStacks found = pairs.stacks();
        kernel.stacks = found.stacks;
        for (std::size_t node = 0; node < kernel.serialized.size(); ++node)
            kernel.serialized[node].stacks = found.of_node[node];
        try {
            verify::check_flows(kernel);
            return found;
        } catch (const verify::Finding& finding) {
            lacks = finding.what();
        }
    }
    throw verify::Finding{verify::Verdict::Failed, lacks};
}

} // namespace warpbound::certification
