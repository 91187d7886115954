#include "analyzer/path/ilp_solver.hpp"

#include "assembly/support/stop_monitor.hpp"
#include "assembly/support/stop_token.hpp"

#include <boost/multiprecision/cpp_int.hpp>
#include <fmt/format.h>
#include <z3++.h>

#include <algorithm>

namespace warpbound::analyzer {

namespace {

using Rational = boost::multiprecision::cpp_rational;
using Integer = boost::multiprecision::cpp_int;
using Clock = std::chrono::steady_clock;

/// When a solver has to end: at its time limit, or when work in this thread has to.
class SolverDeadline {
public:
    explicit SolverDeadline(std::optional<std::chrono::duration<double>> seconds = {})
        : is_set_{seconds.has_value()}, stop_{current_stop().until(
                                            seconds ? deadline_after(*seconds) : std::nullopt)} {}
    [[nodiscard]] bool is_set() const { return is_set_; } ///< By the caller.
    [[nodiscard]] bool passed() const { return stop_.stop_requested(); }
    /// Interrupts the queries of `context` once it has passed. Z3's own time limit may wait for
    /// ever for a lock that its query holds, and its own handler keeps Ctrl-C to itself.
    [[nodiscard]] StopMonitor monitor(z3::context& context) const {
        return StopMonitor{stop_, [&context] { context.interrupt(); }};
    }

private:
    bool is_set_;
    StopToken stop_;
};

/// Leaves Ctrl-C to the program.
constexpr const char* handler_of_interrupts = "ctrl_c";

/// A numeral from its exact text, "12" or "7/2"; none for infinity.
std::optional<Rational> read_numeral(const z3::expr& value) {
    if (!value.is_numeral()) return std::nullopt;
    return Rational{std::string{Z3_get_numeral_string(value.ctx(), value)}};
}

std::optional<std::int64_t> as_int64(const Integer& value) {
    if (value > INT64_MAX || value < INT64_MIN) return std::nullopt;
    return static_cast<std::int64_t>(value);
}

Integer floor_of(const Rational& value) {
    const Integer above = boost::multiprecision::numerator(value);
    const Integer below = boost::multiprecision::denominator(value);
    Integer quotient = above / below;
    if (above % below != 0 && above < 0) --quotient;
    return quotient;
}

z3::expr numeral(z3::context& context, std::int64_t value, bool integers) {
    const std::string text = std::to_string(value);
    return integers ? context.int_val(text.c_str()) : context.real_val(text.c_str());
}

z3::expr weighted_sum(z3::context& context, const std::vector<z3::expr>& counts,
                      const std::vector<std::pair<std::size_t, std::int64_t>>& terms,
                      bool integers) {
    z3::expr_vector parts{context};
    for (const auto& [variable, coefficient] : terms)
        if (coefficient != 0)
            parts.push_back(numeral(context, coefficient, integers) * counts[variable]);
    if (parts.empty()) return numeral(context, 0, integers);
    return z3::sum(parts);
}

std::vector<z3::expr> variables_of(z3::context& context, const FlowProblem& problem,
                                   bool integers) {
    std::vector<z3::expr> counts;
    counts.reserve(problem.variables);
    for (std::size_t i = 0; i < problem.variables; ++i) {
        const std::string name = fmt::format("x{}", i);
        counts.push_back(integers ? context.int_const(name.c_str())
                                  : context.real_const(name.c_str()));
    }
    return counts;
}

template <typename Engine>
void add_rows(Engine& engine, z3::context& context, const FlowProblem& problem,
              const std::vector<z3::expr>& counts, bool integers) {
    for (const auto& count : counts)
        engine.add(count >= numeral(context, 0, integers));
    for (const auto& row : problem.rows) {
        const z3::expr sum = weighted_sum(context, counts, row.terms, integers);
        const z3::expr constant = numeral(context, row.constant, integers);
        switch (row.relation) {
        case LinearRow::Relation::AtMost:
            engine.add(sum <= constant);
            break;
        case LinearRow::Relation::AtLeast:
            engine.add(sum >= constant);
            break;
        case LinearRow::Relation::Equal:
            engine.add(sum == constant);
            break;
        }
    }
}

std::vector<std::pair<std::size_t, std::int64_t>> cost_terms(const FlowProblem& problem) {
    std::vector<std::pair<std::size_t, std::int64_t>> terms;
    for (std::size_t i = 0; i < problem.variables; ++i)
        terms.emplace_back(i, problem.costs[i]);
    return terms;
}

/// The relaxation over rationals, which Z3 solves exactly.
void solve_relaxation(const FlowProblem& problem, const SolverDeadline& deadline,
                      FlowSolution& solution) {
    z3::context context;
    const auto counts = variables_of(context, problem, false);
    z3::optimize engine{context};
    z3::params parameters{context};
    parameters.set(handler_of_interrupts, false);
    engine.set(parameters);
    add_rows(engine, context, problem, counts, false);
    const auto handle = engine.maximize(weighted_sum(context, counts, cost_terms(problem), false));
    const StopMonitor monitor = deadline.monitor(context);
    const z3::check_result answer = engine.check();
    if (answer == z3::unsat) solution.feasible = false;
    if (answer != z3::sat) return;
    const auto value = read_numeral(engine.upper(handle));
    if (!value) return;
    solution.bound = as_int64(floor_of(*value));
}

/// Queries about integer counts, one after the other.
class Refuter {
public:
    Refuter(const FlowProblem& problem, const SolverDeadline& deadline, std::uint64_t seed,
            const CutSource& cuts, FlowSolution& solution)
        : problem_{problem}, deadline_{deadline}, cuts_{cuts}, solution_{solution},
          counts_{variables_of(context_, problem, true)}, engine_{context_, "QF_LIA"},
          cost_{weighted_sum(context_, counts_, cost_terms(problem), true)}, monitor_{
                                                                                 deadline.monitor(
                                                                                     context_)} {
        z3::params parameters{context_};
        parameters.set("random_seed", static_cast<unsigned>(seed & 0x7fffffffU));
        parameters.set(handler_of_interrupts, false);
        engine_.set(parameters);
        add_rows(engine_, context_, problem, counts_, true);
    }

