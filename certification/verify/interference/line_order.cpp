#include "certification/verify/interference/line_order.hpp"

#include "certification/verify/flow/control_flow.hpp"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

namespace warpbound::certification::verify {

namespace {

using Lines = std::set<std::int64_t>;

/// Lines that each path to the block has executed, by iteration from all lines downwards.
class PassedLines {
public:
    PassedLines(const ControlFlow& flow, std::vector<Lines> own)
        : own_{std::move(own)}, sources_{predecessors_of(flow)}, before_(own_.size()) {
        for (const Lines& lines : own_)
            all_.insert(lines.begin(), lines.end());
        std::fill(before_.begin() + 1, before_.end(), all_);
        while (shrink())
            ;
    }
    [[nodiscard]] const Lines& all() const { return all_; }
    [[nodiscard]] bool has(std::size_t block, std::int64_t line) const {
        return before_[block].count(line) > 0;
    }

private:
    bool shrink() {
        bool changed = false;
        for (std::size_t block = 1; block < before_.size(); ++block)
            for (const std::size_t source : sources_[block])
                for (auto line = before_[block].begin(); line != before_[block].end();) {
                    const bool stays =
                        before_[source].count(*line) > 0 || own_[source].count(*line) > 0;
                    changed = changed || !stays;
                    line = stays ? std::next(line) : before_[block].erase(line);
                }
        return changed;
    }

    std::vector<Lines> own_;
    std::vector<std::vector<std::size_t>> sources_;
    std::vector<Lines> before_;
    Lines all_;
};

std::vector<Lines> lines_of_blocks(const TimedCode& code, std::int64_t bytes) {
    const ControlFlow& flow = code.lower_flow;
    std::vector<Lines> lines(flow.blocks.size());
    for (std::size_t block = 0; block < lines.size(); ++block)
        for (std::size_t i = flow.first[block]; i <= flow.last[block]; ++i)
            lines[block].insert(code.kernel.function->instructions[i].address / bytes);
    return lines;
}

} // namespace

std::set<std::int64_t> lines_on_paths(const TimedCode& code, std::int64_t bytes) {
    Lines all;
    for (const Lines& lines : lines_of_blocks(code, bytes))
        all.insert(lines.begin(), lines.end());
    return all;
}

LineOrder line_order(const TimedCode& code, std::int64_t bytes) {
    const std::vector<Lines> lines = lines_of_blocks(code, bytes);
    const PassedLines passed{code.lower_flow, lines};
    LineOrder order;
    for (const std::int64_t line : passed.all())
        order[line] = true;
    for (std::size_t block = 0; block < lines.size(); ++block) {
        const std::int64_t line = *lines[block].begin();
        if (!passed.has(block, line - 1)) order[line] = false;
    }
    return order;
}

std::int64_t misses_in_turn(const LineOrder& order, const models::Interval& stream, bool by_all) {
    std::int64_t misses = 0;
    const auto is_head = [](const LineOrder::value_type& line) { return !line.second; };
    const bool is_one_run = std::count_if(order.begin(), order.end(), is_head) == 1;
    const std::int64_t span = order.empty() ? 0 : order.rbegin()->first - order.begin()->first + 1;
    for (auto head = order.begin(); head != order.end();) {
        const auto end = std::find_if(std::next(head), order.end(), is_head);
        const std::int64_t length = std::distance(head, end);
        std::int64_t most = by_all && !is_one_run ? length : 0;
        for (std::int64_t streamed = std::min(stream.lo, span);
             streamed <= std::min(stream.hi, span); ++streamed) {
            // What may be looked up after the run has begun, and requests lines of it.
            const std::int64_t earlier =
                std::distance(order.lower_bound(head->first - streamed), head);
            std::int64_t at = std::min(length, earlier);
            std::int64_t waits = at;
            // A line is waited for with those that its own miss requests; then perhaps one of these
            // whose request was dropped, unless nothing can drop it.
            for (bool own = true; at < length; own = !own) {
                ++waits;
                at += own || is_one_run ? streamed + 1 : 1;
            }
            most = std::max(most, waits);
        }
        misses += std::min(most, length);
        head = end;
    }
    return misses;
}

} // namespace warpbound::certification::verify
