#include "analyzer/flow/divergent_definitions.hpp"

#include "analyzer/flow/open_barriers.hpp"
#include "assembly/flow/post_dominators.hpp"

#include <algorithm>
#include <iterator>
#include <vector>

namespace warpbound::analyzer {

namespace {

using assembly::ControlFlowGraph;
using assembly::Function;
using assembly::Register;

using Registers = std::set<Register>;

bool is_of_warp(Register reg) {
    return reg.file == assembly::RegisterFile::Uniform ||
           reg.file == assembly::RegisterFile::UniformPredicate;
}

/// Registers of the warp that may be read before they are written, at the begin of each block.
/// `Shape:` [block]
std::vector<Registers> live_registers_of_warp(const Function& function,
                                              const ControlFlowGraph& graph) {
    std::vector<Registers> live(graph.blocks.size());
    for (bool changed = true; changed;) {
        changed = false;
        for (std::size_t block = graph.blocks.size(); block-- > 0;) {
            Registers at;
            for (const std::size_t edge : graph.blocks[block].out)
                at.insert(live[graph.edges[edge].to].begin(), live[graph.edges[edge].to].end());
            for (std::size_t i = graph.blocks[block].last + 1; i-- > graph.blocks[block].first;) {
                const assembly::Instruction& instruction = function.instructions[i];
                if (!assembly::is_guarded(instruction) && instruction.effects.exact)
                    for (const Register written : instruction.effects.writes)
                        at.erase(written);
                std::ranges::copy_if(instruction.effects.reads, std::inserter(at, at.end()),
                                     is_of_warp);
            }
            if (at == live[block]) continue;
            live[block] = std::move(at);
            changed = true;
        }
    }
    return live;
}

/// What lanes may pass from a divergent branch on until they are together again.
struct Region {
    /// The lanes that left the branch by one successor.
    struct Side {
        std::size_t first; ///< That successor.
        std::vector<std::size_t> blocks;
    };

    std::optional<std::size_t> together;
    std::vector<Side> sides;         ///< Without a successor where lanes are together.
    std::vector<std::size_t> blocks; ///< Of any side, each once.
    const std::vector<int>&
        paths; ///< Per block: from how many successors of the branch it is reached.

    /// Lanes that left the branch by different successors may come here.
    [[nodiscard]] bool meets(std::size_t block) const {
        return block == together || paths[block] > 1;
    }
    /// Blocks that lanes may come to, `together` included.
    template <class Each> void for_each_block(Each each) const {
        for (const std::size_t block : blocks)
            each(block);
        if (together && paths[*together] == 0) each(*together);
    }
};

/// Regions of one branch after the other, in time and memory of their own blocks.
class Regions {
public:
    explicit Regions(const ControlFlowGraph& graph)
        : graph_{graph}, paths_(graph.blocks.size(), 0), side_of_(graph.blocks.size(), 0) {}

    /// Holds until the next one is asked for.
    Region of(std::size_t branch, std::optional<std::size_t> together) {
        for (const std::size_t block : touched_)
            paths_[block] = 0;
        touched_.clear();
        Region region{together, {}, {}, paths_};
        std::set<std::size_t> successors;
        for (const std::size_t edge : graph_.blocks[branch].out)
            successors.insert(graph_.edges[edge].to);
        for (const std::size_t successor : successors)
            if (successor != together)
                region.sides.push_back({successor, reached_from(successor, together)});
        region.blocks = touched_;
        return region;
    }

private:
    std::vector<std::size_t> reached_from(std::size_t first, std::optional<std::size_t> together) {
        ++side_;
        std::vector<std::size_t> reached;
        const auto reach = [&](std::size_t block) {
            if (side_of_[block] == side_) return;
            side_of_[block] = side_;
            reached.push_back(block);
            if (paths_[block]++ == 0) touched_.push_back(block);
        };
        reach(first);
        for (std::size_t next = 0; next < reached.size(); ++next)
            for (const std::size_t edge : graph_.blocks[reached[next]].out)
                if (graph_.edges[edge].to != together) reach(graph_.edges[edge].to);
        return reached;
    }

