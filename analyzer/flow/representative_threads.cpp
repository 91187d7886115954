#include "analyzer/flow/representative_threads.hpp"

#include "analyzer/flow/abstract_execution.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

namespace warpbound::analyzer {

namespace {

using assembly::ControlFlowGraph;

constexpr std::int64_t unreached = std::numeric_limits<std::int64_t>::max();
/// Boxes of thread blocks: all; without the last ones; without the first and last ones; the first
/// half; the middle one.
enum class Box { All, ButLast, Inner, FirstHalf, Middle };

class Search {
public:
    Search(const assembly::Function& code, const ControlFlowGraph& graph,
           const models::Launch& launch, std::int64_t warp_size,
           const std::set<assembly::Register>& shared)
        : code_{code}, graph_{graph}, launch_{launch}, warp_size_{warp_size}, shared_{shared} {}

    /// What a choice excludes, and for which threads.
    struct Choice {
        IndexBox box;
        AbstractRun run;
        std::int64_t shortest = 0; ///< Path of a representative. `Unit:` instructions.
    };

    std::optional<Choice> best() const {
        const std::int64_t of_any = shortest_path(nullptr);
        std::optional<Choice> longest;
        Threads chosen;
        const auto try_threads = [&](const Threads& threads) {
            Choice choice = try_box(Box::Middle, threads);
            if (longest && choice.shortest <= longest->shortest) return;
            longest = std::move(choice);
            chosen = threads;
        };
        for (const Threads& threads : columns())
            try_threads(threads);
        if (has_both_parities() && leaves_branches_open(longest->run))
            for (const std::int64_t first : {0, 1})
                try_threads({first, row() - 1, 1});
        // A representative that ends nowhere says that its loops do not end: nothing is derived.
        if (!longest || longest->shortest <= of_any || longest->shortest == unreached)
            return std::nullopt;
        if (!launch_.grid) return longest;
        for (const Box box : {Box::All, Box::ButLast, Box::Inner, Box::FirstHalf}) {
            Choice choice = box_of(box, chosen) == longest->box ? *longest : try_box(box, chosen);
            // A little less work of many more blocks is the better bound.
            if (choice.shortest != unreached && 10 * choice.shortest >= 9 * longest->shortest)
                return choice;
        }
        return longest;
    }

private:
    /// Representatives, by their index x: from `first` to `last`, with so many low bits of `first`.
    struct Threads {
        std::int64_t first = 0;
        std::int64_t last = 0;
        unsigned low_bits = 0;
    };

    /// Extent of a block in x.
    [[nodiscard]] std::int64_t row() const { return models::block_shape_of(launch_).threads[0]; }

    /// Choices of a representative: any thread; or, where warps hold whole rows of a block, the one
    /// in a column of a row.
    [[nodiscard]] std::vector<Threads> columns() const {
        std::vector<Threads> choices{{0, row() - 1}};
        if (row() > warp_size_ || warp_size_ % row() != 0) return choices;
        choices.push_back({0, 0});
        if (row() > 2) choices.push_back({row() / 2, row() / 2});
        return choices;
    }

    /// Whether each warp, the last one of a block included, consists of pairs of threads that
    /// follow each other in a row, the first of which has an even index.
    [[nodiscard]] bool has_both_parities() const { return row() % 2 == 0 && warp_size_ % 2 == 0; }

    /// Whether a branch that leaves no loop may go both ways: the parity of the thread may decide
    /// it.
    [[nodiscard]] bool leaves_branches_open(const AbstractRun& run) const {
        for (std::size_t block = 0; block < graph_.blocks.size(); ++block) {
            const auto& out = graph_.blocks[block].out;
            const auto is_taken = [&](std::size_t edge) { return run.taken[edge]; };
            if (!run.reached[block] || std::ranges::count_if(out, is_taken) < 2) continue;
            const bool leaves_loop = std::ranges::any_of(graph_.loops, [&](const auto& loop) {
                const auto& inside = loop.blocks;
                return std::ranges::find(inside, block) != inside.end() &&
                       std::ranges::any_of(out, [&](std::size_t edge) {
                           return std::ranges::find(inside, graph_.edges[edge].to) == inside.end();
                       });
            });
            if (!leaves_loop) return true;
        }
        return false;
    }

    [[nodiscard]] static std::pair<std::int64_t, std::int64_t> range_of(Box box,
                                                                        std::int64_t extent) {
        switch (box) {
        case Box::All:
            break;
        case Box::ButLast:
            if (extent >= 2) return {0, extent - 2};
            break;
        case Box::Inner:
            if (extent >= 3) return {1, extent - 2};
            break;
        case Box::FirstHalf:
            if (extent >= 2) return {0, extent / 2 - 1};
            break;
        case Box::Middle:
            return {extent / 2, extent / 2};
        }
        return {0, extent - 1};
    }

