#include "certification/pipeline/stage_diagram.hpp"

#include "certification/page/escape.hpp"
#include "certification/pipeline/figure_text.hpp"
#include "certification/pipeline/pipeline_wording.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace warpbound::certification {

namespace {

constexpr std::size_t most_columns = 6; ///< Of a wide drawing.

struct Box {
    double x = 0;
    double y = 0;
    double width = 0;
    double height = 40;

    [[nodiscard]] double middle() const { return y + height / 2; }
};

/// Direct orders without those that follow from others. Shape: [stage][stage before it].
std::vector<std::vector<std::size_t>> edges_of(const models::Pipeline& pipeline) {
    const std::size_t count = pipeline.stages.size();
    std::vector<std::vector<bool>> before(count, std::vector<bool>(count, false));
    std::vector<std::vector<std::size_t>> edges(count);
    for (std::size_t i = 0; i < count; ++i) {
        const auto& after = pipeline.stages[i].after;
        for (const std::size_t direct : after)
            for (std::size_t j = 0; j < count; ++j)
                before[i][j] = before[i][j] || j == direct || before[direct][j];
        for (const std::size_t direct : after)
            if (std::none_of(after.begin(), after.end(),
                             [&](std::size_t other) { return before[other][direct]; }))
                edges[i].push_back(direct);
    }
    return edges;
}

/// Longest chain of stages before each.
std::vector<std::size_t> columns_of(const models::Pipeline& pipeline) {
    std::vector<std::size_t> columns(pipeline.stages.size(), 0);
    for (std::size_t i = 0; i < columns.size(); ++i)
        for (const std::size_t before : pipeline.stages[i].after)
            columns[i] = std::max(columns[i], columns[before] + 1);
    return columns;
}

/// Other pipelines and clients that use the server.
std::string others_on(const PipelineReport& report, std::size_t pipeline, std::size_t server) {
    std::vector<std::string> names;
    for (std::size_t p = 0; p < report.system.pipelines.size(); ++p)
        if (p != pipeline && std::any_of(report.system.pipelines[p].stages.begin(),
                                         report.system.pipelines[p].stages.end(),
                                         [&](const auto& stage) { return stage.server == server; }))
            names.push_back(report.system.pipelines[p].name);
    for (const auto& client : report.system.clients)
        if (std::any_of(client.operations.begin(), client.operations.end(),
                        [&](const auto& operation) { return operation.server == server; }))
            names.push_back(client.name);
    return fmt::format("{}", fmt::join(names, ", "));
}

std::string arrow(double x1, double y1, double x2, double y2, bool is_vertical) {
    const double bend = is_vertical ? (y2 - y1) / 2 : (x2 - x1) / 2;
    const std::string line =
        is_vertical ? fmt::format("M{:.1f} {:.1f}C{:.1f} {:.1f} {:.1f} {:.1f} {:.1f} {:.1f}", x1,
                                  y1, x1, y1 + bend, x2, y2 - bend, x2, y2)
                    : fmt::format("M{:.1f} {:.1f}C{:.1f} {:.1f} {:.1f} {:.1f} {:.1f} {:.1f}", x1,
                                  y1, x1 + bend, y1, x2 - bend, y2, x2, y2);
    const std::string head = is_vertical ? fmt::format("M{:.1f} {:.1f}l-4 -7h8z", x2, y2)
                                         : fmt::format("M{:.1f} {:.1f}l-7 -4v8z", x2, y2);
    return fmt::format("<path class=\"edge\" d=\"{}\"/><path class=\"edge-head\" d=\"{}\"/>\n",
                       line, head);
}

class Diagram {
public:
    Diagram(const PipelineReport& report, std::size_t pipeline)
        : report_{report}, index_{pipeline}, pipeline_{report.system.pipelines[pipeline]},
          edges_{edges_of(pipeline_)}, columns_{columns_of(pipeline_)} {}

    [[nodiscard]] bool is_short() const {
        return *std::max_element(columns_.begin(), columns_.end()) < most_columns;
    }

