#pragma once
/// \file
/// Branches that wait for all scoreboards, so that no loop has more than 63 operations in flight
/// (C85).

#include <regex>
#include <sstream>
#include <string>

namespace warpbound::tests {

/// A line of a bare listing with control fields; other lines than branches stay as they are.
inline std::string waiting_at_branch(std::string line) {
    static const std::regex waits{" &req=[{][^}]*[}]"};
    if (line.find("BRA") == std::string::npos) return line;
    line = std::regex_replace(line, waits, "");
    if (const auto stall = line.find(" ?"); stall != std::string::npos)
        line.insert(stall, " &req={0,1,2,3,4,5}");
    return line;
}

/// All lines of a listing.
inline std::string waiting_at_branches(const std::string& text) {
    std::istringstream lines{text};
    std::string result;
    for (std::string line; std::getline(lines, line);)
        result += waiting_at_branch(line) + "\n";
    return result;
}

} // namespace warpbound::tests
