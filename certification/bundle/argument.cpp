/// \file
/// The argument for a bundle's claims in Goal Structuring Notation.
#include "certification/bundle/canonical_json.hpp"
#include "certification/bundle/exports.hpp"
#include "certification/page/chart.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace warpbound::certification {

namespace {

/// Nodes and links in the order in which they are made.
class Argument {
public:
    void node(const std::string& id, const char* type, const std::string& what,
              bool undeveloped = false) {
        Json made{{"id", id}, {"type", type}, {"text", what}};
        if (undeveloped) made["undeveloped"] = true;
        nodes_.push_back(std::move(made));
    }
    void link(const std::string& from, const std::string& to, const char* kind) {
        links_.push_back({{"from", from}, {"to", to}, {"kind", kind}});
    }
    [[nodiscard]] Json json() const {
        return {{"notation", "GSN"}, {"nodes", nodes_}, {"links", links_}};
    }

private:
    Json nodes_ = Json::array();
    Json links_ = Json::array();
};

void add_kernel(Argument& argument, const Json& claims, const Json& kernel) {
    const std::string id = text(kernel, "id");
    const std::string goal = "G." + id;
    argument.node(goal, "goal",
                  fmt::format("Every run of {} with launch {} under policy {} on {} takes a time "
                              "within its claimed bounds.",
                              text(kernel, "kernel"), text(kernel, "launch"),
                              text(kernel, "policy"), text(kernel.at("architecture"), "name")));
    argument.link("S1", goal, "supported-by");
    argument.node("C." + id, "context",
                  fmt::format("Listing {}; machine description {}.", text(kernel, "listing"),
                              text(kernel.at("architecture"), "digest")));
    argument.link(goal, "C." + id, "in-context-of");
    for (const auto& claim : claims.at("claims")) {
        if (claim.at("kernel") != id) continue;
        const std::string solution = "Sn." + text(claim, "id");
        if (claim.at("kind") == "observed")
            argument.node(solution, "solution",
                          fmt::format("{} observed times of the {}, {} outside the bounds.",
                                      claim.at("count").get<std::int64_t>(),
                                      text(claim, "quantity"),
                                      claim.at("outside-bounds").get<std::int64_t>()));
        else
            argument.node(solution, "solution",
                          fmt::format("{} {} {} core cycles ({}), by {}.", text(claim, "quantity"),
                                      claim.at("side") == "upper" ? "at most" : "at least",
                                      claim.at("value").get<std::int64_t>(), text(claim, "kind"),
                                      text(claim.at("proof"), "rule")));
        argument.link(goal, solution, "supported-by");
    }
}

struct Box {
    int x = 0;
    int y = 0;
};

constexpr int width = 300;
constexpr int height = 92;

/// The text in lines that fit a box.
std::string lines(const std::string& words, int x, int y) {
    constexpr std::size_t longest = 44;
    constexpr int most = 5;
    std::string out;
    std::size_t start = 0;
    for (int line = 0; line < most && start < words.size(); ++line) {
        std::size_t end = std::min(start + longest, words.size());
        if (end < words.size())
            if (const std::size_t space = words.rfind(' ', end);
                space != std::string::npos && space > start)
                end = space;
        std::string part = words.substr(start, end - start);
        start = end < words.size() && words[end] == ' ' ? end + 1 : end;
        if (line == most - 1 && start < words.size()) part += " ..";
        out += fmt::format("<text x=\"{}\" y=\"{}\">{}</text>", x, y + 15 * line, escape(part));
    }
    return out;
}

std::string shape(const Json& node, const Box& at) {
    const std::string type = text(node, "type");
    std::string outline;
    if (type == "strategy")
        outline = fmt::format("<path d=\"M{} {}h{}l-12 {}h-{}z\"/>", at.x + 12, at.y, width - 12,
                              height, width - 12);
    else
        outline = fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"{}\"/>",
                              at.x, at.y, width, height,
                              type == "solution"                          ? 46
                              : type == "context" || type == "assumption" ? 18
                                                                          : 0);
    const int inner = type == "solution" ? 30 : 14;
    std::string out = "<g><title>" + escape(text(node, "text")) + "</title>" + outline +
                      fmt::format("<text class=\"id\" x=\"{}\" y=\"{}\">{} {}</text>", at.x + inner,
                                  at.y + 17, escape(text(node, "id")), type) +
                      lines(text(node, "text"), at.x + inner, at.y + 33);
    if (node.contains("undeveloped"))
        out += fmt::format("<path class=\"open\" d=\"M{0} {1}l9 9l-9 9l-9 -9z\"/>",
                           at.x + width / 2, at.y + height);
    return out + "</g>\n";
}

} // namespace

Json argument_of(const Json& claims) {
    Argument argument;
    argument.node(
        "G1", "goal",
        "The times of all kernels of this bundle lie within the claimed bounds, under the "
        "assumptions of the register.");
    argument.node(
        "S1", "strategy",
        "Argue kernel by kernel: each bound follows from its path certificates and is compared "
        "with every observed time.");
    argument.link("G1", "S1", "supported-by");
    const auto open = claims.at("unchecked-assumptions").get<std::int64_t>();
    argument.node("A1", "assumption",
                  fmt::format("The register in claims.json: {} assumptions, {} unchecked.",
                              claims.at("assumptions").size(), open));
    argument.link("G1", "A1", "in-context-of");
    for (const auto& kernel : claims.at("kernels"))
        add_kernel(argument, claims, kernel);
    const std::pair<const char*, const char*> undeveloped[] = {
        {"G2", "The machine descriptions are those of the devices in use."},
        {"G3", "Every unchecked assumption of the register holds in the system."},
        {"G4", "The confidence in this tool suffices for its use."}};
    for (const auto& [id, what] : undeveloped) {
        argument.node(id, "goal", what, true);
        argument.link("G1", id, "supported-by");
    }
    return argument.json();
}

std::string drawing_of_argument(const Json& argument) {
    // One row per node; a supporting node is indented one column more than the supported one.
    std::map<std::string, Box> boxes;
    std::map<std::string, int> depth{{"G1", 0}};
    int row = 0;
    for (const auto& node : argument.at("nodes")) {
        const std::string id = text(node, "id");
        for (const auto& link : argument.at("links"))
            if (link.at("to") == id) depth[id] = depth[text(link, "from")] + 1;
        boxes[id] = {20 + depth[id] * 60, 20 + row * (height + 26)};
        ++row;
    }
    std::string links;
    for (const auto& link : argument.at("links")) {
        const Box& from = boxes.at(text(link, "from"));
        const Box& to = boxes.at(text(link, "to"));
        links += fmt::format("<path class=\"{}\" d=\"M{} {}V{}H{}\"/>\n",
                             link.at("kind") == "supported-by" ? "by" : "context", from.x + 24,
                             from.y + height, to.y + height / 2, to.x);
    }
    std::string shapes;
    int right = 0;
    for (const auto& node : argument.at("nodes")) {
        const Box& at = boxes.at(text(node, "id"));
        right = std::max(right, at.x + width);
        shapes += shape(node, at);
    }
    const int bottom = 20 + row * (height + 26);
    return fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" "
        "height=\"{1}\" role=\"img\" aria-label=\"Argument in Goal Structuring Notation\">\n"
        "<style>rect,path{{fill:#fff;stroke:#333}}path.by,path.context{{fill:none}}"
        "path.context{{stroke-dasharray:4 3}}text{{font:12px sans-serif;fill:#111}}"
        ".id{{font-weight:600}}</style>\n{2}{3}</svg>\n",
        right + 20, bottom, links, shapes);
}

} // namespace warpbound::certification
