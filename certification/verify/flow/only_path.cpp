#include "certification/verify/flow/only_path.hpp"

#include "certification/verify/flow/next_in_text.hpp"

#include <algorithm>

namespace warpbound::certification::verify {

namespace {

constexpr std::size_t most_issues_of_lanes = std::size_t{1} << 20U;

/// Follows the control flow as long as the facts leave one way.
class OnlyPath {
public:
    OnlyPath(const KernelCase& kernel, const ControlFlow& of_code, const ControlFlow& flow,
             EarlyEnds early)
        : flow_{flow}, may_end_early_{early == EarlyEnds::Allowed},
          next_in_text_{next_in_text(kernel, of_code)}, live_{live_blocks(flow, std::nullopt)},
          back_edges_(flow.loops.size(), 0) {}

    /// Its blocks; none: there may be another path, or more issues than `most`.
    std::optional<std::vector<PassedBlock>> blocks(std::size_t most) {
        std::vector<PassedBlock> path;
        PassedBlock at;
        for (std::size_t issues = 0;;) {
            path.push_back(at);
            issues += flow_.last[at.block] - flow_.first[at.block] + 1;
            if (issues > most) return std::nullopt;
            const std::vector<std::size_t> next = open_successors(at.block);
            const bool exits = flow_.blocks[at.block].exits;
            if (next.empty() && exits && innermost(at.block) == nullptr) return path;
            if (next.empty() || (exits && !may_end_early_)) return std::nullopt;
            const auto to =
                next.size() == 1 ? std::optional{next.front()} : decided(at.block, next);
            if (!to || !follow(at.block, *to)) return std::nullopt;
            const EdgeGaps gaps = gaps_of_edge(flow_, next_in_text_, at.block, *to);
            if (gaps.falls && gaps.transfers) return std::nullopt;
            at = {*to, !gaps.falls};
        }
    }

private:
    /// From which a path goes on to an EXIT.
    [[nodiscard]] std::vector<std::size_t> open_successors(std::size_t block) const {
        std::vector<std::size_t> open;
        for (const std::size_t to : flow_.blocks[block].successors)
            if (live_[to]) open.push_back(to);
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
    std::vector<EdgeGaps> next_in_text_;
    std::vector<bool> live_;               ///< Per block.
    std::vector<std::int64_t> back_edges_; ///< Per loop, since it was entered.
};

/// Under a guard, some lanes may join a reconvergence point, leave it or wait there without the
/// others: no edge says which.
bool acts_on_point_under_guard(const assembly::Instruction& instruction) {
    if (!assembly::is_guarded(instruction)) return false;
    switch (instruction.control_flow) {
    case assembly::ControlFlow::None:
    case assembly::ControlFlow::Exit:
    case assembly::ControlFlow::Branch:
    case assembly::ControlFlow::IndirectBranch:
    case assembly::ControlFlow::Call:
    case assembly::ControlFlow::Return:
    case assembly::ControlFlow::PopReconvergence:
    case assembly::ControlFlow::PopBreak:
    case assembly::ControlFlow::PopContinue:
        return false;
    default:
        return true;
    }
}

} // namespace

std::optional<std::vector<PassedBlock>> only_blocks_of(const KernelCase& kernel,
                                                       const ControlFlow& of_code,
                                                       const ControlFlow& flow, EarlyEnds early,
                                                       std::size_t most) {
    return OnlyPath{kernel, of_code, flow, early}.blocks(most);
}

bool lanes_follow_one_path(const KernelCase& kernel, const ControlFlow& of_code) {
    const auto path =
        only_blocks_of(kernel, of_code, of_code, EarlyEnds::Allowed, most_issues_of_lanes);
    if (!path) return false;
    const auto& text = kernel.function->instructions;
    return std::none_of(path->begin(), path->end(), [&](const PassedBlock& passed) {
        for (std::size_t i = of_code.first[passed.block]; i <= of_code.last[passed.block]; ++i)
            if (acts_on_point_under_guard(text[i])) return true;
        return false;
    });
}

} // namespace warpbound::certification::verify
