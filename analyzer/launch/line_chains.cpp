#include "analyzer/launch/line_chains.hpp"

#include <algorithm>
#include <optional>

namespace warpbound::analyzer {

namespace {

/// The blocks of a graph with the lines that they execute.
class LinesOfBlocks {
public:
    LinesOfBlocks(const assembly::Function& function, const assembly::ControlFlowGraph& graph,
                  std::int64_t line)
        : graph_{graph}, first_(graph.blocks.size()), last_(graph.blocks.size()) {
        for (std::size_t block = 0; block < graph.blocks.size(); ++block) {
            first_[block] = function.instructions[graph.blocks[block].first].address / line;
            last_[block] = function.instructions[graph.blocks[block].last].address / line;
        }
    }

    [[nodiscard]] std::vector<std::int64_t> lines() const {
        std::vector<std::int64_t> lines;
        for (std::size_t block = 0; block < first_.size(); ++block)
            for (std::int64_t line = first_[block]; line <= last_[block]; ++line)
                lines.push_back(line);
        std::sort(lines.begin(), lines.end());
        lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
        return lines;
    }

    /// Whether each path from the entry to the line has an instruction of the line before it.
    [[nodiscard]] bool follows_the_line_before(std::int64_t line) const {
        std::vector<bool> seen(first_.size(), false);
        std::vector<std::size_t> open{0};
        seen[0] = true;
        while (!open.empty()) { // Blocks that a path without that line comes to.
            const std::size_t block = open.back();
            open.pop_back();
            if (first_[block] == line) return false;
            if (has(block, line - 1)) continue;
            for (const std::size_t edge : graph_.blocks[block].out) {
                const std::size_t to = graph_.edges[edge].to;
                if (seen[to]) continue;
                seen[to] = true;
                open.push_back(to);
            }
        }
        return true;
    }

private:
    [[nodiscard]] bool has(std::size_t block, std::int64_t line) const {
        return first_[block] <= line && line <= last_[block];
    }

    const assembly::ControlFlowGraph& graph_;
    std::vector<std::int64_t> first_;
    std::vector<std::int64_t> last_;
};

/// Lines of other chains among the `stream` ones before a line: each may be looked up later than
/// what follows it, and request it.
std::int64_t executed_before(const std::vector<LineChain>& chains, std::int64_t line,
                             std::int64_t stream) {
    std::int64_t count = 0;
    for (const LineChain& other : chains) {
        const std::int64_t begin = std::max(other.first, line - stream);
        const std::int64_t end = std::min(other.first + other.count, line);
        count += std::max<std::int64_t>(0, end - begin);
    }
    return count;
}

/// Of one of several chains.
std::int64_t serial_misses_of(const LineChain& chain, const std::vector<LineChain>& chains,
                              std::int64_t stream) {
    const std::int64_t alone = std::min(chain.count, executed_before(chains, chain.first, stream));
    const std::int64_t others = chain.count - alone;
    const std::int64_t of_two = stream + 2; // Lines that two misses take up.
    return alone + others / of_two + (others + of_two - 1) / of_two;
}

} // namespace

std::vector<std::int64_t> executed_lines(const assembly::Function& function,
                                         const assembly::ControlFlowGraph& graph,
                                         std::int64_t line) {
    return LinesOfBlocks{function, graph, line}.lines();
}

std::vector<LineChain> line_chains(const assembly::Function& function,
                                   const assembly::ControlFlowGraph& graph, std::int64_t line) {
    const LinesOfBlocks blocks{function, graph, line};
    std::vector<LineChain> chains;
    std::optional<std::int64_t> before;
    for (const std::int64_t one : blocks.lines()) {
        if (before == one - 1 && blocks.follows_the_line_before(one))
            ++chains.back().count;
        else
            chains.push_back({one, 1});
        before = one;
    }
    return chains;
}

std::int64_t serial_misses(const std::vector<LineChain>& chains, const models::Interval& stream,
                           bool of_any_warp) {
    if (chains.size() == 1) return (chains.front().count + stream.lo) / (stream.lo + 1);
    std::int64_t misses = 0;
    for (const LineChain& chain : chains) {
        std::int64_t most = of_any_warp ? chain.count : 0;
        // More lines than to the last one of the chain change nothing.
        const std::int64_t enough =
            std::min(stream.hi, chain.first + chain.count - chains.front().first);
        for (std::int64_t streamed = std::min(stream.lo, enough); streamed <= enough; ++streamed)
            most = std::max(most, serial_misses_of(chain, chains, streamed));
        misses += std::min(chain.count, most);
    }
    return misses;
}

} // namespace warpbound::analyzer
