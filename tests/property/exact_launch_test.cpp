/// \file
/// Tiny launches, all choices searched: lower bound <= best, worst <= upper bound, and the
/// simulated device between best and worst under every work-conserving policy.

#include "analyzer/analysis.hpp"
#include "assembly/isa/reader.hpp"
#include "harness/simulator/machine.hpp"
#include "tests/support/campaign.hpp"
#include "tests/support/exact_launch.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace warpbound {
namespace {

void set(models::ValueGroup& group, std::string_view name, std::int64_t value) {
    const models::Interval exact{value, value, value};
    for (auto& each : group.values)
        if (each.name == name) {
            each.interval = exact;
            return;
        }
    group.values.push_back({std::string{name}, "cycles", exact, "test", models::Grade::Vendor, ""});
}

/// A small interlocked machine with exact values; pass-costs are not needed, every access has one
/// pass.
models::Architecture random_machine(const models::Architecture& fermi, tests::Chance& draw) {
    models::Architecture machine = fermi;
    set(machine.schedulers, "count", draw.whole(1, 2));
    set(machine.schedulers, "issue-slot", draw.whole(1, 2));
    set(machine.schedulers, "same-warp-interval", draw.whole(1, 3));
    set(machine.limits, "max-blocks", draw.whole(1, 2));
    set(machine.blocks, "start", draw.whole(0, 3));
    set(machine.blocks, "replacement", draw.whole(0, 2));
    set(machine.write_buffer, "entries", draw.whole(1, 2));
    set(machine.write_buffer, "drain", draw.whole(1, 6));
    for (const auto opcode_class :
         {assembly::OpcodeClass::FloatAdd, assembly::OpcodeClass::SpecialFunction,
          assembly::OpcodeClass::LoadShared, assembly::OpcodeClass::StoreGlobal,
          assembly::OpcodeClass::Barrier, assembly::OpcodeClass::Exit}) {
        auto& values = machine.classes.at(opcode_class).values;
        set(values, "latency", draw.whole(1, 6));
        set(values, "initiation", draw.whole(1, 4));
    }
    return machine;
}

std::string random_code(tests::Chance& draw, models::FlowFacts& facts) {
    std::string text = "!Arch sm_20\n!Kernel k\n";
    const std::int64_t length = draw.whole(1, 4);
    for (std::int64_t i = 0; i < length; ++i) {
        const std::string to = "R" + std::to_string(draw.whole(1, 3));
        const std::string from = "R" + std::to_string(draw.whole(1, 3));
        models::MemoryFact fact;
        fact.at = 8 * i;
        switch (draw.whole(0, 4)) {
        case 0:
            text += "FADD " + to + ", " + from + ", R0;\n";
            break;
        case 1:
            text += "MUFU.COS " + to + ", " + from + ";\n";
            break;
        case 2:
            text += "LDS " + to + ", [" + from + "];\n";
            fact.conflict_degree = models::CountRange{1, 1};
            facts.memory.push_back(fact);
            break;
        case 3:
            text += "ST [" + to + "], " + from + ";\n";
            fact.transactions = models::CountRange{1, 1};
            facts.memory.push_back(fact);
            break;
        default:
            text += "BAR.SYNC 0x0;\n";
        }
    }
    return text + "EXIT;\n!EndKernel\n";
}

/// Of launches on two multiprocessors; the simulator stays inside, too.
TEST(ExactLaunches, OnTwoMultiprocessorsLieInsideTheEnvelope) {
    const std::uint64_t cases = tests::from_environment("WARPBOUND_EXACT_CASES", 400) / 4;
    const std::uint64_t first = tests::from_environment("WARPBOUND_PROPERTY_SEED", 1);
    RecordProperty("first_seed", std::to_string(first));
    const auto fermi = models::load_architecture("fermi-gtx470");
    ASSERT_TRUE(fermi) << to_string(fermi.error());
    std::size_t searched = 0;
    std::size_t waited = 0;
    for (std::uint64_t seed = first; seed < first + cases; ++seed) {
        tests::Chance draw{seed};
        models::Architecture machine = random_machine(fermi.value(), draw);
        set(machine.schedulers, "count", 1);
        models::FlowFacts facts;
        const std::string text = random_code(draw, facts);
        const auto program = assembly::read_program({"exact", text});
        ASSERT_TRUE(program) << to_string(program.error());
        const assembly::Function& function = program.value().functions.front();
        const auto graph = assembly::build_control_flow_graph(function);
        ASSERT_TRUE(graph) << to_string(graph.error());
        const models::Launch launch{draw.whole(1, 6), 32};
        const auto exact = tests::exact_times(function, machine, facts, launch, 60'000, 2);
        if (!exact) continue;
        ++searched;
        if (launch.blocks > 2 * machine.limits.find("max-blocks")->interval->hi) ++waited;
        const std::string about = "seed " + std::to_string(seed) + ", launch " +
                                  models::to_string(launch) + "\n" + text + "exact " +
                                  std::to_string(exact->best) + ".." + std::to_string(exact->worst);
        analyzer::Request request;
        request.function = &function;
        request.graph = &graph.value();
        request.architecture = &machine;
        request.facts = &facts;
        request.launch = launch;
        request.multiprocessors = 2;
        const auto analysis = analyzer::analyze(request);
        ASSERT_TRUE(analysis) << to_string(analysis.error()) << "\n" << about;
        const auto bounds = analysis.value().execution_time.bounds();
        ASSERT_LE(bounds.lower().count(), exact->best) << about;
        ASSERT_GE(bounds.upper().count(), exact->worst) << about;
        const harness::Kernel kernel{&function, &graph.value(), &facts, launch};
        const auto prepared = harness::simulator::Machine::prepare(machine, kernel, {}, 2);
        ASSERT_TRUE(prepared) << to_string(prepared.error()) << "\n" << about;
        for (std::uint64_t run = 0; run < 4; ++run) {
            const auto seen = prepared.value()->run({seed + run, harness::Draw::Uniform, {}});
            ASSERT_TRUE(seen) << to_string(seen.error()) << "\n" << about;
            ASSERT_GE(seen.value().execution_time.count(), exact->best) << about;
            ASSERT_LE(seen.value().execution_time.count(), exact->worst) << about;
        }
    }
    EXPECT_GT(searched * 4, cases * 3) << "too many launches were too large to search";
    EXPECT_GT(waited * 5, searched);
    RecordProperty("searched", std::to_string(searched));
}

/// "Waves times the bound of a block" is no bound on two multiprocessors: one of them finishes its
/// blocks one by one and gets seven of them, the other interleaves three and finishes them late.
TEST(ExactLaunches, ExceedWavesTimesTheBoundOfABlockOnTwoMultiprocessors) {
    auto fermi = models::load_architecture("fermi-gtx470");
    ASSERT_TRUE(fermi) << to_string(fermi.error());
    models::Architecture machine = std::move(fermi).value();
    for (const char* name : {"count", "issue-slot", "same-warp-interval"})
        set(machine.schedulers, name, 1);
    set(machine.limits, "max-blocks", 3);
    set(machine.blocks, "start", 0);
    set(machine.blocks, "replacement", 0);
    for (auto& [opcode_class, timing] : machine.classes) {
        set(timing.values, "latency", 1);
        set(timing.values, "initiation", 1);
    }
    const auto program =
        assembly::read_program({"exact", "!Arch sm_20\n!Kernel k\nNOP;\nEXIT;\n!EndKernel\n"});
    ASSERT_TRUE(program) << to_string(program.error());
    const assembly::Function& function = program.value().functions.front();
    const auto graph = assembly::build_control_flow_graph(function);
    ASSERT_TRUE(graph) << to_string(graph.error());
    const models::FlowFacts facts;
    const models::Launch launch{12, 32};
    const auto exact = tests::exact_times(function, machine, facts, launch, 1'000'000, 2);
    ASSERT_TRUE(exact) << "too many states";
    constexpr std::int64_t waves = 2;         // of 2 x 3 blocks
    constexpr std::int64_t block = 2 + 2 * 2; // its instructions and those of two others
    EXPECT_EQ(exact->worst, 14);
    EXPECT_GT(exact->worst, waves * block);
    analyzer::Request request;
    request.function = &function;
    request.graph = &graph.value();
    request.architecture = &machine;
    request.facts = &facts;
    request.launch = launch;
    request.multiprocessors = 2;
    const auto analysis = analyzer::analyze(request);
    ASSERT_TRUE(analysis) << to_string(analysis.error());
    const auto bounds = analysis.value().execution_time.bounds();
    EXPECT_GE(bounds.upper().count(), exact->worst);
    EXPECT_LE(bounds.upper().count(), 16 + 1); // Claim CB8, and one change of warp.
    EXPECT_LE(bounds.lower().count(), exact->best);
}

TEST(ExactLaunches, LieInsideTheEnvelopeAndContainTheSimulatedTimes) {
    const std::uint64_t cases = tests::from_environment("WARPBOUND_EXACT_CASES", 400);
    const std::uint64_t first = tests::from_environment("WARPBOUND_PROPERTY_SEED", 1);
    RecordProperty("first_seed", std::to_string(first));
    const auto fermi = models::load_architecture("fermi-gtx470");
    ASSERT_TRUE(fermi) << to_string(fermi.error());
    constexpr std::array policies{"lrr", "gto", "oldest", "two-level:active=48"};
    std::vector<double> ratios;
    std::size_t varied = 0;
    for (std::uint64_t seed = first; seed < first + cases; ++seed) {
        tests::Chance draw{seed};
        const models::Architecture machine = random_machine(fermi.value(), draw);
        models::FlowFacts facts;
        const std::string text = random_code(draw, facts);
        const auto program = assembly::read_program({"exact", text});
        ASSERT_TRUE(program) << to_string(program.error());
        const assembly::Function& function = program.value().functions.front();
        const auto graph = assembly::build_control_flow_graph(function);
        ASSERT_TRUE(graph) << to_string(graph.error());
        const std::int64_t warps = draw.whole(1, 3);
        const models::Launch launch{draw.whole(1, warps == 1 ? 4 : 3), 32 * warps};
        const auto exact = tests::exact_times(function, machine, facts, launch, 60'000);
        if (!exact) continue;
        if (exact->best < exact->worst) ++varied;
        const std::string about = "seed " + std::to_string(seed) + ", launch " +
                                  models::to_string(launch) + "\n" + text + "exact " +
                                  std::to_string(exact->best) + ".." + std::to_string(exact->worst);
        analyzer::Request request;
        request.function = &function;
        request.graph = &graph.value();
        request.architecture = &machine;
        request.facts = &facts;
        request.launch = launch;
        const auto analysis = analyzer::analyze(request);
        ASSERT_TRUE(analysis) << to_string(analysis.error()) << "\n" << about;
        const auto bounds = analysis.value().execution_time.bounds();
        ASSERT_LE(bounds.lower().count(), exact->best) << about;
        ASSERT_GE(bounds.upper().count(), exact->worst) << about;
        ratios.push_back(static_cast<double>(bounds.upper().count()) /
                         static_cast<double>(exact->worst));
        const harness::Kernel kernel{&function, &graph.value(), &facts, launch};
        for (const char* policy : policies) {
            const auto prepared = harness::simulator::Machine::prepare(
                machine, kernel, models::read_policy(policy).value());
            ASSERT_TRUE(prepared) << to_string(prepared.error()) << "\n" << about;
            for (std::uint64_t run = 0; run < 4; ++run) {
                const auto seen = prepared.value()->run({seed + run, harness::Draw::Uniform, {}});
                ASSERT_TRUE(seen) << to_string(seen.error()) << "\n" << about;
                ASSERT_GE(seen.value().execution_time.count(), exact->best) << policy << about;
                ASSERT_LE(seen.value().execution_time.count(), exact->worst) << policy << about;
            }
        }
    }
    ASSERT_GT(ratios.size() * 4, cases * 3) << "too many launches were too large to search";
    EXPECT_GT(varied * 10, ratios.size()) << "choices hardly mattered";
    const auto middle = ratios.begin() + static_cast<std::ptrdiff_t>(ratios.size() / 2);
    std::nth_element(ratios.begin(), middle, ratios.end());
    RecordProperty("searched", std::to_string(ratios.size()));
    RecordProperty("choices_mattered", std::to_string(varied));
    RecordProperty("median_upper_over_exact", std::to_string(*middle));
}

} // namespace
} // namespace warpbound
