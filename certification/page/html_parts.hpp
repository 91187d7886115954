#pragma once
/// \file
/// Parts of pages: all texts are escaped here.

#include <string>
#include <utility>
#include <vector>

namespace warpbound::certification {

/// Where a part stands: the level of its headings, and what its ids begin with.
struct Place {
    int level = 2;
    std::string prefix;
};
/// A heading that links can lead to.
std::string heading(const Place& place, const std::string& id, const std::string& title);

/// A table cell; `number` aligns to the right.
std::string cell(const std::string& text, bool number = false);

/// `columns`: names, and whether they hold numbers; `rows`: markup.
std::string table(const std::string& caption,
                  const std::vector<std::pair<std::string, bool>>& columns,
                  const std::string& rows);

/// A figure in a box that scrolls; its caption names the table behind it.
std::string figure(const std::string& drawing, const std::string& caption);

/// A number of the summary with what it is.
std::string card(const std::string& number, const std::string& text, const std::string& style = "");

/// A self-contained page: style inline, no network, no script. `body`: markup.
std::string page(const std::string& title, const std::string& body);

} // namespace warpbound::certification
