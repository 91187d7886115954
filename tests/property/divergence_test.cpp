/// \file
/// Bounds of kernels whose lanes may diverge, against simulated runs in which they do.

#include "analyzer/analyze.hpp"
#include "harness/device.hpp"
#include "harness/simulator/machine.hpp"
#include "models/architecture/value_path.hpp"
#include "tests/support/campaign.hpp"
#include "tests/support/every_policy.hpp"
#include "tests/support/random_kernel.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <random>
#include <string>

namespace warpbound {
namespace {

struct DivergenceVerdict {
    std::string failure;
    std::string refusal; ///< Why it was not bounded, without the address.
    int runs = 0;
    double tightness = 0;          ///< Upper bound over the longest run.
    bool several_warps = false;    ///< The launch has several.
    bool time_division = false;    ///< Policy: variable-rate.
    bool order_forced = false;     ///< Policy: srr.
    bool barriers = false;         ///< At which several warps of a block wait.
    bool patterns = false;         ///< Of addresses, with an effect.
    bool pops_in_branches = false; ///< As `RandomKernel` has it.
    bool leaves = false;           ///< As `RandomKernel` has it.
};

/// The machine with small caches, links and DRAM of random sizes and speeds.
models::Architecture with_small_caches(models::Architecture machine, std::uint64_t seed) {
    std::mt19937_64 random{seed};
    const auto pick = [&](std::int64_t lo, std::int64_t hi) {
        return lo + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(hi - lo + 1));
    };
    const auto state = [&](const std::string& path, std::int64_t lo, std::int64_t hi) {
        models::SourcedValue value;
        value.interval = models::Interval{lo, std::nullopt, hi};
        value.source = "made up";
        value.grade = models::Grade::Inferred;
        const auto set = models::set_value(machine, path, std::move(value));
        EXPECT_TRUE(set) << path << ": " << to_string(set.error());
    };
    const auto vary = [&](const std::string& path, std::int64_t lo, std::int64_t hi) {
        const std::int64_t number = pick(lo, hi);
        state(path, number, number);
    };
    vary("memories/l1/line", 128, 128);
    vary("memories/l1/sector", 32, 32);
    vary("memories/l1/sets", 1, 4);
    vary("memories/l1/ways", 1, 4);
    vary("memories/l1/service", 1, 3);
    vary("memories/l1/queue", 1, 4);
    vary("memories/l1/mshr-entries", 4, 12);
    vary("memories/l1/mshr-merges", 1, 4);
    vary("memories/l1/write-evict", 0, 1);
    vary("memories/l2/line", 128, 128);
    vary("memories/l2/sector", 32, 32);
    const std::int64_t channels = pick(1, 2);
    vary("memories/l2/slices", channels, 2);
    vary("memories/l2/sets", 1, 4);
    vary("memories/l2/ways", 1, 4);
    vary("memories/l2/service", 1, 3);
    vary("memories/l2/mshr-entries", 4, 8);
    vary("memories/l2/mshr-merges", 1, 4);
    vary("memories/l2/write-allocate", 0, 1);
    vary("memories/l2/write-back", 0, 1);
    vary("memories/interconnect/queue", 1, 8);
    vary("memories/dram/channels", channels, channels);
    vary("memories/dram/banks", 1, 4);
    vary("memories/dram/row", 256, 256);
    vary("memories/dram/queue", 1, 8);
    vary("memories/dram/row-hit", 2, 8);
    vary("memories/dram/row-miss", 20, 80);
    vary("memories/dram/refresh-interval", 2000, 9000);
    vary("memories/dram/refresh-duration", 0, 200);
    state("memories/l1/latency", pick(10, 30), pick(30, 40));
    state("memories/l2/latency", 150, pick(150, 200));
    state("memories/dram/latency", 300, pick(300, 400));
    state("memories/interconnect/latency", pick(1, 20), 20);
    state("memories/interconnect/service", 1, pick(1, 4));
    return machine;
}

enum class GlobalMemory { Stated, ThroughCaches };

DivergenceVerdict check_divergent_kernel(std::uint64_t seed,
                                         const tests::DescribedMachine& described,
                                         GlobalMemory global) {
    if (global == GlobalMemory::ThroughCaches && described.sm != 20 && described.sm != 75)
        return {.failure = {}, .refusal = "(lines are not known)"};
    const models::Architecture architecture = global == GlobalMemory::ThroughCaches
                                                  ? with_small_caches(described.architecture, seed)
                                                  : described.architecture;
    tests::RandomKernelOptions options;
    options.sm = described.sm;
    options.statements = 2 + static_cast<int>(seed % 9);
    options.depth = 1 + static_cast<int>(seed % 3);
    options.calls = seed / 7 % 4 == 0;
    options.max_iterations = 4;
    options.clock_reads = seed % 5 == 0;
    options.further_facts = seed % 3 == 0;
    options.divergence = true;
    options.barriers = seed % 2 == 0;
    options.breaks = seed / 4 % 4 == 0;
    options.loop_exits_in_branches = seed / 4 % 4 == 1;
    options.tables = seed / 7 % 4 == 0;
    options.caches = global == GlobalMemory::ThroughCaches;
    options.patterns = options.caches || seed / 16 % 2 == 0;
    const tests::RandomKernel kernel = tests::random_kernel(seed, options);
    DivergenceVerdict verdict;
    const auto fail = [&](const std::string& what) {
        verdict.failure = what + "\nseed " + std::to_string(seed) + " on " + architecture.name +
                          "\n" + kernel.text + models::write_flow_facts(kernel.facts);
        return verdict;
    };
    const auto loaded = tests::read(kernel);
    if (!loaded) return fail("not read: " + to_string(loaded.error()));
    const tests::ReadKernel& made = *loaded.value();
    if (made.facts.divergents.empty()) {
        verdict.refusal = "(lanes never diverge)";
        return verdict;
    }
    analyzer::Request request;
    request.function = made.function;
    request.graph = &made.graph;
    request.architecture = &architecture;
    request.facts = &made.facts;
    const std::array launches{models::Launch{1, 32}, models::Launch{1, 32}, models::Launch{1, 20},
                              models::Launch{1, 96}, models::Launch{2, 64}};
    request.launch = launches[seed % launches.size()];
    verdict.several_warps = request.launch.blocks * request.launch.threads > 32;
    static const auto policies =
        tests::conserving_policies({"srr", "variable-rate:fast=0,every=2", "srr",
                                    "variable-rate:fast=0,every=3", "srr", "two-level:active=1"});
    request.policy = models::read_policy(policies[seed / 8 % policies.size()]).value();
    const auto guarantee = models::guarantee_of(request.policy);
    verdict.time_division = guarantee == models::PolicyGuarantee::TimeDivision;
    verdict.order_forced = guarantee == models::PolicyGuarantee::OrderForced;
    verdict.barriers =
        request.launch.threads > 32 && kernel.text.find("BAR.SYNC") != std::string::npos;
    verdict.pops_in_branches = kernel.pops_in_branches;
    verdict.leaves = kernel.leaves;
    verdict.patterns =
        std::any_of(made.facts.memory.begin(), made.facts.memory.end(), [&](const auto& fact) {
            return fact.pattern.has_value() &&
                   (!options.caches || fact.level == models::MemoryLevel::Any);
        });
    const auto analysis = analyzer::analyze(request);
    if (!analysis) {
        const std::string what = analysis.error().what;
        const auto colon = what.find(": ");
        verdict.refusal = colon == std::string::npos ? what : what.substr(colon + 2);
        if (const auto address = verdict.refusal.find("0x"); address != std::string::npos)
            verdict.refusal.replace(address, 6, "..");
        if (made.has_further_facts() && what.find("contradict") != std::string::npos)
            verdict.refusal = "(facts contradict)";
        return verdict;
    }
    const auto machine = harness::simulator::Machine::prepare(
        architecture, {made.function, &made.graph, &made.facts, request.launch}, request.policy);
    if (!machine) {
        verdict.refusal =
            "(not simulated) " + machine.error().what.substr(machine.error().what.find(": ") + 1);
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
            // Lanes wait for each other, or the facts are hard to satisfy. But a kernel that is
            // bounded comes to its barriers with all lanes.
            if (observed.error().what.find("one by one") == std::string::npos) continue;
            return fail("some lanes came to a barrier alone: " + observed.error().what);
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

/// Of the cases that were bounded and simulated.
struct DivergenceCounts {
    int bounded = 0;
    int runs = 0;
    int several_warps = 0;
    int time_division = 0; ///< Of several warps.
    int order_forced = 0;  ///< Of several warps.
    int barriers = 0;
    int pops_in_branches = 0;
    int leaves = 0;
    int patterns = 0;
    std::map<std::string, int> refused;
    std::vector<double> tightness;

    void keep(const DivergenceVerdict& verdict) {
        if (!verdict.refusal.empty()) ++refused[verdict.refusal];
        if (verdict.runs == 0) return;
        ++bounded;
        runs += verdict.runs;
        several_warps += verdict.several_warps ? 1 : 0;
        time_division += verdict.several_warps && verdict.time_division ? 1 : 0;
        order_forced += verdict.several_warps && verdict.order_forced ? 1 : 0;
        barriers += verdict.barriers ? 1 : 0;
        pops_in_branches += verdict.pops_in_branches ? 1 : 0;
        leaves += verdict.leaves ? 1 : 0;
        patterns += verdict.patterns ? 1 : 0;
        tightness.push_back(verdict.tightness);
    }
    void record() {
        const auto property = [](const std::string& name, const std::string& value) {
            testing::Test::RecordProperty(name, value);
        };
        property("bounded", std::to_string(bounded));
        property("runs", std::to_string(runs));
        property("several_warps", std::to_string(several_warps));
        property("several_warps_time_division", std::to_string(time_division));
        property("several_warps_srr", std::to_string(order_forced));
        property("wait_at_barriers", std::to_string(barriers));
        property("with_patterns", std::to_string(patterns));
        property("break_out_of_branches", std::to_string(pops_in_branches));
        property("leave_points_by_break", std::to_string(leaves));
        std::sort(tightness.begin(), tightness.end());
        if (!tightness.empty()) {
            property("least_tightness", std::to_string(tightness.front()));
            property("median_tightness", std::to_string(tightness[tightness.size() / 2]));
        }
        for (const auto& [why, count] : refused)
            property("refused_" + std::to_string(count), why);
    }
};

DivergenceCounts check_divergent_kernels(GlobalMemory global) {
    const auto check = [global](std::uint64_t seed, const tests::DescribedMachine& described) {
        return check_divergent_kernel(seed, described, global);
    };
    DivergenceCounts counts;
    tests::run_campaign(check, [&](const DivergenceVerdict& verdict) { counts.keep(verdict); });
    counts.record();
    EXPECT_GT(counts.several_warps * 4, counts.bounded);
    EXPECT_GT(counts.time_division * 20, counts.bounded);
    EXPECT_GT(counts.order_forced * 20, counts.bounded);
    return counts;
}

TEST(Divergence, NoSimulatedTimeOfARandomKernelLeavesItsEnvelope) {
    const DivergenceCounts counts = check_divergent_kernels(GlobalMemory::Stated);
    const auto cases = tests::from_environment("WARPBOUND_PROPERTY_CASES", 600);
    EXPECT_GT(static_cast<std::uint64_t>(counts.bounded) * 4, cases);
    EXPECT_GT(counts.pops_in_branches * 40, counts.bounded);
    EXPECT_GT(counts.barriers * 40, counts.bounded);
    EXPECT_GT(counts.patterns * 10, counts.bounded);
}

TEST(Divergence, NoSimulatedTimeThroughCachesLeavesItsEnvelope) {
    const DivergenceCounts counts = check_divergent_kernels(GlobalMemory::ThroughCaches);
    const auto cases = tests::from_environment("WARPBOUND_PROPERTY_CASES", 600);
    EXPECT_GT(static_cast<std::uint64_t>(counts.patterns) * 10, cases);
}

} // namespace
} // namespace warpbound
