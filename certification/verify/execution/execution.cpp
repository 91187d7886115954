#include "certification/verify/execution/execution.hpp"

#include "assembly/flow/control_flow_graph.hpp"
#include "certification/verify/execution/chosen_launch.hpp"
#include "certification/verify/execution/executed_facts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <tuple>
#include <utility>

namespace warpbound::certification::verify {

namespace {

constexpr std::int64_t most_blocks = 8;       ///< Of a launch.
constexpr std::int64_t most_of_warp = 20'000; ///< Instructions; beyond, the warp counts as endless.
constexpr std::int64_t most_of_choice = 400'000; ///< Of all warps; the next block is not begun.
/// Blocks that are not executed to their end; more: no other is tried.
constexpr std::int64_t most_left = 1;
constexpr std::uint64_t most_rounds = 12; ///< On numbers that the code compares with.

/// First, last, and others at equal distances.
std::set<std::int64_t> numbers_of_blocks(std::int64_t blocks) {
    std::set<std::int64_t> numbers;
    const std::int64_t count = std::min(blocks, most_blocks);
    for (std::int64_t i = 0; i < count; ++i)
        numbers.insert(count == 1 ? 0 : i * (blocks - 1) / (count - 1));
    return numbers;
}

/// Those in use, but for what rests on CUDA's rule for barriers, which chosen data may break.
models::FlowFacts facts_of_code(const KernelCase& kernel) {
    models::FlowFacts facts = kernel.facts;
    std::erase_if(facts.uniforms, [](const models::UniformFact& fact) {
        return fact.from.origin == models::FactOrigin::BarrierRule;
    });
    return facts;
}

struct Executed {
    std::int64_t compared = 0; ///< Thread blocks held against the facts.
    std::int64_t left = 0;     ///< That could not be executed to their end.
    std::int64_t issues = 0;   ///< Of all warps.
    std::string obstacle;      ///< Why; the first.
};

/// In one line, without the advice on options of other commands.
std::string told_of(std::string obstacle) {
    obstacle.resize(std::min(obstacle.size(), obstacle.find("; state a higher")));
    std::replace(obstacle.begin(), obstacle.end(), '\n', ' ');
    return obstacle;
}

const char* name_of(Choice::Data data) {
    switch (data) {
    case Choice::Data::Zeros:
        return "zeros";
    case Choice::Data::SmallNumbers:
        return "small numbers";
    case Choice::Data::ComparedNumbers:
        return "numbers that it compares with";
    }
    return "";
}

/// Facts on two places of a path (S19b), which a condition on the data decides.
bool derives_pairs(const KernelCase& kernel) {
    const auto& [in_use, stated] = std::tie(kernel.facts, kernel.stated_facts);
    return in_use.exclusives.size() > stated.exclusives.size() ||
           in_use.constraints.size() > stated.constraints.size();
}

/// Throws `Finding` where a fact in use is contradicted.
void execute(const KernelCase& kernel, const assembly::ControlFlowGraph& graph, Choice choice,
             Executed& executed) {
    const auto obstacle = [&](std::string why) {
        if (executed.obstacle.empty()) executed.obstacle = told_of(std::move(why));
        ++executed.left;
    };
    const models::FlowFacts of_code = facts_of_code(kernel);
    auto inputs = chosen_launch(kernel, graph, choice);
    if (!inputs) return obstacle(to_string(inputs.error()));
    inputs.value().instruction_limit = most_of_warp;
    auto prepared = harness::execution::PreparedLaunch::make(std::move(inputs).value());
    if (!prepared) return obstacle(to_string(prepared.error()));
    const ExecutedFacts facts{prepared.value().code(), kernel.architecture, kernel.launch};
    const std::int64_t issues_before = executed.issues;
    const std::int64_t left_before = executed.left;
    for (const std::int64_t number : numbers_of_blocks(kernel.launch.blocks)) {
        if (executed.issues - issues_before > most_of_choice ||
            executed.left - left_before > most_left)
            return;
        const auto block = prepared.value().run(number);
        if (!block) {
            obstacle(to_string(block.error()));
            continue;
        }
        executed.issues += block.value().issues();
        const std::string stated = facts.contradicted(kernel.stated_facts, block.value(), number);
        if (!stated.empty()) return obstacle("data that a stated fact excludes: " + stated);
        const std::string in_use = facts.contradicted(of_code, block.value(), number);
        if (!in_use.empty())
            refuted(fmt::format("{}: {}, executed on {}", kernel.id, in_use, name_of(choice.data)));
        ++executed.compared;
    }
}

Executed execute_all(const KernelCase& kernel) {
    Executed executed;
    const auto graph = assembly::build_control_flow_graph(*kernel.function);
    if (!graph) {
        executed.obstacle = told_of(to_string(graph.error()));
        ++executed.left;
        return executed;
    }
    using enum Choice::Data;
    for (const auto data : {Zeros, SmallNumbers})
        execute(kernel, graph.value(), {data, true}, executed);
    const bool are_pointers_open = has_open_pairs(kernel);
    if (executed.compared == 0 && are_pointers_open)
        execute(kernel, graph.value(), {SmallNumbers, false}, executed);
    if (!derives_pairs(kernel)) return executed;
    Executed further; // Numbers that are compared may be no counts or indices.
    for (std::uint64_t round = 0; round < most_rounds && further.issues < most_of_choice; ++round) {
        execute(kernel, graph.value(), {ComparedNumbers, true, round}, further);
        if (are_pointers_open)
            execute(kernel, graph.value(), {ComparedNumbers, false, round}, further);
    }
    executed.compared += further.compared;
    return executed;
}

} // namespace

StepResult check_execution(const Evidence& evidence) {
    Executed all;
    try {
        for (const auto& kernel : evidence.kernels) {
            const Executed executed = execute_all(*kernel);
            all.compared += executed.compared;
            all.left += executed.left;
            if (all.obstacle.empty() && executed.left > 0)
                all.obstacle = fmt::format("{}: {}", kernel->id, executed.obstacle);
        }
    } catch (const Finding& finding) {
        return {"execution", finding.verdict, finding.what()};
    }
    if (all.compared == 0)
        return {"execution", Verdict::NotApplicable,
                "no thread block was executed; " + all.obstacle};
    const std::string left =
        all.left == 0 ? "" : fmt::format("; {} came to no end: {}", all.left, all.obstacle);
    return {"execution", Verdict::Holds,
            fmt::format("{} executions of thread blocks contradict no fact in use{}", all.compared,
                        left)};
}

} // namespace warpbound::certification::verify
