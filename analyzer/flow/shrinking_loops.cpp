#include "analyzer/flow/shrinking_loops.hpp"

#include "analyzer/flow/iteration_paths.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <tuple>
#include <vector>

namespace warpbound::analyzer {

namespace {

using assembly::Register;

constexpr std::int64_t largest_number = std::int64_t{1} << 29U; ///< Sums of two do not wrap around.

/// floor(g / 2) + added, or with the half rounded up; `least`: it stays while it is that large.
struct Step {
    bool rounds_up = false;
    std::int64_t added = 0;
    std::int64_t least = 1;

    [[nodiscard]] std::int64_t of(std::int64_t g) const {
        return ((rounds_up ? g + 1 : g) >> 1U) + added;
    }
};

class Measures {
public:
    Measures(const IterationPaths& all, const RangeRegisters& entry) : all_{all}, entry_{entry} {}

    /// Executions of the header, at most, by some measure.
    [[nodiscard]] std::optional<std::int64_t> most() const {
        for (const auto& [one, symbol] : all_.registers) {
            if (const auto bound = by_bits(one)) return bound;
            if (const auto bound = by_length(one)) return bound;
            for (const auto& [other, symbol_of_other] : all_.registers)
                if (const auto bound = one == other ? std::nullopt : by_distance(one, other))
                    return bound;
        }
        return by_counters();
    }

private:
    [[nodiscard]] LinearForm before(Register reg) const { return form_of(all_.registers.at(reg)); }
    [[nodiscard]] LinearForm after(const IterationPath& path, Register reg) const {
        const auto found = path.after.find(reg);
        return found == path.after.end() ? before(reg) : found->second;
    }
    /// Of a register at the entry, where it is small and not negative.
    [[nodiscard]] std::optional<ValueRange::Ends> small(Register reg) const {
        const ValueRange::Ends ends = entry_.number(reg).ends(true);
        return ends.lo >= 0 && ends.hi <= largest_number ? std::optional{ends} : std::nullopt;
    }

    /// The number that a form is, where its sum with a distance does not wrap around.
    static std::optional<std::int64_t> number_in(const LinearForm& form) {
        const bool is_small = form.constant >= -largest_number && form.constant <= largest_number;
        return form.terms.empty() && is_small ? std::optional{form.constant} : std::nullopt;
    }

    /// The largest d for which left - right >= d follows from what the path decided; nothing where
    /// it says nothing.
    static std::optional<std::int64_t> decided_distance(const IterationPath& path,
                                                        const LinearForm& left,
                                                        const LinearForm& right, bool any_order) {
        const LinearForm distance = left + right * -1;
        std::optional<std::int64_t> most;
        const auto keep = [&](std::int64_t found) { most = std::max(most.value_or(found), found); };
        const auto keep_if_ordered = [&](std::int64_t found) {
            if (found >= 0) keep(found);
        };
        for (const auto& [comparison, holds] : path.decided) {
            if (comparison.is_equality || (!comparison.is_signed && !any_order)) continue;
            const auto& [larger, smaller] = std::tie(comparison.left, comparison.right);
            if (holds && larger == left && smaller == right) keep(0);
            if (!holds && larger == right && smaller == left) keep(1);
            if (!comparison.is_signed) continue;
            // The distance itself, or its sum with a number, compared with a number.
            if (const auto added = number_in(larger + distance * -1); holds && added)
                if (const auto number = number_in(smaller)) keep_if_ordered(*number - *added);
            if (const auto added = number_in(smaller + distance * -1); !holds && added)
                if (const auto number = number_in(larger)) keep_if_ordered(*number - *added + 1);
        }
        return most;
    }

    static std::optional<std::int64_t> iterations(const std::vector<Step>& steps, std::int64_t g) {
        constexpr std::int64_t too_many = 64;
        for (std::int64_t count = 1; count <= too_many; ++count) {
            std::optional<std::int64_t> next;
            for (const Step& step : steps)
                if (step.of(g) >= step.least)
                    next = std::max(next.value_or(step.of(g)), step.of(g));
            if (!next) return count;
            if (*next >= g) return std::nullopt;
            g = *next;
        }
        return std::nullopt;
    }

    /// The midpoint of two registers, whose form may need that the second is not smaller.
    struct Midpoint {
        LinearForm form;
        bool needs_order = false;
    };
    [[nodiscard]] std::vector<Midpoint> midpoints(Register low, Register high) const {
        std::vector<Midpoint> found;
        for (const auto& [symbol, half] : all_.halves) {
            if (half.of == before(low) + before(high)) found.push_back({form_of(symbol), false});
            if (half.of == before(high) + before(low) * -1)
                found.push_back({form_of(symbol) + before(low), half.from_zero});
        }
        return found;
    }

    /// Bisection: each path moves one of two registers to their midpoint.
    [[nodiscard]] std::optional<std::int64_t> by_distance(Register low, Register high) const {
        const auto from = small(low);
        const auto to = small(high);
        if (!from || !to) return std::nullopt;
        for (const Midpoint& midpoint : midpoints(low, high)) {
            if (midpoint.needs_order && from->hi > to->lo) continue;
            std::vector<Step> steps;
            for (const IterationPath& path : all_.paths) {
                const LinearForm new_low = after(path, low);
                const LinearForm new_high = after(path, high);
                const LinearForm up = new_low + midpoint.form * -1;
                const LinearForm down = new_high + midpoint.form * -1;
                const bool moves_low = new_high == before(high) && up.terms.empty() &&
                                       (up.constant == 0 || up.constant == 1);
                const bool moves_high = new_low == before(low) && down.terms.empty() &&
                                        (down.constant == 0 || down.constant == -1);
                const bool unsigned_too = moves_low || down.constant == 0;
                const auto least = decided_distance(path, new_high, new_low, unsigned_too);
                if ((!moves_low && !moves_high) || !least) break;
                steps.push_back(moves_low ? Step{true, -up.constant, *least}
                                          : Step{false, down.constant, *least});
            }
            if (steps.size() == all_.paths.size()) return iterations(steps, to->hi - from->lo);
        }
        return std::nullopt;
    }

