#include "analyzer/launch/first_use_search.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <tuple>
#include <vector>

namespace warpbound::analyzer {

namespace {

/// A bit for each line of the text, from its first one on.
using LineSet = std::uint64_t;
constexpr std::int64_t most_lines = 64;
/// Of all numbers of streamed lines together.
constexpr std::size_t most_states = 8'000;

/// The lines of the blocks of a warp's control flow.
class LineFlow {
public:
    LineFlow(const assembly::Function& function, const assembly::ControlFlowGraph& graph,
             std::int64_t line)
        : graph_{graph} {
        const std::int64_t base = function.instructions.front().address / line;
        for (const auto& block : graph.blocks) {
            first_.push_back(function.instructions[block.first].address / line - base);
            last_.push_back(function.instructions[block.last].address / line - base);
        }
        const bool fits =
            std::all_of(last_.begin(), last_.end(), [](auto last) { return last < most_lines; });
        if (!fits) return;
        for (std::size_t block = 0; block < first_.size(); ++block)
            lines_.push_back(lines(first_[block], last_[block]));
        find_reachable();
    }
    [[nodiscard]] bool fits() const { return !reachable_.empty(); }
    [[nodiscard]] std::size_t blocks() const { return first_.size(); }
    [[nodiscard]] std::int64_t first(std::size_t block) const { return first_[block]; }
    [[nodiscard]] std::int64_t last(std::size_t block) const { return last_[block]; }
    [[nodiscard]] LineSet lines_of(std::size_t block) const { return lines_[block]; }
    /// Lines that a warp may execute behind the block.
    [[nodiscard]] LineSet reachable(std::size_t block) const { return reachable_[block]; }
    [[nodiscard]] const std::vector<std::size_t>& edges_out(std::size_t block) const {
        return graph_.blocks[block].out;
    }
    [[nodiscard]] std::size_t end_of(std::size_t edge) const { return graph_.edges[edge].to; }

    /// Lines that a warp may execute behind this one of the block.
    [[nodiscard]] LineSet behind(std::size_t block, std::int64_t line) const {
        return lines(line + 1, last_[block]) | reachable_[block];
    }
    static LineSet lines(std::int64_t first, std::int64_t last) {
        LineSet set = 0;
        for (std::int64_t line = first; line <= std::min(last, most_lines - 1); ++line)
            set |= LineSet{1} << static_cast<unsigned>(line);
        return set;
    }

private:
    /// From the ends of blocks on.
    void find_reachable() {
        reachable_.assign(first_.size(), 0);
        for (bool changes = true; changes;) {
            changes = false;
            for (std::size_t block = first_.size(); block-- > 0;) {
                LineSet all = 0;
                for (const std::size_t edge : edges_out(block)) {
                    const std::size_t to = end_of(edge);
                    all |= lines_[to] | reachable_[to];
                }
                changes = changes || all != reachable_[block];
                reachable_[block] = all;
            }
        }
    }

    const assembly::ControlFlowGraph& graph_;
    std::vector<std::int64_t> first_;
    std::vector<std::int64_t> last_;
    std::vector<LineSet> lines_;
    std::vector<LineSet> reachable_;
};

/// A warp that has just used a line for the first time. Only lines that it may still come to are
/// kept.
struct Moment {
    std::size_t block = 0;
    std::int64_t line = 0;
    LineSet used = 0;
    LineSet streamed = 0; ///< In the stream buffer, and not used.
    friend bool operator<(const Moment& a, const Moment& b) {
        return std::tie(a.block, a.line, a.used, a.streamed) <
               std::tie(b.block, b.line, b.used, b.streamed);
    }
};

class Search {
public:
    /// `states`: at most so many.
    Search(const LineFlow& flow, std::int64_t streamed, std::size_t states)
        : flow_{flow}, streamed_{streamed}, states_{states} {}

    /// Empty: too many states.
    std::optional<std::int64_t> most_misses() {
        const std::int64_t most = best_of(0, flow_.first(0), 0, 0);
        if (is_too_large_) return std::nullopt;
        return most;
    }

    [[nodiscard]] std::size_t states() const { return known_.size(); }

private:
    /// From the first use of a line on, that one included. Either the L0 held it from the start, or
    /// the buffer has it, or it is missed.
    std::int64_t best_of(std::size_t block, std::int64_t line, LineSet used, LineSet streamed) {
        const LineSet own = only(line);
        const LineSet later = flow_.behind(block, line);
        const auto moment = [&](LineSet buffer) {
            return Moment{block, line, (used | own) & later, buffer & later & ~(used | own)};
        };
        const std::int64_t hit = misses_after(moment(streamed));
        if ((streamed & own) != 0) return hit;
        const LineSet requested = LineFlow::lines(line, line + streamed_);
        return std::max(hit, 1 + misses_after(moment(requested)));
    }
    static LineSet only(std::int64_t line) { return LineSet{1} << static_cast<unsigned>(line); }

    std::int64_t misses_after(const Moment& moment) {
        if (const auto known = known_.find(moment); known != known_.end()) return known->second;
        if (is_too_large_ || known_.size() >= states_) {
            is_too_large_ = true;
            return 0;
        }
        known_[moment] = 0;
        const LineSet used = moment.used | only(moment.line);
        std::int64_t most = 0;
        std::vector<bool> seen(flow_.blocks(), false);
        std::vector<std::size_t> open;
        const auto pass = [&](std::size_t block, LineSet lines) {
            if (const LineSet next = lines & ~used; next != 0) {
                most = std::max(
                    most, best_of(block, std::countr_zero(next), moment.used, moment.streamed));
                return;
            }
            if ((flow_.reachable(block) & ~used) == 0) return;
            for (const std::size_t edge : flow_.edges_out(block)) {
                const std::size_t to = flow_.end_of(edge);
                if (!seen[to]) open.push_back(to);
                seen[to] = true;
            }
        };
        pass(moment.block, LineFlow::lines(moment.line, flow_.last(moment.block)));
        while (!open.empty()) {
            const std::size_t block = open.back();
            open.pop_back();
            pass(block, flow_.lines_of(block));
        }
        known_[moment] = most;
        return most;
    }

    const LineFlow& flow_;
    std::int64_t streamed_;
    std::size_t states_;
    bool is_too_large_ = false;
    std::map<Moment, std::int64_t> known_;
};

} // namespace

std::optional<std::int64_t> most_misses_of_a_warp(const assembly::Function& function,
                                                  const assembly::ControlFlowGraph& graph,
                                                  std::int64_t line,
                                                  const models::Interval& stream) {
    const LineFlow flow{function, graph, line};
    if (!flow.fits()) return std::nullopt;
    std::int64_t most = 0;
    std::size_t states = most_states;
    const std::int64_t enough = std::min(stream.hi, most_lines);
    for (std::int64_t streamed = std::min(stream.lo, enough); streamed <= enough; ++streamed) {
        Search search{flow, streamed, states};
        const auto misses = search.most_misses();
        if (!misses) return std::nullopt;
        states -= search.states();
        most = std::max(most, *misses);
    }
    return most;
}

} // namespace warpbound::analyzer
