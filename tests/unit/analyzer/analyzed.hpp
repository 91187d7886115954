#pragma once
/// \file
/// A bare listing analyzed on a described machine, for tests.

#include "analyzer/analyze.hpp"
#include "assembly/isa/reader.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace warpbound::analyzer {

struct Analyzed {
    assembly::Program program;
    assembly::ControlFlowGraph graph;
    models::Architecture architecture;
    models::FlowFacts facts;
    Request request;

    Result<Analysis> run() const { return analyze(request); }
};

/// `body` between `!Kernel k` and `!EndKernel`.
inline std::unique_ptr<Analyzed> analyzed(const std::string& body, models::FlowFacts facts = {},
                                          const std::string& architecture = "fermi-gtx470",
                                          int sm = 20) {
    auto all = std::make_unique<Analyzed>();
    auto program = assembly::read_program(
        {"test", "!Arch sm_" + std::to_string(sm) + "\n!Kernel k\n" + body + "\n!EndKernel\n"});
    EXPECT_TRUE(program) << to_string(program.error());
    all->program = std::move(program).value();
    auto graph = assembly::build_control_flow_graph(all->program.functions.front());
    EXPECT_TRUE(graph) << to_string(graph.error());
    all->graph = std::move(graph).value();
    auto machine = models::load_architecture(architecture);
    EXPECT_TRUE(machine) << to_string(machine.error());
    all->architecture = std::move(machine).value();
    // Tests of instruction caches, constant operands and read ports describe theirs.
    std::erase_if(all->architecture.memories,
                  [](const models::ValueGroup& memory) { return memory.name == "constant"; });
    all->architecture.fetch = {};
    all->architecture.register_file = {};
    all->facts = std::move(facts);
    all->request.function = &all->program.functions.front();
    all->request.graph = &all->graph;
    all->request.architecture = &all->architecture;
    all->request.facts = &all->facts;
    return all;
}

/// Of a kernel that is bounded.
inline Envelope envelope(const Analyzed& context) {
    const auto analysis = context.run();
    EXPECT_TRUE(analysis) << to_string(analysis.error());
    return analysis.value().execution_time;
}

/// So many instructions of 8 bytes: a line of 32 bytes has four.
inline std::string moves(int count) {
    std::string text;
    for (int i = 0; i < count; ++i)
        text += "MOV R1, R2; ";
    return text;
}

} // namespace warpbound::analyzer
