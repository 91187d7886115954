/// \file
/// Lines that blocks leave in the instruction caches, by the indices of their threads (S97):
/// executed launches of random kernels behind such caches take no longer than their upper bound.
/// Some of the code only late blocks execute.

#include "analyzer/analyze.hpp"
#include "analyzer/flow/facts_in_use.hpp"
#include "assembly/isa/reader.hpp"
#include "harness/execution/executed_launch.hpp"
#include "models/architecture/architecture.hpp"
#include "tests/support/campaign.hpp"
#include "tests/support/every_policy.hpp"
#include "tests/support/guarded_kernel.hpp"
#include "tests/support/simulated_runs.hpp"
#include "tests/support/small_instruction_caches.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>

namespace warpbound::tests {
namespace {

struct Found {
    int smaller = 0; ///< What lines cost, by the indices of threads.
    int needed = 0;  ///< Runs that exceed the bound without what lines cost.
};

std::int64_t fetch_cycles(const analyzer::SideResult& upper) {
    std::int64_t cycles = 0;
    for (const analyzer::BoundTerm& term : upper.terms)
        if (term.text.starts_with("instruction fetch")) cycles += term.count * term.cycles;
    return cycles;
}

/// Few instructions, of which some warps of some blocks execute the last lines: those of an index
/// of a thread or a block on, or of block k warp k alone.
std::string late_kernel(RandomSource& random_source, std::int64_t threads, std::int64_t blocks) {
    std::string text = "S2R R0, SR_TID.X &wr=0x0 ?trans2;\nS2R R1, SR_CTAID.X &wr=0x1 ?trans2;\n"
                       "SHF.R.U32.HI R2, RZ, 0x5, R0 &req={0} ?trans6;\n";
    const auto leave = [&](const char* comparison, const char* name, const std::string& with) {
        text += fmt::format("ISETP.{}.AND P0, PT, {}, {}, PT &req={{1}} ?trans6;\n"
                            "@P0 EXIT ?trans6;\n",
                            comparison, name, with);
        for (std::int64_t left = random_source.whole(0, 3); left > 0; --left)
            text += "FADD R4, R4, R4 ?trans4;\n";
    };
    const auto leave_by = [&](const char* name, std::int64_t below) {
        leave(random_source.whole(1, 2) == 1 ? "LT" : "GE", name,
              fmt::format("0x{:x}", random_source.whole(0, below)));
    };
    switch (random_source.whole(1, 3)) {
    case 1:
        leave_by("R0", threads);
        leave_by("R1", blocks);
        break;
    case 2:
        leave_by(random_source.whole(1, 2) == 1 ? "R0" : "R1", std::min(threads, blocks));
        break;
    default:
        leave("NE", "R1", "R2");
    }
    return "!Arch sm_75\n!Kernel k\n" + text + "EXIT ?trans6;\n!EndKernel\n";
}

struct Code {
    std::int64_t threads = 0;
    std::string text;
    bool is_late = false; ///< Only some blocks execute its last lines.
};

Code random_code(RandomSource& random_source, std::int64_t blocks) {
    if (random_source.whole(1, 2) == 1) {
        const GuardedKernel kernel{random_source};
        return {kernel.threads, kernel.text};
    }
    const std::int64_t threads = 32 * random_source.whole(1, 8);
    return {threads, late_kernel(random_source, threads, blocks), true};
}

/// Waits for the L0 of each scheduler cost more than all else, and blocks follow each other.
void let_lines_decide(models::Architecture& machine) {
    for (const char* const value :
         {"fetch/l0-miss=200..240", "fetch/l1-miss=1..2", "limits/max-blocks=1"})
        ASSERT_TRUE(models::assume_value(machine, value));
}

void check_case(RandomSource& random_source, Found& found) {
    const std::int64_t blocks = random_source.whole(1, 20);
    const Code kernel = random_code(random_source, blocks);
    models::Architecture machine = machine_of_guarded_kernel(random_source);
    auto program = assembly::read_program({"random", kernel.text});
    ASSERT_TRUE(program) << to_string(program.error()) << kernel.text;
    const assembly::Function& function = program.value().functions.front();
    add_instruction_caches(
        machine, function, [&](std::int64_t most) { return random_source.whole(0, most - 1); },
        false);
    const bool do_lines_decide = kernel.is_late && random_source.whole(1, 2) == 1;
    if (do_lines_decide) let_lines_decide(machine);
    const auto graph = assembly::build_control_flow_graph(function).value();
    const models::Launch launch =
        models::parse_launch(
            fmt::format("{0}x{1},shared-memory=2048,block={1},grid={0}", blocks, kernel.threads))
            .value();
    const auto facts = analyzer::facts_in_use(function, graph, machine, launch, {});
    ASSERT_TRUE(facts) << to_string(facts.error()) << kernel.text;
    analyzer::Request request;
    request.function = &function;
    request.graph = &graph;
    request.architecture = &machine;
    request.facts = &facts.value();
    request.launch = launch;
    request.multiprocessors = do_lines_decide ? 1 : random_source.whole(1, 3);
    request.policy = random_conserving_policy(random_source);
    const auto by_any_thread = analyzer::analyze(request);
    ASSERT_TRUE(by_any_thread) << to_string(by_any_thread.error()) << kernel.text;
    request.follow_branches = true;
    const auto analysis = analyzer::analyze(request);
    ASSERT_TRUE(analysis) << to_string(analysis.error()) << kernel.text;
    const analyzer::SideResult& upper = analysis.value().execution_time.upper;
    const std::int64_t of_lines = fetch_cycles(upper);
    const bool is_smaller = of_lines < fetch_cycles(by_any_thread.value().execution_time.upper);
    if (is_smaller) ++found.smaller;

    auto run = harness::execution::ExecutedLaunch::run({&function, &graph, launch, {}});
    ASSERT_TRUE(run) << to_string(run.error()) << kernel.text;
    const models::FlowFacts none;
    const harness::Kernel executed{&function, &graph, &none, launch, run.value().get()};
    bool needs_lines = false;
    const auto runs = simulated_runs(machine, executed, request.policy, request.multiprocessors);
    ASSERT_FALSE(runs.empty()) << kernel.text;
    for (const auto& [draw, time] : runs) {
        needs_lines = needs_lines || time > upper.proved.count() - of_lines;
        ASSERT_LE(time, upper.proved.count())
            << kernel.text << models::write_architecture(machine) << models::to_string(launch)
            << " on " << request.multiprocessors << ", " << models::to_string(request.policy)
            << ", " << harness::to_string(draw);
    }
    if (is_smaller && needs_lines) ++found.needed;
}

TEST(LinesOfWarps, NoExecutedLaunchTakesLongerThanTheUpperBound) {
    const auto cases = static_cast<int>(from_environment("WARPBOUND_PROPERTY_CASES", 300));
    Found found;
    for_seeds(cases, [&](RandomSource& random_source) { check_case(random_source, found); });
    RecordProperty("smaller", found.smaller);
    RecordProperty("needed", found.needed);
    EXPECT_GT(found.smaller, cases / 50);
    if (cases < 2000) return;
    EXPECT_GT(found.needed, 0);
}

} // namespace
} // namespace warpbound::tests
