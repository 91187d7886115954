/// \file
/// Threads that represent their warps (S46): an interpreter runs each thread of random kernels with
/// guards on their indices; simulated runs lie inside the bounds; bundles verify.

#include "analyzer/analyze.hpp"
#include "analyzer/flow/facts_in_use.hpp"
#include "assembly/isa/reader.hpp"
#include "certification/bundle/build.hpp"
#include "certification/verify/verify.hpp"
#include "harness/simulator/machine.hpp"
#include "models/architecture/architecture.hpp"
#include "models/architecture/value_path.hpp"
#include "tests/support/campaign.hpp"
#include "tests/support/evidence.hpp"
#include "tests/support/lane_interpreter.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace warpbound::tests {
namespace {

constexpr std::int64_t arguments = 0x160;

/// A kernel of which threads leave by their indices, at its begin or later, and by data.
class GuardedKernel {
public:
    explicit GuardedKernel(RandomSource& random_source) : random_{random_source} {
        constexpr std::array<std::array<std::int64_t, 2>, 6> shapes{
            {{96, 1}, {64, 1}, {32, 2}, {16, 4}, {8, 8}, {24, 4}}};
        shape = shapes[static_cast<std::size_t>(random_.whole(0, 5))];
        grid = {random_.whole(1, 6), shape[1] == 1 ? 1 : random_.whole(1, 4)};
        for (std::size_t d = 0; d < 2; ++d)
            limits[d] = std::max<std::int64_t>(1, shape[d] * grid[d] - random_.whole(-3, 40));
        write();
    }

    [[nodiscard]] models::Launch launch() const {
        return models::parse_launch(launch_text()).value();
    }
    [[nodiscard]] std::string launch_text() const {
        return fmt::format("{}x{},block={}x{},grid={}x{},0x160={},0x164={}", grid[0] * grid[1],
                           shape[0] * shape[1], shape[0], shape[1], grid[0], grid[1], limits[0],
                           limits[1]);
    }

    std::string text;
    std::array<std::int64_t, 2> shape{};
    std::array<std::int64_t, 2> grid{};
    std::array<std::int64_t, 2> limits{};

private:
    bool one_in(std::int64_t n) { return random_.whole(1, n) == 1; }
    void add(const std::string& line) { text += line + " ?trans6;\n"; }

    void write() {
        text = "!Arch sm_75\n!Kernel k\n";
        add("S2R R0, SR_TID.X");
        add("S2R R1, SR_CTAID.X");
        add("S2R R2, SR_TID.Y");
        add("S2R R3, SR_CTAID.Y");
        add(fmt::format("IMAD R4, R1, 0x{:x}, R0", shape[0]));
        add(fmt::format("IMAD R5, R3, 0x{:x}, R2", shape[1]));
        if (!one_in(8)) guard();
        for (std::int64_t left = random_.whole(1, 4); left > 0; --left)
            statement();
        text += "END:\n";
        add("EXIT");
        text += "!EndKernel\n";
    }

    /// Some threads leave.
    void guard() {
        add("ISETP.GE.AND P0, PT, R4, c[0x0][0x160], PT");
        if (one_in(2)) add("ISETP.GE.OR P0, PT, R5, c[0x0][0x164], P0");
        if (one_in(4)) add(fmt::format("ISETP.LT.OR P0, PT, R4, 0x{:x}, P0", random_.whole(1, 3)));
        if (one_in(4)) add("ISETP.EQ.OR P0, PT, R0, RZ, P0");
        add(one_in(2) ? "@P0 EXIT" : "@P0 BRA END");
    }