    /// Lanes from top to bottom.
    std::string wide() {
        constexpr double left = 176;
        constexpr double right = 810;
        constexpr double row = 50;
        const auto count =
            static_cast<double>(*std::max_element(columns_.begin(), columns_.end()) + 1);
        const double pitch = (right - left) / count;
        boxes_.resize(pipeline_.stages.size());
        std::string lanes;
        double top = 4;
        for (const auto& lane : lanes_of()) {
            double rows = 1;
            for (const std::size_t stage : lane.stages) {
                double above = 0; // Stages of the lane in the same column.
                for (const std::size_t other : lane.stages)
                    if (other < stage && columns_[other] == columns_[stage]) ++above;
                rows = std::max(rows, above + 1);
                boxes_[stage] = {left + pitch * static_cast<double>(columns_[stage]) + 12,
                                 top + 8 + row * above, std::min(pitch - 24, 170.0)};
            }
            lanes += lane_text(lane, top, rows * row + 6);
            top += rows * row + 10;
        }
        std::string out = opening(960, top) + lanes;
        for (std::size_t i = 0; i < boxes_.size(); ++i)
            for (const std::size_t before : edges_[i])
                out += arrow(boxes_[before].x + boxes_[before].width, boxes_[before].middle(),
                             boxes_[i].x, boxes_[i].middle(), false);
        for (std::size_t i = 0; i < boxes_.size(); ++i)
            out += box_text(i, detail(i, false));
        return out + "</svg>\n";
    }

    /// A row per stage.
    std::string rows(FigureSize size) {
        const bool narrow = size == FigureSize::Narrow;
        constexpr double row = 62;
        boxes_.resize(pipeline_.stages.size());
        for (std::size_t i = 0; i < boxes_.size(); ++i)
            boxes_[i] = {narrow ? 52.0 : 240.0, 4 + row * static_cast<double>(i),
                         narrow ? 320.0 : 480.0};
        std::string out =
            opening(narrow ? 380 : 960, row * static_cast<double>(boxes_.size()) - 12);
        for (std::size_t i = 0; i < boxes_.size(); ++i)
            for (const std::size_t before : edges_[i])
                out += row_edge(before, i);
        for (std::size_t i = 0; i < boxes_.size(); ++i)
            out += box_text(i, detail(i, true));
        return out + "</svg>\n";
    }

private:
    struct Lane {
        std::string name;
        std::string order;
        std::string others;
        std::vector<std::size_t> stages;
    };

    [[nodiscard]] std::vector<Lane> lanes_of() const {
        std::vector<Lane> lanes;
        const auto add = [&](std::optional<std::size_t> server) {
            Lane lane;
            for (std::size_t i = 0; i < pipeline_.stages.size(); ++i)
                if (pipeline_.stages[i].server == server) lane.stages.push_back(i);
            if (lane.stages.empty()) return;
            lane.name = server_name(report_, pipeline_.stages[lane.stages.front()]);
            if (server) {
                const auto& known = report_.system.servers[*server];
                lane.order = fmt::format("order {}", to_string(known.order));
                if (known.multiprocessors > 0)
                    lane.order = fmt::format("{} SMs, {}", known.multiprocessors, lane.order);
                lane.others = others_on(report_, index_, *server);
            }
            lanes.push_back(std::move(lane));
        };
        add(std::nullopt);
        for (std::size_t s = 0; s < report_.system.servers.size(); ++s)
            add(s);
        return lanes;
    }

    [[nodiscard]] static std::string lane_text(const Lane& lane, double top, double height) {
        std::string out = fmt::format(
            "<rect class=\"lane\" x=\"1\" y=\"{:.1f}\" width=\"958\" height=\"{:.1f}\"/><text "
            "x=\"10\" y=\"{:.1f}\">{}</text><text class=\"tick\" x=\"10\" y=\"{:.1f}\">{}</text>\n",
            top, height, top + 24, escape(shortened(lane.name, 22)), top + 42, escape(lane.order));
        if (lane.others.empty()) return out;
        return out + fmt::format("<rect class=\"other\" x=\"822\" y=\"{:.1f}\" width=\"130\" "
                                 "height=\"40\"/><text class=\"tick\" x=\"830\" "
                                 "y=\"{:.1f}\">shared with</text><text class=\"tick\" x=\"830\" "
                                 "y=\"{:.1f}\">{}<title>{}</title></text>\n",
                                 top + 8, top + 24, top + 41, escape(shortened(lane.others, 17)),
                                 escape(lane.others));
    }

