/// \file
/// Parts that pages share.
#include "certification/page/html_parts.hpp"

#include "certification/page/chart.hpp"
#include "certification/page/html_style.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace warpbound::certification {

std::string heading(const SectionScope& scope, const std::string& id, const std::string& title) {
    return fmt::format("<h{0} id=\"{1}{2}\">{3}</h{0}>\n", scope.level, scope.prefix, id,
                       escape(title));
}

std::string cell(const std::string& text, bool number) {
    return fmt::format("<td{}>{}</td>", number ? " class=\"n\"" : "", escape(text));
}

std::string long_cell(const std::string& text) {
    constexpr std::size_t longest = 400;
    constexpr std::size_t shown = 200;
    const auto end = text.rfind(' ', shown);
    if (text.size() <= longest || end == std::string::npos) return cell(text);
    return fmt::format("<td>{} ..<details><summary>all of it</summary>{}</details></td>",
                       escape(text.substr(0, end)), escape(text));
}

namespace {

std::string table_of(const std::string& caption, const Columns& columns, const std::string& rows,
                     bool sortable) {
    std::string head;
    for (const auto& [name, number] : columns)
        head +=
            fmt::format("<th scope=\"col\"{}>{}</th>", number ? " class=\"n\"" : "", escape(name));
    return fmt::format("<div class=\"box\" "
                       "tabindex=\"0\"><table{}><caption>{}</caption><thead><tr>{}</tr></"
                       "thead><tbody>\n{}</tbody></table></div>\n",
                       sortable ? " class=\"sortable\"" : "", escape(caption), head, rows);
}

/// Makes the heads of sortable tables buttons. Free of characters that XML would read as markup.
constexpr const char* script = R"js(
const units = { s: 1e9, ms: 1e6, 'µs': 1e3, ns: 1 };
document.querySelectorAll('table.sortable').forEach(table => {
  const body = table.tBodies[0];
  const first = Array.from(body.rows);
  table.querySelectorAll('thead th').forEach((head, column) => {
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = head.textContent;
    head.replaceChildren(button);
    const text = row => row.cells[column].textContent;
    const number = row => (parseFloat(text(row)) || 0) * (units[text(row).split(' ').pop()] || 1);
    button.addEventListener('click', () => {
      const falling = head.getAttribute('aria-sort') === 'descending';
      table.querySelectorAll('th').forEach(other => other.removeAttribute('aria-sort'));
      head.setAttribute('aria-sort', falling ? 'ascending' : 'descending');
      const sorted = first.slice().sort((a, b) => head.classList.contains('n')
        ? number(b) - number(a) : text(b).localeCompare(text(a)));
      body.replaceChildren(...(falling ? sorted.reverse() : sorted));
    });
  });
});
)js";

/// A link to each section of a page. Empty for fewer than three.
std::string contents_of(const std::string& body) {
    constexpr std::string_view begin = "<h2 id=\"";
    std::string list;
    std::size_t count = 0;
    for (std::size_t at = body.find(begin); at != std::string::npos;
         at = body.find(begin, at + 1)) {
        const std::size_t id = at + begin.size();
        const std::size_t id_end = body.find("\">", id);
        const std::size_t end = body.find("</h2>", id);
        list += fmt::format("<li><a href=\"#{}\">{}</a></li>\n", body.substr(id, id_end - id),
                            body.substr(id_end + 2, end - id_end - 2));
        ++count;
    }
    constexpr std::size_t few = 3;
    if (count < few) return {};
    return "<nav aria-label=\"Contents\"><b>Contents</b>\n<ol>\n" + list + "</ol></nav>\n";
}

} // namespace

std::string table(const std::string& caption, const Columns& columns, const std::string& rows) {
    return table_of(caption, columns, rows, false);
}

std::string sortable_table(const std::string& caption, const Columns& columns,
                           const std::string& rows) {
    return table_of(caption, columns, rows, true);
}

std::string figure(const std::string& wide, const std::string& narrow, const std::string& caption) {
    return fmt::format("<figure><div class=\"wide\">{}</div><div class=\"narrow\">{}</div>"
                       "<figcaption>{}</figcaption></figure>\n",
                       wide, narrow, escape(caption));
}

std::string card(const std::string& number, const std::string& text, const std::string& style) {
    return fmt::format("<div class=\"card{}\"><b>{}</b>{}</div>\n",
                       style.empty() ? "" : " " + style, escape(number), escape(text));
}

std::string page(const std::string& title, const std::string& body) {
    // The first section may begin inside an element that groups it.
    std::size_t first = std::min(body.find("<h2 id="), body.size());
    if (const std::size_t group = body.rfind("<section", first);
        group != std::string::npos && body.find('>', group) + 2 >= first)
        first = group;
    const bool sorts = body.find("class=\"sortable\"") != std::string::npos;
    return "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n<meta "
           "name=\"viewport\" content=\"width=device-width, "
           "initial-scale=1\"/>\n<title>" +
           escape(title) + "</title>\n<style>" + std::string{html_style} +
           "</style>\n</head>\n<body>\n<a class=\"skip\" href=\"#main\">To the report</a>\n<main "
           "id=\"main\">\n" +
           body.substr(0, first) + contents_of(body) + body.substr(first) + "</main>\n" +
           (sorts ? "<script>" + std::string{script} + "</script>\n" : "") + "</body>\n</html>\n";
}

} // namespace warpbound::certification
