/// \file
/// Bounds of small kernels in which some lanes leave by BREAK the point at which the others meet.
/// Their ways wait for results of each other, so that the order of the ways counts.

#include "analyzer/analysis.hpp"
#include "assembly/isa/reader.hpp"
#include "harness/simulator/machine.hpp"
#include "models/architecture/value_path.hpp"
#include "tests/support/campaign.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <random>
#include <string>

namespace warpbound {
namespace {

/// sm_75; `divergents` and `loops` of the facts are where the text has them.
struct LeavingKernel {
    std::string text;
    models::FlowFacts facts;
};

class Maker {
public:
    explicit Maker(std::uint64_t seed) : random_{seed} {}

    LeavingKernel make() {
        const bool inside = pick(0, 2) > 0; // a point around it at which all meet
        const bool turns = pick(0, 1) == 0;
        const bool at_once = pick(0, 1) == 0;
        const bool shares = at_once && pick(0, 2) == 0; // what follows both points
        if (inside) put("BSSY B1, OUT ?trans1");
        put("BSSY B0, MEET ?trans1");
        arm();
        const std::int64_t header = address_;
        if (turns) kernel_.text += "TURN:\n";
        if (turns) arm();
        if (at_once) put("@P0 BREAK B0 ?trans1");
        kernel_.facts.divergents.push_back({address_, {}});
        put("@P0 BRA PAST ?trans5");
        arm();
        if (turns) {
            put("@P1 BRA TURN ?trans5");
            const std::int64_t most = pick(1, 4);
            kernel_.facts.loops.push_back({header, pick(1, most), most, {}});
            if (pick(0, 1) == 0) arm();
        }
        kernel_.text += "MEET:\n";
        put("BSYNC B0 ?trans5");
        arm();
        if (!shares) put("BRA OUT ?trans5");
        kernel_.text += "PAST:\n";
        if (!at_once) put("BREAK B0 ?trans1");
        arm();
        if (pick(0, 5) == 0) put("EXIT ?trans5");
        kernel_.text += "OUT:\n";
        if (inside) put("BSYNC B1 ?trans5");
        arm();
        put("EXIT ?trans5");
        return std::move(kernel_);
    }

private:
    std::int64_t pick(std::int64_t lo, std::int64_t hi) {
        return lo + static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(hi - lo + 1));
    }
    void put(const std::string& text) {
        kernel_.text += "  " + text + ";\n";
        address_ += 16;
    }
    /// Waits for what another arm may have begun, and begins what others may wait for.
    void arm() {
        const std::array<const char*, 7> waits{"0", "1", "2", "0,1", "0,2", "1,2", "0,1,2"};
        const auto waited = static_cast<std::size_t>(pick(0, 8));
        if (waited < waits.size()) put(fmt::format("NOP &req={{{}}} ?trans1", waits[waited]));
        if (pick(0, 2) == 0) put(fmt::format("NOP ?trans{}", pick(1, 15)));
        const std::int64_t begun = pick(0, 3);
        if (begun < 3) put(fmt::format("MUFU.COS R5, R9 &wr=0x{} ?trans2", begun));
    }

    std::mt19937_64 random_;
    LeavingKernel kernel_;
    std::int64_t address_ = 0;
};

struct Verdict {
    std::string failure;
    std::string refusal;
    std::int64_t slack = 0; ///< Of the upper bound over the longest run; `Unit:` core cycles.
};

Verdict check_case(std::uint64_t seed, const models::Architecture& architecture) {
    const LeavingKernel kernel = Maker{seed}.make();
    const auto program =
        assembly::read_program({"test", "!Arch sm_75\n!Kernel k\n" + kernel.text + "!EndKernel\n"});
    if (!program) return {to_string(program.error()) + "\n" + kernel.text, {}};
    const auto& function = program.value().functions.front();
    const auto graph = assembly::build_control_flow_graph(function);
    if (!graph) return {to_string(graph.error()) + "\n" + kernel.text, {}};
    analyzer::Request request;
    request.function = &function;
    request.graph = &graph.value();
    request.architecture = &architecture;
    request.facts = &kernel.facts;
    const auto analysis = analyzer::analyze(request);
    if (!analysis) return {{}, analysis.error().what};
    const auto bounds = analysis.value().execution_time.bounds();
    const auto machine = harness::simulator::Machine::prepare(
        architecture, {&function, &graph.value(), &kernel.facts, request.launch}, request.policy);
    if (!machine) return {to_string(machine.error()) + "\n" + kernel.text, {}};
    Verdict verdict;
    std::int64_t longest = 0;
    for (std::uint64_t run = 0; run < 60; ++run) {
        // The values of this machine are nearly all exact: what is drawn are the lanes.
        const auto draw = run % 2 == 0 ? harness::Draw::Extremes : harness::Draw::Adversarial;
        const auto observed = machine.value()->run({seed * 6007 + run, draw, {}});
        if (!observed) return {to_string(observed.error()) + "\n" + kernel.text, {}};
        const auto time = observed.value().execution_time;
        longest = std::max(longest, time.count());
        if (!bounds.contains(time))
            return {fmt::format("simulated {} outside [{}, {}], seed {}\n{}", time.count(),
                                bounds.lower().count(), bounds.upper().count(), seed, kernel.text),
                    {}};
    }
    verdict.slack = bounds.upper().count() - longest;
    return verdict;
}

TEST(LeavingPoints, NoSimulatedTimeLeavesItsEnvelope) {
    auto architecture = models::load_architecture("turing-t4");
    ASSERT_TRUE(architecture);
    // Short gaps, and long waits for results.
    for (const auto& [path, cycles] :
         {std::pair{"control-flow/branch-taken", 5}, std::pair{"control-flow/branch-not-taken", 5},
          std::pair{"classes/reconvergence/latency", 1},
          std::pair{"classes/special-function/source-read", 1},
          std::pair{"classes/special-function/latency", 100}})
        ASSERT_TRUE(models::override_value(architecture.value(), path, cycles)) << path;
    const auto cases = tests::from_environment("WARPBOUND_PROPERTY_CASES", 1000);
    const auto first = tests::from_environment("WARPBOUND_PROPERTY_SEED", 1);
    std::uint64_t bounded = 0;
    std::uint64_t near = 0; // to being met
    int failures = 0;
    for (std::uint64_t seed = first; seed < first + cases && failures < 3; ++seed) {
        const Verdict verdict = check_case(seed, architecture.value());
        if (!verdict.failure.empty()) {
            ADD_FAILURE() << verdict.failure;
            ++failures;
        }
        if (!verdict.refusal.empty()) continue;
        ++bounded;
        near += verdict.slack <= 5 ? 1 : 0;
    }
    RecordProperty("bounded", std::to_string(bounded));
    RecordProperty("within_5_cycles", std::to_string(near));
    EXPECT_GT(bounded * 2, cases);
    EXPECT_GT(near * 5, bounded);
}

} // namespace
} // namespace warpbound
