#include "tests/support/event_checker/checks.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace warpbound::tests {

namespace {

void check_iterations(RecordedLaunch& run, const std::vector<std::size_t>& path,
                      const assembly::Loop& loop, const models::LoopFact& fact) {
    std::int64_t iterations = 0;
    const auto check_end = [&] {
        if (iterations != 0 && !within(iterations, std::max<std::int64_t>(fact.min, 1), fact.max))
            run.report(fmt::format("C18: a lane makes {} iterations of the loop at 0x{:04x}",
                                   iterations, fact.header));
        iterations = 0;
    };
    for (const std::size_t block : path) {
        if (!std::binary_search(loop.blocks.begin(), loop.blocks.end(), block))
            check_end();
        else if (block == loop.header)
            ++iterations;
    }
    check_end();
}

} // namespace

void check_path(RecordedLaunch& run, const std::vector<std::size_t>& path) {
    const auto& graph = *run.kernel.graph;
    const models::FlowFacts& facts = *run.kernel.facts;
    const auto count = [&](std::int64_t address, std::optional<std::int64_t> from) {
        std::int64_t times = 0;
        for (std::size_t step = 0; step < path.size(); ++step)
            if (graph.blocks[path[step]].address == address &&
                (!from || (step > 0 && graph.blocks[path[step - 1]].address == *from)))
                ++times;
        return times;
    };
    for (const models::NeverFact& fact : facts.nevers)
        if (count(fact.block, {}) > 0) run.report("C18: a lane is in a block that no path visits");
    for (const models::ExclusiveFact& fact : facts.exclusives)
        if (count(fact.first, {}) > 0 && count(fact.second, {}) > 0)
            run.report("C18: a lane is in both exclusive blocks");
    for (const models::LinearFact& fact : facts.constraints) {
        std::int64_t sum = 0;
        for (const models::LinearTerm& term : fact.terms)
            sum += term.coefficient * count(term.block, term.from);
        using enum models::Relation;
        if ((fact.relation != AtLeast && sum > fact.constant) ||
            (fact.relation != AtMost && sum < fact.constant))
            run.report("C18: a lane violates a linear fact");
    }
    for (const assembly::Loop& loop : graph.loops)
        if (const auto* fact = facts.loop_at(graph.blocks[loop.header].address))
            check_iterations(run, path, loop, *fact);
}

} // namespace warpbound::tests
