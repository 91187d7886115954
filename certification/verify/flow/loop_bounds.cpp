#include "certification/verify/flow/loop_bounds.hpp"

#include "assembly/flow/control_flow_graph.hpp"
#include "certification/verify/flow/register_values.hpp"
#include "certification/verify/verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

namespace warpbound::certification::verify {

namespace {

using assembly::ControlFlowGraph;
using assembly::Function;
using models::FlowFacts;
using models::has_divergent_branch;
using models::LoopFact;

/// Beyond, no bound is looked for.
constexpr std::int64_t most_iterations = std::int64_t{1} << 20;
/// Of loops without a bound.
constexpr std::int64_t few_iterations = 64;

/// Per loop of the graph: iterations after which a claimed bound is not confirmed any more.
std::vector<std::int64_t> iterations_of(const ControlFlowGraph& graph, const FlowFacts& facts) {
    std::vector<std::int64_t> iterations;
    for (const assembly::Loop& loop : graph.loops) {
        const LoopFact* fact = facts.loop_at(graph.blocks[loop.header].address);
        iterations.push_back(fact == nullptr ? few_iterations
                                             : std::min(fact->max + 1, most_iterations));
    }
    return iterations;
}

/// Whether each thread that ends comes to the block, and some may come there.
bool is_inevitable(const Function& function, const ControlFlowGraph& graph, std::size_t block,
                   RegisterValues& values) {
    std::vector<bool> reached(graph.blocks.size(), false);
    std::vector<std::size_t> open{0};
    reached[0] = true;
    while (!open.empty()) {
        const std::size_t at = open.back();
        open.pop_back();
        if (at == block) continue;
        const bool may_exit = graph.blocks[at].exits && values.may_exit(at);
        const auto& last = function.instructions[graph.blocks[at].last];
        // Traps and calls of other code may end a thread, too.
        const bool may_end = last.control_flow == assembly::ControlFlow::Trap ||
                             last.control_flow == assembly::ControlFlow::ExternalCall ||
                             graph.blocks[at].out.empty();
        if (may_exit || may_end) return false;
        for (const std::size_t edge : graph.blocks[at].out) {
            const std::size_t to = graph.edges[edge].to;
            if (reached[to] || !values.may_take(edge)) continue;
            reached[to] = true;
            open.push_back(to);
        }
    }
    return reached[block];
}

/// The graph with what one group of threads may do in it: all of the launch, or that of a corner.
class LoopCheck {
public:
    LoopCheck(const Function& function, const ControlFlowGraph& graph, const FlowFacts& facts,
              const models::Launch& launch, std::optional<Corner> corner = {})
        : function_{function}, graph_{graph}, launch_values_{function, launch, corner},
          iterations_{iterations_of(graph, facts)}, values_{function, graph, launch_values_,
                                                            has_divergent_branch(function, facts),
                                                            iterations_} {}

    /// In every call context that a thread may reach.
    bool shows(const LoopFact& fact) {
        const std::vector<std::size_t> loops = loops_at(fact.header);
        return !loops.empty() && std::all_of(loops.begin(), loops.end(), [&](std::size_t loop) {
            if (!is_reached(graph_.loops[loop].header)) return true;
            const IteratedLoop& iterated = values_.iterate(loop);
            return iterated.max && *iterated.max <= fact.max && iterated.min >= fact.min;
        });
    }

    /// What a thread is sure to do at the header that the fact excludes; empty: nothing.
    std::string contradiction(const LoopFact& fact) {
        for (const std::size_t loop : loops_at(fact.header)) {
            if (!is_inevitable(function_, graph_, graph_.loops[loop].header, values_)) continue;
            const IteratedLoop& iterated = values_.iterate(loop);
            if (values_.is_exhausted()) continue;
            if (iterated.min > fact.max) return fmt::format("at least {} times", iterated.min);
            if (iterated.max && *iterated.max < fact.min)
                return fmt::format("at most {} times", *iterated.max);
        }
        return {};
    }

private:
    [[nodiscard]] std::vector<std::size_t> loops_at(std::int64_t header) const {
        std::vector<std::size_t> loops;
        for (std::size_t loop = 0; loop < graph_.loops.size(); ++loop)
            if (graph_.blocks[graph_.loops[loop].header].address == header) loops.push_back(loop);
        return loops;
    }

    bool is_reached(std::size_t block) {
        if (reached_.empty()) reached_ = values_.reached_blocks();
        return reached_[block];
    }

    const Function& function_;
    const ControlFlowGraph& graph_;
    LaunchValues launch_values_;
    std::vector<std::int64_t> iterations_;
    RegisterValues values_;
    std::vector<bool> reached_;
};

} // namespace

ShownLoops check_loop_bounds(const Function& function, const FlowFacts& in_use,
                             const std::set<std::int64_t>& headers, const models::Launch& launch,
                             const std::string& path) {
    if (headers.empty() || is_amd(function.target)) return {0, headers.size()};
    const auto graph = assembly::build_control_flow_graph(function);
    if (!graph) incomplete(path + ": " + to_string(graph.error()));
    LoopCheck of_all{function, graph.value(), in_use, launch};
    std::vector<const LoopFact*> open;
    for (const std::int64_t header : headers) {
        const LoopFact* fact = in_use.loop_at(header);
        if (fact == nullptr) incomplete(fmt::format("{}: no loop at 0x{:04x}", path, header));
        if (!of_all.shows(*fact)) open.push_back(fact);
    }
    const auto refute = [&](LoopCheck& check) {
        for (const LoopFact* fact : open)
            if (const std::string what = check.contradiction(*fact); !what.empty())
                refuted(fmt::format("{}: the header at 0x{:04x} is said to execute {} to {} times, "
                                    "but by the code {}",
                                    path, fact->header, fact->min, fact->max, what));
    };
    if (!open.empty()) {
        refute(of_all);
        for (const Corner corner : {Corner::First, Corner::Last}) {
            LoopCheck of_thread{function, graph.value(), in_use, launch, corner};
            refute(of_thread);
        }
    }
    return {headers.size() - open.size(), open.size()};
}

} // namespace warpbound::certification::verify
