// What a warp costs between two barriers at most: the costliest path that pays there alone (S13).

#include "certification/verify/flow/path_problem.hpp"
#include "certification/verify/interference/demand.hpp"

#include <algorithm>

namespace warpbound::certification::verify {

namespace {

/// Each block three times, in this order: while the part is to come, in it, and behind it. Node 0
/// is the start, where it may be to come or have begun.
class PartTable {
public:
    explicit PartTable(const ControlFlow& flow)
        : flow_{flow}, live_{live_blocks(flow, std::nullopt)}, first_(flow.blocks.size(), 0) {
        table_.upper = true;
        table_.nodes.push_back({0, std::nullopt});
        for (std::size_t block = 0; block < flow.blocks.size(); ++block)
            if (live_[block]) {
                first_[block] = table_.nodes.size();
                table_.nodes.insert(table_.nodes.end(), 3, {block, std::nullopt});
            }
    }

    /// `sums`: of the block, up to each barrier, and from the last one to its end.
    void add(std::size_t block, const std::vector<std::int64_t>& sums) {
        if (!live_[block]) return;
        const bool meets = sums.size() > 1;
        pass(block, 0, 0, 0);
        if (meets) pass(block, 0, 1, sums.back());
        for (std::size_t sum = 1; sum + 1 < sums.size(); ++sum)
            pass(block, 0, 2, sums[sum]);
        pass(block, 1, meets ? 2 : 1, sums.front());
        pass(block, 2, 2, 0);
    }

    [[nodiscard]] std::optional<std::int64_t> best() const {
        return PathProblem{flow_, table_}.best();
    }

private:
    void pass(std::size_t block, std::size_t from, std::size_t to, std::int64_t cost) {
        leave(first_[block] + from, to, cost);
        if (block == 0 && from < 2) leave(0, to, cost);
    }
    void leave(std::size_t node, std::size_t stage, std::int64_t cost) {
        auto& end = table_.nodes[node].end;
        const BlockRow& block = flow_.blocks[table_.nodes[node].block];
        if (block.exits) end = std::max(end.value_or(0), cost);
        for (const std::size_t to : block.successors)
            if (live_[to]) table_.edges.push_back({node, first_[to] + stage, cost});
    }

    const ControlFlow& flow_;
    std::vector<bool> live_;
    std::vector<std::size_t> first_; ///< Node of each block.
    Certificate table_;
};

} // namespace

std::optional<std::int64_t> WarpCosts::most_of_a_part(const std::string& certificate) const {
    const bool counts_turns = !by_turns_.empty() && certificate == part + by_turns_;
    if (certificate != part && !counts_turns) return std::nullopt;
    const std::string kind = counts_turns ? by_turns_ : "";
    const auto& on_scheduler = costs_.at(same + kind);
    const auto& on_others = costs_.at(other + kind);
    PartTable table{flow_};
    for (std::size_t block = 0; block < flow_.blocks.size(); ++block) {
        std::vector<std::int64_t> sums{0};
        for (std::size_t i = flow_.first[block]; i <= flow_.last[block]; ++i) {
            sums.back() = (models::Cycles{sums.back()} + models::Cycles{on_scheduler[i]} -
                           models::Cycles{on_others[i]})
                              .count();
            if (live_[i] && timings_[i].value().is_barrier_wait) sums.push_back(0);
        }
        table.add(block, sums);
    }
    return table.best();
}

} // namespace warpbound::certification::verify
