#pragma once
/// \file
/// Building blocks of HTML pages; they escape every text.

#include <string>
#include <utility>
#include <vector>

namespace warpbound::certification {

/// Where a section stands in the page: level of its headings and prefix of its ids.
struct SectionScope {
    int level = 2;
    std::string prefix;
};
/// A heading with an id that links can refer to.
std::string heading(const SectionScope& scope, const std::string& id, const std::string& title);

/// A table cell; `number` aligns to the right.
std::string cell(const std::string& text, bool number = false);

/// A table cell whose long text is cut; a click shows all of it.
std::string long_cell(const std::string& text);

using Columns = std::vector<std::pair<std::string, bool>>; ///< Names; whether they hold numbers.

/// `rows`: markup.
std::string table(const std::string& caption, const Columns& columns, const std::string& rows);
/// A click on the head of a column sorts the rows by it, where scripts run.
std::string sortable_table(const std::string& caption, const Columns& columns,
                           const std::string& rows);

/// A figure with its caption: drawn for a wide window and for a narrow one.
std::string figure(const std::string& wide, const std::string& narrow, const std::string& caption);

/// A number of the summary with its meaning.
std::string card(const std::string& number, const std::string& text, const std::string& style = "");

/// A self-contained page: style inline, no network; the inline script sorts tables only. A list of
/// the sections stands before the first one. `body`: markup.
std::string page(const std::string& title, const std::string& body);

} // namespace warpbound::certification
