#include "certification/verify/interference/line_order.hpp"

#include "models/units.hpp"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

namespace warpbound::certification::verify {

namespace {

using Lines = std::set<std::int64_t>;

/// Lines of the blocks of a control flow.
std::vector<Lines> lines_of_blocks(const TimedCode& code, const ControlFlow& flow,
                                   std::int64_t bytes) {
    std::vector<Lines> lines(flow.blocks.size());
    for (std::size_t block = 0; block < lines.size(); ++block)
        for (std::size_t i = flow.first[block]; i <= flow.last[block]; ++i)
            lines[block].insert(code.kernel.function->instructions[i].address / bytes);
    return lines;
}

/// Blocks at whose end a path from the entry may end.
std::vector<std::size_t> ends_of_paths(const ControlFlow& flow) {
    std::vector<bool> met(flow.blocks.size(), false);
    std::vector<std::size_t> open{0};
    std::vector<std::size_t> ends;
    met[0] = true;
    while (!open.empty()) {
        const std::size_t block = open.back();
        open.pop_back();
        const BlockRow& row = flow.blocks[block];
        if (row.exits || row.successors.empty()) ends.push_back(block);
        for (const std::size_t next : row.successors) {
            if (!met[next]) open.push_back(next);
            met[next] = true;
        }
    }
    return ends;
}

/// Lines that each path to a block has executed, by iteration from all lines downwards.
class PassedLines {
public:
    PassedLines(const ControlFlow& flow, const std::vector<Lines>& own) {
        for (const Lines& lines : own)
            for (const std::int64_t line : lines)
                numbers_.emplace(line, 0);
        std::size_t next = 0;
        for (auto& [line, number] : numbers_)
            number = next++;
        before_.assign(own.size(), std::vector<bool>(next, true));
        before_.front().assign(next, false);
        const auto sources = predecessors_of(flow);
        for (bool changes = true; changes;) {
            changes = false;
            for (std::size_t block = 1; block < own.size(); ++block)
                for (const std::size_t source : sources[block])
                    changes = meet(before_[block], before_[source], own[source]) || changes;
        }
    }
    [[nodiscard]] bool has(std::size_t block, std::int64_t line) const {
        const auto number = numbers_.find(line);
        return number != numbers_.end() && before_[block][number->second];
    }
    /// What each warp has executed when it comes to a line for the first time, and the line.
    [[nodiscard]] Lines up_to(std::int64_t line, const std::vector<Lines>& own) const {
        std::vector<std::size_t> holders;
        for (std::size_t block = 0; block < own.size(); ++block)
            if (own[block].count(line) > 0) holders.push_back(block);
        Lines common{line};
        for (const auto& [other, unused] : numbers_) {
            const bool everywhere =
                std::all_of(holders.begin(), holders.end(), [&, other = other](std::size_t block) {
                    return (other < line && own[block].count(other) > 0) || has(block, other);
                });
            if (everywhere) common.insert(other);
        }
        return common;
    }

private:
    /// Keeps what the source has passed or executes. Says whether something was lost.
    bool meet(std::vector<bool>& kept, const std::vector<bool>& passed, const Lines& executed) {
        bool lost = false;
        for (const auto& [line, number] : numbers_) {
            if (!kept[number] || passed[number] || executed.count(line) > 0) continue;
            kept[number] = false;
            lost = true;
        }
        return lost;
    }

