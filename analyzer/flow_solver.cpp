#include "analyzer/flow_solver.hpp"

#include <boost/multiprecision/cpp_int.hpp>
#include <fmt/format.h>
#include <z3++.h>

#include <algorithm>

namespace warpbound::analyzer {

namespace {

using Rational = boost::multiprecision::cpp_rational;
using Integer = boost::multiprecision::cpp_int;
using Clock = std::chrono::steady_clock;

/// What is left of a time limit, in Z3's milliseconds.
class Deadline {
public:
    explicit Deadline(std::optional<std::chrono::duration<double>> seconds) {
        if (seconds) end_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(*seconds);
    }
    [[nodiscard]] bool passed() const { return end_ && Clock::now() >= *end_; }
    [[nodiscard]] unsigned milliseconds() const {
        if (!end_) return 0xffffffffU;
        const auto left =
            std::chrono::duration_cast<std::chrono::milliseconds>(*end_ - Clock::now()).count();
        return static_cast<unsigned>(std::clamp<long long>(left, 1, 0xfffffffeLL));
    }

private:
    std::optional<Clock::time_point> end_;
};

/// A numeral from its exact text, "12" or "7/2"; nothing for infinity.
std::optional<Rational> read_numeral(const z3::expr& value) {
    if (!value.is_numeral()) return std::nullopt;
    return Rational{std::string{Z3_get_numeral_string(value.ctx(), value)}};
}

std::optional<std::int64_t> fitting(const Integer& value) {
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

z3::expr number(z3::context& context, std::int64_t value, bool integers) {
    const std::string text = std::to_string(value);
    return integers ? context.int_val(text.c_str()) : context.real_val(text.c_str());
}

z3::expr weighted_sum(z3::context& context, const std::vector<z3::expr>& counts,
                      const std::vector<std::pair<std::size_t, std::int64_t>>& terms,
                      bool integers) {
    z3::expr_vector parts{context};
    for (const auto& [variable, coefficient] : terms)
        if (coefficient != 0)
            parts.push_back(number(context, coefficient, integers) * counts[variable]);
    if (parts.empty()) return number(context, 0, integers);
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
        engine.add(count >= number(context, 0, integers));
    for (const auto& row : problem.rows) {
        const z3::expr sum = weighted_sum(context, counts, row.terms, integers);
        const z3::expr constant = number(context, row.constant, integers);
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
void relax(const FlowProblem& problem, const Deadline& deadline, FlowSolution& solution) {
    z3::context context;
    const auto counts = variables_of(context, problem, false);
    z3::optimize engine{context};
    z3::params parameters{context};
    parameters.set("timeout", deadline.milliseconds());
    engine.set(parameters);
    add_rows(engine, context, problem, counts, false);
    const auto handle = engine.maximize(weighted_sum(context, counts, cost_terms(problem), false));
    const z3::check_result answer = engine.check();
    if (answer == z3::unsat) solution.feasible = false;
    if (answer != z3::sat) return;
    const auto value = read_numeral(engine.upper(handle));
    if (!value) return;
    solution.bound = fitting(floor_of(*value));
}

/// Narrows the bound by asking whether anything costs more than a value, and keeps the best
/// solution seen.
void refute(const FlowProblem& problem, const Deadline& deadline, std::uint64_t seed,
            FlowSolution& solution) {
    z3::context context;
    const auto counts = variables_of(context, problem, true);
    z3::solver engine{context, "QF_LIA"};
    z3::params parameters{context};
    parameters.set("random_seed", static_cast<unsigned>(seed & 0x7fffffffU));
    engine.set(parameters);
    add_rows(engine, context, problem, counts, true);
    const z3::expr cost = weighted_sum(context, counts, cost_terms(problem), true);
    const auto ask_for = [&](std::optional<std::int64_t> at_least) {
        z3::params limit{context};
        limit.set("timeout", deadline.milliseconds());
        engine.set(limit);
        engine.push();
        if (at_least) engine.add(cost >= number(context, *at_least, true));
        const z3::check_result answer = engine.check();
        if (answer == z3::sat) {
            const z3::model model = engine.get_model();
            std::vector<std::int64_t> values;
            Integer total = 0;
            bool complete = true;
            for (std::size_t i = 0; i < counts.size(); ++i) {
                const auto value = read_numeral(model.eval(counts[i], true));
                const auto count = value ? fitting(floor_of(*value)) : std::nullopt;
                complete = complete && count.has_value();
                values.push_back(count.value_or(0));
                total += Integer{problem.costs[i]} * values.back();
            }
            const auto fits = fitting(total);
            if (complete && fits && (!solution.best || *fits > *solution.best)) {
                solution.best = fits;
                solution.counts = std::move(values);
            }
        }
        engine.pop();
        return answer;
    };
    z3::check_result answer = ask_for(solution.bound);
    if (answer == z3::unsat && solution.bound) {
        solution.bound = *solution.bound - 1;
        solution.by_refutation = true;
        answer = ask_for(std::nullopt);
    }
    if (answer == z3::unsat) {
        solution.feasible = false;
        return;
    }
    while (solution.bound && solution.best && *solution.best < *solution.bound &&
           !deadline.passed()) {
        const std::int64_t middle = *solution.best + 1 + (*solution.bound - *solution.best - 1) / 2;
        answer = ask_for(middle);
        if (answer == z3::unsat) {
            solution.bound = middle - 1;
            solution.by_refutation = true;
        } else if (answer != z3::sat) {
            return;
        }
    }
    solution.optimal = solution.bound && solution.best && *solution.best == *solution.bound;
}

} // namespace

FlowSolution solve_flow(const FlowProblem& problem,
                        std::optional<std::chrono::duration<double>> seconds, std::uint64_t seed) {
    const Deadline deadline{seconds};
    FlowSolution solution;
    try {
        if (deadline.passed()) return solution;
        relax(problem, deadline, solution);
        if (solution.feasible && !deadline.passed()) refute(problem, deadline, seed, solution);
    } catch (const z3::exception&) {
        // A limit inside Z3 may surface as an exception; what was proved before it stays.
        solution.optimal = false;
    }
    return solution;
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
