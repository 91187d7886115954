#include "analyzer/divergence/product_exploration.hpp"

#include "analyzer/divergence/divergent_facts.hpp"
#include "assembly/support/stop_token.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <tuple>

namespace warpbound::analyzer {

namespace {

constexpr std::size_t most_rounds = 40;
constexpr std::size_t most_header_stacks = 12;
constexpr std::size_t most_visits = 40'000; ///< Of all nodes, beside one for each of the limit.
constexpr std::size_t large_stack = 16;     ///< Entries; n times as many are n^2 visits more.
constexpr std::size_t most_stacks = 60;     ///< Of a node; of `Groups` more are joined, else all.

constexpr std::size_t most_alike_targets = 3; ///< Groups that go on alike, told apart.

/// What may be on a stack, without its order.
/// By whether they wait, and the group: in how many entries, or how often at most.
using Content = std::map<std::pair<bool, PendingGroup>, std::size_t>;

Content content_of(const AbstractStack& stack) {
    Content content;
    for (const auto& entry : stack.entries) {
        if (entry.waiting) ++content[{true, *entry.waiting}];
        for (const PendingGroup& group : entry.groups)
            content[{false, group}] += std::max<std::size_t>(entry.at_most, 1);
    }
    return content;
}

/// Groups that are to go on earlier in the code than the active lanes; above the innermost point of
/// these the newest other group, and whether lanes wait there.
Content innermost_content(const AbstractStack& stack, BlockIndex active) {
    Content content;
    const std::size_t innermost = stack.innermost().value_or(0);
    bool is_found = false;
    for (std::size_t i = stack.entries.size(); i-- > 0;) {
        const AbstractStack::Entry& entry = stack.entries[i];
        if (entry.waiting && i >= innermost) ++content[{true, *entry.waiting}];
        if (entry.point) is_found = false;
        bool has_later = false;
        for (const PendingGroup& group : entry.groups) {
            const bool is_later = group.resume > active;
            if (is_later && (i < innermost || is_found)) continue;
            ++content[{false, group}];
            has_later = has_later || is_later;
        }
        is_found = is_found || has_later;
    }
    return content;
}

/// The first stack has the points and groups of the second one.
bool has_all_of(const AbstractStack& stack, const AbstractStack& other) {
    using Entry = AbstractStack::Entry;
    const auto has = [&](const auto& wanted) {
        return std::any_of(stack.entries.begin(), stack.entries.end(), wanted);
    };
    return std::all_of(other.entries.begin(), other.entries.end(), [&](const Entry& entry) {
        if (entry.point) return has([&](const Entry& one) { return one.point == entry.point; });
        return has([&](const Entry& one) {
            return std::includes(one.groups.begin(), one.groups.end(), entry.groups.begin(),
                                 entry.groups.end());
        });
    });
}

/// A traversal of a loop by the active lanes.
struct Traversal {
    std::size_t loop = 0;
    TraversalIndex around{};
    std::vector<AbstractStack> stacks{}; ///< When the header is executed.
    Content on_stacks{};
};

class ProductExploration {
public:
    ProductExploration(const TimedKernel& kernel, NodeDetail detail, std::size_t node_limit)
        : kernel_{kernel}, graph_{*kernel.graph}, detail_{detail}, node_limit_{node_limit},
          headed_(graph_.blocks.size()), rules_{kernel, detail.counted,
                                                [this](TraversalIndex traversal, BlockIndex block) {
                                                    return trimmed(traversal, block);
                                                }} {
        for (std::size_t loop = 0; loop < graph_.loops.size(); ++loop)
            headed_[header_block(graph_.loops[loop])] = loop;
        traversals_.push_back({});
    }

    Result<std::optional<Product>> explore() {
        if (auto checked = check_divergent_facts(kernel_); !checked) return checked.as_failure();
        for (std::size_t round = 0; round < most_rounds; ++round) {
            nodes_.clear();
            known_.clear();
            work_.clear();
            grew_ = false;
            std::size_t visits = 0;
            if (auto begun = node_of({assembly::entry_block, no_traversal, {}}); !begun)
                return begun.as_failure();
            while (!work_.empty()) {
                check_stop("the serialized control-flow graph");
                const Work next = std::move(work_.extract(work_.begin()).mapped());
                visits += 1 + time_of(next.state.stack);
                if (nodes_.size() > node_limit_ || visits > most_visits + node_limit_)
                    return std::optional<Product>{};
                if (auto expanded = expand(next); !expanded) return expanded.as_failure();
            }
            if (!grew_) return std::optional{Product{std::move(nodes_), rules_.overtaking()}};
        }
        return Failure{"the stacks of divergent lanes do not become stable, which is not bounded",
                       kernel_.function->name};
    }

private:
    struct Work {
        ProductIndex node;
        WarpState state;
    };
    using Key = std::tuple<BlockIndex, TraversalIndex, Content>; ///< The difference of stacks.