    std::map<std::int64_t, std::size_t> numbers_; ///< Of lines.
    std::vector<std::vector<bool>> before_;
};

/// Whether whoever executes `line` for the first time executes the one behind it before all other
/// lines that it may not have executed. By iteration over the ends of blocks at which it has
/// executed neither.
bool leads_to_the_next(std::int64_t line, const ControlFlow& flow, const std::vector<Lines>& own,
                       const PassedLines& passed) {
    const Lines known = passed.up_to(line, own);
    std::vector<bool> is_undecided(own.size(), false);
    for (std::size_t block = 0; block < own.size(); ++block)
        is_undecided[block] = *own[block].rbegin() == line;
    const auto sources = predecessors_of(flow);
    for (bool changes = true; changes;) {
        changes = false;
        for (std::size_t block = 0; block < own.size(); ++block) {
            const auto& before = sources[block];
            if (std::none_of(before.begin(), before.end(),
                             [&](std::size_t source) { return is_undecided[source]; }))
                continue;
            const auto unknown = std::find_if(own[block].begin(), own[block].end(),
                                              [&](auto one) { return known.count(one) == 0; });
            if (unknown != own[block].end()) {
                if (*unknown != line + 1) return false;
            } else if (!is_undecided[block]) {
                is_undecided[block] = true;
                changes = true;
            }
        }
    }
    return true;
}

} // namespace

ControlFlow without_untaken_edges(const TimedCode& code, const ControlFlow& flow, bool of_lanes) {
    std::set<std::pair<std::int64_t, std::int64_t>> untaken;
    for (const models::LinearFact& fact : code.kernel.facts.constraints) {
        if (!of_lanes || fact.terms.size() != 1 || fact.constant != 0) continue;
        const models::LinearTerm& term = fact.terms.front();
        if (term.from && term.coefficient > 0 && fact.relation != models::Relation::AtLeast)
            untaken.emplace(*term.from, term.block);
    }
    ControlFlow left = flow;
    for (std::size_t block = 0; block < left.blocks.size(); ++block)
        std::erase_if(left.blocks[block].successors, [&](std::size_t to) {
            return flow.never[block] || flow.never[to] ||
                   untaken.count({flow.blocks[block].first, flow.blocks[to].first}) != 0;
        });
    return left;
}

ControlFlow taken_by_warps(const TimedCode& code) {
    return without_untaken_edges(code, code.upper_flow, code.kernel.serialized.empty());
}

std::set<std::int64_t> lines_on_paths(const TimedCode& code, std::int64_t bytes) {
    Lines all;
    for (const Lines& lines : lines_of_blocks(code, code.upper_flow, bytes))
        all.insert(lines.begin(), lines.end());
    return all;
}

Lines line_numbers_left_out(const TimedCode& code, std::int64_t bytes) {
    const bool all_have_one = code.represented.blocks == code.geometry.blocks;
    const ControlFlow flow =
        without_untaken_edges(code, all_have_one ? *code.represented_flow : code.lower_flow, true);
    const std::vector<Lines> own = lines_of_blocks(code, flow, bytes);
    const PassedLines passed{flow, own};
    Lines left_out;
    for (const std::size_t end : ends_of_paths(flow))
        for (const Lines& lines : own)
            for (const std::int64_t line : lines)
                if (!passed.has(end, line) && own[end].count(line) == 0) left_out.insert(line);
    return left_out;
}

LineOrder line_order(const TimedCode& code, std::int64_t bytes) {
    const ControlFlow flow = taken_by_warps(code);
    const std::vector<Lines> lines = lines_of_blocks(code, flow, bytes);
    const Lines all = lines_on_paths(code, bytes);
    const PassedLines passed{flow, lines};
    LineOrder order;
    for (const std::int64_t line : all)
        order[line].is_preceded = all.count(line - 1) > 0;
    for (std::size_t block = 0; block < lines.size(); ++block) {
        const std::int64_t first = *lines[block].begin();
        if (!passed.has(block, first - 1)) order[first].is_preceded = false;
    }
    for (auto& [line, place] : order)
        place.is_next = place.is_preceded && leads_to_the_next(line - 1, flow, lines, passed);
    return order;
}

namespace {

using Position = LineOrder::const_iterator;

/// Of lines that come in groups without interruption: each begins where `joins` is not set.
void count_groups(const LineOrder& order, const models::Interval& stream, bool LineInOrder::*joins,
                  MissesInTurn& misses) {
    std::int64_t requests = 0;
    std::int64_t groups = 0;
    for (auto head = order.begin(); head != order.end();) {
        std::int64_t length = 0;
        do {
            if (length % (stream.lo + 1) == 0) ++groups;
            ++length;
            ++head;
        } while (head != order.end() && head->second.*joins);
        requests = models::plus(requests, models::plus(length, stream.hi));
    }
    misses.requests = std::min(misses.requests, requests);
    misses.groups = std::min(misses.groups, groups);
}

/// Of lines from `head` on, each preceded by the one before, where a miss requests `streamed` more.
std::int64_t longest_waits(const LineOrder& order, Position head, std::int64_t length,
                           std::int64_t streamed) {
    // What may be looked up after the first one, and requests lines of these.
    const std::int64_t earlier = std::distance(order.lower_bound(head->first - streamed), head);
    std::int64_t at = std::min(length, earlier);
    std::int64_t waits = at;
    // A line is waited for with those that its own miss requests; then perhaps one of these whose
    // request was dropped.
    for (bool own = true; at < length; own = !own) {
        ++waits;
        at += own ? streamed + 1 : 1;
    }
    return std::min(waits, length);
}

} // namespace

MissesInTurn misses_in_turn(const LineOrder& order, const models::Interval& stream,
                            Waiters waiters) {
    const auto count = static_cast<std::int64_t>(order.size());
    MissesInTurn misses{models::times(count, models::plus(stream.hi, 1)), count, count};
    if (order.empty()) return misses;
    const auto is_head = [](const auto& line) { return !line.second.is_preceded; };
    if (std::count_if(order.begin(), order.end(), is_head) == 1)
        count_groups(order, stream, &LineInOrder::is_preceded, misses);
    if (waiters == Waiters::Sole) count_groups(order, stream, &LineInOrder::is_next, misses);
    if (waiters == Waiters::All) return misses;
    misses.of_l1 = 0;
    const std::int64_t span = order.rbegin()->first - order.begin()->first + 1;
    for (std::int64_t streamed = std::min(stream.lo, span); streamed <= std::min(stream.hi, span);
         ++streamed) {
        std::int64_t waits = 0;
        for (auto head = order.begin(); head != order.end();) {
            const auto end = std::find_if(std::next(head), order.end(), is_head);
            waits += longest_waits(order, head, std::distance(head, end), streamed);
            head = end;
        }
        misses.of_l1 = std::max(misses.of_l1, waits);
    }
    return misses;
}

std::int64_t transfers_to_l1(const LineOrder& order, const models::Interval& stream,
                             std::int64_t schedulers) {
    const auto count = static_cast<std::int64_t>(order.size());
    for (auto line = order.begin(); line != order.end(); ++line)
        if (line != order.begin() && !line->second.is_preceded) return count;
    // Either one miss brings its own line and all that the shortest stream has, or each scheduler
    // begins at most one transfer.
    const std::int64_t after_a_whole_stream = count - stream.lo;
    if (after_a_whole_stream < schedulers) return std::min(schedulers, count);
    return after_a_whole_stream;
}

} // namespace warpbound::certification::verify
