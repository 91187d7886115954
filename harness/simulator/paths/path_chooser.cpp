#include "harness/simulator/paths/path_chooser.hpp"

#include "models/facts/barrier_rule.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace warpbound::harness::simulator {

namespace {

constexpr std::size_t paired_limit =
    6; ///< Exclusive pairs handled by excluding blocks: at most 2^6 spaces.
constexpr int try_limit = 4096;
constexpr std::int64_t step_limit = std::int64_t{1}
                                    << 24U; ///< Blocks walked in all tries of one warp.
constexpr std::int64_t coefficient_limit = std::int64_t{1} << 30U;
constexpr std::size_t term_limit = 64;
/// The deterministic draws give few different walks; later tries draw uniformly.
constexpr int deterministic_tries = 8;

Failure refuse(const models::FlowFacts& facts, const models::FactSource& from, std::string what) {
    return Failure{std::move(what), facts.name, from.line, 0};
}

Failure no_block(const models::FlowFacts& facts, const models::FactSource& from,
                 std::int64_t address) {
    return refuse(facts, from, fmt::format("no reachable block begins at 0x{:04x}", address));
}

} // namespace

std::vector<std::size_t> PathChooser::blocks_at(std::int64_t address) const {
    std::vector<std::size_t> found;
    for (std::size_t block = 0; block < graph_->blocks.size(); ++block)
        if (graph_->blocks[block].address == address) found.push_back(block);
    return found;
}

Result<PathChooser> PathChooser::make(const assembly::ControlFlowGraph& graph,
                                      const models::FlowFacts& facts,
                                      const std::vector<bool>& shared_choices) {
    return make(graph, facts,
                PathRestrictions{models::excluded_edges(graph, facts), shared_choices});
}

Result<PathChooser> PathChooser::of_representatives(const assembly::ControlFlowGraph& graph,
                                                    const models::FlowFacts& facts,
                                                    const std::vector<bool>& shared_choices) {
    const models::RepresentativeFact& fact = *facts.representative;
    PathRestrictions restrictions{models::excluded_edges(graph, facts), shared_choices};
    for (const auto& [from, to] : fact.edges) {
        bool found = false;
        for (std::size_t edge = 0; edge < graph.edges.size(); ++edge)
            if (graph.blocks[graph.edges[edge].from].address == from &&
                graph.blocks[graph.edges[edge].to].address == to)
                restrictions.excluded_edges[edge] = found = true;
        if (!found)
            return refuse(
                facts, fact.from,
                fmt::format("no edge leads from block 0x{:04x} to block 0x{:04x}", from, to));
    }
    for (const auto& block : graph.blocks)
        restrictions.excluded_ends.push_back(
            std::find(fact.ends.begin(), fact.ends.end(), block.address) != fact.ends.end());
    return make(graph, facts, restrictions);
}

