/// \file
/// Bounds of kernels whose lanes may part, against simulated runs in which they do.

#include "analyzer/analysis.hpp"
#include "harness/device.hpp"
#include "harness/simulator/machine.hpp"
#include "tests/support/campaign.hpp"
#include "tests/support/random_kernel.hpp"

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <string>

namespace warpbound {
namespace {

struct Verdict {
    std::string failure;
    std::string refusal; ///< Why it was not bounded, without the place.
    int runs = 0;
    double tightness = 0;    ///< Upper bound over the longest run.
    bool several = false;    ///< Warps.
    bool slotted = false;    ///< Policy.
    bool in_turn = false;    ///< Policy: srr.
    bool barriers = false;   ///< At which several warps of a block meet.
    bool patterns = false;   ///< Of addresses.
    bool breaks_out = false; ///< As `RandomKernel` has it.
};

Verdict check_case(std::uint64_t seed, const tests::DescribedMachine& described) {
    tests::RandomKernelOptions options;
    options.sm = described.sm;
    options.statements = 2 + static_cast<int>(seed % 9);
    options.depth = 1 + static_cast<int>(seed % 3);
    options.max_iterations = 4;
    options.clock_reads = seed % 5 == 0;
    options.further_facts = seed % 3 == 0;
    options.divergence = true;
    options.barriers = seed % 2 == 0;
    options.breaks = seed / 4 % 4 == 0;
    options.patterns = seed / 16 % 2 == 0;
    const tests::RandomKernel kernel = tests::random_kernel(seed, options);
    Verdict verdict;
    const auto fail = [&](const std::string& what) {
        verdict.failure = what + "\nseed " + std::to_string(seed) + " on " +
                          described.architecture.name + "\n" + kernel.text +
                          models::write_flow_facts(kernel.facts);
        return verdict;
    };
    const auto loaded = tests::read(kernel);
    if (!loaded) return fail("not read: " + to_string(loaded.error()));
    const tests::ReadKernel& made = *loaded.value();
    if (made.facts.divergents.empty()) {
        verdict.refusal = "(lanes never part)";
        return verdict;
    }
    analyzer::Request request;
    request.function = made.function;
    request.graph = &made.graph;
    request.architecture = &described.architecture;
    request.facts = &made.facts;
    constexpr std::array launches{models::Launch{1, 32}, models::Launch{1, 32},
                                  models::Launch{1, 20}, models::Launch{1, 96},
                                  models::Launch{2, 64}};
    request.launch = launches[seed % launches.size()];
    verdict.several = request.launch.blocks * request.launch.threads > 32;
    constexpr std::array policies{"lrr",
                                  "gto",
                                  "srr",
                                  "oldest",
                                  "variable-rate:fast=0,every=2",
                                  "srr",
                                  "variable-rate:fast=0,every=3"};
    request.policy = models::read_policy(policies[seed / 8 % policies.size()]).value();
    const auto guarantee = models::guarantee_of(request.policy);
    verdict.slotted = guarantee == models::PolicyGuarantee::Slotted;
    verdict.in_turn = guarantee == models::PolicyGuarantee::OrderForced;
    verdict.barriers =
        request.launch.threads > 32 && kernel.text.find("BAR.SYNC") != std::string::npos;
    verdict.breaks_out = kernel.breaks_out;
    verdict.patterns = std::any_of(made.facts.memory.begin(), made.facts.memory.end(),
                                   [](const auto& fact) { return fact.pattern.has_value(); });
    const auto analysis = analyzer::analyze(request);
    if (!analysis) {
        const std::string what = analysis.error().what;
        const auto colon = what.find(": ");
        verdict.refusal = colon == std::string::npos ? what : what.substr(colon + 2);
        if (made.has_further_facts() && what.find("contradict") != std::string::npos)
            verdict.refusal = "(facts contradict)";
        return verdict;
    }
    const auto machine = harness::simulator::Machine::prepare(
        described.architecture, {made.function, &made.graph, &made.facts, request.launch},
        request.policy);
    if (!machine) {
        verdict.refusal = "(not simulated)";
        return verdict;
    }
    const auto bounds = analysis.value().execution_time.bounds();
    std::int64_t longest = 0;
    std::uint64_t run_seed = seed * 7919;
    for (const auto draw :
         {harness::Draw::Uniform, harness::Draw::Extremes, harness::Draw::AllLow,
          harness::Draw::AllHigh, harness::Draw::AllHigh, harness::Draw::Adversarial}) {
        const auto observed = machine.value()->run({++run_seed, draw, {}});
        if (!observed) {
            // Lanes that wait for each other, or facts that are hard to meet; but what is bounded
            // comes to its barriers with all lanes.
            if (observed.error().what.find("one by one") == std::string::npos) continue;
            return fail("lanes came to a barrier apart: " + observed.error().what);
        }
        const auto time = observed.value().execution_time;
        ++verdict.runs;
        longest = std::max(longest, time.count());
        if (!bounds.contains(time))
            return fail("simulated " + std::to_string(time.count()) + " outside [" +
                        std::to_string(bounds.lower().count()) + ", " +
                        std::to_string(bounds.upper().count()) + "], run seed " +
                        std::to_string(run_seed) + ", draw " +
                        std::string{harness::to_string(draw)});
    }
    if (longest > 0)
        verdict.tightness =
            static_cast<double>(bounds.upper().count()) / static_cast<double>(longest);
    return verdict;
}

TEST(PartingLanes, NoSimulatedTimeOfARandomKernelLeavesItsEnvelope) {
    int bounded = 0;
    int runs = 0;
    int several = 0;
    int slotted = 0;
    int in_turn = 0;
    int barriers = 0;
    int breaks_out = 0;
    int patterns = 0;
    std::map<std::string, int> refused;
    std::vector<double> tightness;
    tests::run_campaign(check_case, [&](const Verdict& verdict) {
        if (!verdict.refusal.empty()) ++refused[verdict.refusal];
        if (verdict.runs == 0) return;
        ++bounded;
        runs += verdict.runs;
        several += verdict.several ? 1 : 0;
        slotted += verdict.several && verdict.slotted ? 1 : 0;
        in_turn += verdict.several && verdict.in_turn ? 1 : 0;
        barriers += verdict.barriers ? 1 : 0;
        breaks_out += verdict.breaks_out ? 1 : 0;
        patterns += verdict.patterns ? 1 : 0;
        tightness.push_back(verdict.tightness);
    });
    const auto cases = tests::from_environment("WARPBOUND_PROPERTY_CASES", 2000);
    EXPECT_GT(static_cast<std::uint64_t>(bounded) * 4, cases);
    EXPECT_GT(several * 4, bounded);
    EXPECT_GT(slotted * 20, bounded);
    EXPECT_GT(in_turn * 20, bounded);
    EXPECT_GT(breaks_out * 40, bounded);
    EXPECT_GT(barriers * 40, bounded);
    EXPECT_GT(patterns * 10, bounded);
    std::sort(tightness.begin(), tightness.end());
    RecordProperty("bounded", bounded);
    RecordProperty("runs", runs);
    RecordProperty("several_warps", several);
    RecordProperty("several_warps_slotted", slotted);
    RecordProperty("several_warps_in_turn", in_turn);
    RecordProperty("meet_at_barriers", barriers);
    RecordProperty("with_patterns", patterns);
    RecordProperty("break_out_of_branches", breaks_out);
    if (!tightness.empty())
        RecordProperty("median_tightness", std::to_string(tightness[tightness.size() / 2]));
    for (const auto& [why, count] : refused)
        RecordProperty("refused_" + std::to_string(count), why);
}

} // namespace
} // namespace warpbound
