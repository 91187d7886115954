#pragma once
/// \file
/// A random kernel and a machine whose register banks it reads through ports (C60 to C62).

#include "models/architecture/architecture.hpp"
#include "tests/support/made_values.hpp"
#include "tests/support/waits_at_transfers.hpp"

#include <random>
#include <regex>
#include <sstream>
#include <string>
#include <utility>

namespace warpbound::tests {

/// Gives the machine read ports, and many arithmetic operands `.reuse`. Increments of scoreboards
/// are seen late on some machines (C85).
inline void read_through_ports(models::Architecture& machine, std::string& text,
                               std::mt19937_64& random) {
    const auto banks = static_cast<std::int64_t>(random() % 2 + 1);
    put_value(machine, "register-file/banks", {banks, banks, banks});
    put_value(machine, "register-file/read-ports", {1, 1, 1});
    const auto window = static_cast<std::int64_t>(random() % 3 + 1);
    put_value(machine, "register-file/read-window", {window, window, window});
    put_value(machine, "register-file/reuse-slots", {3, 3, 3});
    const bool sees_late =
        machine.issue_control == models::IssueControl::Encoded && random() % 2 == 0;
    if (sees_late)
        put_value(machine, "schedulers/counter-delay",
                  {static_cast<std::int64_t>(random() % 2), std::nullopt, 1});
    static const std::regex source{", (R[0-9]+)"};
    std::istringstream lines{text};
    std::string result;
    for (std::string line; std::getline(lines, line);) {
        const bool is_arithmetic = line.find(" F") != std::string::npos;
        const auto choice = random() % 3;
        if (is_arithmetic && choice > 0)
            line = std::regex_replace(line, source, ", $1.reuse",
                                      choice == 1 ? std::regex_constants::format_first_only
                                                  : std::regex_constants::format_default);
        if (sees_late) line = waiting_at_branch(line);
        result += line + "\n";
    }
    text = std::move(result);
}

} // namespace warpbound::tests
