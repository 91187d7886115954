#include "analyzer/flow/execution_by_index.hpp"

#include "assembly/flow/backward_slice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>

namespace warpbound::analyzer {

namespace {

using assembly::ControlFlowGraph;
using assembly::Function;

/// More values of indices than these are not executed one by one, nor more instructions.
constexpr std::int64_t most_combinations = std::int64_t{1} << 16U;
constexpr std::int64_t most_of_combinations = std::int64_t{1} << 24U;

using Indices = std::set<Geometry>;

/// The indices of threads and blocks that the exits of a loop are computed from; nothing where they
/// depend on loaded data.
Indices indices_of_exits(const Function& function, const ControlFlowGraph& graph,
                         const assembly::Loop& loop) {
    const auto sources = assembly::exit_sources(function, graph, loop);
    if (!sources.loads.empty()) return {};
    Indices indices;
    for (const std::string& special : sources.specials)
        if (const auto number = geometry_in(special); number && *number <= Geometry::BlockZ)
            indices.insert(*number);
    return indices;
}

std::string text_of(const Indices& indices) {
    std::string text;
    for (const Geometry index : indices)
        text += fmt::format("{}{}", text.empty() ? "" : ", ", special_register_of(index));
    return text;
}

/// Executes once for each combination of values of `indices`.
class ExecutionByIndex {
public:
    ExecutionByIndex(AbstractExecution& execution, const RangesOfGeometry& all,
                     const Indices& indices)
        : execution_{execution}, all_{all}, indices_{indices.begin(), indices.end()} {}

    /// The number of combinations; nothing if there are too many.
    [[nodiscard]] std::optional<std::int64_t> combinations() const {
        std::int64_t count = 1;
        for (const Geometry index : indices_) {
            const ValueRange& range = all_[static_cast<std::size_t>(index)];
            if (range.is_any()) return std::nullopt;
            const auto ends = range.ends(false);
            count *= ends.hi - ends.lo + 1;
            if (count > most_combinations) return std::nullopt;
        }
        return count;
    }

    /// The bounds of these loops over all combinations, by loop; nothing where some combination
    /// enters one of them and has no bound.
    std::optional<std::vector<std::optional<DerivedLoop>>>
    bounds(const std::vector<std::size_t>& loops, const std::vector<bool>& unbounded) {
        std::vector<std::optional<DerivedLoop>> found(unbounded.size());
        std::int64_t executed = 0;
        RangesOfGeometry values = all_;
        const std::int64_t count = combinations().value_or(0);
        for (std::int64_t combination = 0; combination < count; ++combination) {
            set(values, combination);
            const AbstractRun run = execution_.run(values, limits, unbounded);
            executed += execution_.executed();
            if (executed > most_of_combinations) return std::nullopt;
            for (const std::size_t loop : loops) {
                if (execution_.is_unbounded(loop)) return std::nullopt;
                if (run.loops[loop]) widen(found[loop], *run.loops[loop]);
            }
        }
        return found;
    }

private:
    static constexpr ExecutionLimits limits{std::int64_t{1} << 15U, std::int64_t{1} << 18U};

    void set(RangesOfGeometry& values, std::int64_t combination) const {
        for (const Geometry index : indices_) {
            const auto ends = all_[static_cast<std::size_t>(index)].ends(false);
            const std::int64_t extent = ends.hi - ends.lo + 1;
            values[static_cast<std::size_t>(index)] =
                ValueRange{static_cast<std::uint32_t>(ends.lo + combination % extent)};
            combination /= extent;
        }
    }

    static void widen(std::optional<DerivedLoop>& bound, const DerivedLoop& other) {
        if (!bound) bound = other;
        bound->min = std::min(bound->min, other.min);
        bound->max = std::max(bound->max, other.max);
    }

    AbstractExecution& execution_;
    const RangesOfGeometry& all_;
    std::vector<Geometry> indices_;
};

} // namespace

void bound_loops_by_index(AbstractRun& run, const Function& function, const ControlFlowGraph& graph,
                          const models::Launch& launch, const std::set<assembly::Register>& shared,
                          const std::vector<bool>& known) {
    std::vector<bool> unbounded(graph.loops.size(), false);
    std::map<Indices, std::vector<std::size_t>> loops_of;
    for (std::size_t loop = 0; loop < graph.loops.size(); ++loop) {
        if (run.loops[loop] || !run.reached[graph.loops[loop].header]) continue;
        unbounded[loop] = true;
        if (known[loop]) continue;
        const Indices indices = indices_of_exits(function, graph, graph.loops[loop]);
        if (!indices.empty()) loops_of[indices].push_back(loop);
    }
    if (loops_of.empty()) return;
    AbstractExecution execution{function, graph, shared};
    const RangesOfGeometry all = ranges_of_geometry(launch);
    for (const auto& [indices, loops] : loops_of) {
        std::vector<bool> not_sought = unbounded;
        for (const std::size_t loop : loops)
            not_sought[loop] = false;
        ExecutionByIndex by_index{execution, all, indices};
        if (!by_index.combinations()) continue;
        const auto found = by_index.bounds(loops, not_sought);
        if (!found) continue;
        for (const std::size_t loop : loops) {
            run.loops[loop] = (*found)[loop];
            auto& bound = run.loops[loop];
            if (!bound) continue;
            bound->reason = fmt::format("abstract execution for each {} leaves the loop in "
                                        "iteration {} to {}",
                                        text_of(indices), bound->min, bound->max);
            unbounded[loop] = false;
        }
    }
}

} // namespace warpbound::analyzer
