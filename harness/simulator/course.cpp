#include "harness/simulator/course.hpp"

#include <utility>

namespace warpbound::harness::simulator {

void Course::enter(std::size_t block, LaneMask lanes) {
    stretch_.block = block;
    stretch_.first = graph_->blocks[block].first;
    stretch_.last = graph_->blocks[block].last;
    stretch_.lanes = lanes;
}

Result<Course> Course::start(const KernelCode& code, const RunOptions& options,
                             std::uint64_t stream, std::int64_t warp_in_block) {
    const Chance chance{options.draw, RandomStream{options.seed, StreamOf::WarpPath, stream}};
    const LaneMask lanes = code.lanes(warp_in_block);
    Course course;
    course.graph_ = code.graph;
    if (!options.path.empty()) {
        course.walk_ = PathWalk{*code.graph, options.path, chance};
    } else if (code.convergence) {
        auto walk = code.paths.choose(chance, lanes, *code.convergence);
        if (!walk) return walk.as_failure();
        course.walk_ = std::move(walk.value());
    } else {
        auto walk = code.paths.choose(chance);
        if (!walk) return walk.as_failure();
        course.walk_ = std::move(walk.value());
    }
    course.enter(std::visit([](const auto& walk) { return walk.block(); }, course.walk_), lanes);
    return course;
}

void Course::advance() {
    if (auto* walk = std::get_if<PathWalk>(&walk_)) {
        const Turn turn = walk->advance();
        stretch_.ends = turn.ends;
        if (turn.ends) return;
        const assembly::Edge& edge = graph_->edges[turn.edge];
        stretch_.transferred = edge.kind == assembly::EdgeKind::Taken;
        return enter(edge.to, stretch_.lanes);
    }
    auto& walk = std::get<LaneWalk>(walk_);
    const LaneTurn turn = walk.advance();
    // Walks are tried to their end before they are taken: nothing is stuck here.
    stretch_.ends = turn.kind != LaneTurn::Kind::Goes;
    if (stretch_.ends) return;
    stretch_.transferred = turn.transferred;
    enter(walk.block(), walk.lanes());
}

} // namespace warpbound::harness::simulator
