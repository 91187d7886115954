/// \file
/// The kernels of examples/everyday are bounded without a fact by hand (the sparse product with the
/// length of its rows), and their envelopes contain simulated times, whose warps take the same
/// outcomes where barriers are decided.

#include "analyzer/analyze.hpp"
#include "analyzer/flow/facts_in_use.hpp"
#include "assembly/isa/reader.hpp"
#include "harness/simulator/machine.hpp"
#include "models/architecture/architecture.hpp"

#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

namespace warpbound {
namespace {

struct Everyday {
    std::string kernel;
    std::string launch;
    std::string facts;

    friend void PrintTo(const Everyday& example, std::ostream* out) { *out << example.kernel; }
};

const std::vector<Everyday> kernels{
    {"matrix_product", "4x256,block=16x16,grid=2x2,0x178=32", ""},
    {"reduction", "4x256,shared-memory=1024,0x170=1024", ""},
    {"scan", "4x256,shared-memory=2048", ""},
    {"transpose", "4x256,block=32x8,grid=2x2,0x170=64,0x174=64", ""},
    {"histogram", "4x256,grid=4,0x170=4096", ""},
    {"stencil_2d", "4x256,block=16x16,grid=2x2,0x170=32,0x174=32", ""},
    {"stencil_3d", "4x256,block=16x16,grid=2x2,0x170=32,0x174=32,0x178=32", ""},
    {"convolution_2d", "4x256,block=16x16,grid=2x2,0x170=32,0x174=32", ""},
    {"sparse_product", "4x256,0x188=1024", "sparse_product.sm_75.flow-facts.xml"},
    {"bitonic_sort", "4x256,shared-memory=1024", ""}};

class EverydayKernel : public testing::TestWithParam<Everyday> {};

TEST_P(EverydayKernel, IsBoundedAndContainsSimulatedTimes) {
    const std::string folder = std::string{WARPBOUND_SOURCE_DIR} + "/examples/everyday/";
    const auto text = assembly::read_source(folder + GetParam().kernel + ".sm_75.sass");
    ASSERT_TRUE(text) << to_string(text.error());
    const auto program = assembly::read_program(text.value());
    ASSERT_TRUE(program) << to_string(program.error());
    const assembly::Function& function = program.value().functions.front();
    const auto graph = assembly::build_control_flow_graph(function);
    ASSERT_TRUE(graph) << to_string(graph.error());
    const auto architecture = models::load_architecture("turing-t4");
    ASSERT_TRUE(architecture);
    const auto launch = models::parse_launch(GetParam().launch);
    ASSERT_TRUE(launch) << to_string(launch.error());
    models::FlowFacts stated;
    if (!GetParam().facts.empty()) {
        const auto read =
            models::read_flow_facts(assembly::read_source(folder + GetParam().facts).value());
        ASSERT_TRUE(read) << to_string(read.error());
        stated = read.value();
        EXPECT_EQ(stated.program_digest, program.value().digest);
    }
    const auto facts = analyzer::facts_in_use(function, graph.value(), architecture.value(),
                                              launch.value(), stated);
    ASSERT_TRUE(facts) << to_string(facts.error());
    analyzer::Request request;
    request.function = &function;
    request.graph = &graph.value();
    request.architecture = &architecture.value();
    request.facts = &facts.value();
    request.launch = launch.value();
    const auto analysis = analyzer::analyze(request);
    ASSERT_TRUE(analysis) << to_string(analysis.error());
    const auto bounds = analysis.value().execution_time.bounds();
    const auto machine = harness::simulator::Machine::prepare(
        architecture.value(), {&function, &graph.value(), &facts.value(), launch.value()});
    ASSERT_TRUE(machine) << to_string(machine.error());
    for (std::uint64_t seed = 1; seed <= 20; ++seed)
        for (const auto draw : {harness::Draw::Uniform, harness::Draw::AllHigh}) {
            const auto run = machine.value()->run({seed, draw, {}});
            ASSERT_TRUE(run) << to_string(run.error());
            ASSERT_TRUE(bounds.contains(run.value().execution_time))
                << run.value().execution_time.count() << " outside [" << bounds.lower().count()
                << ", " << bounds.upper().count() << "], seed " << seed;
        }
}

INSTANTIATE_TEST_SUITE_P(AllKernels, EverydayKernel, testing::ValuesIn(kernels),
                         [](const auto& of) { return of.param.kernel; });

} // namespace
} // namespace warpbound
