#include "certification/thread_trace/thread_trace_html.hpp"

#include "certification/page/escape.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <vector>

namespace warpbound::certification {

namespace {

/// Extent of a timeline.
struct Extent {
    std::int64_t left = 90;
    std::size_t merged = 1; ///< Columns of the trace in one of the drawing.
    std::size_t width = 1;  ///< Of a drawn column.
};
constexpr Extent coarse_extent{.left = 90, .merged = 2, .width = 2}; ///< Of many slots.
constexpr Extent narrow_extent{.left = 60, .merged = 3};

/// The markup of one SVG path for each kind, all rows together.
class TimelineRows {
public:
    TimelineRows(const Extent& extent, std::int64_t height) : extent_{extent}, height_{height} {}

    void add(const DrawnColumns& columns, std::int64_t top) {
        const std::int64_t bottom = top + height_;
        draw(columns, bottom, [&](const DrawnColumn& column) {
            return Bar{0, column.present ? height_ : 0};
        });
        draw(columns, bottom, [&](const DrawnColumn& column) {
            return Bar{column.stalled, column.stalled > 0 ? line_ : 0};
        });
        draw(columns, bottom - line_, [&](const DrawnColumn& column) {
            return Bar{column.executing, column.executing > 0 ? height_of(column.share) : 0};
        });
    }

    [[nodiscard]] std::string markup() const {
        std::string out;
        for (std::size_t kind = 0; kind < paths_.size(); ++kind)
            if (!paths_[kind].empty())
                out +=
                    fmt::format("<path class=\"{}\" d=\"{}\"/>\n",
                                kind == 0 ? "lane" : fmt::format("part{}", kind - 1), paths_[kind]);
        return out;
    }

private:
    struct Bar {
        std::size_t kind = 0; ///< From 1 on; 0: the background.
        std::int64_t height = 0;

        friend bool operator==(const Bar&, const Bar&) = default;
    };

    [[nodiscard]] std::int64_t height_of(std::uint8_t share) const {
        return ((height_ - line_) * share + 127) / 255;
    }

    /// A bar on the bottom for each run of columns with the same one. Of columns that are merged
    /// the middle one is drawn.
    template <typename BarOf>
    void draw(const DrawnColumns& columns, std::int64_t bottom, BarOf bar_of) {
        const std::size_t count = trace_columns / extent_.merged;
        const auto bar_at = [&](std::size_t column) {
            return bar_of(columns[column * extent_.merged + extent_.merged / 2]);
        };
        for (std::size_t column = 0; column < count;) {
            const Bar bar = bar_at(column);
            std::size_t next = column + 1;
            while (next < count && bar_at(next) == bar)
                ++next;
            if (bar.height > 0)
                paths_[bar.kind] += fmt::format(
                    "M{} {}h{}v-{}h-{}z",
                    extent_.left + static_cast<std::int64_t>(column * extent_.width), bottom,
                    (next - column) * extent_.width, bar.height, (next - column) * extent_.width);
            column = next;
        }
    }

    static constexpr std::int64_t line_ = 2; ///< What waits; bars stand on it.

