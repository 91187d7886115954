#include "certification/verify/policies/only_path.hpp"

namespace warpbound::certification::verify {

namespace {

/// Follows the control flow as long as the facts leave one way.
class OnlyPath {
public:
    OnlyPath(const TimedCode& code, const ControlFlow& flow, EarlyEnds early)
        : flow_{flow}, may_end_early_{early == EarlyEnds::Allowed}, next_in_text_{next_in_text(
                                                                        code)},
          back_edges_(flow.loops.size(), 0) {}

    /// Its issues; none: there may be another path, or more issues than `most`.
    std::optional<std::vector<IssueStep>> steps(std::size_t most) {
        std::vector<IssueStep> steps;
        std::size_t block = 0;
        IssueStep enters{.before = {}, .next = flow_.first.front()};
        while (true) {
            steps.push_back(enters);
            for (std::size_t i = flow_.first[block]; i < flow_.last[block]; ++i)
                steps.push_back({.before = i, .next = i + 1});
            if (steps.size() > most) return std::nullopt;
            const std::vector<std::size_t> next = open_successors(block);
            if (next.empty() && flow_.blocks[block].exits && innermost(block) == nullptr)
                return steps;
            if (next.empty() || (flow_.blocks[block].exits && !may_end_early_)) return std::nullopt;
            const auto to = next.size() == 1 ? std::optional{next.front()} : decided(block, next);
            if (!to || !follow(block, *to)) return std::nullopt;
            const std::size_t last = flow_.last[block];
            const bool falls = flow_.first[*to] == last + 1 && next_in_text_[last].falls;
            if (falls && next_in_text_[last].transfers) return std::nullopt;
            enters = {last, flow_.first[*to], !falls, true};
            block = *to;
        }
    }

private:
    [[nodiscard]] std::vector<std::size_t> open_successors(std::size_t block) const {
        std::vector<std::size_t> open;
        for (const std::size_t to : flow_.blocks[block].successors)
            if (!flow_.never[to]) open.push_back(to);
        return open;
    }

    /// Null: it is in none.
    [[nodiscard]] const CheckedLoop* innermost(std::size_t block) const {
        for (const CheckedLoop& loop : flow_.loops) // Inner loops come first.
            if (loop.blocks.count(block) != 0) return &loop;
        return nullptr;
    }

    [[nodiscard]] std::size_t ways_out(const CheckedLoop& loop) const {
        std::size_t ways = 0;
        for (const std::size_t block : loop.blocks)
            for (const std::size_t to : open_successors(block))
                if (loop.blocks.count(to) == 0) ++ways;
        return ways;
    }

    /// Where a loop has one way out, it is taken after the last iteration.
    [[nodiscard]] std::optional<std::size_t> decided(std::size_t block,
                                                     const std::vector<std::size_t>& next) const {
        const CheckedLoop* loop = innermost(block);
        if (loop == nullptr || next.size() != 2 || ways_out(*loop) != 1) return std::nullopt;
        const bool first_stays = loop->blocks.count(next.front()) != 0;
        if (first_stays == (loop->blocks.count(next.back()) != 0)) return std::nullopt;
        const bool stays = back_edges_[index_of(*loop)] < loop->max_back_edges;
        return stays == first_stays ? next.front() : next.back();
    }

    [[nodiscard]] std::size_t index_of(const CheckedLoop& loop) const {
        return static_cast<std::size_t>(&loop - flow_.loops.data());
    }

    /// Whether the loop bounds leave no other number of iterations.
    bool follow(std::size_t from, std::size_t to) {
        for (const CheckedLoop& loop : flow_.loops) {
            std::int64_t& taken = back_edges_[index_of(loop)];
            const bool was_inside = loop.blocks.count(from) != 0;
            if (was_inside && loop.blocks.count(to) == 0) {
                if (loop.min_back_edges != loop.max_back_edges || taken != loop.max_back_edges)
                    return false;
            } else if (loop.header == to) {
                taken = was_inside ? taken + 1 : 0;
                if (taken > loop.max_back_edges) return false;
            }
        }
        return true;
    }

    const ControlFlow& flow_;
    bool may_end_early_;
    std::vector<NextInText> next_in_text_;
    std::vector<std::int64_t> back_edges_; ///< Per loop, since it was entered.
};

} // namespace

std::optional<std::vector<IssueStep>> only_path_of(const TimedCode& code, const ControlFlow& flow,
                                                   EarlyEnds early, std::size_t most) {
    return OnlyPath{code, flow, early}.steps(most);
}

} // namespace warpbound::certification::verify