Result<PathChooser> PathChooser::make(const assembly::ControlFlowGraph& graph,
                                      const models::FlowFacts& facts,
                                      const PathRestrictions& restrictions) {
    PathChooser chooser;
    chooser.restrictions_ = restrictions;
    const auto& shared_choices = restrictions.shared_choices;
    chooser.shares_choices_ =
        std::find(shared_choices.begin(), shared_choices.end(), true) != shared_choices.end();
    chooser.graph_ = &graph;
    chooser.facts_name_ = facts.name;
    const auto header_address = [&](const assembly::Loop& loop) {
        return graph.blocks[loop.header].address;
    };

    std::vector<bool> excluded(graph.blocks.size(), false);
    for (const models::NeverFact& fact : facts.nevers) {
        const auto blocks = chooser.blocks_at(fact.block);
        if (blocks.empty()) return no_block(facts, fact.from, fact.block);
        for (const std::size_t block : blocks)
            excluded[block] = true;
    }
    for (const models::LoopFact& fact : facts.loops) {
        if (std::none_of(graph.loops.begin(), graph.loops.end(), [&](const assembly::Loop& loop) {
                return header_address(loop) == fact.header;
            }))
            return refuse(facts, fact.from,
                          fmt::format("no loop has its header at 0x{:04x}", fact.header));
        if (fact.max < 1 || fact.min < 0 || fact.min > fact.max)
            return refuse(facts, fact.from,
                          fmt::format("the header at 0x{:04x} of a loop executes at least once per "
                                      "entry; the bound is {}..{}",
                                      fact.header, fact.min, fact.max));
    }
    std::vector<LoopBound> bounds;
    for (const assembly::Loop& loop : graph.loops) {
        const models::LoopFact* fact = facts.loop_at(header_address(loop));
        if (fact == nullptr && !excluded[loop.header])
            return Failure{
                fmt::format("the loop at 0x{0:04x} has no bound; state it as <loop "
                            "header=\"0x{0:04x}\" min=\"..\" max=\"..\"/> in the flow facts "
                            "(`warpbound flow-facts` prints a template), or have the code "
                            "executed (--execute)",
                            header_address(loop)),
                facts.name, 0, 0};
        if (fact == nullptr)
            bounds.push_back(LoopBound{});
        else
            bounds.push_back(LoopBound{std::max<std::int64_t>(fact->min, 1), fact->max});
    }

    // Lanes of one warp may follow paths that exclude each other for one lane.
    const bool lanes_diverge = !facts.divergents.empty();
    std::vector<std::vector<bool>> variants{excluded};
    for (std::size_t pair = 0; pair < facts.exclusives.size(); ++pair) {
        const models::ExclusiveFact& fact = facts.exclusives[pair];
        const auto first = chooser.blocks_at(fact.first);
        const auto second = chooser.blocks_at(fact.second);
        if (first.empty()) return no_block(facts, fact.from, fact.first);
        if (second.empty()) return no_block(facts, fact.from, fact.second);
        if (pair >= paired_limit || lanes_diverge) {
            Condition condition;
            condition.exclusive = true;
            for (const std::size_t block : first)
                condition.blocks.emplace_back(block, 1);
            for (const std::size_t block : second)
                condition.blocks.emplace_back(block, 2);
            chooser.conditions_.push_back(std::move(condition));
        }
        if (pair >= paired_limit) continue;
        std::vector<std::vector<bool>> split;
        for (const auto& variant : variants) {
            for (const auto* side : {&first, &second}) {
                split.push_back(variant);
                for (const std::size_t block : *side)
                    split.back()[block] = true;
            }
        }
        variants = std::move(split);
    }
    if (lanes_diverge && !facts.exclusives.empty()) variants.push_back(excluded);
    for (const auto& variant : variants) {
        auto space = PathSpace::build(graph, bounds, variant, restrictions);
        if (!space) return space.as_failure();
        if (space.value().has_path()) chooser.spaces_.push_back(std::move(space.value()));
    }
    if (chooser.spaces_.empty())
        return Failure{"no path from the entry to an EXIT satisfies the loop bounds, never and "
                       "exclusive facts",
                       facts.name, 0, 0};
    for (const models::LinearFact& fact : facts.constraints) {
        const auto added = chooser.add_condition(fact);
        if (!added) {
            Failure failure = added.error();
            failure.where = facts.name;
            failure.line = fact.from.line;
            return failure;
        }
    }
    return chooser;
}

Result<void> PathChooser::add_condition(const models::LinearFact& fact) {
    Condition condition;
    condition.relation = fact.relation;
    condition.constant = fact.constant;
    if (fact.terms.size() > term_limit)
        return Failure{fmt::format("a constraint of more than {} terms", term_limit), "", 0, 0};
    for (const models::LinearTerm& term : fact.terms) {
        if (term.coefficient > coefficient_limit || term.coefficient < -coefficient_limit)
            return Failure{fmt::format("coefficient {} is too large", term.coefficient), "", 0, 0};
        bool found = false;
        for (const std::size_t block : blocks_at(term.block)) {
            found = found || !term.from;
            if (!term.from) condition.blocks.emplace_back(block, term.coefficient);
            for (const std::size_t edge : graph_->blocks[block].in) {
                if (!term.from || graph_->blocks[graph_->edges[edge].from].address != *term.from)
                    continue;
                condition.edges.emplace_back(edge, term.coefficient);
                found = true;
            }
        }
        if (!found && term.from)
            return Failure{fmt::format("no edge leads from block 0x{:04x} to block 0x{:04x}",
                                       *term.from, term.block),
                           "", 0, 0};
        if (!found)
            return Failure{fmt::format("no reachable block begins at 0x{:04x}", term.block), "", 0,
                           0};
    }
    // An edge that is never taken is excluded by construction.
    const bool is_excluded_edge = fact.terms.size() == 1 && fact.terms.front().from &&
                                  fact.terms.front().coefficient > 0 && fact.constant == 0 &&
                                  fact.relation != models::Relation::AtLeast;
    if (!is_excluded_edge) conditions_.push_back(std::move(condition));
    return boost::outcome_v2::success();
}

