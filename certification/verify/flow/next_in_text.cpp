#include "certification/verify/flow/next_in_text.hpp"

#include <algorithm>

namespace warpbound::certification::verify {

std::vector<EdgeGaps> next_in_text(const KernelCase& kernel, const ControlFlow& of_code) {
    using Transfer = assembly::ControlFlow;
    const auto& text = kernel.function->instructions;
    std::vector<EdgeGaps> next(text.size());
    for (std::size_t block = 0; block < of_code.blocks.size(); ++block) {
        const std::size_t last = of_code.last[block];
        bool follows = false;
        bool goes_elsewhere = false;
        for (const std::size_t to : of_code.blocks[block].successors)
            (of_code.first[to] == last + 1 ? follows : goes_elsewhere) = true;
        if (!follows) continue;
        const assembly::Instruction& at = text[last];
        const bool never = at.guard && at.guard->never();
        const bool transfers = !never && assembly::transfers_control(at.control_flow) &&
                               at.control_flow != Transfer::ConvergenceWait;
        const bool names_next = target_of(at) == text[last + 1].address ||
                                std::count(at.indirect_targets.begin(), at.indirect_targets.end(),
                                           text[last + 1].address) > 0;
        const bool to_next =
            transfers &&
            (pushed_by(at.control_flow) || at.control_flow == Transfer::Return ? !goes_elsewhere
                                                                               : names_next);
        next[last].transfers = next[last].transfers || to_next;
        next[last].falls = next[last].falls || !transfers || assembly::is_guarded(at) ||
                           (at.control_flow == Transfer::Branch && (goes_elsewhere || !to_next));
    }
    return next;
}

EdgeGaps gaps_of_edge(const ControlFlow& flow, const std::vector<EdgeGaps>& in_text,
                      std::size_t from, std::size_t to) {
    constexpr EdgeGaps of_transfer{.falls = false, .transfers = true};
    const std::size_t last = flow.last[from];
    const std::size_t next = flow.first[to];
    if (flow.gaps.empty()) return next == last + 1 ? in_text[last] : of_transfer;
    const auto known = flow.gaps.find({last, next});
    return known == flow.gaps.end() ? of_transfer : known->second;
}

} // namespace warpbound::certification::verify
