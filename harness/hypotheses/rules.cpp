#include "harness/hypotheses/rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace warpbound::harness::hypotheses {

namespace {

constexpr std::string_view amert = "Amert et al., RTSS 2017";
constexpr std::string_view ours = "assumption of `pipeline`";

constexpr std::array<RuleEntry, 23> rules{{
    {Rule::G1, "G1", "An operation enters the queue of its stream when the host calls.",
     "operations of a stream begin in the order of their calls, none before its call", "one-stream",
     amert},
    {Rule::G2, "G2", "A kernel enters the execution queue when it is first in its stream.",
     "of two kernels of one priority, the one that is first in its stream earlier begins no later",
     "streams", amert},
    {Rule::G3, "G3", "A kernel leaves the execution queue when all its blocks are dispatched.",
     "the next kernel begins then, where its blocks fit beside those that still run", "streams",
     amert},
    {Rule::G4, "G4", "A kernel leaves its stream when all its blocks have ended.",
     "the next operation of the stream begins after that", "one-stream", amert},
    {Rule::X1, "X1", "Only blocks of the first kernel of the execution queue are dispatched.",
     "no block of a later kernel of that priority begins before the last block of this one",
     "streams", amert},
    {Rule::R1, "R1", "A block is dispatched to an SM that has a block slot and registers for it.",
     "the blocks of an SM never need more", "resources", amert},
    {Rule::R2, "R2", "A block is dispatched to an SM that has room for its threads.",
     "the blocks of an SM never need more", "resources", amert},
    {Rule::R3, "R3", "A block is dispatched to an SM that has shared memory for it.",
     "the blocks of an SM never need more", "resources", amert},
    {Rule::C1, "C1", "A copy enters the queue of its engine when it is first in its stream.",
     "copies of an engine begin in that order", "copies", amert},
    {Rule::C2, "C2", "Only the first copy of the queue is given to the engine.",
     "copies of one engine do not overlap", "copies", amert},
    {Rule::C3, "C3", "A copy leaves the queue when it is given to the engine.",
     "the next copy begins when the engine is free", "copies", amert},
    {Rule::C4, "C4", "A copy leaves its stream when it has ended.",
     "the next operation of the stream begins after that", "copies", amert},
    {Rule::N1, "N1", "An operation of the NULL stream waits for all operations issued before it.",
     "it begins after they have ended", "null-stream", amert},
    {Rule::N2, "N2", "An operation waits for all operations of the NULL stream issued before it.",
     "it begins after they have ended", "null-stream", amert},
    {Rule::A1, "A1", "A kernel enters the execution queue of the priority of its stream.",
     "no kernel begins while a more urgent one waits that could have begun", "priorities", amert},
    {Rule::A2, "A2", "Blocks are dispatched only while no more urgent queue has a kernel.",
     "no block of an executing kernel begins while a more urgent kernel waits", "priorities",
     amert},
    {Rule::Q1, "Q1", "One kernel at a time is executed in a partition.",
     "kernels of a partition do not overlap", "streams", ours},
    {Rule::Q2, "Q2", "Kernels of a partition and one priority end in the order of arrival.",
     "the one that is first in its stream earlier ends no later", "streams", ours},
    {Rule::Q3, "Q3", "A block that runs is not interrupted.",
     "no time between two steps of a block is long", "priorities", ours},
    {Rule::Q4, "Q4", "A kernel that runs is not interrupted by another.",
     "no other kernel begins while blocks of this one wait", "priorities", ours},
    {Rule::Q5, "Q5", "Copies are executed beside kernels.",
     "a copy whose engine is free begins while a kernel runs", "copies", ours},
    {Rule::Q6, "Q6", "The SMs of a partition execute only kernels of that partition.",
     "no SM executes blocks of two partitions", "partitions", ours},
    {Rule::Q7, "Q7", "A device with a waiting kernel does not idle.",
     "while nothing runs, no kernel waits longer than a launch may take", "one-stream", ours},
}};

} // namespace

std::span<const RuleEntry> all_rules() {
    return rules;
}

const RuleEntry& entry_of(Rule rule) {
    return rules.at(static_cast<std::size_t>(rule));
}

Result<std::vector<Rule>> read_rules(std::string_view text) {
    std::vector<Rule> chosen;
    while (!text.empty()) {
        const std::size_t comma = std::min(text.find(','), text.size());
        const std::string_view id = text.substr(0, comma);
        const auto* const found = std::find_if(
            rules.begin(), rules.end(), [id](const RuleEntry& rule) { return rule.id == id; });
        if (found == rules.end())
            return Failure{fmt::format("'{:.20}' is no rule; expected G1 to G4, X1, R1 to R3, C1 "
                                       "to C4, N1, N2, A1, A2 or Q1 to Q7",
                                       id)};
        if (std::find(chosen.begin(), chosen.end(), found->rule) == chosen.end())
            chosen.push_back(found->rule);
        text.remove_prefix(std::min(comma + 1, text.size()));
    }
    if (chosen.empty())
        for (const RuleEntry& rule : rules)
            chosen.push_back(rule.rule);
    std::sort(chosen.begin(), chosen.end());
    return chosen;
}

} // namespace warpbound::harness::hypotheses
