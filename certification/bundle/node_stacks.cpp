#include "certification/bundle/node_stacks.hpp"

#include "certification/bundle/simt_stack_export.hpp"
#include "certification/verify/divergence/lane_steps.hpp"
#include "certification/verify/divergence/warp_cfg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace warpbound::certification {

namespace {

constexpr std::size_t most_pairs = 100'000;
constexpr std::size_t most_alike = 500; ///< Stacks of a node.

/// Pairs of a node and a stack with which lanes come there. Each step of a warp leads to a pair at
/// one of the successors that are of its block. A pair is dropped of which a step leads to none;
/// the steps to it then try another pair.
class NodePairs {
public:
    NodePairs(const verify::KernelCase& kernel, const verify::ControlFlow& flow,
              const analyzer::SerializedCfg& cfg, bool joins)
        : kernel_{kernel}, rules_{kernel, flow}, joins_{joins}, of_node_(kernel.serialized.size()),
          given_(cfg.stacks.size()) {
        for (const analyzer::SerializedNode node : cfg.stacks.indices())
            for (const analyzer::AbstractStack& known : cfg.stacks[node])
                for (verify::SimtStack& stack : exported(known))
                    given_[node.value()].push_back(std::move(stack));
    }

    /// Whether the nodes have all that lanes may do. False, too, where these are too many pairs.
    bool find() {
        add(0, {});
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
    struct Step {
        verify::WarpState next;
        std::size_t successor = 0; ///< Of the node: the one in use.
        std::size_t pair = none;
    };
    struct Pair {
        std::size_t node = 0;
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
    std::size_t add(std::size_t node, const verify::SimtStack& stack) {
        Alike& alike = of_node_[node];
        for (const std::size_t pair : alike.pairs)
            if (pairs_[pair].dropped && stack.covers(pairs_[pair].stack)) {
                refusal_ = pairs_[pair].lacks;
                return none;
            }
        if (const auto pair = covering(alike, stack)) return *pair;
        if (auto given = take_given(node, stack)) return add_pair(alike, node, *given);
        for (const std::size_t pair : alike.pairs) {
            if (pairs_[pair].dropped) continue;
            verify::SimtStack& known = pairs_[pair].stack;
            if (!alike.joins || !joins_) continue;
            if (auto joined = known.joined(stack)) {
                known = std::move(*joined);
                expand_later(pair);
                return pair;
            }
        }
        return add_pair(alike, node, stack);
    }

    std::size_t add_pair(Alike& alike, std::size_t node, const verify::SimtStack& stack) {
        has_many_alike_ = has_many_alike_ || alike.pairs.size() == most_alike;
        alike.pairs.push_back(pairs_.size());
        pairs_.push_back({node, stack, {}, {}, false, false, {}});
        expand_later(alike.pairs.back());
        return alike.pairs.back();
    }

    [[nodiscard]] std::optional<std::size_t> covering(const Alike& alike,
                                                      const verify::SimtStack& stack) const {
        for (const std::size_t pair : alike.pairs)
            if (!pairs_[pair].dropped && pairs_[pair].stack.covers(stack)) return pair;
        return std::nullopt;
    }

    /// A stack of the construction that stands for this one; each is tried once.
    std::optional<verify::SimtStack> take_given(std::size_t node, const verify::SimtStack& stack) {
        auto& given = given_[node];
        const auto at = std::find_if(given.begin(), given.end(),
                                     [&](const auto& known) { return known.covers(stack); });
        if (at == given.end()) return std::nullopt;
        verify::SimtStack taken = std::move(*at);
        given.erase(at);
        return taken;
    }

    /// A stack of the node is known that stands for this one.
    [[nodiscard]] bool has_covering(std::size_t node, const verify::SimtStack& stack) const {
        return covering(of_node_[node], stack) ||
               std::any_of(given_[node].begin(), given_[node].end(),
                           [&](const auto& known) { return known.covers(stack); });
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
        for (const auto& step : steps.next)
            pairs_[pair].steps.push_back({step.first, 0, none});
        for (std::size_t step = 0; step < steps.next.size() && !pairs_[pair].dropped; ++step)
            choose(pair, step, {});
    }

    /// The first successor that has a pair for this step already, else the first from the one in
    /// use on that gets one.
    void choose(std::size_t pair, std::size_t at, const std::string& lacks) {
        const std::size_t node = pairs_[pair].node;
        const auto& successors = kernel_.serialized[node].successors;
        const verify::WarpState next = pairs_[pair].steps[at].next;
        const auto is_of_block = [&](std::size_t to) {
            return kernel_.serialized[to].of == next.block;
        };
        refusal_.clear();
        const auto use = [&](std::size_t found) {
            pairs_[pair].steps[at].pair = found;
            pairs_[found].used_by.emplace_back(pair, at);
        };
        for (const std::size_t to : successors) {
            if (!is_of_block(to) || !has_covering(to, next.stack)) continue;
            const std::size_t found = add(to, next.stack);
            if (found != none) return use(found);
        }
        for (std::size_t& i = pairs_[pair].steps[at].successor; i < successors.size(); ++i) {
            if (!is_of_block(successors[i])) continue;
            const std::size_t found = add(successors[i], next.stack);
            if (found == none) continue;
            return use(found);
        }
        drop(pair,
             !lacks.empty() ? lacks
             : !refusal_.empty()
                 ? refusal_
                 : fmt::format("{}: serialized control flow: the path of lanes from 0x{:04x} to "
                               "0x{:04x} is missing at a node",
                               kernel_.id, kernel_.blocks[kernel_.serialized[node].of].first,
                               kernel_.blocks[next.block].first));
    }

    void drop(std::size_t pair, std::string lacks) {
        pairs_[pair].dropped = true;
        pairs_[pair].lacks = std::move(lacks);
        of_node_[pairs_[pair].node].joins = false;
        dropped_.push_back(pair);
    }

    const verify::KernelCase& kernel_;
    verify::LaneRules rules_;
    bool joins_; ///< Stacks of a node that can become one that stands for all of them.
    std::vector<Alike> of_node_;                        ///< Per node.
    std::vector<std::vector<verify::SimtStack>> given_; ///< Per node, not used yet.
    std::string refusal_;         ///< What a pair lacks that this step could have led to.
    bool has_many_alike_ = false; ///< More than `most_alike`.
    std::deque<Pair> pairs_;
    std::vector<std::size_t> work_;
    std::vector<std::size_t> dropped_; ///< Whose users are to try other pairs.
};

} // namespace

NodeStacks node_stacks(verify::KernelCase& kernel, const analyzer::SerializedCfg& cfg) {
    const verify::ControlFlow flow = verify::check_control_flow(kernel);
    std::string lacks;
    for (const bool joins : {true, false}) {
        NodePairs pairs{kernel, flow, cfg, joins};
        if (!pairs.find()) {
            if (lacks.empty()) lacks = pairs.lacks();
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