    void statement() {
        const int label = labels_++;
        switch (random_.whole(1, 8)) {
        case 7: // By the parity of an index, around some work of one side.
            add(fmt::format("LOP3.LUT R11, R{}, 0x1, RZ, 0xc0, !PT", one_in(2) ? 0 : 4));
            add(fmt::format("ISETP.{}.AND P3, PT, R11, RZ, PT", one_in(2) ? "NE" : "EQ"));
            add(fmt::format("@P3 BRA X{}", label));
            for (int i = 0; i < 4; ++i)
                add("FFMA R8, R8, R7, R8");
            text += fmt::format("X{}:\n", label);
            return add("NOP");
        case 1: // By data.
            add("LDS R6, [R9]");
            add("ISETP.LT.AND P1, PT, R6, 0x7, PT");
            add(fmt::format("@P1 BRA X{}", label));
            add("IADD3 R7, R7, 0x1, RZ");
            text += fmt::format("X{}:\n", label);
            return add("NOP");
        case 2: // By an index, around some work.
            add(fmt::format("ISETP.GE.AND P2, PT, R4, 0x{:x}, PT", random_.whole(1, 120)));
            add(fmt::format("@P2 BRA X{}", label));
            add("IADD3 R7, R7, 0x1, RZ");
            add("IADD3 R8, R8, R7, RZ");
            text += fmt::format("X{}:\n", label);
            return add("NOP");
        case 3: { // A loop.
            add("MOV R10, RZ");
            text += fmt::format("L{}:\n", label);
            add("IADD3 R10, R10, 0x1, RZ");
            add(fmt::format("ISETP.LT.AND P4, PT, R10, 0x{:x}, PT", random_.whole(2, 4)));
            return add(fmt::format("@P4 BRA L{}", label));
        }
        case 4:
            return guard();
        default:
            for (int i = 0; i < 5; ++i)
                add("FFMA R8, R8, R7, R8");
        }
    }

