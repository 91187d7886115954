/// \file
/// A trace that satisfies the flow facts of a kernel has times within the kernel's bounds.

#include "analyzer/analyze.hpp"
#include "assembly/isa/reader.hpp"
#include "harness/simulator/machine.hpp"
#include "harness/trace/recorded_trace.hpp"
#include "models/architecture/architecture.hpp"
#include "tests/support/recorded_events.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace warpbound {
namespace {

struct Example {
    std::string listing;
    std::string kernel;
    std::string facts;
};

// The description of the T4 has the line size of the L1, so addresses determine the transactions
// there.
const std::vector<Example> examples{
    {"convolution/sm_75.sass", "convolution_rows", "convolution/sm_75.rows.flow-facts.xml"},
    {"convolution/sm_75.sass", "convolution_columns", "convolution/sm_75.columns.flow-facts.xml"},
    {"saxpy/sm_75.sass", "saxpy_loop", "saxpy/sm_75.flow-facts.xml"}};

class RecordedEnvelope : public testing::TestWithParam<Example> {};

TEST_P(RecordedEnvelope, ContainsTheRunsOfItsTraces) {
    const std::string root = std::string{WARPBOUND_SOURCE_DIR} + "/examples/";
    const auto program =
        assembly::read_program(assembly::read_source(root + GetParam().listing).value()).value();
    const auto* function = assembly::find_function(program, GetParam().kernel).value();
    const auto graph = assembly::build_control_flow_graph(*function).value();
    const auto facts =
        models::read_flow_facts(assembly::read_source(root + GetParam().facts).value()).value();
    const auto machine = models::load_architecture("turing-t4").value();
    for (const models::Launch& launch : {models::Launch{1, 32}, models::Launch{2, 64}}) {
        analyzer::Request request;
        request.function = function;
        request.graph = &graph;
        request.architecture = &machine;
        request.facts = &facts;
        request.launch = launch;
        const auto analysis = analyzer::analyze(request);
        ASSERT_TRUE(analysis) << to_string(analysis.error());
        const auto bounds = analysis.value().execution_time.bounds();
        const harness::Kernel drawn{function, &graph, &facts, launch};
        const auto recording = harness::simulator::Machine::prepare(machine, drawn).value();
        for (std::uint64_t seed = 1; seed <= 8; ++seed) {
            std::vector<harness::simulator::Event> events;
            ASSERT_TRUE(recording->run({seed, harness::Draw::Uniform, {}},
                                       [&](const auto& event) { events.push_back(event); }));
            const auto text = print(tests::trace_of(drawn, machine, events));
            const auto trace = harness::trace::RecordedTrace::open(
                harness::trace::TraceBytes{{"run.traceg", text}},
                {function, &graph, GetParam().listing});
            ASSERT_TRUE(trace) << to_string(trace.error());
            const auto again = harness::simulator::Machine::prepare(
                machine, {function, &graph, &trace.value()->facts(), launch, trace.value().get()});
            ASSERT_TRUE(again) << to_string(again.error());
            for (const auto draw :
                 {harness::Draw::Uniform, harness::Draw::Extremes, harness::Draw::AllLow,
                  harness::Draw::AllHigh, harness::Draw::Adversarial})
                for (std::uint64_t run = 1; run <= 10; ++run) {
                    const auto observed = again.value()->run({run, draw, {}});
                    ASSERT_TRUE(observed) << to_string(observed.error());
                    ASSERT_TRUE(bounds.contains(observed.value().execution_time))
                        << observed.value().execution_time.count() << " outside ["
                        << bounds.lower().count() << ", " << bounds.upper().count() << "], trace "
                        << seed << ", seed " << run << ", draw " << to_string(draw);
                }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(AllExamples, RecordedEnvelope, testing::ValuesIn(examples));

} // namespace
} // namespace warpbound
