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
/// Nor more instructions where loops have a bound, which may become tighter.
constexpr std::int64_t most_to_narrow = std::int64_t{1} << 22U;

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

    using Bounds = std::vector<std::optional<DerivedLoop>>;
    /// The bounds of these loops over all combinations, by loop; nothing where some combination
    /// enters one of them and has no bound, more instructions than are `left` are executed, or none
    /// of them is tighter than those that are known. `unbounded`: loops whose bounds are not
    /// sought.
    std::optional<Bounds> bounds(const std::vector<std::size_t>& loops,
                                 const std::vector<bool>& unbounded, const Bounds& known,
                                 std::int64_t& left) {
        Bounds found(unbounded.size());
        RangesOfGeometry values = all_;
        const std::int64_t count = combinations().value_or(0);
        for (std::int64_t number = 0; number < count; ++number) {
            // The last one early: bounds often have their ends at those of the indices.
            set(values, number == 1 ? count - 1 : std::max<std::int64_t>(number - 1, 0));
            const AbstractRun run = execution_.run(values, limits, unbounded);
            left -= execution_.executed();
            if (left < 0) return std::nullopt;
            bool may_be_tighter = false;
            for (const std::size_t loop : loops) {
                if (execution_.is_unbounded(loop)) return std::nullopt;
                if (run.loops[loop]) widen(found[loop], *run.loops[loop]);
                may_be_tighter = may_be_tighter || !known[loop] || !found[loop] ||
                                 found[loop]->min > known[loop]->min ||
                                 found[loop]->max < known[loop]->max;
            }
            if (!may_be_tighter) return std::nullopt;
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

/// Loops of a run, in groups whose exits are computed from the same indices.
class LoopsByIndex {
public:
    LoopsByIndex(AbstractRun& run, const Function& function, const ControlFlowGraph& graph,
                 const models::Launch& launch, const std::set<assembly::Register>& shared)
        : run_{run}, function_{function}, graph_{graph}, shared_{shared}, all_{ranges_of_geometry(
                                                                              launch)} {}

    void bound(const std::vector<bool>& known) {
        std::vector<bool> unbounded(graph_.loops.size(), false);
        for (std::size_t loop = 0; loop < unbounded.size(); ++loop)
            unbounded[loop] = is_entered(loop) && !run_.loops[loop];
        const Groups to_bound =
            groups_of([&](std::size_t loop) { return unbounded[loop] && !known[loop]; });
        // All threads together may count more iterations than any of them has.
        const Groups to_narrow = groups_of([&](std::size_t loop) {
            return is_entered(loop) && !known[loop] && run_.loops[loop] &&
                   run_.loops[loop]->min < run_.loops[loop]->max;
        });
        for (const auto& [indices, loops] : to_bound) {
            std::int64_t left = most_of_combinations;
            bound_group(indices, loops, unbounded, left);
        }
        std::int64_t left = most_to_narrow;
        for (const auto& [indices, loops] : to_narrow) {
            std::vector<bool> all(graph_.loops.size(), true);
            bound_group(indices, loops, all, left);
        }
    }

private:
    using Groups = std::map<Indices, std::vector<std::size_t>>;

    [[nodiscard]] bool is_entered(std::size_t loop) const {
        return run_.reached[graph_.loops[loop].header];
    }

    template <class IsWanted> [[nodiscard]] Groups groups_of(const IsWanted& is_wanted) const {
        Groups groups;
        for (std::size_t loop = 0; loop < graph_.loops.size(); ++loop) {
            if (!is_wanted(loop)) continue;
            const Indices indices = indices_of_exits(function_, graph_, graph_.loops[loop]);
            if (!indices.empty()) groups[indices].push_back(loop);
        }
        return groups;
    }

    /// `not_sought`: loops whose bounds are not sought beside the group; that of a loop is, once it
    /// is found. `left`: how many instructions may be executed.
    void bound_group(const Indices& indices, const std::vector<std::size_t>& loops,
                     std::vector<bool>& not_sought, std::int64_t& left) {
        std::vector<bool> beside = not_sought;
        for (const std::size_t loop : loops)
            beside[loop] = false;
        if (!execution_) execution_.emplace(function_, graph_, shared_);
        ExecutionByIndex by_index{*execution_, all_, indices};
        if (!by_index.combinations()) return;
        const auto found = by_index.bounds(loops, beside, run_.loops, left);
        if (!found) return;
        for (const std::size_t loop : loops) {
            if (!(*found)[loop]) continue;
            not_sought[loop] = false;
            narrow(run_.loops[loop], *(*found)[loop], indices);
        }
    }

    /// Both bounds hold.
    static void narrow(std::optional<DerivedLoop>& bound, DerivedLoop other,
                       const Indices& indices) {
        if (bound) {
            other.min = std::max(other.min, bound->min);
            other.max = std::min(other.max, bound->max);
            if (other.min == bound->min && other.max == bound->max) return;
        }
        other.reason = fmt::format("abstract execution for each {} leaves the loop in "
                                   "iteration {} to {}",
                                   text_of(indices), other.min, other.max);
        bound = std::move(other);
    }

    AbstractRun& run_;
    const Function& function_;
    const ControlFlowGraph& graph_;
    const std::set<assembly::Register>& shared_;
    RangesOfGeometry all_;
    std::optional<AbstractExecution> execution_; ///< Where some group needs it.
};

} // namespace

void bound_loops_by_index(AbstractRun& run, const Function& function, const ControlFlowGraph& graph,
                          const models::Launch& launch, const std::set<assembly::Register>& shared,
                          const std::vector<bool>& known) {
    LoopsByIndex{run, function, graph, launch, shared}.bound(known);
}

} // namespace warpbound::analyzer