    [[nodiscard]] std::string opening(double width, double height) const {
        std::string text;
        for (std::size_t i = 0; i < pipeline_.stages.size(); ++i)
            text += fmt::format("{}{} on {}", i == 0 ? "" : ", ", pipeline_.stages[i].name,
                                server_name(report_, pipeline_.stages[i]));
        return fmt::format("<svg viewBox=\"0 0 {} {:.0f}\" role=\"img\" aria-label=\"{}\"><title>"
                           "{}</title><desc>{}.</desc>\n",
                           width, height, escape("Stages of " + pipeline_.name),
                           escape("Stages of " + pipeline_.name), escape(text));
    }

    [[nodiscard]] std::string detail(std::size_t stage, bool with_server) const {
        const auto& known = pipeline_.stages[stage];
        std::string text = at_most_text(known.time->upper().count());
        if (with_server) text = fmt::format("{}, {}", server_name(report_, known), text);
        if (known.server && known.stream != pipeline_.name) text += ", stream " + known.stream;
        return text;
    }

    [[nodiscard]] std::string box_text(std::size_t stage, const std::string& detail) const {
        const Box& box = boxes_[stage];
        const auto& chain = report_.together.pipelines[index_].chain;
        const bool on_chain = std::find(chain.begin(), chain.end(), stage) != chain.end();
        const auto letters = static_cast<std::size_t>((box.width - 12) / 7.2);
        const std::string& name = pipeline_.stages[stage].name;
        // Words that do not fit are left to the title of the box; a half stream names none.
        const auto stream = detail.rfind(", stream ");
        const std::string seen = detail.size() > letters ? detail.substr(0, stream) : detail;
        return fmt::format(
            "<g><title>{}: {}</title><rect class=\"stage{}\" x=\"{:.1f}\" y=\"{:.1f}\" "
            "width=\"{:.1f}\" height=\"{:.1f}\" rx=\"4\"/><text x=\"{:.1f}\" y=\"{:.1f}\">{}</text>"
            "<text class=\"tick\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text></g>\n",
            escape(name), escape(detail), on_chain ? " on-chain" : "", box.x, box.y, box.width,
            box.height, box.x + 8, box.y + 17, escape(shortened(name, letters)), box.x + 8,
            box.y + 34, escape(shortened(seen, letters)));
    }

    /// Straight down to the next row, at the left past others.
    [[nodiscard]] std::string row_edge(std::size_t from, std::size_t to) const {
        const Box& a = boxes_[from];
        const Box& b = boxes_[to];
        if (to == from + 1) return arrow(a.x + 40, a.y + a.height, b.x + 40, b.y, true);
        const double side = a.x - 10 - 8 * static_cast<double>((to + from) % 5);
        return fmt::format("<path class=\"edge\" d=\"M{:.1f} {:.1f}H{:.1f}V{:.1f}H{:.1f}\"/><path "
                           "class=\"edge-head\" d=\"M{:.1f} {:.1f}l-7 -4v8z\"/>\n",
                           a.x, a.middle() + 6, side, b.middle() - 6, b.x, b.x, b.middle() - 6);
    }

    const PipelineReport& report_;
    std::size_t index_;
    const models::Pipeline& pipeline_;
    std::vector<std::vector<std::size_t>> edges_;
    std::vector<std::size_t> columns_;
    std::vector<Box> boxes_;
};

} // namespace

std::string stage_diagram(const PipelineReport& report, std::size_t pipeline, FigureSize size) {
    Diagram diagram{report, pipeline};
    if (size == FigureSize::Wide && diagram.is_short()) return diagram.wide();
    return diagram.rows(size);
}

} // namespace warpbound::certification
