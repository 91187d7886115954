#include "analyzer/launch/first_uses.hpp"

#include "models/units.hpp"

#include <algorithm>
#include <map>

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

    /// Whether each path from the entry to `line` has an instruction of `other`.
    [[nodiscard]] bool follows(std::int64_t line, std::int64_t other) const {
        std::vector<bool> seen(first_.size(), false);
        std::vector<std::size_t> open{0};
        seen[0] = true;
        while (!open.empty()) { // Blocks that a path without the other line comes to.
            const std::size_t block = open.back();
            open.pop_back();
            if (has(block, line) && !(has(block, other) && other < line)) return false;
            if (has(block, other)) continue;
            add_successors(block, seen, open);
        }
        return true;
    }

    /// Whether some path from the entry to an end has no instruction of `line`.
    [[nodiscard]] bool is_avoidable(std::int64_t line) const {
        std::vector<bool> seen(first_.size(), false);
        std::vector<std::size_t> open{0};
        seen[0] = true;
        while (!open.empty()) {
            const std::size_t block = open.back();
            open.pop_back();
            if (has(block, line)) continue;
            if (graph_.blocks[block].exits || graph_.blocks[block].out.empty()) return true;
            add_successors(block, seen, open);
        }
        return false;
    }

    /// Whether a warp that first uses `line` comes to the one behind it before any other that it
    /// need not have used by then.
    [[nodiscard]] bool is_followed(std::int64_t line) const {
        std::map<std::int64_t, bool> used{{line, true}};
        const auto is_used = [&](std::int64_t other) {
            const auto [entry, is_new] = used.try_emplace(other, false);
            if (is_new) entry->second = follows(line, other);
            return entry->second;
        };
        std::vector<bool> seen(first_.size(), false);
        std::vector<std::size_t> open;
        for (std::size_t block = 0; block < first_.size(); ++block)
            if (last_[block] == line) add_successors(block, seen, open);
        while (!open.empty()) {
            const std::size_t block = open.back();
            open.pop_back();
            std::int64_t next = first_[block];
            while (next <= last_[block] && is_used(next))
                ++next;
            if (next > last_[block])
                add_successors(block, seen, open);
            else if (next != line + 1)
                return false;
        }
        return true;
    }

private:
    [[nodiscard]] bool has(std::size_t block, std::int64_t line) const {
        return first_[block] <= line && line <= last_[block];
    }
    void add_successors(std::size_t block, std::vector<bool>& seen,
                        std::vector<std::size_t>& open) const {
        for (const std::size_t edge : graph_.blocks[block].out) {
            const std::size_t to = graph_.edges[edge].to;
            if (seen[to]) continue;
            seen[to] = true;
            open.push_back(to);
        }
    }

    const assembly::ControlFlowGraph& graph_;
    std::vector<std::int64_t> first_;
    std::vector<std::int64_t> last_;
};

/// Splits the lines where they do not follow each other, or `is_split` says so.
template <typename IsSplit>
std::vector<Lines> grouped(const std::vector<std::int64_t>& lines, const IsSplit& is_split) {
    std::vector<Lines> groups;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        if (i > 0 && lines[i - 1] == lines[i] - 1 && !is_split(lines[i]))
            ++groups.back().count;
        else
            groups.push_back({lines[i], 1});
    }
    return groups;
}

/// Lines of other chains among the `stream` ones before a line: each may be looked up later than
/// what follows it, and request it.
std::int64_t executed_before(const std::vector<Lines>& chains, std::int64_t line,
                             std::int64_t stream) {
    std::int64_t count = 0;
    for (const Lines& other : chains) {
        const std::int64_t begin = std::max(other.first, line - stream);
        const std::int64_t end = std::min(other.first + other.count, line);
        count += std::max<std::int64_t>(0, end - begin);
    }
    return count;
}

/// Of one of several chains.
std::int64_t l1_misses_of(const Lines& chain, const std::vector<Lines>& chains,
                          std::int64_t stream) {
    const std::int64_t alone = std::min(chain.count, executed_before(chains, chain.first, stream));
    const std::int64_t others = chain.count - alone;
    const std::int64_t of_two = stream + 2; // Lines that two misses take up.
    return alone + others / of_two + (others + of_two - 1) / of_two;
}

/// Of several chains, with the number of streamed lines that is worst.
std::int64_t l1_misses_of_chains(const std::vector<Lines>& chains, const models::Interval& stream) {
    // More lines than all of the text change nothing.
    const std::int64_t enough =
        std::min(stream.hi, chains.back().first + chains.back().count - chains.front().first);
    std::int64_t most = 0;
    for (std::int64_t streamed = std::min(stream.lo, enough); streamed <= enough; ++streamed) {
        std::int64_t misses = 0;
        for (const Lines& chain : chains)
            misses += l1_misses_of(chain, chains, streamed);
        most = std::max(most, misses);
    }
    return most;
}

/// Of lines that are first used group by group, none of which is interrupted.
void lower_to_groups(SerialMisses& misses, const std::vector<Lines>& groups,
                     const models::Interval& stream) {
    std::int64_t requests = 0;
    std::int64_t l0 = 0;
    for (const Lines& group : groups) {
        requests = models::plus(requests, models::plus(group.count, stream.hi));
        l0 += (group.count + stream.lo) / (stream.lo + 1);
    }
    misses.requests = std::min(misses.requests, requests);
    misses.l0 = std::min(misses.l0, l0);
}

} // namespace

std::vector<std::int64_t> executed_lines(const assembly::Function& function,
                                         const assembly::ControlFlowGraph& graph,
                                         std::int64_t line) {
    return LinesOfBlocks{function, graph, line}.lines();
}

std::vector<std::int64_t> avoidable_lines(const assembly::Function& function,
                                          const assembly::ControlFlowGraph& graph,
                                          std::int64_t line) {
    const LinesOfBlocks blocks{function, graph, line};
    std::vector<std::int64_t> lines = blocks.lines();
    std::erase_if(lines, [&](std::int64_t one) { return !blocks.is_avoidable(one); });
    return lines;
}

FirstUses first_uses(const assembly::Function& function, const assembly::ControlFlowGraph& graph,
                     std::int64_t line) {
    const LinesOfBlocks blocks{function, graph, line};
    const std::vector<std::int64_t> lines = blocks.lines();
    const auto starts_chain = [&](std::int64_t line) { return !blocks.follows(line, line - 1); };
    const auto starts_run = [&](std::int64_t line) {
        return starts_chain(line) || !blocks.is_followed(line - 1);
    };
    return {static_cast<std::int64_t>(lines.size()), grouped(lines, starts_chain),
            grouped(lines, starts_run)};
}

SerialMisses serial_misses(const FirstUses& uses, const models::Interval& stream, Waiting waiting) {
    SerialMisses misses{models::times(uses.lines, models::plus(stream.hi, 1)), uses.lines,
                        uses.lines};
    if (uses.chains.size() == 1) lower_to_groups(misses, uses.chains, stream);
    if (waiting == Waiting::OnlyWarp) lower_to_groups(misses, uses.runs, stream);
    if (waiting != Waiting::AnyOf) misses.l1 = l1_misses_of_chains(uses.chains, stream);
    return misses;
}

std::int64_t first_requests(const FirstUses& uses, const models::Interval& stream,
                            std::int64_t schedulers) {
    if (uses.chains.size() != 1) return uses.lines;
    return std::min(uses.lines, std::max(schedulers, uses.lines - stream.lo));
}

} // namespace warpbound::analyzer
