#include "certification/report/timeline_figure.hpp"

#include "certification/page/chart.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace warpbound::certification {

namespace {

/// Extent of the rows.
struct Rows {
    std::int64_t left = 70;
    std::int64_t columns = 780;
};
constexpr Rows narrow_rows{.left = 62, .columns = 304};

/// One SVG path with a mark for each run of consecutive columns in which the warp issued.
std::string marks(const Rows& rows, const std::vector<std::int64_t>& issues, std::int64_t end,
                  double top, double height) {
    std::vector<bool> dark(static_cast<std::size_t>(rows.columns), false);
    for (const std::int64_t cycle : issues)
        dark[static_cast<std::size_t>(std::min(
            rows.columns - 1, cycle * rows.columns / std::max<std::int64_t>(1, end)))] = true;
    std::string path;
    for (std::int64_t column = 0; column < rows.columns;) {
        std::int64_t next = column;
        while (next < rows.columns && dark[static_cast<std::size_t>(next)])
            ++next;
        if (next > column)
            path += fmt::format("M{} {:.0f}h{}v{:.0f}h-{}z", rows.left + column, top, next - column,
                                height, next - column);
        column = std::max(next, column + 1);
    }
    return path;
}

} // namespace

std::string timeline_figure(const std::string& title, const harness::Timeline& timeline,
                            std::int64_t end, FigureSize size) {
    const Rows rows = size == FigureSize::Narrow ? narrow_rows : Rows{};
    const double row = timeline.issues.size() > 24 ? 6 : 12;
    const double base = 6 + row * static_cast<double>(timeline.issues.size());
    std::string out = fmt::format(
        "<svg viewBox=\"0 0 {0} {1:.0f}\" role=\"img\" aria-label=\"{2}\"><title>{2}</title><desc>"
        "Issues of {3} warps over {4} core cycles.</desc>\n",
        rows.left + rows.columns + 10, base + 24, escape(title), timeline.issues.size(),
        timeline.time);
    for (std::size_t warp = 0; warp < timeline.issues.size(); ++warp) {
        const double top = 4 + row * static_cast<double>(warp);
        if (warp % (row < 12 ? 8 : 4) == 0)
            out += fmt::format("<text class=\"tick\" x=\"{}\" y=\"{:.0f}\" "
                               "text-anchor=\"end\">warp {}</text>\n",
                               rows.left - 8, top + row - 1, warp);
        out += fmt::format("<path class=\"bar\" d=\"{}\"/>\n",
                           marks(rows, timeline.issues[warp], end, top, row - 2));
    }
    out +=
        fmt::format("<line class=\"axis\" x1=\"{0}\" y1=\"{1:.0f}\" x2=\"{2}\" y2=\"{1:.0f}\"/>\n"
                    "<text class=\"tick\" x=\"{0}\" y=\"{3:.0f}\">0</text>\n"
                    "<text class=\"tick\" x=\"{2}\" y=\"{3:.0f}\" text-anchor=\"end\">{4} "
                    "cycles</text>\n</svg>\n",
                    rows.left, base, rows.left + rows.columns, base + 18, end);
    return out;
}

} // namespace warpbound::certification
