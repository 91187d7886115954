/// \file
/// Executed on data, the kernels of examples/everyday take a time inside the bounds of their launch
/// with the same arguments, under every policy, and a path that their flow facts allow.

#include "analyzer/analyze.hpp"
#include "analyzer/flow/facts_in_use.hpp"
#include "assembly/isa/reader.hpp"
#include "harness/simulator/machine.hpp"
#include "models/architecture/architecture.hpp"
#include "models/launch/warp_policy.hpp"
#include "tests/support/executed_everyday.hpp"

#include <gtest/gtest.h>

#include <ostream>
#include <string>

namespace warpbound::tests {
namespace {

struct Case {
    EverydayData data;
    std::string machine;
    std::string policy;

    friend void PrintTo(const Case& one, std::ostream* out) {
        *out << one.data.kernel << " on " << one.machine << ", " << one.policy;
    }
};

std::vector<Case> cases() {
    std::vector<Case> all;
    for (const EverydayData& data : everyday_data())
        for (const char* machine : {"turing-t4", "turing-rtx2080ti"})
            for (const char* policy : {"unknown", "gto", "lrr"})
                all.push_back({data, machine, policy});
    return all;
}

class ExecutedData : public testing::TestWithParam<Case> {};

TEST_P(ExecutedData, LiesInsideTheBounds) {
    const EverydayData& data = GetParam().data;
    const auto loaded = data_launch(data, "sm_75");
    ASSERT_TRUE(loaded) << to_string(loaded.error());
    const DataLaunch& launch = *loaded.value();
    const auto architecture = models::load_architecture(GetParam().machine);
    ASSERT_TRUE(architecture) << to_string(architecture.error());
    models::FlowFacts stated;
    if (!data.flow_facts.empty()) {
        const auto text = assembly::read_source(std::string{WARPBOUND_SOURCE_DIR} +
                                                "/examples/everyday/" + data.flow_facts);
        ASSERT_TRUE(text);
        stated = models::read_flow_facts(text.value()).value();
    }
    const auto facts = analyzer::facts_in_use(launch.function(), launch.graph, architecture.value(),
                                              launch.launch, stated);
    ASSERT_TRUE(facts) << to_string(facts.error());
    const auto policy = models::read_policy(GetParam().policy);
    ASSERT_TRUE(policy);
    analyzer::Request request;
    request.function = &launch.function();
    request.graph = &launch.graph;
    request.architecture = &architecture.value();
    request.facts = &facts.value();
    request.launch = launch.launch;
    request.policy = policy.value();
    const auto analysis = analyzer::analyze(request);
    ASSERT_TRUE(analysis) << to_string(analysis.error());
    const auto bounds = analysis.value().execution_time.bounds();
    const auto executed = launch.run();
    ASSERT_TRUE(executed) << to_string(executed.error());
    const models::FlowFacts none;
    const auto machine = harness::simulator::Machine::prepare(
        architecture.value(),
        {&launch.function(), &launch.graph, &none, launch.launch, executed.value().get()},
        policy.value());
    ASSERT_TRUE(machine) << to_string(machine.error());
    for (std::uint64_t seed = 1; seed <= 5; ++seed)
        for (const auto draw : {harness::Draw::Uniform, harness::Draw::AllLow,
                                harness::Draw::AllHigh, harness::Draw::Adversarial}) {
            const auto run = machine.value()->run({seed, draw, {}});
            ASSERT_TRUE(run) << to_string(run.error());
            ASSERT_TRUE(bounds.contains(run.value().execution_time))
                << run.value().execution_time.count() << " outside [" << bounds.lower().count()
                << ", " << bounds.upper().count() << "], seed " << seed << ", " << to_string(draw);
        }
}

INSTANTIATE_TEST_SUITE_P(AllKernels, ExecutedData, testing::ValuesIn(cases()), [](const auto& of) {
    std::string name = of.param.data.kernel + "_" + of.param.machine + "_" + of.param.policy;
    for (char& c : name)
        if (c == '-') c = '_';
    return name;
});

} // namespace
} // namespace warpbound::tests
