#include "certification/verify/policies/only_path.hpp"

namespace warpbound::certification::verify {

std::optional<std::vector<IssueStep>> only_path_of(const TimedCode& code, const ControlFlow& flow,
                                                   EarlyEnds early, std::size_t most) {
    const auto path = only_blocks_of(code.kernel, code.lower_flow, flow, early, most);
    if (!path) return std::nullopt;
    std::vector<IssueStep> steps;
    std::optional<std::size_t> last; // Of the block before.
    for (const PassedBlock& passed : *path) {
        steps.push_back({last, flow.first[passed.block], passed.transfers, last.has_value()});
        for (std::size_t i = flow.first[passed.block]; i < flow.last[passed.block]; ++i)
            steps.push_back({.before = i, .next = i + 1});
        last = flow.last[passed.block];
    }
    return steps;
}

} // namespace warpbound::certification::verify
