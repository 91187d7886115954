#include "analyzer/divergence/serialized_cfg.hpp"

#include "analyzer/divergence/loop_divergence.hpp"
#include "analyzer/divergence/multiway_branches.hpp"
#include "analyzer/divergence/reconvergence.hpp"
#include "analyzer/divergence/serialized_blocks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <utility>

namespace warpbound::analyzer {

namespace {

constexpr std::size_t most_copies = 20'000;
/// Up to so many, several ways each have a copy for each set of others that went before.
constexpr std::size_t most_with_sets = 500;

class Serializer {
public:
    /// `sparing`: of copies, where that makes a longer path at most.
    Serializer(const AnalysisContext& context, const Reconvergence& points, std::size_t most,
               bool sparing)
        : context_{context}, points_{points}, most_{most}, sparing_{sparing}, copies_{context,
                                                                                      points} {}

    /// None: too many copies.
    std::optional<Result<LanesInTurn>> run() {
        for (const DivergentBranch& parting : points_.divergent_branches) {
            const std::size_t before = copies_.size();
            for (std::size_t copy = 0; copy < before; ++copy) {
                if (copies_[copy].original != parting.block || left_.count(copy) != 0) continue;
                if (!part(copy, parting) || copies_.size() > most_) return std::nullopt;
            }
        }
        return copies_.in_order();
    }

private:
    using Copy = SerializedBlocks::Copy;
    using Set = SerializedBlocks::Set;
    using Seconds = SerializedBlocks::Seconds;

    /// Lets the ways of one copy of the branch follow each other. False when it cannot.
    bool part(std::size_t branch, const DivergentBranch& parting) {
        const SerializedBlocks::Reached reached = copies_.reached_by(branch, parting);
        if (parting.leaving && !parting.leaving->beside.empty()) {
            auto left = let_leave_at_several(copies_, branch, parting, points_.divergent_branches,
                                             reached, context_.shape.warp_size);
            if (left) left_.merge(*left);
            return left.has_value();
        }
        if (parting.leaving)
            let_leave(copies_, branch, parting, reached);
        else if (parting.one_sided)
            copies_.let_wait(reached.inside, parting, reached.meeting);
        else if (sparing_ && !parting.passed && parting.breaks.empty() && !parting.is_to_several)
            let_leave(copies_, branch, with_shorter_leaving(branch, parting), reached);
        else
            let_follow(branch, parting, reached);
        return true;
    }

    /// The lanes of the way with fewer copies go on before all others, or behind them, so that
    /// only this way is copied; a path may have it at both places.
    [[nodiscard]] DivergentBranch with_shorter_leaving(std::size_t branch,
                                                       const DivergentBranch& parting) const {
        std::optional<Set> shortest;
        DivergentBranch made = parting;
        for (const Copy::Way& way : copies_[branch].ways) {
            if (!way.edge || copies_.leaves(*way.edge, parting)) continue;
            Set reached = copies_.reached_from(way.to, parting);
            if (shortest && shortest->size() <= reached.size()) continue;
            shortest = std::move(reached);
            made.leaving = DivergentBranch::Leaving{copies_[way.to].original, {}, 1};
        }
        for (const std::size_t copy : *shortest)
            made.leaving->region.insert(copies_[copy].original);
        return made;
    }

    /// Behind one way come the others, then what follows all.
    void let_follow(std::size_t branch, const DivergentBranch& parting,
                    const SerializedBlocks::Reached& reached) {
        const auto& [inside, meeting] = reached;
        std::vector<std::size_t> starts;
        for (const Copy::Way& way : copies_[branch].ways)
            if (way.edge && inside.count(way.to) != 0 &&
                std::find(starts.begin(), starts.end(), way.to) == starts.end())
                starts.push_back(way.to);
        if (starts.size() > 2)
            return let_several_follow(
                copies_, branch, parting, reached, starts,
                sparing_ ? 0 : most_with_sets - std::min(most_with_sets, copies_.size()),
                context_.shape.warp_size);
        std::vector<Set> ways;
        for (const std::size_t start : starts)
            ways.push_back(copies_.reached_from(start, parting));
        Set shared;
        if (ways.size() == 2)
            std::set_intersection(ways[0].begin(), ways[0].end(), ways[1].begin(), ways[1].end(),
                                  std::inserter(shared, shared.end()));
        const std::vector<std::size_t> late = copies_.copy_late(reached, parting);
        // All of one way may have broken off, and all of the other one end.
        for (const std::size_t behind :
             behind_breaks(copies_, parting, points_.divergent_branches, inside))
            for (const std::size_t copy : inside)
                if (may_end(copy, parting)) copies_.add(copy, behind);
        // Where they share much, either may follow either: fewer copies, and a longer path at most.
        if (ways.size() != 2 || 2 * shared.size() > inside.size()) {
            const Behind behind = copy_behind(inside, parting, meeting, late);
            for (const std::size_t start : starts)
                lead(inside, parting, behind, start);
            copies_.let_wait(inside, parting, meeting);
            return;
        }
        const std::array<Behind, 2> behind{copy_behind(ways[1], parting, meeting, late),
                                           copy_behind(ways[0], parting, meeting, late)};
        // The second way has its own copies of what both share.
        const Seconds own = copies_.copy_all(shared, parting);
        Set first = ways[1];
        first.insert(branch);
        for (const std::size_t copy : first) {
            if (shared.count(copy) != 0) continue;
            for (Copy::Way& way : copies_[copy].ways)
                if (copies_.stays(copy, way, parting) && own.count(way.to) != 0 &&
                    (copy != branch || way.to == starts[1]))
                    way.to = own.at(way.to);
        }
        first.erase(branch);
        for (const auto& [copy, made] : own) {
            first.erase(copy);
            first.insert(made);
        }
        const std::array<Set, 2> before{ways[0], first};
        for (const std::size_t way : {0U, 1U}) {
            lead(before[way], parting, behind[way], starts[1 - way]);
            copies_.let_wait(before[way], parting, meeting);
        }
    }

