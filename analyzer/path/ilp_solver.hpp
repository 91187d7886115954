#pragma once
/// \file
/// The integer linear programme (ILP) of the path problem with linear facts, solved with Z3: exact
/// rational relaxation, then refutation over the integers.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace warpbound::analyzer {

/// sum of coefficient * count of variable (relation) constant.
struct LinearRow {
    enum class Relation { AtMost, AtLeast, Equal };
    std::vector<std::pair<std::size_t, std::int64_t>> terms; ///< Variable, coefficient.
    Relation relation = Relation::Equal;
    std::int64_t constant = 0;
};

/// Maximise the sum of cost * count over non-negative integer counts that satisfy all rows.
struct FlowProblem {
    std::size_t variables = 0;
    std::vector<std::int64_t> costs; ///< Per variable.
    std::vector<LinearRow> rows;
};

/// Subtour elimination, for integer counts: one in `inside` is positive only if one in `entering`
/// is.
struct ConnectionCut {
    std::vector<std::size_t> inside; ///< Variables.
    std::vector<std::size_t> entering;
};

/// Cuts that every path satisfies and the solution does not; empty: the solution is a path.
using CutSource = std::function<std::vector<ConnectionCut>(const std::vector<std::int64_t>&)>;

struct FlowSolution {
    bool feasible = true; ///< False: shown to have no solution.
    std::optional<std::int64_t>
        bound; ///< Proved: no solution costs more. Side: upper. None: nothing was proved.
    bool by_refutation = false;       ///< The bound is below the rounded relaxation.
    bool optimal = false;             ///< `counts` costs `bound`.
    std::optional<std::int64_t> best; ///< Cost of `counts`, which violate no cut.
    std::vector<std::int64_t> counts; ///< Of the best solution that was found.
};

/// `seconds` limits the whole call; none: no limit. It ends, too, when work in this thread has to.
/// Never throws for a limit: what was proved so far is returned. `cuts` is called for each integer
/// solution that is found (at most 200 times); only solutions without cuts become `counts`.
FlowSolution solve_flow(const FlowProblem& problem,
                        std::optional<std::chrono::duration<double>> seconds, std::uint64_t seed,
                        const CutSource& cuts = {});

/// The answer of Z3 to an SMT-LIB 2 script within a fixed number of steps; unknown, too, when work
/// in this thread has to end.
struct ScriptAnswer {
    enum class Kind { Unsatisfiable, Satisfiable, Unknown };
    Kind kind = Kind::Unknown;
    std::set<std::string> positive; ///< Variables above 0 in the solution that was found.
};
ScriptAnswer answer_script(const std::string& script);

/// "Z3 4.8.12.0".
std::string solver_version();

} // namespace warpbound::analyzer