    const ControlFlowGraph& graph_;
    std::vector<int> paths_;
    std::vector<std::size_t> side_of_; ///< Per block: the last side that reached it.
    std::size_t side_ = 0;
    std::vector<std::size_t> touched_; ///< Blocks whose `paths_` is not 0.
};

/// Whether lanes that went different ways at the branch, which they left in one iteration of the
/// loop or before it, are in one iteration when they execute an instruction of the loop together.
bool keeps_step(const assembly::Loop& loop, std::size_t branch, const Region& region) {
    if (std::binary_search(loop.blocks.begin(), loop.blocks.end(), branch))
        return region.paths[loop.header] == 0;
    return std::none_of(loop.blocks.begin(), loop.blocks.end(), [&](std::size_t block) {
        return region.meets(block) && !(block == loop.header && region.together == block);
    });
}

/// Loops with a block that lanes may come to: all others keep step.
std::set<std::size_t> loops_of(const ControlFlowGraph& graph, const Region& region) {
    std::set<std::size_t> loops;
    region.for_each_block([&](std::size_t block) {
        for (auto loop = graph.innermost_loop[block]; loop && loops.insert(*loop).second;)
            loop = graph.loops[*loop].parent;
    });
    return loops;
}

/// Registers of the warp that lanes on one side write, and that lanes on another side, or all of
/// them once they are together, may write or read as they were before.
Registers overwritten_for_others(const Function& function, const ControlFlowGraph& graph,
                                 const Region& region, const std::vector<Registers>& live) {
    std::vector<Registers> written(region.sides.size());
    for (std::size_t side = 0; side < written.size(); ++side)
        for (const std::size_t block : region.sides[side].blocks)
            for (std::size_t i = graph.blocks[block].first; i <= graph.blocks[block].last; ++i)
                std::ranges::copy_if(function.instructions[i].effects.writes,
                                     std::inserter(written[side], written[side].end()), is_of_warp);
    Registers found;
    for (std::size_t side = 0; side < written.size(); ++side)
        for (const Register reg : written[side]) {
            bool needed = region.together && live[*region.together].count(reg) != 0;
            for (std::size_t other = 0; other < written.size() && !needed; ++other)
                needed = other != side && (written[other].count(reg) != 0 ||
                                           live[region.sides[other].first].count(reg) != 0);
            if (needed) found.insert(reg);
        }
    return found;
}

} // namespace

std::optional<DivergentDefinitions> divergent_definitions(const Function& function,
                                                          const ControlFlowGraph& graph,
                                                          const std::set<std::size_t>& divergent) {
    DivergentDefinitions found;
    found.in_step.assign(graph.loops.size(), true);
    if (divergent.empty()) return found;
    const OpenBarriers barriers{function, graph};
    if (!barriers.known()) return std::nullopt;
    const auto post_dominator = assembly::immediate_post_dominators(graph);
    const std::vector<Registers> live = live_registers_of_warp(function, graph);
    Regions regions{graph};
    for (const std::size_t branch : divergent) {
        const auto together =
            barriers.none_at(branch) ? post_dominator[branch] : barriers.after_wait_of(branch);
        const Region region = regions.of(branch, together);
        for (const std::size_t loop : loops_of(graph, region))
            found.in_step[loop] =
                found.in_step[loop] && keeps_step(graph.loops[loop], branch, region);
        Registers written;
        for (const std::size_t block : region.blocks)
            for (std::size_t i = graph.blocks[block].first; i <= graph.blocks[block].last; ++i) {
                const auto& effects = function.instructions[i].effects;
                if (!effects.writes_known) return std::nullopt;
                written.insert(effects.writes.begin(), effects.writes.end());
            }
        region.for_each_block([&](std::size_t block) {
            if (!region.meets(block)) return;
            found.joined[block].insert(written.begin(), written.end());
            const auto& in = graph.blocks[block].in;
            if (std::any_of(in.begin(), in.end(), [&](std::size_t edge) {
                    return !region.meets(graph.edges[edge].from);
                }))
                found.reconverged[block].insert(written.begin(), written.end());
        });
        found.shared.merge(overwritten_for_others(function, graph, region, live));
    }
    return found;
}

} // namespace warpbound::analyzer
