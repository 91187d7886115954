#include "harness/simulator/paths/instruction_stream.hpp"

#include <fmt/format.h>

#include <utility>

namespace warpbound::harness::simulator {

void InstructionStream::enter(std::size_t block, LaneMask lanes) {
    stretch_.block = block;
    stretch_.first = graph_->blocks[block].first;
    stretch_.last = graph_->blocks[block].last;
    stretch_.lanes = lanes;
}

Result<InstructionStream> InstructionStream::start(const KernelPaths& paths,
                                                   const RunOptions& options, std::uint64_t stream,
                                                   std::int64_t block, std::int64_t warp_in_block) {
    if (paths.recorded != nullptr) return replay(*paths.recorded, block, warp_in_block);
    const RandomSource random{options.draw, RandomStream{options.seed, StreamOf::WarpPath, stream}};
    // Warps of one thread block draw what they decide alike from one source (C9a).
    const RandomSource common{options.draw,
                              RandomStream{options.seed, StreamOf::BlockPath,
                                           stream - static_cast<std::uint64_t>(warp_in_block)}};
    const LaneMask lanes = paths.lanes(warp_in_block);
    InstructionStream instructions;
    instructions.graph_ = paths.graph;
    const bool represented = paths.representative && paths.representative->has(block, paths.grid);
    const PathChooser& chooser = represented ? paths.of_representatives : paths.paths;
    if (!options.path.empty()) {
        instructions.walk_ = PathWalk{*paths.graph, options.path, random};
    } else if (paths.reconvergence) {
        RandomSource source = random;
        if (represented && source.draw(0, 1) == 1)
            if (auto among = chooser.choose_among(paths.paths, source, common, lanes,
                                                  *paths.reconvergence)) {
                instructions.walk_ = std::move(*among);
                instructions.enter(std::get<DivergentWalk>(instructions.walk_).block(), lanes);
                return instructions;
            }
        auto walk = chooser.choose(random, common, lanes, *paths.reconvergence);
        if (!walk) return walk.as_failure();
        instructions.walk_ = std::move(walk.value());
    } else {
        auto walk = chooser.choose(random, common);
        if (!walk) return walk.as_failure();
        instructions.walk_ = std::move(walk.value());
    }
    if (const auto* walk = std::get_if<PathWalk>(&instructions.walk_))
        instructions.enter(walk->block(), lanes);
    else
        instructions.enter(std::get<DivergentWalk>(instructions.walk_).block(), lanes);
    return instructions;
}

Result<InstructionStream> InstructionStream::replay(const RecordedLaunch& launch,
                                                    std::int64_t block,
                                                    std::int64_t warp_in_block) {
    auto recorded = launch.block(block);
    if (!recorded) return recorded.as_failure();
    const auto warp = static_cast<std::size_t>(warp_in_block);
    if (warp >= recorded.value()->warps.size())
        return Failure{fmt::format("block {} is recorded with {} warps; expected more", block,
                                   recorded.value()->warps.size()),
                       "", 0, 0};
    InstructionStream instructions;
    auto& walk = instructions.walk_.emplace<RecordedStream>();
    walk.warp = {recorded.value(),
                 &recorded.value()->warps[warp]}; // Shares ownership of the block.
    instructions.follow(walk);
    return instructions;
}

void InstructionStream::follow(RecordedStream& recorded) {
    stretch_.ends = recorded.stretch == recorded.warp->stretches.size();
    if (stretch_.ends) return;
    const RecordedStretch& next = recorded.warp->stretches[recorded.stretch++];
    stretch_.transferred = next.transferred;
    stretch_.block = next.block;
    stretch_.first = next.first;
    stretch_.last = next.last;
    stretch_.lanes = next.lanes;
}

LaneMask InstructionStream::take_executing() {
    auto& recorded = std::get<RecordedStream>(walk_);
    return recorded.warp->executing[recorded.executing++];
}

models::LaneAddresses InstructionStream::addresses(std::uint64_t bytes) const {
    const auto& recorded = std::get<RecordedStream>(walk_);
    return recorded.warp->addresses(recorded.accesses - 1, bytes);
}

bool InstructionStream::transfers_next() const {
    InstructionStream ahead = *this; // Draws what this one will draw.
    ahead.advance();
    return ahead.stretch_.transferred;
}

void InstructionStream::advance() {
    if (auto* recorded = std::get_if<RecordedStream>(&walk_)) return follow(*recorded);
    if (auto* walk = std::get_if<PathWalk>(&walk_)) {
        const Transition transition = walk->advance();
        stretch_.ends = transition.ends;
        if (transition.ends) return;
        const assembly::Edge& edge = graph_->edges[transition.edge];
        stretch_.transferred = edge.kind == assembly::EdgeKind::Taken;
        return enter(edge.to, stretch_.lanes);
    }
    auto& walk = std::get<DivergentWalk>(walk_);
    const DivergentTransition transition = walk.advance();
    // The chooser tried the walk to its end, so no anomaly can occur here.
    stretch_.ends = transition.kind != DivergentTransition::Kind::Continues;
    if (stretch_.ends) return;
    stretch_.transferred = transition.transferred;
    enter(walk.block(), walk.lanes());
}

} // namespace warpbound::harness::simulator
