#pragma once
/// \file
/// Minimum of a function of few variables without derivatives. `Source:` Nelder and Mead 1965, with
/// the coefficients 1, 2, 1/2, 1/2.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace warpbound::models {

template <std::size_t Variables> using Variable = std::array<double, Variables>;

template <std::size_t Variables> struct Minimum {
    Variable<Variables> at{};
    double value = 0;
};

/// A local minimum from `start`, whose neighbours are `step` away. Restarts until a restart changes
/// the value by less than 100 times `tolerance`, relatively. Infinite values are allowed except at
/// the start.
template <std::size_t Variables, typename Function>
Minimum<Variables> minimise(const Function& function, const Variable<Variables>& start, double step,
                            double tolerance = 1e-14) {
    using Vertex = Minimum<Variables>;
    constexpr int most_restarts = 6;
    constexpr int most_steps = 400;
    Vertex best{start, function(start)};
    for (int restart = 0; restart < most_restarts; ++restart) {
        std::array<Vertex, Variables + 1> simplex;
        simplex[0] = best;
        for (std::size_t i = 0; i < Variables; ++i) {
            simplex[i + 1].at = best.at;
            simplex[i + 1].at[i] += step;
            simplex[i + 1].value = function(simplex[i + 1].at);
        }
        for (int count = 0; count < most_steps; ++count) {
            std::sort(simplex.begin(), simplex.end(),
                      [](const Vertex& a, const Vertex& b) { return a.value < b.value; });
            Vertex& worst = simplex.back();
            if (worst.value - simplex[0].value <= tolerance * (1 + std::abs(simplex[0].value)))
                break;
            Variable<Variables> centre{};
            for (std::size_t v = 0; v < Variables; ++v)
                for (std::size_t i = 0; i < Variables; ++i)
                    centre[i] += simplex[v].at[i] / static_cast<double>(Variables);
            const auto along = [&](double factor) {
                Vertex vertex;
                for (std::size_t i = 0; i < Variables; ++i)
                    vertex.at[i] = centre[i] + factor * (worst.at[i] - centre[i]);
                vertex.value = function(vertex.at);
                return vertex;
            };
            const Vertex reflected = along(-1);
            if (reflected.value < simplex[0].value) {
                const Vertex expanded = along(-2);
                worst = expanded.value < reflected.value ? expanded : reflected;
            } else if (reflected.value < simplex[Variables - 1].value) {
                worst = reflected;
            } else {
                const Vertex contracted = along(reflected.value < worst.value ? -0.5 : 0.5);
                if (contracted.value < std::min(reflected.value, worst.value)) {
                    worst = contracted;
                } else {
                    for (std::size_t v = 1; v <= Variables; ++v) {
                        for (std::size_t i = 0; i < Variables; ++i)
                            simplex[v].at[i] = (simplex[v].at[i] + simplex[0].at[i]) / 2;
                        simplex[v].value = function(simplex[v].at);
                    }
                }
            }
        }
        const Vertex found =
            *std::min_element(simplex.begin(), simplex.end(),
                              [](const Vertex& a, const Vertex& b) { return a.value < b.value; });
        const bool settled =
            best.value - found.value <= 100 * tolerance * (1 + std::abs(found.value));
        best = found;
        if (settled && restart > 0) break;
        step /= 4;
    }
    return best;
}

} // namespace warpbound::models
