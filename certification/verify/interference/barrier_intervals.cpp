#include "certification/verify/interference/barrier_intervals.hpp"

#include "certification/verify/certificate_ids.hpp"
#include "certification/verify/flow/path_problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace warpbound::certification::verify {

namespace {

/// Paths that pay in one barrier interval only. Each block has three nodes, in this order: before
/// that interval, in it, and after it. Node 0 is the start, before the interval or in it.
class IntervalTable {
public:
    explicit IntervalTable(const ControlFlow& flow)
        : flow_{flow}, live_{live_blocks(flow, std::nullopt)}, first_(flow.blocks.size(), 0) {
        table_.upper = true;
        table_.nodes.push_back({0, std::nullopt});
        for (std::size_t block = 0; block < flow.blocks.size(); ++block)
            if (live_[block]) {
                first_[block] = table_.nodes.size();
                table_.nodes.insert(table_.nodes.end(), 3, {block, std::nullopt});
            }
    }

    /// `sums`: of the block, up to each of its barriers, and from the last one to its end.
    void add(std::size_t block, const std::vector<std::int64_t>& sums) {
        if (!live_[block]) return;
        const bool has_barrier = sums.size() > 1;
        connect(block, before, before, 0);
        if (has_barrier) connect(block, before, inside, sums.back());
        for (std::size_t sum = 1; sum + 1 < sums.size(); ++sum)
            connect(block, before, after, sums[sum]);
        connect(block, inside, has_barrier ? after : inside, sums.front());
        connect(block, after, after, 0);
    }

    [[nodiscard]] std::optional<std::int64_t> best() const {
        return PathProblem{flow_, table_}.best();
    }

private:
    static constexpr std::size_t before = 0;
    static constexpr std::size_t inside = 1;
    static constexpr std::size_t after = 2;

    void connect(std::size_t block, std::size_t from, std::size_t to, std::int64_t cost) {
        add_edges(first_[block] + from, to, cost);
        if (block == 0 && from != after) add_edges(0, to, cost);
    }
    void add_edges(std::size_t node, std::size_t stage, std::int64_t cost) {
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

std::int64_t barriers_on_each_path(const TimedCode& code) {
    if (code.geometry.warps_per_block == 1) return 0;
    const ControlFlow& flow = code.upper_flow;
    const std::vector<bool> live = live_blocks(flow, std::nullopt);
    models::Cycles passed{0};
    for (std::size_t block = 0; block < flow.blocks.size(); ++block) {
        std::int64_t in_block = 0;
        for (std::size_t i = flow.first[block]; i <= flow.last[block]; ++i)
            if (live[block] && code.timings[i].value().is_barrier_wait) {
                if (assembly::is_guarded(code.kernel.function->instructions[i]))
                    throw Finding{Verdict::Failed,
                                  fmt::format("{}: the barrier at 0x{:04x} is guarded",
                                              code.kernel.id,
                                              code.kernel.function->instructions[i].address)};
                ++in_block;
            }
        if (in_block == 0) continue;
        std::vector<std::int64_t> visits(flow.blocks.size(), 0);
        visits[block] = 1;
        const auto most = best_block_sum(flow, visits, true);
        if (most != best_block_sum(flow, visits, false))
            throw Finding{Verdict::Failed,
                          fmt::format("{}: paths pass the barrier in block 0x{:04x} "
                                      "unequally often",
                                      code.kernel.id, flow.blocks[block].first)};
        passed += models::Cycles{in_block} * most.value_or(0);
    }
    return passed.count();
}

std::optional<std::int64_t> costliest_barrier_interval(const TimedCode& code,
                                                       const DemandTables& tables,
                                                       const std::string& certificate) {
    namespace ids = certificate_id;
    constexpr std::string_view id{ids::barrier_interval};
    if (certificate.rfind(id, 0) != 0) return std::nullopt;
    const std::string suffix = certificate.substr(id.size());
    const auto own = tables.find(ids::own_scheduler + suffix);
    if (own == tables.end()) return std::nullopt;
    const DemandTable& other = tables.at(ids::other_schedulers + suffix);
    const ControlFlow& flow = code.upper_flow;
    IntervalTable table{flow};
    for (std::size_t block = 0; block < flow.blocks.size(); ++block) {
        std::vector<std::int64_t> sums{0};
        for (std::size_t i = flow.first[block]; i <= flow.last[block]; ++i) {
            sums.back() = (models::Cycles{sums.back()} + models::Cycles{own->second[i]} -
                           models::Cycles{other[i]})
                              .count();
            if (code.reachable[i] && code.timings[i].value().is_barrier_wait) sums.push_back(0);
        }
        table.add(block, sums);
    }
    return table.best();
}

} // namespace warpbound::certification::verify