bool PathChooser::visits(std::size_t block) const {
    return std::any_of(spaces_.begin(), spaces_.end(),
                       [&](const PathSpace& space) { return space.visits(block); });
}

bool PathChooser::holds(const Condition& condition, const Counts& counts) {
    if (condition.exclusive) {
        bool first = false;
        bool second = false;
        for (const auto& [block, side] : condition.blocks) {
            if (counts.blocks[block] == 0) continue;
            (side == 1 ? first : second) = true;
        }
        return !(first && second);
    }
    std::int64_t sum = 0;
    for (const auto& [block, coefficient] : condition.blocks)
        sum += coefficient * counts.blocks[block];
    for (const auto& [edge, coefficient] : condition.edges)
        sum += coefficient * counts.edges[edge];
    switch (condition.relation) {
    case models::Relation::AtMost:
        return sum <= condition.constant;
    case models::Relation::AtLeast:
        return sum >= condition.constant;
    case models::Relation::Equal:
        break;
    }
    return sum == condition.constant;
}

std::int64_t PathChooser::count(PathWalk& walk, const assembly::ControlFlowGraph& graph,
                                Counts& counts, std::int64_t limit) {
    counts.blocks.assign(graph.blocks.size(), 0);
    counts.edges.assign(graph.edges.size(), 0);
    for (std::int64_t steps = 1;; ++steps) {
        ++counts.blocks[walk.block()];
        const Transition transition = walk.advance();
        if (transition.ends || steps > limit) return steps;
        ++counts.edges[transition.edge];
    }
}

Result<PathWalk> PathChooser::choose(RandomSource random, RandomSource common) const {
    Counts counts;
    std::int64_t steps = 0;
    const PathSpace* space = nullptr;
    for (int attempt = 0; attempt < try_limit && steps <= step_limit; ++attempt) {
        if (attempt == deterministic_tries) random = random.with(Draw::Uniform);
        if (space == nullptr || !shares_choices_) space = &draw_space(random, common);
        if (conditions_.empty()) return PathWalk{*space, random, common};
        PathWalk trial{*space, random, common};
        steps += count(trial, *graph_, counts, step_limit - steps);
        if (steps > step_limit) break;
        if (holds_all(counts)) return PathWalk{*space, random, common};
        random = trial.random();
    }
    return no_path();
}

Failure PathChooser::no_path() const {
    return Failure{"no path found that satisfies the exclusive and linear facts", facts_name_, 0,
                   0};
}

DivergentTransition::Kind PathChooser::count(DivergentWalk& walk,
                                             std::vector<LaneCounts>& lane_counts,
                                             std::int64_t limit, std::int64_t& steps,
                                             bool counts) const {
    const auto add = [&](LaneMask lanes, auto counter) {
        for (std::size_t index = 0, size = lane_counts.size(); index < size; ++index) {
            const LaneMask both = lane_counts[index].lanes & lanes;
            if (both == 0) continue;
            if (both != lane_counts[index].lanes) { // The other lanes get their own counts.
                lane_counts.push_back(
                    {lane_counts[index].lanes & ~both, lane_counts[index].counts});
                lane_counts[index].lanes = both;
            }
            ++counter(lane_counts[index].counts);
        }
    };
    lane_counts.assign(1, {walk.lanes(),
                           {std::vector<std::int64_t>(graph_->blocks.size(), 0),
                            std::vector<std::int64_t>(graph_->edges.size(), 0)}});
    while (++steps <= limit) {
        if (counts)
            add(walk.lanes(), [&](Counts& of) -> std::int64_t& { return of.blocks[walk.block()]; });
        const DivergentTransition transition = walk.advance();
        if (counts)
            for (const DivergentWalk::Move& move : walk.moves())
                add(move.lanes, [&](Counts& of) -> std::int64_t& { return of.edges[move.edge]; });
        if (transition.kind != DivergentTransition::Kind::Continues) return transition.kind;
    }
    return DivergentTransition::Kind::NoPath;
}