    /// Is there a solution of at least this cost? Cuts are added until the solution violates none.
    z3::check_result ask_for(std::optional<std::int64_t> at_least) {
        for (;;) {
            if (deadline_.passed()) return z3::unknown;
            if (!deadline_.is_set()) {
                const std::uint64_t spent = effort_spent();
                if (spent >= effort_without_time_limit) return z3::unknown;
                z3::params limit{context_};
                limit.set("rlimit", static_cast<unsigned>(effort_without_time_limit - spent));
                engine_.set(limit);
            }
            engine_.push();
            if (at_least) engine_.add(cost_ >= numeral(context_, *at_least, true));
            const z3::check_result answer = engine_.check();
            std::optional<std::vector<std::int64_t>> values;
            if (answer == z3::sat) values = read_model();
            engine_.pop();
            if (answer != z3::sat) return answer;
            if (!values) return z3::unknown;
            const auto cuts = cuts_ ? cuts_(*values) : std::vector<ConnectionCut>{};
            if (cuts.empty()) {
                keep_if_better(std::move(*values));
                return z3::sat;
            }
            for (const auto& cut : cuts)
                engine_.add(z3::implies(sum_of(cut.inside) >= 1, sum_of(cut.entering) >= 1));
            if (++cut_rounds_ > max_cut_rounds || deadline_.passed()) return z3::unknown;
        }
    }

private:
    static constexpr int max_cut_rounds = 200;
    /// Z3's steps where the caller sets no time limit: the same answer on every machine.
    static constexpr std::uint64_t effort_without_time_limit = 60'000;

    [[nodiscard]] std::uint64_t effort_spent() const {
        const z3::stats statistics = engine_.statistics();
        for (unsigned i = 0; i < statistics.size(); ++i)
            if (statistics.key(i) == "rlimit count" && statistics.is_uint(i))
                return statistics.uint_value(i);
        return 0;
    }

    z3::expr sum_of(const std::vector<std::size_t>& variables) {
        std::vector<std::pair<std::size_t, std::int64_t>> terms;
        terms.reserve(variables.size());
        for (const std::size_t variable : variables)
            terms.emplace_back(variable, 1);
        return weighted_sum(context_, counts_, terms, true);
    }

    std::optional<std::vector<std::int64_t>> read_model() {
        const z3::model model = engine_.get_model();
        std::vector<std::int64_t> values;
        for (const auto& variable : counts_) {
            const auto value = read_numeral(model.eval(variable, true));
            const auto count = value ? as_int64(floor_of(*value)) : std::nullopt;
            if (!count) return std::nullopt;
            values.push_back(*count);
        }
        return values;
    }