    /// That comparing a large stack with others takes, in visits of small ones.
    [[nodiscard]] static std::size_t time_of(const AbstractStack& stack) {
        const std::size_t entries = stack.entries.size();
        return entries * entries / (large_stack * large_stack);
    }
    [[nodiscard]] bool is_in_loop(std::size_t loop, BlockIndex block) const {
        return has_block(graph_.loops[loop], block);
    }
    [[nodiscard]] TraversalIndex trimmed(TraversalIndex traversal, BlockIndex block) const {
        while (traversal != no_traversal && !is_in_loop(traversals_[traversal].loop, block))
            traversal = traversals_[traversal].around;
        return traversal;
    }

    /// What tells the stack from that of the header of the traversal.
    [[nodiscard]] Content difference(const AbstractStack& stack, TraversalIndex traversal,
                                     BlockIndex active) const {
        const Content& known = traversals_[traversal].on_stacks;
        Content difference = detail_.kind == NodeDetail::Kind::Innermost
                                 ? innermost_content(stack, active)
                                 : content_of(stack);
        std::erase_if(difference,
                      [&](const auto& element) { return known.count(element.first) != 0; });
        switch (detail_.kind) {
        case NodeDetail::Kind::Newest:
            return newest_of(difference, stack);
        case NodeDetail::Kind::Targets:
            return targets_of(difference);
        case NodeDetail::Kind::Groups:
        case NodeDetail::Kind::Innermost:
            break;
        }
        return difference;
    }

    /// The newest work is next. Where stacks below a point are joined, that which is pending or
    /// active earliest in the code is: what joins has joined before it goes on.
    void add_work(ProductIndex node, WarpState state) {
        std::size_t earliest = 0;
        std::size_t latest_block = 0;
        if (detail_.kind == NodeDetail::Kind::Innermost) {
            earliest = state.block.value();
            latest_block = graph_.blocks.size() - state.block.value();
            for (const auto& entry : state.stack.entries)
                for (const PendingGroup& group : entry.groups)
                    earliest = std::min(earliest, group.resume.value());
        }
        work_.emplace(std::tuple{earliest, latest_block, --newest_first_},
                      Work{node, std::move(state)});
    }

    /// Lanes that wait, and of such groups the newest above each point.
    [[nodiscard]] static Content newest_of(const Content& difference, const AbstractStack& stack) {
        Content newest;
        for (const auto& [element, entries] : difference)
            if (element.first) newest[element] = entries;
        bool is_found = false;
        for (std::size_t i = stack.entries.size(); i-- > 0;) {
            if (stack.entries[i].point) is_found = false;
            if (is_found) continue;
            for (const PendingGroup& group : stack.entries[i].groups)
                if (const auto found = difference.find({false, group}); found != difference.end()) {
                    newest.insert(*found);
                    is_found = true;
                }
        }
        return newest;
    }

    [[nodiscard]] static Content targets_of(const Content& difference) {
        Content targets;
        for (const auto& [element, entries] : difference)
            if (!element.first)
                targets[{false, {{}, element.second.resume, no_traversal, {}, {}}}] = 1;
        return targets;
    }

    Result<void> expand(const Work& work) {
        auto steps = rules_.after(work.state);
        if (!steps) return steps.as_failure();
        for (WarpStep& step : steps.value()) {
            auto node = node_of(std::move(step.next));
            if (!node) return node.as_failure();
            nodes_[work.node].successors.emplace(node.value(), step.falls);
        }
        return boost::outcome_v2::success();
    }

    /// The node of the state, which is expanded if it is new.
    Result<ProductIndex> node_of(WarpState state) {
        if (detail_.kind == NodeDetail::Kind::Targets)
            state.stack.merge_alike(most_alike_targets, AbstractStack::Alike::GoingOnAlike);
        if (headed_[state.block]) return header_of(std::move(state));
        Content content = difference(state.stack, state.traversal, state.block);
        return add({state.block, state.traversal, std::move(content)}, std::move(state));
    }