    Extent extent_;
    std::int64_t height_;
    std::array<std::string, 1 + trace_kinds> paths_{};
};

std::string label_of(const DrawnSlot& slot) {
    return fmt::format("{}{}SIMD {}", slot.engine, slot.engine.empty() ? "" : " ", slot.simd);
}

/// The kinds of instructions that are drawn, with their colours.
std::string legend(const HeldThreadTrace& held) {
    std::array<bool, 1 + trace_kinds> occurs{};
    for (const DrawnSlot& slot : held.slots)
        for (const DrawnColumn& column : slot.columns)
            occurs[column.executing] = occurs[column.stalled] = true;
    std::string out = "<p>";
    for (std::size_t kind = 0; kind < trace_kinds; ++kind)
        if (occurs[kind + 1])
            out +=
                fmt::format("<svg class=\"key\" viewBox=\"0 0 10 10\" aria-hidden=\"true\">"
                            "<rect class=\"part{}\" width=\"10\" height=\"10\"/></svg>{} &#160; ",
                            kind, name_of_kind(kind));
    return out + "</p>\n";
}

std::string verdict_text(const HeldInstruction& one) {
    if (one.distance.count == 0) return "not held";
    if (one.outside > 0) return fmt::format("{} outside", one.outside);
    return "holds";
}

std::string instruction_table(const HeldThreadTrace& held) {
    const bool with_source =
        std::any_of(held.instructions.begin(), held.instructions.end(),
                    [](const HeldInstruction& one) { return !one.source.empty(); });
    const std::vector<std::string> reasons = reasons_of(held);
    std::string rows;
    for (const HeldInstruction& one : held.instructions) {
        const auto of_held = [&](std::int64_t value) {
            return cell(one.distance.count > 0 ? std::to_string(value) : "", true);
        };
        rows += "<tr>" + cell(fmt::format("0x{:04x}", one.address)) +
                (with_source ? cell(one.source) : "") + cell(one.text) +
                cell(std::to_string(one.duration.count), true) +
                cell(fmt::format("{}..{}", one.duration.least, one.duration.most), true) +
                of_held(one.lower) + of_held(one.distance.least) + of_held(one.distance.most) +
                cell(upper_text(one, reasons), true) + cell(verdict_text(one)) + "</tr>\n";
    }
    Columns columns{{"address", false}};
    if (with_source) columns.emplace_back("source", false);
    columns.insert(columns.end(), {{"instruction", false},
                                   {"executed", true},
                                   {"its cycles", true},
                                   {"lower bound", true},
                                   {"least", true},
                                   {"most", true},
                                   {"upper bound", true},
                                   {"verdict", false}});
    std::string out =
        "<div class=\"code\">" +
        sortable_table("Cycles from the issue before to the issue of each instruction: least "
                       "and most measured between the bounds",
                       columns, rows) +
        "</div>\n";
    for (std::size_t i = 0; i < reasons.size(); ++i)
        out +=
            fmt::format("<p>({}) No upper bound is proved: {}.</p>\n", i + 1, escape(reasons[i]));
    return out;
}

} // namespace

std::string thread_trace_figure(const HeldThreadTrace& held, FigureSize size) {
    if (held.slots.empty()) return {};
    const std::size_t drawn = std::min(held.slots.size(), drawn_slot_limit);
    const Extent extent = size == FigureSize::Narrow ? narrow_extent
                          : drawn > 32               ? coarse_extent
                                                     : Extent{};
    const std::int64_t row = drawn > 40 ? 9 : 14;
    TimelineRows rows{extent, row - 2};
    std::string labels;
    std::string before;
    std::int64_t top = 4;
    for (std::size_t i = 0; i < drawn; ++i) {
        const std::string label = label_of(held.slots[i]);
        if (label != before) {
            top += i == 0 ? 0 : 6;
            labels += fmt::format("<text class=\"tick\" x=\"{}\" y=\"{}\" text-anchor=\"end\">{}"
                                  "</text>\n",
                                  extent.left - 8, top + 10, escape(label));
        }
        before = label;
        rows.add(held.slots[i].columns, top);
        top += row;
    }
    const auto right =
        extent.left + static_cast<std::int64_t>(trace_columns / extent.merged * extent.width);
    const Axis axis{0,
                    std::max(1.0, static_cast<double>(held.end - held.begin)),
                    {static_cast<double>(right + 20), static_cast<double>(extent.left),
                     static_cast<double>(right), size == FigureSize::Narrow ? 3 : 6}};
    const auto base = static_cast<double>(top + 4);
    return fmt::format("<svg viewBox=\"0 0 {0} {1:.0f}\" role=\"img\" aria-label=\"Timeline of the "
                       "wavefronts\"><title>Timeline of the wavefronts</title><desc>Wavefronts of "
                       "{2} slots over {3} cycles. The table below holds the times of their "
                       "instructions.</desc>\n",
                       right + 20, base + axis_height(std::nullopt), drawn, held.end - held.begin) +
           labels + rows.markup() +
           drawn_axis(axis, base, "cycles from the begin of the first wavefront", std::nullopt) +
           "</svg>\n";
}

std::string thread_trace_section(const HeldThreadTrace& held, bool outlasts,
                                 const SectionScope& scope) {
    std::string out = heading(scope, "thread-trace", "Recorded execution");
    if (outlasts)
        out += fmt::format("<p class=\"refuted\"><b>Refuted:</b> a wavefront lasts {} cycles ({}), "
                           "longer than the bound of its launch.</p>\n",
                           held.longest, escape(held.longest_file));
    if (held.outside > 0)
        out += fmt::format("<p class=\"refuted\"><b>Refuted:</b> {} issues lie outside their "
                           "bounds, the first of {}.</p>\n",
                           held.outside, escape(held.first_outside));
    out += fmt::format("<p>A thread trace recorded {} wavefronts of one compute unit, the longest "
                       "of {} cycles. {} issues were held against what the wavefront's own earlier "
                       "instructions enforce (docs/theory, S68), each against its own bounds: the "
                       "table has the least lower and the greatest upper one.</p>\n",
                       held.wavefronts, held.longest, held.held);
    const std::string rows =
        held.slots.size() > drawn_slot_limit
            ? fmt::format("the first {} of {} slots", drawn_slot_limit, held.slots.size())
            : fmt::format("{} slots", held.slots.size());
    return out +
           figure(thread_trace_figure(held, FigureSize::Wide),
                  thread_trace_figure(held, FigureSize::Narrow),
                  fmt::format(
                      "Timeline of the wavefronts: {}, grouped by SIMD. The height of a bar is the "
                      "share of the {:.1f} cycles of its column in which the wavefront issues or "
                      "executes, its colour what does so longest; the line below it is what "
                      "waits to issue",
                      rows,
                      static_cast<double>(held.end - held.begin) /
                          static_cast<double>(trace_columns))) +
           legend(held) + instruction_table(held);
}

} // namespace warpbound::certification
