#include "certification/verify/flow/representatives.hpp"

#include "models/launch/warp_policy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>
#include <vector>

namespace warpbound::certification::verify {

namespace {

[[noreturn]] void refuse_fact(const KernelCase& kernel, const std::string& what) {
    refuted(kernel.id + ": <representative>: " + what);
}

/// The box must lie in the grid: its thread blocks are counted.
void check_box(const KernelCase& kernel, const models::RepresentativeFact& fact) {
    std::array<std::int64_t, 3> extents{kernel.launch.blocks, 1, 1};
    if (kernel.launch.grid)
        extents = kernel.launch.grid->blocks;
    else if (fact.first[0] != 0 || fact.last[0] + 1 != kernel.launch.blocks)
        refuse_fact(kernel, "some thread blocks of a launch whose grid is not stated");
    for (std::size_t dimension = 0; dimension < extents.size(); ++dimension)
        if (fact.first[dimension] < 0 || fact.first[dimension] > fact.last[dimension] ||
            fact.last[dimension] >= extents[dimension])
            refuse_fact(kernel,
                        fmt::format("thread blocks {} to {} in dimension {}; the grid has {}",
                                    fact.first[dimension], fact.last[dimension], "xyz"[dimension],
                                    extents[dimension]));
}

/// Blocks that no path enters any more count as never executed.
void mark_unreached(ControlFlow& flow) {
    std::vector<bool> reached(flow.blocks.size(), false);
    std::vector<std::size_t> open{0};
    reached[0] = true;
    while (!open.empty()) {
        const BlockRow& block = flow.blocks[open.back()];
        open.pop_back();
        for (const std::size_t to : block.successors) {
            if (reached[to]) continue;
            reached[to] = true;
            open.push_back(to);
        }
    }
    for (std::size_t block = 0; block < reached.size(); ++block)
        if (!reached[block]) flow.never[block] = true;
}

} // namespace

std::optional<ControlFlow> flow_of_representatives(const KernelCase& kernel,
                                                   const ControlFlow& of_code) {
    const auto& fact = kernel.facts.representative;
    if (!fact) return std::nullopt;
    check_box(kernel, *fact);
    std::set<std::pair<std::int64_t, std::int64_t>> present;
    std::set<std::int64_t> may_go_on;
    for (const BlockRow& block : of_code.blocks) {
        for (const std::size_t to : block.successors)
            present.emplace(block.first, of_code.blocks[to].first);
        if (block.exits && !block.successors.empty()) may_go_on.insert(block.first);
    }
    for (const auto& edge : fact->edges)
        if (present.count(edge) == 0)
            refuse_fact(kernel, fmt::format("no edge leads from 0x{:04x} to 0x{:04x}", edge.first,
                                            edge.second));
    for (const std::int64_t end : fact->ends)
        if (may_go_on.count(end) == 0)
            refuse_fact(kernel, fmt::format("the block at 0x{:04x} does not end at an EXIT with a "
                                            "guard",
                                            end));
    if (models::guarantee_of(kernel.policy) != models::PolicyGuarantee::WorkConserving)
        return std::nullopt;
    ControlFlow flow = of_code;
    const std::set<std::pair<std::int64_t, std::int64_t>> excluded{fact->edges.begin(),
                                                                   fact->edges.end()};
    for (BlockRow& block : flow.blocks) {
        std::erase_if(block.successors, [&](std::size_t to) {
            return excluded.count({block.first, of_code.blocks[to].first}) != 0;
        });
        if (std::find(fact->ends.begin(), fact->ends.end(), block.first) != fact->ends.end())
            block.exits = false;
    }
    mark_unreached(flow);
    return flow;
}

} // namespace warpbound::certification::verify