    /// All of a way whose lanes may break off, not only those who did.
    [[nodiscard]] bool may_end(std::size_t copy, const DivergentBranch& parting) const {
        return copies_.block_of(copy).exits && !copies_.is_aside(copy, parting);
    }

    /// Set of a way that comes second: behind the end of the first one, or while the lanes of
    /// that wait at the passed point.
    struct Behind {
        Seconds ended;
        Seconds waiting;
    };
    Behind copy_behind(const Set& way, const DivergentBranch& parting,
                       std::optional<std::size_t> meeting, const std::vector<std::size_t>& late) {
        Behind behind{copies_.copy_all(way, parting), {}};
        const Set ended = SerializedBlocks::values_of(behind.ended);
        copies_.let_wait(ended, parting, meeting);
        if (meeting && !parting.breaks.empty()) {
            Set missing;
            std::copy_if(ended.begin(), ended.end(), std::inserter(missing, missing.end()),
                         [&](std::size_t copy) {
                             return copies_.breaks(copy, parting) || may_end(copy, parting);
                         });
            let_break_off(copies_, parting, points_.divergent_branches, ended, missing, *meeting);
        }
        if (late.empty()) return behind;
        behind.waiting = copies_.copy_all(way, parting);
        const Set made = SerializedBlocks::values_of(behind.waiting);
        copies_.let_wait(made, parting, meeting);
        copies_.go_on_late(made, parting, late);
        return behind;
    }

    /// From the first way to the second, which begins at `start`. Where lanes part in the first,
    /// some of them may end while others wait at the passed point.
    void lead(const Set& first, const DivergentBranch& parting, const Behind& behind,
              std::size_t start) {
        const bool parts = std::any_of(first.begin(), first.end(), [&](std::size_t copy) {
            return std::any_of(points_.divergent_branches.begin(), points_.divergent_branches.end(),
                               [&](const DivergentBranch& inner) {
                                   return inner.block == copies_[copy].original;
                               });
        });
        for (const std::size_t copy : first) {
            if (copies_.ends_way(copy, parting)) copies_.add(copy, behind.ended.at(start));
            if (!behind.waiting.empty() &&
                (copies_.waits_inside(copy, parting) || (parts && copies_.block_of(copy).exits)))
                copies_.add(copy, behind.waiting.at(start));
        }
        if (parting.breaks.empty()) return;
        Set ends;
        std::copy_if(first.begin(), first.end(), std::inserter(ends, ends.end()),
                     [&](std::size_t copy) {
                         return copies_.breaks(copy, parting) || copies_.ends_way(copy, parting);
                     });
        let_break_off(copies_, parting, points_.divergent_branches, first, ends,
                      behind.ended.at(start));
    }

    const AnalysisContext& context_;
    const Reconvergence& points_;
    std::size_t most_; ///< Copies.
    bool sparing_;
    SerializedBlocks copies_;
    Set left_; ///< Branches that were taken together with another one's.
};

} // namespace

Result<LanesInTurn> lanes_in_turn(const AnalysisContext& context, std::size_t sparing_above) {
    const auto points = find_reconvergence(context);
    if (!points) return points.as_failure();
    auto made = Serializer{context, points.value(), sparing_above, false}.run();
    if (!made) made = Serializer{context, points.value(), most_copies, true}.run();
    if (!made)
        return Failure{"lanes may part inside each other so often that their ways are not bounded "
                       "in this version",
                       context.request.function->name};
    auto lanes = std::move(*made);
    if (!lanes) return lanes;
    const auto& graph = *context.request.graph;
    for (const auto& loop : lanes.value().graph.loops) {
        const std::size_t header = lanes.value().original[loop.header];
        if (lanes.value().repeated[loop.header]) continue;
        if (std::none_of(graph.loops.begin(), graph.loops.end(),
                         [&](const assembly::Loop& known) { return known.header == header; }))
            return Failure{fmt::format("lanes that part may come to 0x{:04x} again and again in "
                                       "turn, which is not bounded in this version",
                                       graph.blocks[header].address),
                           context.request.function->name};
    }
    return lanes;
}

} // namespace warpbound::analyzer
