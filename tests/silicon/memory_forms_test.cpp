/// \file
/// From the issue of a memory instruction to the earliest issue of an instruction that waits for
/// its result or for its sources: each cell of Huerta et al., MICRO 2025, Table 2 (RTX A6000),
/// against the typical values of the description, simulated and bounded (C89). The page does not
/// say whether a wide access was measured with the transactions of its width or with one.

#include "analyzer/analyze.hpp"
#include "assembly/isa/reader.hpp"
#include "harness/simulator/machine.hpp"
#include "models/architecture/value_path.hpp"
#include "tests/silicon/measured_rows.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <charconv>
#include <optional>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

namespace warpbound {
namespace {

struct Cell {
    std::string instruction; ///< "LDG.64 uniform"
    bool is_result = true;   ///< Else the sources are waited for.
    std::int64_t cycles = 0;
};

std::optional<std::int64_t> whole_number(const std::string& text) {
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return number;
}

std::vector<Cell> cells_of_table_2() {
    constexpr std::size_t kind = 2;
    constexpr std::size_t instruction = 3;
    std::vector<Cell> cells;
    for (const auto& row : tests::measured_rows("rows.csv")) {
        if (row.size() <= instruction || (row[kind] != "RAW" && row[kind] != "WAR")) continue;
        // A condition may have a comma.
        for (std::size_t at = instruction + 1; at < row.size(); ++at)
            if (const auto cycles = whole_number(row[at])) {
                cells.push_back({row[instruction], row[kind] == "RAW", *cycles});
                break;
            }
    }
    return cells;
}

/// The instruction that a cell is about.
std::string listing_of(const std::string& cell) {
    const auto dot = cell.find('.');
    const std::string mnemonic = cell.substr(0, dot);
    const std::string width = cell.substr(dot + 1, cell.find(' ') - dot - 1);
    const auto has = [&](const char* word) { return cell.find(word) != std::string::npos; };
    const std::string modifier = width == "32" ? "" : "." + width;
    const bool global = mnemonic.ends_with("G");
    const std::string name = mnemonic + (global ? ".E" : "") + modifier;
    const std::string address = has("uniform") ? "[UR4]" : "[R2]";
    if (mnemonic == "LDC")
        return name + (has("immediate") ? " R8, c[0x0][0x160]" : " R8, c[0x3][R2]");
    if (mnemonic == "LDGSTS") return "LDGSTS.E" + modifier + " [R12], [R2]";
    return mnemonic.starts_with("LD") ? name + " R8, " + address : name + " " + address + ", R8";
}

models::Architecture with_typical_values(models::Architecture machine) {
    for (auto& [path, group] : models::value_groups(machine))
        for (models::SourcedValue& value : group->values)
            if (value.interval)
                value.interval->hi = value.interval->lo =
                    value.interval->typical.value_or(value.interval->lo);
    machine.fetch = {};
    return machine;
}

/// The instruction, one that waits for it, and the end.
struct Waiting {
    Waiting(const Cell& cell, std::int64_t transactions) {
        const std::string text = fmt::format(
            "!Arch sm_86\n!Kernel k\n{} &{}=0x0 ?trans2;\nMOV R40, R41 &req={{0}} ?trans1;\n"
            "EXIT ?trans5;\n!EndKernel\n",
            listing_of(cell.instruction), cell.is_result ? "wr" : "rd");
        auto read = assembly::read_program({"cell", text});
        if (!read) throw std::runtime_error{to_string(read.error())};
        program = std::move(read).value();
        graph = assembly::build_control_flow_graph(program.functions.front()).value();
        facts.kernel = "k";
        models::MemoryFact fact;
        fact.at = 0;
        const bool shared =
            cell.instruction.starts_with("LDS") || cell.instruction.starts_with("STS");
        if (!shared) fact.level = models::MemoryLevel::L1;
        (shared ? fact.conflict_degree : fact.transactions) =
            models::CountRange{transactions, transactions};
        facts.memory.push_back(fact);
    }

    assembly::Program program;
    assembly::ControlFlowGraph graph;
    models::FlowFacts facts;
};

/// The 32-bit words that a lane moves, where the form is told by it (of LDC it is not).
std::int64_t words_of(const Cell& cell) {
    if (cell.instruction.starts_with("LDC")) return 1;
    const auto dot = cell.instruction.find('.');
    if (cell.instruction.compare(dot, 4, ".128") == 0) return 4;
    return cell.instruction.compare(dot, 3, ".64") == 0 ? 2 : 1;
}

models::Bounds<models::Cycles> bounds_of(const models::Architecture& machine, const Waiting& code) {
    analyzer::Request request;
    request.function = &code.program.functions.front();
    request.graph = &code.graph;
    request.architecture = &machine;
    request.facts = &code.facts;
    const auto analysis = analyzer::analyze(request);
    if (!analysis) throw std::runtime_error{to_string(analysis.error())};
    return analysis.value().execution_time.bounds();
}

struct Simulated {
    std::int64_t between_issues = 0;
    models::Cycles execution_time{0};
};

Simulated simulated_run(const models::Architecture& machine, const Waiting& code,
                        harness::Draw draw) {
    const harness::Kernel kernel{
        &code.program.functions.front(), &code.graph, &code.facts, {1, 32}};
    const auto simulated = harness::simulator::Machine::prepare(machine, kernel);
    if (!simulated) throw std::runtime_error{to_string(simulated.error())};
    std::vector<std::int64_t> issues;
    const auto observed =
        simulated.value()->run({.seed = 1, .draw = draw, .path = {}}, [&](const auto& event) {
            if (const auto* issued = std::get_if<harness::simulator::Issued>(&event))
                issues.push_back(issued->cycle);
        });
    if (!observed) throw std::runtime_error{to_string(observed.error())};
    return {issues.at(1) - issues.at(0), observed.value().execution_time};
}

TEST(MemoryForms, TakeTheCyclesOfTable2) {
    using harness::Draw;
    const auto machine = with_typical_values(models::load_architecture("ampere-rtxa6000").value());
    const auto cells = cells_of_table_2();
    ASSERT_EQ(cells.size(), 48U);
    for (const Cell& cell : cells) {
        SCOPED_TRACE(listing_of(cell.instruction) + (cell.is_result ? ", result" : ", sources"));
        // Measured with one transaction: none of those of the width is within the value.
        const Waiting with_one{cell, 1};
        const auto bounds = bounds_of(machine, with_one);
        const Simulated longest = simulated_run(machine, with_one, Draw::AllHigh);
        EXPECT_EQ(longest.between_issues, cell.cycles);
        EXPECT_EQ(longest.execution_time, bounds.upper());
        EXPECT_EQ(simulated_run(machine, with_one, Draw::AllLow).execution_time, bounds.lower());
        // Measured with those of the width: all of them are. Of a global load one pass may serve
        // several lines (C22).
        const Waiting with_width{cell, words_of(cell)};
        const Simulated typical = simulated_run(machine, with_width, Draw::Typical);
        if (!cell.instruction.starts_with("LDG")) {
            EXPECT_EQ(typical.between_issues, cell.cycles);
        }
        EXPECT_LE(typical.between_issues, cell.cycles);
        EXPECT_LE(bounds_of(machine, with_width).lower(), typical.execution_time);
        EXPECT_GE(bounds_of(machine, with_width).upper(), typical.execution_time);
    }
}

} // namespace
} // namespace warpbound
