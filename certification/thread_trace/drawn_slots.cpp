#include "certification/thread_trace/drawn_slots.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>

namespace warpbound::certification {

namespace {

using harness::trace::ThreadTraceCategory;
using harness::trace::ThreadTraceStep;
using harness::trace::ThreadTraceWave;

constexpr std::array<std::string_view, trace_kinds> kinds{
    "vector", "scalar", "vector memory", "LDS", "scalar memory", "branch", "wait", "other"};

std::size_t kind_of(ThreadTraceCategory category) {
    switch (category) {
    case ThreadTraceCategory::Vector:
        return 0;
    case ThreadTraceCategory::Scalar:
        return 1;
    case ThreadTraceCategory::VectorMemory:
    case ThreadTraceCategory::Flat:
    case ThreadTraceCategory::RayTracing:
        return 2;
    case ThreadTraceCategory::Lds:
        return 3;
    case ThreadTraceCategory::ScalarMemory:
        return 4;
    case ThreadTraceCategory::Jump:
    case ThreadTraceCategory::Next:
        return 5;
    case ThreadTraceCategory::Immediate:
        return 6;
    case ThreadTraceCategory::None:
    case ThreadTraceCategory::Context:
    case ThreadTraceCategory::Message:
        break;
    }
    return 7;
}

/// Columns of each state of a slot: parts of columns that add up to at most 1.
class ColumnShares {
public:
    ColumnShares(std::int64_t begin, std::int64_t end)
        : begin_{static_cast<double>(begin)}, scale_{
                                                  static_cast<double>(trace_columns) /
                                                  std::max(1.0, static_cast<double>(end) -
                                                                    static_cast<double>(begin))} {}

    void add(const ThreadTraceWave& wave) {
        add(wave.begin, wave.end, present);
        for (const ThreadTraceStep& step : wave.steps) {
            const std::size_t kind = kind_of(step.category);
            add(step.time, step.issue(), trace_kinds + kind);
            add(step.issue(), step.time + step.duration, kind);
        }
    }

    [[nodiscard]] DrawnColumns columns() const {
        DrawnColumns drawn{};
        for (std::size_t column = 0; column < trace_columns; ++column) {
            const auto& shares = shares_[column];
            double executing = 0;
            for (std::size_t kind = 0; kind < trace_kinds; ++kind)
                executing += shares[kind];
            drawn[column] = {longest(shares, 0),
                             static_cast<std::uint8_t>(255 * std::min(1.0, executing)),
                             longest(shares, trace_kinds), shares[present] > 0};
        }
        return drawn;
    }

private:
    [[nodiscard]] double place(std::int64_t time) const {
        return std::clamp((static_cast<double>(time) - begin_) * scale_, 0.0,
                          static_cast<double>(trace_columns));
    }

    static constexpr std::size_t present = 2 * trace_kinds;
    using Shares = std::array<double, present + 1>; ///< Kinds that execute, that are stalled, ..

    void add(std::int64_t from, std::int64_t to, std::size_t state) {
        const double first = place(from);
        const double last = place(to);
        const auto end = std::min(trace_columns, static_cast<std::size_t>(last) + 1);
        for (auto column = static_cast<std::size_t>(first); column < end; ++column) {
            const double left = std::max(first, static_cast<double>(column));
            const double right = std::min(last, static_cast<double>(column + 1));
            shares_[column][state] += std::max(0.0, right - left);
        }
    }

    /// The kind with the largest share among those from `first` on, counted from 1; 0: none.
    static std::uint8_t longest(const Shares& shares, std::size_t first) {
        const auto begin = shares.begin() + static_cast<std::ptrdiff_t>(first);
        const auto most = std::max_element(begin, begin + trace_kinds);
        return *most > 0 ? static_cast<std::uint8_t>(most - begin + 1) : std::uint8_t{0};
    }

    double begin_;
    double scale_;
    std::array<Shares, trace_columns> shares_{};
};

} // namespace

std::string_view name_of_kind(std::size_t kind) {
    return kinds.at(kind);
}

std::vector<DrawnSlot> drawn_slots(const std::vector<const ThreadTraceWave*>& waves,
                                   std::int64_t begin, std::int64_t end) {
    std::map<std::tuple<std::string, std::int64_t, std::int64_t>,
             std::vector<const ThreadTraceWave*>>
        by_slot;
    for (const ThreadTraceWave* wave : waves)
        by_slot[{wave->engine, wave->simd, wave->slot}].push_back(wave);
    std::vector<DrawnSlot> slots;
    for (const auto& [place, of_slot] : by_slot) {
        ColumnShares shares{begin, end};
        for (const ThreadTraceWave* wave : of_slot)
            shares.add(*wave);
        slots.push_back({std::get<0>(place), std::get<1>(place), std::get<2>(place),
                         static_cast<std::int64_t>(of_slot.size()), shares.columns()});
    }
    return slots;
}

} // namespace warpbound::certification