    [[nodiscard]] IndexBox box_of(Box of_blocks, const Threads& threads) const {
        IndexBox box;
        box.last_thread = models::block_shape_of(launch_).threads;
        for (std::int64_t& last : box.last_thread)
            --last;
        box.first_thread[0] = threads.first;
        box.last_thread[0] = threads.last;
        box.low_bits_of_x = threads.low_bits;
        if (!launch_.grid) return box;
        box.first_block.emplace();
        for (std::size_t d = 0; d < 3; ++d)
            std::tie((*box.first_block)[d], box.last_block[d]) =
                range_of(of_blocks, launch_.grid->blocks[d]);
        return box;
    }

    [[nodiscard]] Choice try_box(Box of_blocks, const Threads& threads) const {
        Choice choice;
        choice.box = box_of(of_blocks, threads);
        choice.run = execute_abstractly(code_, graph_, launch_, shared_, &choice.box);
        choice.shortest = shortest_path(&choice.run);
        return choice;
    }

    /// Least number of instructions from the entry to an end, over the edges of a run (null: all).
    [[nodiscard]] std::int64_t shortest_path(const AbstractRun* run) const {
        std::vector<std::int64_t> length(graph_.blocks.size(), unreached);
        std::set<std::pair<std::int64_t, std::size_t>> open{{0, 0}};
        length[0] = 0;
        std::int64_t shortest = unreached;
        while (!open.empty()) {
            const auto [here, block] = *open.begin();
            open.erase(open.begin());
            if (here > length[block]) continue;
            const auto& code = graph_.blocks[block];
            const auto after = here + static_cast<std::int64_t>(code.last - code.first) + 1;
            if (code.exits && (run == nullptr || run->exits[block]))
                shortest = std::min(shortest, after);
            for (const std::size_t edge : code.out) {
                const std::size_t to = graph_.edges[edge].to;
                if ((run != nullptr && !run->taken[edge]) || after >= length[to]) continue;
                length[to] = after;
                open.emplace(after, to);
            }
        }
        return shortest;
    }

    const assembly::Function& code_;
    const ControlFlowGraph& graph_;
    const models::Launch& launch_;
    std::int64_t warp_size_;
    const std::set<assembly::Register>& shared_;
};

/// The edges and ends of blocks that a run reaches, and that it does not take.
models::RepresentativeFact fact_of(const ControlFlowGraph& graph, const AbstractRun& run) {
    models::RepresentativeFact fact;
    std::map<std::int64_t, int> contexts;
    for (const auto& block : graph.blocks)
        ++contexts[block.address];
    std::map<std::pair<std::int64_t, std::int64_t>, bool> taken;
    for (std::size_t edge = 0; edge < graph.edges.size(); ++edge) {
        const auto& [from, to, kind] = graph.edges[edge];
        if (!run.reached[from] || contexts.at(graph.blocks[from].address) > 1 ||
            contexts.at(graph.blocks[to].address) > 1)
            continue;
        bool& is_taken = taken[{graph.blocks[from].address, graph.blocks[to].address}];
        // The iterations of loops are left to their bounds.
        is_taken = is_taken || run.taken[edge] || graph.dominates(to, from);
    }
    for (const auto& [ends, is_taken] : taken)
        if (!is_taken) fact.edges.push_back(ends);
    for (std::size_t block = 0; block < graph.blocks.size(); ++block) {
        const auto& code = graph.blocks[block];
        if (run.reached[block] && code.exits && !code.out.empty() && !run.exits[block] &&
            contexts.at(code.address) == 1)
            fact.ends.push_back(code.address);
    }
    return fact;
}

} // namespace

std::optional<models::RepresentativeFact>
representative_threads(const assembly::Function& code, const ControlFlowGraph& graph,
                       const models::Launch& launch, std::int64_t warp_size,
                       const std::set<assembly::Register>& shared, const models::FactSource& from) {
    const auto best = Search{code, graph, launch, warp_size, shared}.best();
    if (!best) return std::nullopt;
    models::RepresentativeFact fact = fact_of(graph, best->run);
    if (fact.edges.empty() && fact.ends.empty()) return std::nullopt;
    fact.last[0] = launch.blocks - 1;
    if (best->box.first_block) {
        fact.first = *best->box.first_block;
        fact.last = best->box.last_block;
    }
    fact.from = from;
    return fact;
}

} // namespace warpbound::analyzer