    void keep_if_better(std::vector<std::int64_t> values) {
        Integer total = 0;
        for (std::size_t i = 0; i < values.size(); ++i)
            total += Integer{problem_.costs[i]} * values[i];
        const auto fits = as_int64(total);
        if (!fits || (solution_.best && *fits <= *solution_.best)) return;
        solution_.best = fits;
        solution_.counts = std::move(values);
    }

    const FlowProblem& problem_;
    const SolverDeadline& deadline_;
    const CutSource& cuts_;
    FlowSolution& solution_;
    z3::context context_;
    std::vector<z3::expr> counts_;
    z3::solver engine_;
    z3::expr cost_;
    int cut_rounds_ = 0;
    StopMonitor monitor_;
};

/// Narrows the bound by asking whether anything costs more than a value, and keeps the best
/// solution seen.
void refute(const FlowProblem& problem, const SolverDeadline& deadline, std::uint64_t seed,
            const CutSource& cuts, FlowSolution& solution) {
    Refuter refuter{problem, deadline, seed, cuts, solution};
    z3::check_result answer = refuter.ask_for(solution.bound);
    if (answer == z3::unsat && solution.bound) {
        solution.bound = *solution.bound - 1;
        solution.by_refutation = true;
        answer = refuter.ask_for(std::nullopt);
    }
    if (answer == z3::unsat) {
        solution.feasible = false;
        return;
    }
    // Halving finds good solutions fast; a query for anything better can end the search at once.
    for (bool halve = true;
         solution.bound && solution.best && *solution.best < *solution.bound && !deadline.passed();
         halve = !halve) {
        const std::int64_t further = halve ? (*solution.bound - *solution.best - 1) / 2 : 0;
        const std::int64_t wanted = *solution.best + 1 + further;
        answer = refuter.ask_for(wanted);
        if (answer == z3::unsat) {
            solution.bound = wanted - 1;
            solution.by_refutation = true;
        } else if (answer != z3::sat) {
            return;
        }
    }
    solution.optimal = solution.bound && solution.best && *solution.best == *solution.bound;
}

} // namespace

FlowSolution solve_flow(const FlowProblem& problem,
                        std::optional<std::chrono::duration<double>> seconds, std::uint64_t seed,
                        const CutSource& cuts) {
    const SolverDeadline deadline{seconds};
    FlowSolution solution;
    try {
        if (deadline.passed()) return solution;
        solve_relaxation(problem, deadline, solution);
        if (solution.feasible && !deadline.passed())
            refute(problem, deadline, seed, cuts, solution);
    } catch (const z3::exception&) {
        // A limit inside Z3 may surface as an exception; what was proved before it remains proved.
        solution.optimal = false;
    }
    return solution;
}

ScriptAnswer answer_script(const std::string& script) {
    constexpr unsigned max_steps = 20'000'000;
    ScriptAnswer answer;
    try {
        z3::context context;
        z3::solver engine{context, "QF_LIA"};
        engine.set("rlimit", max_steps);
        engine.set(handler_of_interrupts, false);
        engine.from_string(script.c_str());
        const StopMonitor monitor = SolverDeadline{}.monitor(context);
        const z3::check_result result = engine.check();
        if (result == z3::unsat) answer.kind = ScriptAnswer::Kind::Unsatisfiable;
        if (result != z3::sat) return answer;
        const z3::model model = engine.get_model();
        for (unsigned i = 0; i < model.num_consts(); ++i) {
            const z3::func_decl variable = model.get_const_decl(i);
            const auto value = read_numeral(model.get_const_interp(variable));
            if (value && *value > 0) answer.positive.insert(variable.name().str());
        }
        answer.kind = ScriptAnswer::Kind::Satisfiable;
    } catch (const z3::exception&) {
        answer = {}; // a limit inside Z3
    }
    return answer;
}

std::string solver_version() {
    unsigned major = 0;
    unsigned minor = 0;
    unsigned build = 0;
    unsigned revision = 0;
    Z3_get_version(&major, &minor, &build, &revision);
    return fmt::format("Z3 {}.{}.{}.{}", major, minor, build, revision);
}

} // namespace warpbound::analyzer
