#include "models/statistics/discrete_distribution.hpp"

#include "models/units.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

namespace warpbound::models {

namespace {

/// Not below the exact result that was rounded to `probability`, and at most 1: at least the next
/// larger number. Product and sum are faster than `std::nextafter`.
double up(double probability) {
    constexpr double step = 1 + std::numeric_limits<double>::epsilon();
    if (probability <= 0) return 0;
    return std::min(1.0, probability * step + std::numeric_limits<double>::denorm_min());
}
double up_sum(double a, double b) {
    if (a == 0 || b == 0) return std::min(1.0, a + b); // Exact.
    return up(a + b);
}
double up_product(double a, double b) {
    if (a == 0 || b == 0 || a == 1 || b == 1) return a * b; // Exact.
    return up(a * b);
}

/// Cells of equal width over a range of values; a cell of a short range holds one value.
class Grid {
public:
    Grid(std::int64_t least, std::int64_t largest, std::size_t cells)
        : least_{least}, width_{models::plus(largest, -least) / static_cast<std::int64_t>(cells) +
                                1} {}

    [[nodiscard]] std::size_t cell_of(std::int64_t value) const {
        return static_cast<std::size_t>((value - least_) / width_);
    }

private:
    std::int64_t least_;
    std::int64_t width_;
};

/// What falls into a cell of sums.
struct Cell {
    bool is_used = false;
    std::int64_t value = 0;
    double weight = 0; ///< A mass, or an exceedance from `value` on.
};

constexpr std::size_t sum_cells = std::size_t{1} << 16U;

/// `add(cell, value, i, j)` for every pair of steps.
template <typename Add>
std::vector<Cell> pairs_of(const std::vector<ExceedanceStep>& x,
                           const std::vector<ExceedanceStep>& y, Add&& add) {
    const std::int64_t least = plus(x.front().value, y.front().value);
    const std::int64_t largest = plus(x.back().value, y.back().value);
    const Grid grid{least, largest, sum_cells};
    std::vector<Cell> cells(grid.cell_of(largest) + 1);
    for (std::size_t i = 0; i < x.size(); ++i)
        for (std::size_t j = 0; j < y.size(); ++j) {
            const std::int64_t value = x[i].value + y[j].value;
            add(cells[grid.cell_of(value)], value, i, j);
        }
    return cells;
}

/// The mass at each step, rounded up.
std::vector<double> masses_of(const std::vector<ExceedanceStep>& steps) {
    std::vector<double> masses;
    double before = 1;
    for (const ExceedanceStep& step : steps) {
        masses.push_back(up(before - step.above));
        before = step.above;
    }
    return masses;
}

std::vector<ExceedanceStep> independent_sum(const std::vector<ExceedanceStep>& x,
                                            const std::vector<ExceedanceStep>& y) {
    const auto x_masses = masses_of(x);
    const auto y_masses = masses_of(y);
    const auto cells =
        pairs_of(x, y, [&](Cell& cell, std::int64_t value, std::size_t i, std::size_t j) {
            cell.value = cell.is_used ? std::max(cell.value, value) : value;
            cell.is_used = true;
            cell.weight = up_sum(cell.weight, up_product(x_masses[i], y_masses[j]));
        });
    std::vector<ExceedanceStep> steps;
    double above = 0;
    for (auto cell = cells.rbegin(); cell != cells.rend(); ++cell) {
        if (!cell->is_used) continue;
        steps.push_back({cell->value, above});
        above = up_sum(above, cell->weight);
    }
    std::reverse(steps.begin(), steps.end());
    return steps;
}

/// P(X + Y > x + y) <= P(X > x) + P(Y > y) for every pair of steps; other pairs give no less.
std::vector<ExceedanceStep> sum_of_any(const std::vector<ExceedanceStep>& x,
                                       const std::vector<ExceedanceStep>& y) {
    const auto cells =
        pairs_of(x, y, [&](Cell& cell, std::int64_t value, std::size_t i, std::size_t j) {
            const double above = up_sum(x[i].above, y[j].above);
            const bool is_better = !cell.is_used || above < cell.weight ||
                                   (above == cell.weight && value < cell.value);
            if (is_better) cell = {true, value, above};
        });
    std::vector<ExceedanceStep> steps;
    for (const Cell& cell : cells)
        if (cell.is_used) steps.push_back({cell.value, cell.weight});
    return steps;
}

/// The first value whose exceedance is at most `level`.
std::int64_t quantile(const std::vector<ExceedanceStep>& steps, double level) {
    return std::partition_point(steps.begin(), steps.end(),
                                [&](const ExceedanceStep& step) { return step.above > level; })
        ->value;
}

std::vector<ExceedanceStep> comonotone_sum(const std::vector<ExceedanceStep>& x,
                                           const std::vector<ExceedanceStep>& y) {
    std::vector<double> levels;
    for (const auto* steps : {&x, &y})
        for (const ExceedanceStep& step : *steps)
            levels.push_back(step.above);
    std::sort(levels.rbegin(), levels.rend());
    std::vector<ExceedanceStep> sums;
    for (const double level : levels)
        sums.push_back({plus(quantile(x, level), quantile(y, level)), level});
    return sums;
}

} // namespace

std::string_view to_string(Dependence dependence) {
    constexpr std::array<std::string_view, 3> names{"unknown", "independent", "comonotone"};
    return names.at(static_cast<std::size_t>(dependence));
}

DiscreteDistribution::DiscreteDistribution(const std::vector<ExceedanceStep>& steps) {
    double above = 1;
    for (const ExceedanceStep& step : steps) {
        if (step.above >= above) continue;
        above = step.above;
        if (!steps_.empty() && steps_.back().value == step.value)
            steps_.back().above = above;
        else
            steps_.push_back(step);
    }
    if (steps_.size() <= most_steps) return;
    // Merged steps have little mass together, wherever they lie: it moves up to the last of them.
    constexpr double share = 1.0 / static_cast<double>(most_steps);
    std::vector<ExceedanceStep> kept;
    double before = 1;
    for (std::size_t i = 0; i + 1 < steps_.size(); ++i)
        if (before - steps_[i].above >= share) {
            kept.push_back(steps_[i]);
            before = steps_[i].above;
        }
    kept.push_back(steps_.back());
    steps_ = std::move(kept);
}

DiscreteDistribution DiscreteDistribution::constant(std::int64_t value) {
    return DiscreteDistribution{{{value, 0}}};
}

DiscreteDistribution DiscreteDistribution::of_samples(std::span<const std::int64_t> samples) {
    std::vector<std::int64_t> sorted{samples.begin(), samples.end()};
    std::sort(sorted.begin(), sorted.end());
    std::vector<ExceedanceStep> steps;
    const auto count = static_cast<double>(sorted.size());
    for (std::size_t i = 0; i < sorted.size(); ++i)
        if (i + 1 == sorted.size() || sorted[i + 1] > sorted[i])
            steps.push_back({sorted[i], up(static_cast<double>(sorted.size() - 1 - i) / count)});
    return DiscreteDistribution{steps};
}

double DiscreteDistribution::exceedance(std::int64_t value) const {
    const auto after =
        std::partition_point(steps_.begin(), steps_.end(),
                             [&](const ExceedanceStep& step) { return step.value <= value; });
    return after == steps_.begin() ? 1 : std::prev(after)->above;
}

DiscreteDistribution DiscreteDistribution::plus(std::int64_t value) const {
    DiscreteDistribution result = *this;
    for (ExceedanceStep& step : result.steps_)
        step.value = models::plus(step.value, value);
    return result;
}

DiscreteDistribution DiscreteDistribution::limited(std::int64_t largest) const {
    std::vector<ExceedanceStep> steps;
    for (const ExceedanceStep& step : steps_)
        if (step.value < largest) steps.push_back(step);
    steps.push_back({std::min(largest, steps_.back().value), 0});
    return DiscreteDistribution{steps};
}

DiscreteDistribution DiscreteDistribution::raised(double epsilon, std::int64_t largest) const {
    std::vector<ExceedanceStep> steps;
    for (const ExceedanceStep& step : steps_)
        if (step.value < largest) steps.push_back({step.value, up_sum(step.above, epsilon)});
    steps.push_back({largest, 0});
    return DiscreteDistribution{steps};
}

DiscreteDistribution sum(const DiscreteDistribution& x, const DiscreteDistribution& y,
                         Dependence dependence) {
    switch (dependence) {
    case Dependence::Independent:
        return DiscreteDistribution{independent_sum(x.steps_, y.steps_)};
    case Dependence::Comonotone:
        return DiscreteDistribution{comonotone_sum(x.steps_, y.steps_)};
    case Dependence::Unknown:
        break;
    }
    return DiscreteDistribution{sum_of_any(x.steps_, y.steps_)};
}

DiscreteDistribution maximum(const DiscreteDistribution& x, const DiscreteDistribution& y,
                             Dependence dependence) {
    std::vector<std::int64_t> values;
    for (const auto* each : {&x, &y})
        for (const ExceedanceStep& step : each->steps_)
            values.push_back(step.value);
    std::sort(values.begin(), values.end());
    std::vector<ExceedanceStep> steps;
    for (const std::int64_t value : values) {
        const double a = x.exceedance(value);
        const double b = y.exceedance(value);
        double above = up_sum(a, b);
        if (dependence == Dependence::Comonotone) above = std::max(a, b);
        // 1 - (1 - a) (1 - b).
        if (dependence == Dependence::Independent)
            above = up_sum(a, up_product(b, a == 0 ? 1 : up(1 - a)));
        steps.push_back({value, above});
    }
    return DiscreteDistribution{steps};
}

} // namespace warpbound::models
