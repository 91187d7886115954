#include "analyzer/divergence/serialized_blocks.hpp"

#include "assembly/flow/block_exploration.hpp"
#include "assembly/flow/control_flow_graph.hpp"

#include <algorithm>
#include <utility>

namespace warpbound::analyzer {

SerializedBlocks::SerializedBlocks(const AnalysisContext& context, const Reconvergence& points)
    : context_{context}, graph_{*context.request.graph}, points_{points} {
    for (std::size_t block = 0; block < graph_.blocks.size(); ++block) {
        Copy copy{block, {}};
        for (const std::size_t edge : graph_.blocks[block].out)
            if (!is_never_taken(edge)) copy.ways.push_back({graph_.edges[edge].to, edge});
        copies_.push_back(std::move(copy));
    }
}

SerializedBlocks::Reached SerializedBlocks::reached_by(std::size_t branch,
                                                       const DivergentBranch& parting) const {
    Reached reached;
    std::vector<std::size_t> work;
    const auto follow = [&](std::size_t from) {
        for (const Copy::Way& way : copies_[from].ways) {
            const std::size_t to = copies_[way.to].original;
            if (way.edge && to == parting.meeting) reached.meeting = way.to;
            if (!stays(from, way, parting)) continue;
            if (reached.inside.insert(way.to).second) work.push_back(way.to);
        }
    };
    follow(branch);
    while (!work.empty()) {
        const std::size_t from = work.back();
        work.pop_back();
        follow(from);
    }
    return reached;
}

SerializedBlocks::Set SerializedBlocks::reached_from(std::size_t start,
                                                     const DivergentBranch& parting) const {
    Set reached{start};
    std::vector<std::size_t> work{start};
    while (!work.empty()) {
        const std::size_t from = work.back();
        work.pop_back();
        for (const Copy::Way& way : copies_[from].ways)
            if (stays(from, way, parting) && reached.insert(way.to).second) work.push_back(way.to);
    }
    return reached;
}

bool SerializedBlocks::stays(std::size_t copy, const Copy::Way& way,
                             const DivergentBranch& parting) const {
    return is_aside(copy, parting) || is_aside(way.to, parting) ||
           (way.edge && !leaves(*way.edge, parting));
}

bool SerializedBlocks::is_aside(std::size_t copy, const DivergentBranch& parting) const {
    return std::any_of(parting.breaks.begin(), parting.breaks.end(), [&](std::size_t edge) {
        return graph_.edges[edge].from == copies_[copy].left_at;
    });
}

bool SerializedBlocks::breaks(std::size_t copy, const DivergentBranch& parting) const {
    const auto& out = graph_.blocks[copies_[copy].original].out;
    return std::any_of(out.begin(), out.end(),
                       [&](std::size_t edge) { return parting.breaks.count(edge) != 0; });
}

bool SerializedBlocks::is_never_taken(std::size_t edge) const {
    return context_.facts.never[graph_.edges[edge].to];
}

bool SerializedBlocks::leaves(std::size_t edge, const DivergentBranch& parting) const {
    const std::size_t to = graph_.edges[edge].to;
    return !is_never_taken(edge) && (to == parting.meeting || parting.region.count(to) == 0);
}

bool SerializedBlocks::ends_way(std::size_t copy, const DivergentBranch& parting) const {
    if (is_aside(copy, parting)) return false;
    const auto& block = graph_.blocks[copies_[copy].original];
    return block.exits || std::any_of(block.out.begin(), block.out.end(), [&](auto edge) {
               return leaves(edge, parting) && parting.breaks.count(edge) == 0;
           });
}

bool SerializedBlocks::waits_inside(std::size_t copy, const DivergentBranch& parting) const {
    const auto& out = graph_.blocks[copies_[copy].original].out;
    return parting.passed && std::any_of(out.begin(), out.end(), [&](std::size_t edge) {
               return parting.passed->arrivals.count(edge) != 0;
           });
}

bool SerializedBlocks::misses_meeting(std::size_t copy, const DivergentBranch& parting) const {
    const auto& block = graph_.blocks[copies_[copy].original];
    return block.exits || std::any_of(block.out.begin(), block.out.end(), [&](auto edge) {
               return leaves(edge, parting) && graph_.edges[edge].to != parting.meeting &&
                      parting.breaks.count(edge) == 0;
           });
}

void SerializedBlocks::add(std::size_t from, std::size_t to) {
    const Copy::Way way{to, std::nullopt};
    auto& ways = copies_[from].ways;
    if (std::find(ways.begin(), ways.end(), way) == ways.end()) ways.push_back(way);
}

std::size_t SerializedBlocks::copy(std::size_t one) {
    copies_.push_back(copies_[one]);
    return copies_.size() - 1;
}

SerializedBlocks::Seconds SerializedBlocks::copy_all(const Set& of,
                                                     const DivergentBranch& parting) {
    Seconds second;
    for (const std::size_t one : of)
        second[one] = copy(one);
    for (const auto& [one, made] : second)
        for (Copy::Way& way : copies_[made].ways)
            if (stays(one, way, parting)) way.to = second.at(way.to);
    return second;
}

SerializedBlocks::Set SerializedBlocks::values_of(const Seconds& second) {
    Set values;
    for (const auto& [copy, made] : second)
        values.insert(made);
    return values;
}

std::vector<std::size_t> SerializedBlocks::copy_late(const Reached& reached,
                                                     const DivergentBranch& parting) {
    if (!parting.passed || !parting.passed->behind) return {};
    Set behind;
    std::vector<std::size_t> starts;
    for (const std::size_t copy : reached.inside) {
        if (copies_[copy].original != parting.passed->behind) continue;
        starts.push_back(copy);
        behind.merge(reached_from(copy, parting));
    }
    const Seconds late = copy_all(behind, parting);
    let_wait(values_of(late), parting, reached.meeting);
    for (std::size_t& start : starts)
        start = late.at(start);
    return starts;
}

void SerializedBlocks::let_wait(const Set& ways, const DivergentBranch& parting,
                                std::optional<std::size_t> meeting) {
    for (const std::size_t copy : ways)
        if (meeting && ends_way(copy, parting) && misses_meeting(copy, parting))
            add(copy, *meeting);
}

void SerializedBlocks::go_on_late(const Set& ways, const DivergentBranch& parting,
                                  const std::vector<std::size_t>& late) {
    for (const std::size_t copy : ways)
        if (ends_way(copy, parting))
            for (const std::size_t place : late)
                add(copy, place);
}

Result<LanesInTurn> SerializedBlocks::in_order() const {
    std::vector<assembly::ExploredBlock> blocks;
    for (const Copy& copy : copies_) {
        const auto& code = graph_.blocks[copy.original];
        assembly::ExploredBlock block{code.first, code.last, code.exits, code.context, {}};
        for (const Copy::Way& way : copy.ways) {
            // What follows an arrival is not behind the instruction for all lanes.
            const bool falls = way.edge &&
                               graph_.edges[*way.edge].kind == assembly::EdgeKind::FallThrough &&
                               points_.arrivals.count(*way.edge) == 0;
            block.successors.push_back({way.to, !falls});
        }
        blocks.push_back(std::move(block));
    }
    auto ordered = assembly::order_blocks(*context_.request.function, blocks);
    if (!ordered)
        return Failure{"lanes that part take their ways in turn, which makes another control "
                       "flow than the code's; in it: " +
                           ordered.error().what,
                       context_.request.function->name};
    LanesInTurn lanes{std::move(ordered.value().graph), {}, {}, {}};
    for (const std::size_t given : ordered.value().given) {
        const std::size_t original = copies_[given].original;
        lanes.original.push_back(original);
        lanes.repeated.push_back(copies_[given].repeated);
        lanes.together.push_back(std::none_of(
            points_.divergent_branches.begin(), points_.divergent_branches.end(),
            [&](const DivergentBranch& parting) { return parting.apart.count(original) != 0; }));
    }
    return lanes;
}

} // namespace warpbound::analyzer
