/// \file
/// Bounds of random kernels on machines with memory queues (C71 to C74), against simulated runs:
/// one warp and many, with blocks, barriers and divergence.

#include "analyzer/analyze.hpp"
#include "analyzer/evidence/path_certificates.hpp"
#include "assembly/isa/function_effects.hpp"
#include "harness/device.hpp"
#include "harness/simulator/machine.hpp"
#include "tests/support/campaign.hpp"
#include "tests/support/instruction_forms.hpp"
#include "tests/support/queue_accesses.hpp"
#include "tests/support/random_kernel.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>

namespace warpbound {
namespace {

struct QueueVerdict {
    std::string failure;
    std::string refusal; ///< Why it was not bounded.
    bool several_warps = false;
    bool shares_scheduler = false;
    bool straight = false; ///< One path, whose bounds are met.
    bool diverges = false;
    double tightness = 0;    ///< Upper bound over the longest run.
    double slack = 0;        ///< Shortest run over the lower bound.
    bool is_delayed = false; ///< A queue of more places makes a run shorter.
};

QueueVerdict check_case(std::uint64_t seed, const tests::DescribedMachine& described) {
    tests::RandomSource random{seed};
    QueueVerdict verdict;
    verdict.straight = seed % 6 == 0;
    models::Architecture architecture = described.architecture;
    tests::put_memory_queue(architecture, random, verdict.straight);
    const bool tells_forms_apart = seed % 2 == 0;
    if (tells_forms_apart) tests::put_forms(architecture, random, verdict.straight);
    const std::int64_t places = random.whole(1, 4);
    tests::put_value(architecture, "limits/max-blocks", {places, places, places});
    tests::put_value(architecture, "blocks/replacement", {3, std::nullopt, 9});
    tests::put_value(architecture, "blocks/start", {5, std::nullopt, 20});
    if (seed % 5 == 4) tests::put_value(architecture, "schedulers/count", {1, 1, 1});
    if (described.sm >= 75 && seed % 7 < 3)
        for (const auto& [name, value] : {std::pair{"banks", 2}, std::pair{"read-ports", 1},
                                          std::pair{"read-window", 3}, std::pair{"reuse-slots", 3}})
            tests::put_value(architecture, std::string{"register-file/"} + name,
                             {value, value, value});
    tests::RandomKernelOptions options;
    options.sm = described.sm;
    options.statements = 3 + static_cast<int>(seed % 14);
    options.depth = 1 + static_cast<int>(seed % 2);
    options.clock_reads = false;
    options.memory = seed % 5 == 3;
    options.further_facts = false;
    options.divergence = !verdict.straight && seed % 4 == 1;
    options.barriers = !verdict.straight && seed % 3 == 1;
    options.conditional_barriers = options.barriers && !options.divergence && seed % 7 == 0;
    if (verdict.straight) {
        options.depth = 0;
        options.predicates = false;
        options.statements = 4 + static_cast<int>(seed % 40);
    }
    const tests::RandomKernel kernel = tests::random_kernel(seed, options);
    const auto fail = [&](const std::string& what) {
        verdict.failure = what + "\nseed " + std::to_string(seed) + " on " + architecture.name +
                          "\n" + kernel.text + models::write_flow_facts(kernel.facts);
        return verdict;
    };
    auto loaded = tests::read(kernel);
    if (!loaded) return fail("not read: " + to_string(loaded.error()));
    tests::ReadKernel& made = *loaded.value();
    tests::access_more(made.program.functions.front(), made.facts, random, verdict.straight);
    if (tells_forms_apart) tests::mix_forms(made.program.functions.front(), random);
    verdict.diverges = !made.facts.divergents.empty();

    analyzer::Request request;
    request.function = made.function;
    request.graph = &made.graph;
    request.architecture = &architecture;
    request.facts = &made.facts;
    constexpr std::array policies{"lrr",     "gto",
                                  "oldest",  "two-level:active=48",
                                  "unknown", "variable-rate:fast=0,every=2,conserving"};
    if (seed / 3 % 3 > 0) {
        request.launch = {random.whole(1, 8), 32 * random.whole(1, 8)};
        request.multiprocessors = random.whole(0, 3) == 0 ? random.whole(2, 3) : 1;
    }
    request.policy = models::read_policy(policies[seed / 11 % policies.size()]).value();
    verdict.several_warps = request.launch.blocks * request.launch.threads > 32;
    verdict.shares_scheduler = request.launch.threads > 128;
    const auto analysis = analyzer::analyze(request);
    if (!analysis) {
        verdict.refusal = to_string(analysis.error());
        return verdict.diverges ? verdict : fail("not analyzed: " + verdict.refusal);
    }
    const auto bounds = analysis.value().execution_time.bounds();
    if (!verdict.diverges && seed % 8 == 0) {
        analyzer::CertificateStore certificates;
        request.certificates = &certificates;
        const auto proved = analyzer::analyze(request);
        if (!proved) return fail("no evidence: " + to_string(proved.error()));
        if (!made.has_further_facts() &&
            proved.value().execution_time.bounds().upper() != bounds.upper() &&
            analysis.value().execution_time.upper.outcome == analyzer::Outcome::Optimal &&
            made.function->instructions.size() < 100)
            return fail("another bound with evidence");
    }
    const harness::Kernel launched{made.function, &made.graph, &made.facts, request.launch};
    const auto machine = harness::simulator::Machine::prepare(
        architecture, launched, request.policy, request.multiprocessors);
    if (!machine) return fail("not simulated: " + to_string(machine.error()));
    std::uint64_t run_seed = seed * 7919;
    std::int64_t best = INT64_MAX;
    std::int64_t worst = 0;
    using enum harness::Draw;
    for (const auto draw : {Uniform, Extremes, AllLow, AllHigh, Adversarial}) {
        const auto observed = machine.value()->run({++run_seed, draw, {}});
        if (!observed) return fail("run refused: " + to_string(observed.error()));
        const auto time = observed.value().execution_time;
        best = std::min(best, time.count());
        worst = std::max(worst, time.count());
        if (!bounds.contains(time))
            return fail("simulated " + std::to_string(time.count()) + " outside [" +
                        std::to_string(bounds.lower().count()) + ", " +
                        std::to_string(bounds.upper().count()) + "], launch " +
                        models::to_string(request.launch) + " on " +
                        std::to_string(request.multiprocessors) + ", policy " +
                        models::to_string(request.policy) + ", run seed " +
                        std::to_string(run_seed) + ", draw " +
                        std::string{harness::to_string(draw)});
        if (!verdict.straight || verdict.several_warps ||
            architecture.has_read_ports()) // Whose reads may be drawn.
            continue;
        const auto end = draw == AllLow ? bounds.lower() : draw == AllHigh ? bounds.upper() : time;
        if (time != end)
            return fail("straight-line code takes " + std::to_string(time.count()) +
                        ", its bound is " + std::to_string(end.count()));
    }
    verdict.tightness = static_cast<double>(bounds.upper().count()) / static_cast<double>(worst);
    verdict.slack = static_cast<double>(best) /
                    static_cast<double>(std::max<std::int64_t>(1, bounds.lower().count()));
    models::Architecture roomy = architecture;
    tests::put_value(roomy, "memory-queue/interval", {1, 1, 1});
    tests::put_value(roomy, "memory-queue/places", {1000, 1000, 1000});
    const auto without = harness::simulator::Machine::prepare(roomy, launched, request.policy,
                                                              request.multiprocessors);
    if (!without) return fail("not simulated: " + to_string(without.error()));
    const auto fast = without.value()->run({run_seed, AllHigh, {}});
    const auto slow = machine.value()->run({run_seed, AllHigh, {}});
    verdict.is_delayed =
        fast && slow && slow.value().execution_time.count() > fast.value().execution_time.count();
    return verdict;
}

TEST(MemoryQueueBounds, NoSimulatedTimeOfARandomKernelLeavesItsEnvelope) {
    std::uint64_t delayed = 0;
    std::uint64_t straight = 0;
    std::uint64_t several = 0;
    std::uint64_t shared = 0;
    std::uint64_t divergent = 0;
    std::uint64_t refused = 0;
    double tightness = 0;
    double slack = 0;
    std::uint64_t bounded = 0;
    const std::uint64_t cases = tests::run_campaign(check_case, [&](const auto& verdict) {
        if (!verdict.refusal.empty()) ++refused;
        if (verdict.tightness == 0) return;
        ++bounded;
        tightness += verdict.tightness;
        slack += verdict.slack;
        if (verdict.is_delayed) ++delayed;
        if (verdict.straight && !verdict.several_warps) ++straight;
        if (verdict.several_warps) ++several;
        if (verdict.shares_scheduler) ++shared;
        if (verdict.diverges) ++divergent;
    });
    RecordProperty("delayed", std::to_string(delayed));
    RecordProperty("straight", std::to_string(straight));
    RecordProperty("several_warps", std::to_string(several));
    RecordProperty("divergent", std::to_string(divergent));
    RecordProperty("mean_upper_over_longest",
                   std::to_string(tightness / static_cast<double>(bounded)));
    RecordProperty("mean_shortest_over_lower",
                   std::to_string(slack / static_cast<double>(bounded)));
    EXPECT_GT(delayed * 4, bounded) << "queues delayed hardly a run";
    EXPECT_GT(straight * 60, cases);
    EXPECT_GT(several * 3, cases);
    EXPECT_GT(shared * 6, cases);
    EXPECT_GT(divergent * 10, cases);
    EXPECT_LT(refused * 10, cases);
}

} // namespace
} // namespace warpbound
