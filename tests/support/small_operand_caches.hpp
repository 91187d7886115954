#pragma once
/// \file
/// Machines with caches of constant operands of few lines (C81, C82), and kernels with constants,
/// so that all lines of a kernel stay in them, some, or none.

#include "models/architecture/architecture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <sstream>
#include <string>

namespace warpbound::tests {

/// Adds random caches. `random(most)`: 0 to most - 1.
template <typename Random> void add_operand_caches(models::Architecture& machine, Random random) {
    models::ValueGroup group;
    group.name = "constant";
    const auto give = [&](const char* name, std::int64_t lo, std::int64_t hi) {
        models::SourcedValue value;
        value.name = name;
        const std::string text{name};
        value.unit = text == "line" ? "bytes" : text == "miss" || text == "hold" ? "cycles" : "1";
        value.interval = models::Interval{lo, std::nullopt, hi};
        value.source = "made up";
        value.grade = models::Grade::Inferred;
        group.values.push_back(value);
    };
    const std::int64_t sets = 1 + random(4);
    const std::int64_t ways = 1 + random(4);
    const std::int64_t line = std::int64_t{16} << static_cast<unsigned>(random(3));
    const std::int64_t miss = 1 + random(random(2) == 0 ? 6 : 120);
    // Sometimes what delays is that others hold the scheduler.
    const std::int64_t hold = 1 + random(random(3) == 0 ? 40 : 8);
    give("sets", sets, sets);
    give("ways", ways, ways + random(3));
    give("line", line, line);
    give("miss", miss, miss + random(100));
    give("hold", 1 + random(hold), hold);
    if (random(5) == 0) give("warm", 1, 1);
    std::erase_if(machine.memories,
                  [](const models::ValueGroup& memory) { return memory.name == "constant"; });
    machine.memories.push_back(group);
}

/// The text of a kernel in which last operands of arithmetic become constants.
template <typename Random> std::string with_constants(const std::string& text, Random random) {
    const std::int64_t words = 1 + random(48);
    const std::int64_t often = 1 + random(4);
    std::istringstream lines{text};
    std::string changed;
    for (std::string line; std::getline(lines, line);) {
        const bool is_arithmetic =
            line.find("FADD") != std::string::npos || line.find("FMUL") != std::string::npos ||
            line.find("FFMA") != std::string::npos || line.find("MOV") != std::string::npos;
        const std::size_t last = line.rfind(", R");
        if (is_arithmetic && last != std::string::npos && random(often + 1) > 0) {
            std::size_t end = last + 3;
            while (end < line.size() && std::isdigit(static_cast<unsigned char>(line[end])) != 0)
                ++end;
            if (end > last + 3)
                line = line.substr(0, last + 2) +
                       fmt::format("c[0x{:x}][0x{:x}]", 2 * random(2), 4 * random(words)) +
                       line.substr(end);
        }
        changed += line + "\n";
    }
    return changed;
}

} // namespace warpbound::tests
