#include "certification/verify/flow/reaching_values.hpp"

#include <algorithm>

namespace warpbound::certification::verify {

using assembly::ControlFlowGraph;
using assembly::Function;
using assembly::Register;

ProgramPoint begin_of(const ControlFlowGraph& graph, std::size_t block) {
    return {block, graph.blocks[block].first};
}

ProgramPoint end_of(const ControlFlowGraph& graph, std::size_t block) {
    return {block, graph.blocks[block].last + 1};
}

bool writes(const assembly::Instruction& instruction, Register reg) {
    const auto& effects = instruction.effects;
    return !effects.writes_known ||
           std::binary_search(effects.writes.begin(), effects.writes.end(), reg);
}

ReachingValues::ReachingValues(const Function& function, const ControlFlowGraph& graph)
    : function_{function}, graph_{graph}, written_(graph.blocks.size()),
      writes_anything_(graph.blocks.size(), false) {
    for (std::size_t block = 0; block < graph.blocks.size(); ++block) {
        auto& written = written_[block];
        for (std::size_t i = graph.blocks[block].first; i <= graph.blocks[block].last; ++i) {
            const auto& effects = function.instructions[i].effects;
            if (!effects.writes_known) writes_anything_[block] = true;
            written.insert(written.end(), effects.writes.begin(), effects.writes.end());
        }
        std::sort(written.begin(), written.end());
        written.erase(std::unique(written.begin(), written.end()), written.end());
    }
}

bool ReachingValues::is_written_in(const std::vector<std::size_t>& blocks, Register reg) const {
    return std::any_of(blocks.begin(), blocks.end(), [&](std::size_t block) {
        return writes_anything_[block] ||
               std::binary_search(written_[block].begin(), written_[block].end(), reg);
    });
}

const std::vector<std::size_t>& ReachingValues::blocks_on_ways(std::size_t block) {
    const auto [known, fresh] = between_.try_emplace(block);
    if (!fresh) return known->second;
    work_ += static_cast<std::int64_t>(graph_.blocks.size()) / 64; // To clear `seen`.
    const std::size_t dominator = *graph_.immediate_dominator[block];
    std::vector<bool> seen(graph_.blocks.size(), false);
    std::vector<std::size_t> open{block};
    while (!open.empty()) {
        const std::size_t at = open.back();
        open.pop_back();
        ++work_;
        for (const std::size_t edge : graph_.blocks[at].in) {
            const std::size_t from = graph_.edges[edge].from;
            if (from == dominator || seen[from]) continue;
            seen[from] = true;
            known->second.push_back(from);
            open.push_back(from);
        }
    }
    return known->second;
}

ValueSource ReachingValues::source_of(Register reg, ProgramPoint point) {
    std::vector<std::pair<std::size_t, Register>> passed;
    const auto found = [&](const ValueSource& source) {
        for (const auto& key : passed)
            at_begin_.emplace(key, source);
        return source;
    };
    for (;;) {
        const auto& block = graph_.blocks[point.block];
        while (point.instruction > block.first) {
            --point.instruction;
            ++work_;
            if (writes(function_.instructions[point.instruction], reg))
                return found({ValueSource::Kind::Definition, point, reg});
        }
        const std::pair key{point.block, reg};
        if (const auto known = at_begin_.find(key); known != at_begin_.end())
            return found(known->second);
        passed.push_back(key);
        const auto& dominator = graph_.immediate_dominator[point.block];
        if (!dominator)
            return found({block.in.empty() ? ValueSource::Kind::Entry : ValueSource::Kind::Join,
                          point, reg});
        const auto& between = blocks_on_ways(point.block);
        work_ += 1 + static_cast<std::int64_t>(between.size());
        if (is_written_in(between, reg)) return found({ValueSource::Kind::Join, point, reg});
        point = end_of(graph_, *dominator);
    }
}

} // namespace warpbound::certification::verify
