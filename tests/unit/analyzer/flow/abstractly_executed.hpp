#pragma once
/// \file
/// Listings executed abstractly: loop bounds and blocks that are never executed, as a text.

#include "analyzer/flow/abstract_execution.hpp"
#include "analyzer/flow/execution_by_index.hpp"
#include "analyzer/flow/thread_facts.hpp"
#include "analyzer/value/kernel_parameters.hpp"
#include "tests/unit/analyzer/analyzed.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <string>
#include <vector>

namespace warpbound::analyzer {

enum class Indices { Together, OneByOne };

struct Machine {
    const char* name = "turing-t4";
    int sm = 75;
};

/// "min..max" of each loop, "?" where there is no bound; then the blocks that are never executed.
inline std::string executed(const std::string& body, const models::Launch& launch = {1, 32},
                            const KernelParameters& words = {}, Indices indices = Indices::Together,
                            Machine machine = {}) {
    const auto context = analyzed(body, {}, machine.name, machine.sm);
    const auto code = with_parameters(*context->request.function, words);
    const auto threads =
        derive_thread_facts(*context->request.function, context->graph, block_shape_of(launch),
                            context->architecture, {}, words);
    AbstractRun run = execute_abstractly(code, context->graph, launch, threads.shared);
    if (indices == Indices::OneByOne)
        bound_loops_by_index(run, code, context->graph, launch, threads.shared,
                             std::vector<bool>(run.loops.size(), false));
    std::string text;
    for (const auto& loop : run.loops)
        text += (text.empty() ? "" : " ") +
                (loop ? fmt::format("{}..{}", loop->min, loop->max) : std::string{"?"});
    for (std::size_t block = 0; block < run.reached.size(); ++block)
        if (!run.reached[block])
            text += fmt::format(" -{:#06x}", context->graph.blocks[block].address);
    return text;
}

} // namespace warpbound::analyzer