    RandomSource& random_;
    int labels_ = 0;
};

/// Whether the run takes no edge and ends at no EXIT of the fact.
bool avoids(const models::RepresentativeFact& fact, const assembly::ControlFlowGraph& graph,
            const LaneRun& run) {
    for (std::size_t edge = 0; edge < graph.edges.size(); ++edge) {
        const std::pair ends{graph.blocks[graph.edges[edge].from].address,
                             graph.blocks[graph.edges[edge].to].address};
        if (run.edges[edge] > 0 &&
            std::find(fact.edges.begin(), fact.edges.end(), ends) != fact.edges.end())
            return false;
    }
    return std::find(fact.ends.begin(), fact.ends.end(), graph.blocks[run.path.back()].address) ==
           fact.ends.end();
}

/// How many threads of a warp avoid what the fact excludes.
std::int64_t avoiding(const GuardedKernel& kernel, const assembly::Function& function,
                      const assembly::ControlFlowGraph& graph,
                      const models::RepresentativeFact& fact, std::array<std::int64_t, 2> block,
                      std::int64_t warp, std::int64_t lanes, RandomSource& random_source) {
    std::int64_t count = 0;
    for (std::int64_t lane = 0; lane < lanes; ++lane) {
        const std::int64_t thread = warp * lanes + lane;
        const auto number = [](std::int64_t value) { return static_cast<std::uint32_t>(value); };
        LaneInputs inputs;
        inputs.special = {{"SR_TID.X", number(thread % kernel.shape[0])},
                          {"SR_TID.Y", number(thread / kernel.shape[0])},
                          {"SR_CTAID.X", number(block[0])},
                          {"SR_CTAID.Y", number(block[1])}};
        inputs.constants = {{arguments, number(kernel.limits[0])},
                            {arguments + 4, number(kernel.limits[1])}};
        const LaneRun run =
            LaneInterpreter{function, graph, random_source, kernel.launch(), inputs}.run(1000);
        EXPECT_TRUE(run.ended);
        if (avoids(fact, graph, run)) ++count;
    }
    return count;
}

TEST(RepresentativeProperty, ThreadsAvoidWhatTheFactExcludesAndRunsLieInsideTheBounds) {
    const auto cases = static_cast<int>(from_environment("WARPBOUND_PROPERTY_CASES", 150));
    const auto shipped = models::load_architecture("turing-t4");
    ASSERT_TRUE(shipped);
    int with_fact = 0;
    int with_some_blocks = 0;
    int tighter = 0;
    int by_parity = 0;
    for_seeds(cases, [&](RandomSource& random_source) {
        const GuardedKernel kernel{random_source};
        // Warps of other sizes hold other threads.
        const std::int64_t lanes = random_source.whole(1, 3) > 1 ? 32 : 8;
        models::Architecture machine_of_size = shipped.value();
        ASSERT_TRUE(
            models::assume_value(machine_of_size, fmt::format("geometry/warp-size={}", lanes)));
        const auto* const architecture = &machine_of_size;
        const auto program = assembly::read_program({"random", kernel.text});
        ASSERT_TRUE(program) << to_string(program.error()) << kernel.text;
        const assembly::Function& function = program.value().functions.front();
        const auto graph = assembly::build_control_flow_graph(function);
        ASSERT_TRUE(graph) << to_string(graph.error()) << kernel.text;
        auto facts =
            analyzer::facts_in_use(function, graph.value(), *architecture, kernel.launch(), {});
        ASSERT_TRUE(facts) << to_string(facts.error()) << kernel.text;
        analyzer::Request request;
        request.function = &function;
        request.graph = &graph.value();
        request.architecture = architecture;
        request.facts = &facts.value();
        request.launch = kernel.launch();
        request.multiprocessors = random_source.whole(1, 3);
        const auto analysis = analyzer::analyze(request);
        ASSERT_TRUE(analysis) << to_string(analysis.error()) << kernel.text;
        const auto bounds = analysis.value().execution_time.bounds();
        if (const auto& fact = facts.value().representative) {
            ++with_fact;
            if (fact->blocks() < kernel.grid[0] * kernel.grid[1]) ++with_some_blocks;
            // Rows that are no whole part of a warp have no column: all threads represent, or those
            // of one parity.
            const bool has_no_column = lanes % kernel.shape[0] != 0;
            std::int64_t least = lanes;
            for (const bool last : {false, true})
                for (std::int64_t warp = 0; warp < kernel.shape[0] * kernel.shape[1] / lanes;
                     ++warp) {
                    const auto& corner = last ? fact->last : fact->first;
                    const std::int64_t count =
                        avoiding(kernel, function, graph.value(), *fact, {corner[0], corner[1]},
                                 warp, lanes, random_source);
                    ASSERT_GE(count, has_no_column ? lanes / 2 : 1)
                        << kernel.launch_text() << ", warp " << warp << "\n"
                        << kernel.text;
                    least = std::min(least, count);
                }
            if (has_no_column && least < lanes) ++by_parity;
            models::FlowFacts without = facts.value();
            without.representative.reset();
            request.facts = &without;
            const auto loose = analyzer::analyze(request);
            ASSERT_TRUE(loose);
            if (loose.value().execution_time.lower.proved < bounds.lower()) ++tighter;
        }
        // Without the fact warps may end early, which the upper bound covers.
        models::FlowFacts of_runs = facts.value();
        const bool keeps_fact = random_source.whole(1, 3) > 1;
        if (!keeps_fact) of_runs.representative.reset();
        const auto machine = harness::simulator::Machine::prepare(
            *architecture, {&function, &graph.value(), &of_runs, kernel.launch()}, request.policy,
            request.multiprocessors);
        ASSERT_TRUE(machine) << to_string(machine.error()) << kernel.text;
        for (const auto draw : {harness::Draw::AllLow, harness::Draw::Extremes,
                                harness::Draw::Uniform, harness::Draw::AllHigh}) {
            const auto run = machine.value()->run(
                {static_cast<std::uint64_t>(random_source.whole(1, 1000)), draw, {}});
            ASSERT_TRUE(run) << to_string(run.error()) << kernel.text;
            ASSERT_TRUE(run.value().execution_time <= bounds.upper() &&
                        (!keeps_fact || bounds.lower() <= run.value().execution_time))
                << run.value().execution_time.count() << " outside [" << bounds.lower().count()
                << ", " << bounds.upper().count() << "], " << to_string(draw) << "\n"
                << kernel.launch_text() << "\n"
                << kernel.text;
        }
    });
    EXPECT_GT(with_fact, cases / 5);
    EXPECT_GT(with_some_blocks, cases / 20);
    EXPECT_GT(tighter, cases / 6);
    EXPECT_GT(by_parity, cases / 30);
    RecordProperty("with_fact", with_fact);
    RecordProperty("with_some_blocks", with_some_blocks);
    RecordProperty("tighter", tighter);
    RecordProperty("by_parity", by_parity);
}

TEST(RepresentativeProperty, BundlesVerify) {
    const auto cases = static_cast<int>(from_environment("WARPBOUND_PROPERTY_CASES", 150) / 10);
    const auto architecture = models::load_architecture("turing-t4");
    ASSERT_TRUE(architecture);
    int bundles = 0;
    for_seeds(cases, [&](RandomSource& random_source) {
        const GuardedKernel kernel{random_source};
        certification::BundleInputs inputs;
        inputs.tool_version = "1";
        certification::KernelInput& input = inputs.kernels.emplace_back();
        input.kernel = "k";
        input.launch = kernel.launch_text();
        input.policy = random_source.whole(1, 2) == 1 ? "unknown" : "gto";
        input.multiprocessors = random_source.whole(1, 3);
        input.listing = kernel.text;
        input.architecture = models::write_architecture(architecture.value());
        add_runs(input, 3, harness::Draw::Extremes);
        const auto bundle = certification::build_bundle(inputs);
        // Which lanes may diverge how is more than each check follows.
        if (!bundle) return;
        ++bundles;
        certification::verify::Options options;
        options.rebuild = rebuild;
        options.tool_version = "1";
        for (const auto& step : certification::verify::verify(plain(bundle.value().files), options))
            ASSERT_TRUE(step.verdict == certification::verify::Verdict::Holds ||
                        step.verdict == certification::verify::Verdict::NotApplicable)
                << step.step << ": " << step.detail << "\n"
                << kernel.launch_text() << "\n"
                << kernel.text;
    });
    EXPECT_GT(bundles * 2, cases);
    RecordProperty("bundles", bundles);
}

/// The verdict of the step "structure" on a bundle in whose facts in use one text is replaced.
certification::verify::StepResult structure_with(certification::EvidenceFiles files,
                                                 const std::string& from, const std::string& to) {
    std::string& facts = files.at("analysis/K1/facts-in-use.xml").bytes;
    const std::size_t at = facts.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    if (at != std::string::npos) facts.replace(at, from.size(), to);
    seal_again(files);
    return step_of(certification::verify::verify(plain(files), {}), "structure");
}

// 256 threads in 4 blocks, 250 elements: three blocks have work in all threads.
TEST(RepresentativeFlow, IsCheckedBeforeItIsUsed) {
    certification::BundleInputs inputs;
    inputs.tool_version = "1";
    certification::KernelInput& input = inputs.kernels.emplace_back();
    input.kernel = "k";
    input.launch = "4x64,block=64,grid=4,0x160=250";
    input.policy = "unknown";
    input.listing = "!Arch sm_75\n!Kernel k\nS2R R0, SR_TID.X ?trans6;\n"
                    "S2R R1, SR_CTAID.X ?trans6;\nIMAD R4, R1, 0x40, R0 ?trans6;\n"
                    "ISETP.GE.AND P0, PT, R4, c[0x0][0x160], PT ?trans6;\n@P0 EXIT ?trans6;\n"
                    "FFMA R8, R8, R7, R8 ?trans6;\nFFMA R8, R8, R7, R8 ?trans6;\n"
                    "EXIT ?trans6;\n!EndKernel\n";
    input.architecture = models::write_architecture(models::load_architecture("turing-t4").value());
    const auto bundle = certification::build_bundle(inputs);
    ASSERT_TRUE(bundle) << to_string(bundle.error());
    using certification::verify::Verdict;
    const auto& files = bundle.value().files;
    const std::string box = "first-block=\"0,0,0\" last-block=\"2,0,0\"";
    EXPECT_EQ(structure_with(files, box, box).verdict, Verdict::Holds);
    EXPECT_NE(structure_with(files, box, "first-block=\"0,0,0\" last-block=\"4,0,0\"")
                  .detail.find("thread blocks 0 to 4 in dimension x; the grid has 4"),
              std::string::npos);
    EXPECT_NE(structure_with(files, "<end block=\"0x0000\"/>", "<end block=\"0x0050\"/>")
                  .detail.find("does not end at an EXIT with a guard"),
              std::string::npos);
    EXPECT_NE(
        structure_with(files, "<end block=\"0x0000\"/>", "<edge from=\"0x0000\" to=\"0x0070\"/>")
            .detail.find("no edge leads from"),
        std::string::npos);
    // Without the work of the representatives the tables are not those of the code.
    EXPECT_EQ(
        structure_with(files, "<end block=\"0x0000\"/>", "<edge from=\"0x0000\" to=\"0x0050\"/>")
            .verdict,
        Verdict::Failed);
}

} // namespace
} // namespace warpbound::tests
