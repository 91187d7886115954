// Every cycle of every warp is in the table once, as in the events.

#include "harness/trace/cycle_table.hpp"
#include "harness/trace/waiting.hpp"
#include "tests/unit/harness/simulator/random_case.hpp"
#include "tests/unit/harness/trace/traced.hpp"

#include <map>
#include <sstream>

namespace warpbound::harness::trace {
namespace {

using namespace simulator::test;

/// Cell by cycle and warp, truncated as in the table.
using Cells = std::map<std::pair<std::int64_t, int>, std::string>;

Cells read_table(const std::string& text) {
    Cells cells;
    std::istringstream lines{text};
    std::string line;
    std::vector<int> warps;
    std::int64_t next = 0;
    std::getline(lines, line);
    while (std::getline(lines, line)) {
        std::istringstream words{line};
        std::string cycles;
        if (!(words >> cycles)) continue;
        std::string word;
        if (cycles == "cycle") {
            warps.clear();
            while (words >> word)
                warps.push_back(std::stoi(word.substr(1)));
            continue;
        }
        const auto dots = cycles.find("..");
        const std::int64_t first = std::stoll(cycles.substr(0, dots));
        const std::int64_t last =
            dots == std::string::npos ? first : std::stoll(cycles.substr(dots + 2));
        EXPECT_EQ(first, next);
        next = last + 1;
        for (std::size_t column = 0; words >> word; ++column)
            for (std::int64_t cycle = first; cycle <= last; ++cycle)
                if (word != ".") cells[{cycle, warps.at(column)}] = word;
    }
    return cells;
}

Cells expected_of(const TestProgram& program, const TestRun& result) {
    Cells cells;
    for (const auto& event : result.events) {
        const auto* issued = std::get_if<simulator::Issued>(&event);
        if (issued == nullptr) continue;
        std::int64_t at = issued->since;
        const WaitingCycles waiting = waiting_cycles(*issued);
        for (std::size_t stall = 0; stall < waiting.size(); ++stall)
            for (std::int64_t count = waiting[stall]; count > 0; --count)
                cells[{at++, issued->warp}] =
                    std::string{to_string(static_cast<simulator::Stall>(stall))};
        std::string& cell = cells[{issued->cycle, issued->warp}];
        cell += (cell.empty() ? "" : "+") +
                assembly::opcode_text(program.function.instructions[issued->instruction]);
    }
    for (auto& [position, cell] : cells)
        if (cell.size() > 12) cell = cell.substr(0, 11) + "~";
    return cells;
}

TEST(CycleTable, AgreesWithTheEvents) {
    for (std::uint64_t seed = 1; seed <= 100; ++seed) {
        SCOPED_TRACE(seed);
        Case test = random_case(seed);
        if (seed % 2 == 0) {
            set(test.machine.limits, "max-blocks", 1);
            test.launch.blocks = 3;
        }
        const auto policy = models::read_policy(seed % 3 == 0 ? "gto" : "lrr");
        const auto result =
            run(test.program, test.machine, test.launch, {seed, Draw::Uniform, {}}, policy.value());
        EXPECT_EQ(read_table(text_of<CycleTable>(test.program, test.machine, test.launch, result)),
                  expected_of(test.program, result));
        if (testing::Test::HasFailure()) return;
    }
}

// The stall of a warp when the run was stopped is not known.
TEST(CycleTable, EndsWhereTheRunWasStopped) {
    const auto machine = small_machine(models::IssueControl::Interlocked);
    const auto program = straight_line({add(1, 2, 3), add(4, 1, 1)});
    const auto text = text_of<CycleTable>(program, machine, {1, 32}, run(program, machine), 10);
    EXPECT_NE(text.find("0  IADD\n"), std::string::npos) << text;
    EXPECT_NE(text.find("1..9  ?\n"), std::string::npos) << text;
}

} // namespace
} // namespace warpbound::harness::trace