Result<DivergentWalk> PathChooser::choose(RandomSource random, RandomSource common, LaneMask lanes,
                                          const ReconvergencePoints& reconvergence) const {
    const PathSpace* space = nullptr;
    std::vector<LaneCounts> lane_counts;
    std::int64_t steps = 0;
    for (int attempt = 0; attempt < try_limit && steps <= step_limit; ++attempt) {
        if (attempt == deterministic_tries) random = random.with(Draw::Uniform);
        if (space == nullptr || !shares_choices_) space = &draw_space(random, common);
        const DivergentWalk walk{*space, reconvergence, lanes, random, common};
        DivergentWalk trial = walk;
        const DivergentTransition::Kind end =
            count(trial, lane_counts, step_limit, steps, !conditions_.empty());
        if (end == DivergentTransition::Kind::Anomaly)
            return Failure{trial.anomaly(), facts_name_, 0, 0};
        if (end == DivergentTransition::Kind::Ended &&
            std::all_of(lane_counts.begin(), lane_counts.end(),
                        [this](const LaneCounts& of_lanes) { return holds_all(of_lanes.counts); }))
            return walk;
        random = trial.random();
    }
    if (steps > step_limit)
        return Failure{
            fmt::format("the walks of a warp with diverging lanes visit more than {} blocks",
                        step_limit),
            facts_name_, 0, 0};
    if (conditions_.empty())
        return Failure{"no walk found on which the active lanes can take one path wherever no "
                       "<divergent> fact allows them to diverge",
                       facts_name_, 0, 0};
    return no_path();
}

bool PathChooser::avoids_excluded(const Counts& counts) const {
    for (std::size_t edge = 0; edge < graph_->edges.size(); ++edge)
        if (restrictions_.excluded_edges[edge] && counts.edges[edge] > 0) return false;
    for (std::size_t block = 0; block < graph_->blocks.size(); ++block) {
        if (!restrictions_.excluded_ends[block]) continue;
        std::int64_t left = 0;
        for (const std::size_t edge : graph_->blocks[block].out)
            left += counts.edges[edge];
        if (left < counts.blocks[block]) return false;
    }
    return true;
}

std::optional<DivergentWalk>
PathChooser::choose_among(const PathChooser& all, RandomSource random, RandomSource common,
                          LaneMask lanes, const ReconvergencePoints& reconvergence) const {
    constexpr int tries = 4;
    constexpr std::int64_t steps_of_a_try = std::int64_t{1} << 16U;
    if (shares_choices_) return std::nullopt;
    std::vector<LaneCounts> lane_counts;
    for (int attempt = 0; attempt < tries; ++attempt) {
        const DivergentWalk walk{all.draw_space(random, common), reconvergence, lanes, random,
                                 common};
        DivergentWalk trial = walk;
        std::int64_t steps = 0;
        const auto end = all.count(trial, lane_counts, steps_of_a_try, steps, true);
        if (end == DivergentTransition::Kind::Ended &&
            std::ranges::all_of(
                lane_counts, [&](const LaneCounts& some) { return all.holds_all(some.counts); }) &&
            std::ranges::any_of(
                lane_counts, [&](const LaneCounts& some) { return avoids_excluded(some.counts); }))
            return walk;
        random = trial.random();
    }
    return std::nullopt;
}

Result<void> PathChooser::check(std::span<const std::size_t> path) const {
    const auto refuse_at = [&](std::size_t step, std::string_view why) {
        return Failure{fmt::format("step {} of the path: {}", step, why), "", 0, 0};
    };
    for (std::size_t step = 0; step < path.size(); ++step) {
        if (path[step] >= graph_->blocks.size())
            return refuse_at(step, fmt::format("the function has no block {}", path[step]));
        if (!visits(path[step])) return refuse_at(step, "the flow facts exclude this block");
        if (step == 0) {
            if (path[0] != 0) return refuse_at(0, "a path starts at block 0");
            continue;
        }
        const auto& out = graph_->blocks[path[step - 1]].out;
        if (std::none_of(out.begin(), out.end(),
                         [&](std::size_t edge) { return graph_->edges[edge].to == path[step]; }))
            return refuse_at(step, fmt::format("no edge leads from block {} to block {}",
                                               path[step - 1], path[step]));
    }
    if (!path.empty() && !graph_->blocks[path.back()].exits)
        return refuse_at(path.size() - 1, "the last block does not exit");
    return boost::outcome_v2::success();
}

} // namespace warpbound::harness::simulator