    Result<ProductIndex> header_of(WarpState state) {
        const std::size_t loop = *headed_[state.block];
        if (auto checked = check_iteration(loop, state); !checked) return checked.as_failure();
        const bool iterates =
            state.traversal != no_traversal && traversals_[state.traversal].loop == loop;
        if (!iterates) {
            Content content = difference(state.stack, state.traversal, state.block);
            const auto [known, fresh] = entries_.try_emplace(
                Key{state.block, state.traversal, std::move(content)}, traversals_.next());
            if (fresh) traversals_.push_back({loop, state.traversal, {}});
            state.traversal = known->second;
        }
        auto& stacks = traversals_[state.traversal].stacks;
        if (!covers(stacks, state.stack)) {
            grew_ = true;
            if (!join(state.stack, stacks) && stacks.size() >= most_header_stacks)
                return refuse_at(*kernel_.function, block_at(graph_, state.block).first,
                                 "lanes come to this loop with too many different stacks, which "
                                 "is not bounded");
            stacks.push_back(state.stack);
            traversals_[state.traversal].on_stacks.merge(content_of(state.stack));
        }
        const auto [known, fresh] =
            known_.try_emplace(Key{state.block, state.traversal, {}}, nodes_.next());
        if (fresh) nodes_.push_back({state.block, {}});
        const ProductIndex node = known->second;
        for (const AbstractStack& stack : stacks) {
            const auto& expanded = nodes_[node].stacks;
            if (std::find(expanded.begin(), expanded.end(), stack) == expanded.end())
                add_work(node, {state.block, state.traversal, stack});
        }
        nodes_[node].stacks = stacks;
        return node;
    }

    /// The loop bound is about one lane, and lanes that wait inside do not count iterations.
    Result<void> check_iteration(std::size_t loop, const WarpState& state) const {
        for (const auto& [element, entries] : content_of(state.stack))
            if (const PendingGroup& others = element.second; is_in_loop(loop, others.resume))
                return refuse_at(*kernel_.function, block_at(graph_, state.block).first,
                                 fmt::format("lanes may iterate this loop while others{} are to "
                                             "go on inside it, which is not bounded",
                                             rules_.place_of(others)));
        return boost::outcome_v2::success();
    }

    Result<ProductIndex> add(Key key, WarpState state) {
        const auto [known, fresh] = known_.try_emplace(std::move(key), nodes_.next());
        const ProductIndex node = known->second;
        if (fresh) nodes_.push_back({state.block, {}});
        auto& stacks = nodes_[node].stacks;
        if (covers(stacks, state.stack)) return node;
        const bool joins = detail_.kind != NodeDetail::Kind::Groups || stacks.size() >= most_stacks;
        if (joins && !join(state.stack, stacks) && stacks.size() >= most_stacks)
            return refuse_at(*kernel_.function, block_at(graph_, state.block).first,
                             "lanes may come here with too many different stacks, which is not "
                             "bounded");
        stacks.push_back(state.stack);
        add_work(node, std::move(state));
        return node;
    }

    [[nodiscard]] bool covers(const std::vector<AbstractStack>& known,
                              const AbstractStack& stack) const {
        return std::any_of(known.begin(), known.end(), [&](const AbstractStack& one) {
            return one == stack ||
                   (has_all_of(one, stack) && widened(one, stack, is_around_) == one);
        });
    }
    /// Replaces the stack and some of the known ones by what stands for all of these.
    bool join(AbstractStack& stack, std::vector<AbstractStack>& known) const {
        bool joined = false;
        for (std::size_t i = known.size(); i-- > 0;) {
            auto both = widened(known[i], stack, is_around_);
            if (!both) continue;
            stack = std::move(*both);
            known.erase(known.begin() + static_cast<std::ptrdiff_t>(i));
            joined = true;
        }
        return joined;
    }

    const TimedKernel& kernel_;
    const assembly::ControlFlowGraph& graph_;
    NodeDetail detail_;
    std::size_t node_limit_;
    PerBlock<std::optional<std::size_t>> headed_; ///< The loop.
    SimtRules rules_;
    const IsAround is_around_ = [this](BlockIndex outer, BlockIndex inner) {
        return rules_.is_post_dominated(inner, outer);
    };
    assembly::IndexedVector<TraversalIndex, Traversal> traversals_;
    std::map<Key, TraversalIndex> entries_; ///< By how their loop is entered.
    bool grew_ = false;                     ///< The stack of a traversal, in this round.
    ProductNodes nodes_;
    std::map<Key, ProductIndex> known_;
    /// By the order in which it is done.
    std::map<std::tuple<std::size_t, std::size_t, std::size_t>, Work> work_;
    std::size_t newest_first_ = SIZE_MAX;
};

} // namespace

Result<std::optional<Product>> explore_product(const TimedKernel& kernel, NodeDetail detail,
                                               std::size_t node_limit) {
    return ProductExploration{kernel, detail, node_limit}.explore();
}

} // namespace warpbound::analyzer
