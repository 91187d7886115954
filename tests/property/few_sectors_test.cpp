/// \file
/// Loads that pass the L1 and touch few sectors of each line (C112): executed launches with random
/// strides take no longer than their upper bound, with the addresses that the code has.

#include "analyzer/analyze.hpp"
#include "analyzer/flow/facts_in_use.hpp"
#include "assembly/isa/reader.hpp"
#include "harness/execution/executed_launch.hpp"
#include "tests/support/campaign.hpp"
#include "tests/support/every_policy.hpp"
#include "tests/support/guarded_kernel.hpp"
#include "tests/support/made_values.hpp"
#include "tests/support/simulated_runs.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>

namespace warpbound::tests {
namespace {

struct Found {
    int smaller = 0; ///< Bounds than without the time of a sector.
    int needed = 0;  ///< Runs that exceed the smaller bound without it.
};

/// Each thread loads words a stride apart; some loads are served by the L1.
std::string strided_loads(RandomSource& random_source) {
    std::string text = "!Arch sm_75\n!Kernel k\n"
                       "S2R R0, SR_TID.X &wr=0x0 ?trans2;\n"
                       "S2R R1, SR_CTAID.X &wr=0x1 ?trans2;\n";
    text += fmt::format("MOV R5, 0x{:x} ?trans4;\n", 4 * random_source.whole(1, 40));
    text += "IMAD.WIDE R2, R0, R5, c[0x0][0x160] &req={0,1} ?trans6;\n";
    for (std::int64_t i = random_source.whole(1, 5); i > 0; --i)
        text += fmt::format("LDG.E{} R{}, [R2+0x{:x}] &wr=0x{} ?trans{};\n",
                            random_source.whole(1, 4) == 1 ? "" : ".STRONG.GPU", 8 + i,
                            4 * random_source.whole(0, 20), i % 4 + 2, random_source.whole(1, 4));
    return text + "EXIT &req={2,3,4,5} ?trans6;\n!EndKernel\n";
}

models::Architecture machine_with_sectors(RandomSource& random_source) {
    models::Architecture machine = machine_of_guarded_kernel(random_source);
    // Latencies are those of levels, which contain all queueing.
    std::erase_if(machine.memories,
                  [](const models::ValueGroup& memory) { return memory.name == "interconnect"; });
    for (models::ValueGroup& memory : machine.memories)
        std::erase_if(memory.values,
                      [](const auto& value) { return value.name == "lines-per-pass"; });
    put_value(machine, "memories/l1/line", {128, 128, 128});
    put_value(machine, "memories/l1/sector", {32, 32, 32});
    const std::int64_t least = random_source.whole(1, 3);
    const std::int64_t most = least + random_source.whole(0, 30);
    put_value(machine, "classes/load-global/line-interval", {least, least, most});
    put_value(machine, "classes/load-global/sector-interval",
              {1, 1, least + random_source.whole(0, 8)});
    put_value(machine, "classes/load-global/initiation", {1, 1, random_source.whole(1, 6)});
    return machine;
}

std::int64_t upper_bound(const analyzer::Request& request) {
    const auto analysis = analyzer::analyze(request);
    EXPECT_TRUE(analysis) << to_string(analysis.error());
    return analysis ? analysis.value().execution_time.upper.proved.count() : 0;
}

void check_case(RandomSource& random_source, Found& found) {
    const models::Architecture machine = machine_with_sectors(random_source);
    models::Architecture by_lines = machine;
    std::erase_if(by_lines.classes.at(assembly::OpcodeClass::LoadGlobal).values.values,
                  [](const auto& value) { return value.name == "sector-interval"; });
    const std::string text = strided_loads(random_source);
    const auto program = assembly::read_program({"random", text});
    ASSERT_TRUE(program) << to_string(program.error()) << text;
    const assembly::Function& function = program.value().functions.front();
    const auto graph = assembly::build_control_flow_graph(function).value();
    harness::execution::LaunchInputs inputs{&function, &graph, {}, {}};
    harness::execution::Buffer buffer;
    buffer.name = "b";
    buffer.bytes.resize(std::size_t{1} << 16U);
    const std::uint64_t base = inputs.memory.add(std::move(buffer));
    const std::int64_t threads = 32 * random_source.whole(1, 4);
    const auto launch_of = [&](const std::string& words) {
        return models::parse_launch(fmt::format("1x{0},block={0},grid=1,{1}", threads, words))
            .value();
    };
    inputs.launch = launch_of(fmt::format("0x160={},0x164={}", base & 0xffffffffU, base >> 32U));
    const auto run = harness::execution::ExecutedLaunch::run(std::move(inputs));
    ASSERT_TRUE(run) << to_string(run.error()) << text;
    const models::Launch launch = launch_of("0x160=disjoint:256");
    const auto facts = analyzer::facts_in_use(function, graph, machine, launch, {});
    ASSERT_TRUE(facts) << to_string(facts.error()) << text;
    analyzer::Request request;
    request.function = &function;
    request.graph = &graph;
    request.architecture = &machine;
    request.facts = &facts.value();
    request.launch = launch;
    request.multiprocessors = 1;
    request.follow_branches = true;
    request.policy = random_conserving_policy(random_source);
    const std::int64_t upper = upper_bound(request);
    analyzer::Request without = request;
    without.architecture = &by_lines;
    const bool is_smaller = upper < upper_bound(without);
    if (is_smaller) ++found.smaller;
    const auto longest = [&](const models::Architecture& on) {
        const models::FlowFacts none;
        const harness::Kernel executed{&function, &graph, &none, launch_of("0x160=0"),
                                       run.value().get()};
        std::int64_t most = 0;
        for (const SimulatedRun& one : simulated_runs(on, executed, request.policy, 1))
            most = std::max(most, one.cycles);
        EXPECT_GT(most, 0) << text;
        return most;
    };
    ASSERT_LE(longest(machine), upper)
        << text << models::write_architecture(machine) << models::to_string(launch) << " on "
        << models::to_string(request.policy);
    if (is_smaller && longest(by_lines) > upper) ++found.needed;
}

TEST(LinesOfFewSectors, NoExecutedLaunchTakesLongerThanTheUpperBound) {
    const auto cases = static_cast<int>(from_environment("WARPBOUND_PROPERTY_CASES", 300));
    Found found;
    for_seeds(cases, [&](RandomSource& random_source) { check_case(random_source, found); });
    RecordProperty("smaller", found.smaller);
    RecordProperty("needed", found.needed);
    EXPECT_GT(found.smaller, cases / 20);
    EXPECT_GT(found.needed, cases / 50);
}

} // namespace
} // namespace warpbound::tests
