#pragma once
/// \file
/// The rows of a kept measurement: comma-separated values below comments and a header.

#include <fstream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace warpbound::tests {

/// Cells by row, without comments and header. Empty when the file cannot be read.
inline std::vector<std::vector<std::string>> measured_rows(const std::string& name) {
    std::ifstream file{std::string{WARPBOUND_SILICON} + "/" + name};
    std::vector<std::vector<std::string>> rows;
    bool header = true;
    for (std::string line; std::getline(file, line);) {
        if (line.empty() || line.front() == '#') continue;
        if (header) {
            header = false;
            continue;
        }
        std::vector<std::string> cells;
        std::istringstream text{line};
        for (std::string cell; std::getline(text, cell, ',');)
            cells.push_back(cell);
        rows.push_back(std::move(cells));
    }
    return rows;
}

} // namespace warpbound::tests
