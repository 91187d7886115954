#pragma once
/// \file
/// Headings of Markdown pages and the anchors that links name them by.

#include <cctype>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace warpbound::tests {

/// The anchor of a heading as GitHub makes it: lower case, no punctuation, hyphens for blanks.
inline std::string anchor_of(const std::string& heading) {
    std::string anchor;
    for (const char letter : heading) {
        const auto code = static_cast<unsigned char>(letter);
        if (std::isalnum(code) || code >= 0x80 || letter == '_' || letter == '-')
            anchor += static_cast<char>(std::tolower(code));
        else if (letter == ' ')
            anchor += '-';
    }
    return anchor;
}

/// The texts of all headings of a page in order, without the marks of a link or of code.
inline std::vector<std::string> headings_of(const std::filesystem::path& page) {
    std::vector<std::string> headings;
    std::ifstream text{page};
    bool fenced = false;
    for (std::string line; std::getline(text, line);) {
        if (line.rfind("```", 0) == 0) fenced = !fenced;
        const auto begin = line.find_first_not_of('#');
        if (!fenced && begin != 0 && begin != std::string::npos && line[begin] == ' ')
            headings.push_back(line.substr(begin + 1));
    }
    return headings;
}

} // namespace warpbound::tests
