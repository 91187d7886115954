#include "certification/bundle/review_form.hpp"

#include "certification/page/chart.hpp"
#include "certification/page/html_parts.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <vector>

namespace warpbound::certification {

namespace {

std::string box(const std::string& markup) {
    return "<label><input type=\"checkbox\"/> " + markup + "</label>\n";
}

std::string text_line(const std::string& label) {
    return fmt::format("<label>{} <input type=\"text\"/></label>\n", escape(label));
}

std::string check_list(const Json& claims) {
    std::string out =
        box("The report id that <code>warpbound verify</code> prints is the published one.") +
        box("<code>warpbound verify</code> on the folder passes every step, or each step that does "
            "not is explained below.") +
        box("The digest of each listing is that of the code on the device (section Inputs and "
            "versions of each kernel).") +
        box("Kernel, launch, policy and number of multiprocessors are those of the application.");
    if (claims.at("requirements").empty())
        out += box("No requirement is part of this bundle: the bounds are compared with the "
                   "deadlines elsewhere.");
    for (const auto& requirement : claims.at("requirements"))
        out +=
            box(escape(fmt::format("Requirement {} ({}) is the one of the system; its verdict is "
                                   "{}.",
                                   text(requirement, "id"), text(requirement, "kernel-name"),
                                   text(requirement, "verdict"))));
    return out + box("The gap between each bound and the worst observed time is understood.") +
           box("What no number covers is accounted for elsewhere.");
}

std::string accepted_assumptions(const Json& claims) {
    std::string rows;
    for (const auto& assumption : claims.at("assumptions")) {
        if (text(assumption, "status") != "unchecked") continue;
        const std::string id = text(assumption, "id");
        rows += "<tr>" + cell(id) + cell(text(assumption, "text")) +
                fmt::format("<td><input type=\"checkbox\" aria-label=\"{0} accepted\"/></td>"
                            "<td><input type=\"text\" aria-label=\"Reason for {0}\"/></td></tr>\n",
                            escape(id));
    }
    if (rows.empty()) return "<p>No assumption is unchecked.</p>\n";
    return table("Unchecked assumptions: accepted, and why",
                 {{"id", false}, {"assumption", false}, {"accepted", false}, {"reason", false}},
                 rows);
}

} // namespace

std::string review_form(const Json& claims) {
    return heading({}, "review", "Review and sign-off") +
           "<form class=\"form\">\n<p>Tick what was checked, then print or save the page as PDF: "
           "entries are not kept.</p>\n<h3 id=\"check-list\">Check-list</h3>\n" +
           check_list(claims) + "<h3 id=\"accepted\">Unchecked assumptions</h3>\n" +
           accepted_assumptions(claims) + "<h3 id=\"sign-off\">Sign-off</h3>\n" +
           "<label>Findings and conditions <textarea rows=\"4\" cols=\"40\"></textarea></label>\n" +
           box("Accepted as stated.") + box("Accepted with the conditions above.") +
           box("Rejected.") + text_line("Reviewer, role") + text_line("Report id") +
           text_line("Date") + text_line("Signature") + "</form>\n";
}

} // namespace warpbound::certification
