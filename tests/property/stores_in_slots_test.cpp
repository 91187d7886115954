/// \file
/// Stores in time slots: lower bound <= every simulated time <= upper bound where the write buffer
/// blocks the very slot in which a store could have issued.

#include "analyzer/analyze.hpp"
#include "assembly/isa/reader.hpp"
#include "harness/simulator/machine.hpp"
#include "tests/support/made_values.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace warpbound {
namespace {

using tests::put_value;

constexpr const char* pairs_of_stores = R"sass(
	code for sm_52
		Function : kernel
	.headerflags    @"EF_CUDA_SM52 EF_CUDA_PTX_SM(EF_CUDA_SM52)"
                                                                                /* 0x001fc400fec007f1 */
        /*0008*/                   STG.E [R2], R3 ;      /* 0x4c98078000870001 */
        /*0010*/                   STL [R4], R5 ;      /* 0x4c98078000870001 */
        /*0018*/                   STG.E [R2], R3 ;      /* 0x4c98078000870001 */
                                                                                /* 0x001fd800fe2007f6 */
        /*0028*/                   STL [R4], R5 ;      /* 0x4c98078000870001 */
        /*0030*/                   STG.E [R2], R3 ;      /* 0x4c98078000870001 */
        /*0038*/                   STL [R4], R5 ;      /* 0x4c98078000870001 */
                                                                                /* 0x001ffc00fec007f1 */
        /*0048*/                   STG.E [R2], R3 ;      /* 0x4c98078000870001 */
        /*0050*/                   STL [R4], R5 ;      /* 0x4c98078000870001 */
        /*0058*/                   EXIT ;      /* 0x4c98078000870001 */
		..........
)sass";

// Four pairs of stores, each issued at once: where the first of a pair fills the buffer, the second
// loses the very slot in which it could have issued.
TEST(Launches, PairsOfStoresInSlotsLieInsideTheirEnvelope) {
    auto architecture = models::load_architecture("maxwell-gtx970").value();
    put_value(architecture, "schedulers/count", {1, 1, 1});
    put_value(architecture, "write-buffer/entries", {1, 1, 1});
    architecture.units.push_back({"local-path", models::UnitScope::Warp});
    architecture.classes.at(assembly::OpcodeClass::StoreLocal).unit = "local-path";
    for (const char* store : {"store-global", "store-local"})
        for (const char* value : {"initiation", "source-read", "pass-cost"})
            put_value(architecture, fmt::format("classes/{}/{}", store, value), {1, 1, 1});
    const auto program = assembly::read_program({"test", pairs_of_stores});
    ASSERT_TRUE(program) << to_string(program.error());
    const auto& function = program.value().functions.front();
    const auto graph = assembly::build_control_flow_graph(function).value();
    models::FlowFacts facts;
    facts.kernel = function.name;
    for (const auto& instruction : function.instructions) {
        if (instruction.mnemonic.substr(0, 2) != "ST") continue;
        models::MemoryFact store;
        store.at = instruction.address;
        store.transactions = models::CountRange{1, 1};
        facts.memory.push_back(store);
    }
    ASSERT_EQ(facts.memory.size(), 8U);
    const auto policy = models::read_policy("variable-rate:fast=0,every=2").value();
    for (const std::int64_t drain : {1, 3, 4})
        for (const std::int64_t warps : {2, 3, 4}) {
            put_value(architecture, "write-buffer/drain", {drain, drain, drain});
            analyzer::Request request;
            request.function = &function;
            request.graph = &graph;
            request.architecture = &architecture;
            request.facts = &facts;
            request.launch.threads = 32 * warps;
            request.policy = policy;
            const auto analysis = analyzer::analyze(request);
            ASSERT_TRUE(analysis) << to_string(analysis.error());
            const auto bounds = analysis.value().execution_time.bounds();
            const auto machine = harness::simulator::Machine::prepare(
                architecture, {&function, &graph, &facts, request.launch}, policy, 1);
            ASSERT_TRUE(machine) << to_string(machine.error());
            for (std::uint64_t seed = 1; seed <= 20; ++seed) {
                const auto seen = machine.value()->run({seed, harness::Draw::Extremes, {}});
                const auto time = seen.value().execution_time;
                EXPECT_TRUE(bounds.contains(time))
                    << time.count() << " is outside " << bounds.lower().count() << " to "
                    << bounds.upper().count() << ", drain " << drain << ", " << warps << " warps";
            }
        }
}

} // namespace
} // namespace warpbound
