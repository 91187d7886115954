/// \file
/// Parts that pages share.
#include "certification/page/html_parts.hpp"

#include "certification/page/chart.hpp"
#include "certification/page/html_style.hpp"

#include <fmt/format.h>

namespace warpbound::certification {

std::string heading(const SectionScope& scope, const std::string& id, const std::string& title) {
    return fmt::format("<h{0} id=\"{1}{2}\">{3}</h{0}>\n", scope.level, scope.prefix, id,
                       escape(title));
}

std::string cell(const std::string& text, bool number) {
    return fmt::format("<td{}>{}</td>", number ? " class=\"n\"" : "", escape(text));
}

std::string table(const std::string& caption,
                  const std::vector<std::pair<std::string, bool>>& columns,
                  const std::string& rows) {
    std::string head;
    for (const auto& [name, number] : columns)
        head +=
            fmt::format("<th scope=\"col\"{}>{}</th>", number ? " class=\"n\"" : "", escape(name));
    return fmt::format("<div class=\"box\" "
                       "tabindex=\"0\"><table><caption>{}</caption><thead><tr>{}</tr></"
                       "thead><tbody>\n{}</tbody></table></div>\n",
                       escape(caption), head, rows);
}

std::string figure(const std::string& drawing, const std::string& caption) {
    return fmt::format(
        "<figure><div class=\"box\" tabindex=\"0\"><div class=\"figure\">{}</div></div>"
        "<figcaption>{}</figcaption></figure>\n",
        drawing, escape(caption));
}

std::string card(const std::string& number, const std::string& text, const std::string& style) {
    return fmt::format("<div class=\"card{}\"><b>{}</b>{}</div>\n",
                       style.empty() ? "" : " " + style, escape(number), escape(text));
}

std::string page(const std::string& title, const std::string& body) {
    return "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n<meta "
           "name=\"viewport\" content=\"width=device-width, "
           "initial-scale=1\"/>\n<title>" +
           escape(title) + "</title>\n<style>" + std::string{html_style} +
           "</style>\n</head>\n<body>\n<a class=\"skip\" href=\"#main\">To the report</a>\n<main "
           "id=\"main\">\n" +
           body + "</main>\n</body>\n</html>\n";
}

} // namespace warpbound::certification