    /// A length that each path halves, until it is 0.
    [[nodiscard]] std::optional<std::int64_t> by_length(Register reg) const {
        const auto range = small(reg);
        if (!range || range->lo < 1) return std::nullopt;
        std::vector<Step> steps;
        for (const IterationPath& path : all_.paths) {
            const LinearForm now = after(path, reg);
            const auto decided = path.decided.find({true, true, now, {}});
            const auto unsigned_decided = path.decided.find({true, false, now, {}});
            const bool stays_above =
                (decided != path.decided.end() && !decided->second) ||
                (unsigned_decided != path.decided.end() && !unsigned_decided->second) ||
                decided_distance(path, now, {}, false).value_or(0) >= 1;
            bool halves = false;
            for (const auto& [symbol, half] : all_.halves) {
                if (half.of != before(reg)) continue;
                const LinearForm rest = plus(before(reg) + form_of(symbol) * -1, -1);
                if (now == form_of(symbol)) steps.push_back({false, 0, 1});
                if (now == rest) steps.push_back({true, -1, 1});
                halves = halves || now == form_of(symbol) || now == rest;
            }
            if (!halves || !stays_above) return std::nullopt;
        }
        return iterations(steps, range->hi);
    }

    /// A mask that loses its lowest bit on each path, until it is 0.
    [[nodiscard]] std::optional<std::int64_t> by_bits(Register reg) const {
        constexpr std::int64_t word_bits = 32;
        for (const IterationPath& path : all_.paths) {
            const LinearForm now = after(path, reg);
            const bool clears = std::ranges::any_of(all_.cleared, [&](const auto& one) {
                return one.second == before(reg) && now == form_of(one.first);
            });
            const auto is_open = [&](bool is_signed) {
                const auto decided = path.decided.find({true, is_signed, now, {}});
                return decided != path.decided.end() && !decided->second;
            };
            if (!clears || (!is_open(true) && !is_open(false))) return std::nullopt;
        }
        return word_bits; // Of a mask that is 0 at the entry, once.
    }

    /// A number that the loop does not change: the largest one.
    [[nodiscard]] std::optional<std::int64_t> largest(const LinearForm& limit) const {
        if (limit.terms.empty()) return limit.constant;
        if (limit.terms.size() != 1 || limit.terms.begin()->second != 1) return std::nullopt;
        for (const auto& [reg, symbol] : all_.registers) {
            if (limit.terms.begin()->first != symbol) continue;
            const bool is_kept = std::ranges::all_of(
                all_.paths, [&](const IterationPath& path) { return path.after.count(reg) == 0; });
            const auto range = small(reg);
            if (is_kept && range) return range->hi + limit.constant;
        }
        return std::nullopt;
    }

    /// The largest that a register may be at the end of a path that goes on.
    [[nodiscard]] std::optional<std::int64_t> limit_of(const IterationPath& path,
                                                       Register reg) const {
        const LinearForm now = after(path, reg);
        for (const auto& [comparison, holds] : path.decided) {
            if (comparison.is_equality || !comparison.is_signed) continue;
            const LinearForm& limit = holds ? comparison.left : comparison.right;
            const LinearForm& number = holds ? comparison.right : comparison.left;
            const auto most = number == now ? largest(limit) : std::nullopt;
            if (most && *most <= largest_number) return *most - (holds ? 0 : 1);
        }
        return std::nullopt;
    }

    /// Counters with limits of which each path raises one at least.
    [[nodiscard]] std::optional<std::int64_t> by_counters() const {
        std::int64_t most = 1;
        std::vector<std::int64_t> raised(all_.paths.size(), 0);
        for (const auto& [reg, symbol] : all_.registers) {
            const auto range = small(reg);
            std::optional<std::int64_t> limit;
            bool counts = range.has_value();
            std::vector<std::int64_t> steps;
            for (const IterationPath& path : all_.paths) {
                const LinearForm change = after(path, reg) + before(reg) * -1;
                const auto most_here = counts ? limit_of(path, reg) : std::nullopt;
                counts = counts && change.terms.empty() && change.constant >= 0 &&
                         change.constant <= largest_number && most_here;
                if (!counts) break;
                steps.push_back(change.constant);
                limit = std::max(limit.value_or(*most_here), *most_here);
            }
            if (!counts || !std::ranges::any_of(steps, [](std::int64_t by) { return by > 0; }))
                continue;
            for (std::size_t path = 0; path < steps.size(); ++path)
                raised[path] += steps[path];
            most += std::max<std::int64_t>(0, *limit - range->lo);
        }
        const bool always = std::ranges::all_of(raised, [](std::int64_t by) { return by >= 1; });
        return always ? std::optional{most} : std::nullopt;
    }

    const IterationPaths& all_;
    const RangeRegisters& entry_;
};

} // namespace

std::optional<DerivedLoop> bound_by_measure(const assembly::Function& function,
                                            const assembly::ControlFlowGraph& graph,
                                            std::size_t loop, const RangeRegisters& entry,
                                            const std::set<Register>& shared) {
    const auto paths = iteration_paths(function, graph, loop, shared);
    if (!paths) return std::nullopt;
    const auto most = Measures{*paths, entry}.most();
    if (!most) return std::nullopt;
    return DerivedLoop{
        1, *most,
        fmt::format("each iteration makes smaller what is left: at most {} of them", *most)};
}

} // namespace warpbound::analyzer
