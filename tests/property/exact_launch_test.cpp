/// \file
/// Tiny launches, all choices searched: lower bound <= best, worst <= upper bound, and the
/// simulated device between best and worst under every work-conserving policy.

#include "analyzer/evidence/path_certificates.hpp"
#include "tests/support/campaign.hpp"
#include "tests/support/every_policy.hpp"
#include "tests/support/made_values.hpp"
#include "tests/support/tiny_launch.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace warpbound {
namespace {

using tests::set;
using tests::TinyLaunch;

/// A small interlocked machine with exact values; pass-costs are not needed, every access has one
/// pass.
models::Architecture random_machine(const models::Architecture& fermi, tests::RandomSource& draw) {
    models::Architecture machine = fermi;
    set(machine.schedulers, "count", draw.whole(1, 2));
    set(machine.schedulers, "issue-slot", draw.whole(1, 4));
    set(machine.schedulers, "same-warp-interval", draw.whole(1, 3));
    set(machine.limits, "max-blocks", draw.whole(1, 2));
    set(machine.blocks, "start", draw.whole(0, 3));
    set(machine.blocks, "replacement", draw.whole(0, 2));
    set(machine.write_buffer, "entries", draw.whole(1, 2));
    set(machine.write_buffer, "drain", draw.whole(1, 6));
    if (draw.whole(0, 2) == 0) {
        const std::int64_t sector = draw.whole(0, 5);
        tests::put_value(machine, "memories/l1/line", {128, 128, 128});
        tests::put_value(machine, "memories/l1/sector", {64, 64, 64});
        tests::put_value(machine, "write-buffer/sector-drain", {sector, sector, sector});
    }
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

std::string random_code(tests::RandomSource& draw, models::FlowFacts& facts, bool barriers) {
    std::string text = "!Arch sm_20\n!Kernel k\n";
    const std::int64_t length = draw.whole(1, 4);
    for (std::int64_t i = 0; i < length; ++i) {
        const std::string to = "R" + std::to_string(draw.whole(1, 3));
        const std::string from = "R" + std::to_string(draw.whole(1, 3));
        models::MemoryFact fact;
        fact.at = 8 * i;
        switch (draw.whole(0, barriers ? 4 : 3)) {
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

/// Machine and code of a seed; the launch is the caller's.
TinyLaunch random_tiny_launch(const models::Architecture& fermi, tests::RandomSource& draw,
                              bool barriers = true) {
    TinyLaunch tiny{.machine = random_machine(fermi, draw), .text = {}, .facts = {}, .launch = {}};
    tiny.text = random_code(draw, tiny.facts, barriers);
    tiny.read();
    return tiny;
}

std::string about(std::uint64_t seed, const TinyLaunch& tiny, const tests::ExactTimes& exact) {
    return "seed " + std::to_string(seed) + ", launch " + models::to_string(tiny.launch) + "\n" +
           tiny.text + "exact " + std::to_string(exact.best) + ".." + std::to_string(exact.worst);
}

/// What the analyzer calls decided is met from above.
void expect_around(const analyzer::Envelope& envelope, const tests::ExactTimes& exact) {
    ASSERT_LE(envelope.lower.proved.count(), exact.best);
    ASSERT_GE(envelope.upper.proved.count(), exact.worst);
    if (envelope.upper.proof == analyzer::Proof::ScheduleExploration) {
        ASSERT_EQ(envelope.upper.proved.count(), exact.worst);
    }
}

/// `seen`: widened to what the runs take.
void expect_runs_inside(const TinyLaunch& tiny, const models::WarpPolicy& policy,
                        std::uint64_t seed, const tests::ExactTimes& exact, std::uint64_t runs = 4,
                        tests::ExactTimes* seen_times = nullptr) {
    const harness::Kernel kernel{&tiny.function(), &tiny.graph, &tiny.facts, tiny.launch};
    const auto prepared =
        harness::simulator::Machine::prepare(tiny.machine, kernel, policy, tiny.multiprocessors);
    ASSERT_TRUE(prepared) << to_string(prepared.error());
    for (std::uint64_t run = 0; run < runs; ++run) {
        const auto seen = prepared.value()->run({seed + run, harness::Draw::Uniform, {}});
        ASSERT_TRUE(seen) << to_string(seen.error());
        const std::int64_t time = seen.value().execution_time.count();
        ASSERT_GE(time, exact.best);
        ASSERT_LE(time, exact.worst);
        if (seen_times == nullptr) continue;
        seen_times->best = std::min(seen_times->best, time);
        seen_times->worst = std::max(seen_times->worst, time);
    }
}

/// Of launches on two multiprocessors; the simulator stays inside, too.
TEST(ExactLaunches, OnTwoMultiprocessorsLieInsideTheEnvelope) {
    const std::uint64_t cases = tests::from_environment("WARPBOUND_EXACT_CASES", 160) / 4;
    const std::uint64_t first = tests::from_environment("WARPBOUND_PROPERTY_SEED", 1);
    RecordProperty("first_seed", std::to_string(first));
    const auto fermi = models::load_architecture("fermi-gtx470");
    ASSERT_TRUE(fermi) << to_string(fermi.error());
    std::size_t searched = 0;
    std::size_t waited = 0;
    for (std::uint64_t seed = first; seed < first + cases; ++seed) {
        tests::RandomSource draw{seed};
        TinyLaunch tiny = random_tiny_launch(fermi.value(), draw);
        set(tiny.machine.schedulers, "count", 1);
        tiny.launch = {draw.whole(1, 6), 32};
        tiny.multiprocessors = 2;
        const auto exact = tiny.exact(60'000);
        if (!exact) continue;
        ++searched;
        if (tiny.launch.blocks > 2 * tiny.machine.limits.find("max-blocks")->interval->hi) ++waited;
        SCOPED_TRACE(about(seed, tiny, *exact));
        expect_around(tiny.envelope(), *exact);
        expect_runs_inside(tiny, {}, seed, *exact);
        expect_runs_inside(tiny, tiny.policy, seed, *exact);
        if (HasFatalFailure()) return;
    }
    EXPECT_GT(searched * 4, cases * 3) << "too many launches were too large to search";
    EXPECT_GT(waited * 5, searched);
    RecordProperty("searched", std::to_string(searched));
}

TEST(ExactLaunches, LieInsideTheEnvelopeAndContainTheSimulatedTimes) {
    const std::uint64_t cases = tests::from_environment("WARPBOUND_EXACT_CASES", 160);
    const std::uint64_t first = tests::from_environment("WARPBOUND_PROPERTY_SEED", 1);
    RecordProperty("first_seed", std::to_string(first));
    const auto fermi = models::load_architecture("fermi-gtx470");
    ASSERT_TRUE(fermi) << to_string(fermi.error());
    const std::vector<std::string> policies = tests::conserving_policies({"two-level:active=48"});
    std::vector<double> ratios;
    std::size_t varied = 0;
    std::size_t at_best = 0; // Reached by runs in which it is not known who is preferred.
    std::size_t at_worst = 0;
    for (std::uint64_t seed = first; seed < first + cases; ++seed) {
        tests::RandomSource draw{seed};
        TinyLaunch tiny = random_tiny_launch(fermi.value(), draw);
        const std::int64_t warps = draw.whole(1, 3);
        tiny.launch = {draw.whole(1, warps == 1 ? 4 : 3), 32 * warps};
        const auto exact = tiny.exact(60'000);
        if (!exact) continue;
        if (exact->best < exact->worst) ++varied;
        SCOPED_TRACE(about(seed, tiny, *exact));
        const analyzer::Envelope envelope = tiny.envelope();
        expect_around(envelope, *exact);
        if (HasFatalFailure()) return;
        ratios.push_back(static_cast<double>(envelope.upper.proved.count()) /
                         static_cast<double>(exact->worst));
        for (const std::string& policy : policies) {
            SCOPED_TRACE(policy);
            expect_runs_inside(tiny, models::read_policy(policy).value(), seed, *exact);
            if (HasFatalFailure()) return;
        }
        tests::ExactTimes seen{INT64_MAX, INT64_MIN};
        expect_runs_inside(tiny, tiny.policy, seed, *exact, 40, &seen);
        if (HasFatalFailure()) return;
        if (seen.best == exact->best) ++at_best;
        if (seen.worst == exact->worst) ++at_worst;
    }
    ASSERT_GT(ratios.size() * 4, cases * 3) << "too many launches were too large to search";
    EXPECT_GT(varied * 10, ratios.size()) << "choices hardly mattered";
    EXPECT_GT(at_best * 10, ratios.size() * 8);
    EXPECT_GT(at_worst * 10, ratios.size() * 8);
    RecordProperty("best_reached", std::to_string(at_best));
    RecordProperty("worst_reached", std::to_string(at_worst));
    const auto middle = ratios.begin() + static_cast<std::ptrdiff_t>(ratios.size() / 2);
    std::nth_element(ratios.begin(), middle, ratios.end());
    RecordProperty("searched", std::to_string(ratios.size()));
    RecordProperty("choices_mattered", std::to_string(varied));
    RecordProperty("median_upper_over_exact", std::to_string(*middle));
}

/// Without the terms of one certificate: what a bound would be that left them out.
std::int64_t upper_without(const analyzer::SideResult& upper, const char* certificate) {
    std::int64_t left = upper.proved.count();
    for (const auto& term : upper.terms)
        if (term.certificate == certificate) left -= term.count * term.cycles;
    return left;
}

// Before the barrier the younger block waits on one scheduler for the older one's part behind it,
// then on the other for the same part of a warp that a load kept waiting.
TEST(ExactLaunches, MayMeetAPartOfAnotherBlockOnBothSchedulers) {
    const auto fermi = models::load_architecture("fermi-gtx470");
    ASSERT_TRUE(fermi) << to_string(fermi.error());
    constexpr std::int64_t adds = 30;
    TinyLaunch tiny{.machine = fermi.value(), .text = {}, .facts = {}, .launch = {2, 64}};
    set(tiny.machine.schedulers, "count", 2);
    set(tiny.machine.schedulers, "issue-slot", 2);
    set(tiny.machine.schedulers, "same-warp-interval", 1);
    set(tiny.machine.limits, "max-blocks", 2);
    for (auto& [opcode_class, described] : tiny.machine.classes) {
        set(described.values, "latency", 1);
        set(described.values, "initiation", 1);
    }
    set(tiny.machine.classes.at(assembly::OpcodeClass::LoadShared).values, "latency",
        {1, std::nullopt, 2 * adds});
    tiny.text = "!Arch sm_20\n!Kernel k\nBAR.SYNC 0x0;\nLDS R1, [R2];\nFADD R3, R1, R0;\n";
    for (std::int64_t i = 0; i < adds; ++i)
        tiny.text += "FADD R" + std::to_string(4 + i) + ", R2, R0;\n";
    tiny.text += "EXIT;\n!EndKernel\n";
    tiny.facts.memory.push_back({8, {}, models::CountRange{1, 1}, {}, {}, {}});
    tiny.policy = models::read_policy("oldest").value();
    tiny.read();
    const harness::Kernel kernel{&tiny.function(), &tiny.graph, &tiny.facts, tiny.launch};
    const auto prepared =
        harness::simulator::Machine::prepare(tiny.machine, kernel, tiny.policy, 1);
    ASSERT_TRUE(prepared) << to_string(prepared.error());
    std::int64_t worst = 0;
    for (std::uint64_t seed = 1; seed <= 64; ++seed) {
        const auto seen = prepared.value()->run({seed, harness::Draw::Extremes, {}});
        ASSERT_TRUE(seen) << to_string(seen.error());
        worst = std::max(worst, seen.value().execution_time.count());
    }
    const analyzer::SideResult upper = tiny.envelope().upper;
    EXPECT_LE(worst, upper.proved.count());
    RecordProperty("worst", std::to_string(worst));
    RecordProperty("upper", std::to_string(upper.proved.count()));
    EXPECT_GT(worst, upper_without(upper, "execution-time-upper-barrier-interval"));
}

/// What the analyzer says of slotted launches against all cycles in which slots may start and, on
/// several multiprocessors, all ways to hand out blocks.
struct SlottedSums {
    std::vector<double> ratios;
    std::size_t decided = 0;
    std::size_t together = 0;
    std::size_t waited = 0;
    std::size_t met_from_below = 0;

    void check(const TinyLaunch& tiny, std::uint64_t seed, const tests::ExactTimes& exact) {
        const analyzer::Envelope envelope = tiny.envelope();
        expect_around(envelope, exact);
        if (testing::Test::HasFatalFailure()) return;
        if (envelope.upper.proof == analyzer::Proof::ScheduleExploration) ++decided;
        for (const auto& term : envelope.upper.terms)
            if (term.text.find("in every order of issue within a cycle") != std::string::npos)
                ++together;
        if (envelope.lower.proof == analyzer::Proof::ScheduleExploration) {
            if (envelope.lower.proved.count() == exact.best) ++met_from_below;
            // Fewer blocks on a multiprocessor may take longer than more.
            if (tiny.multiprocessors == 1) {
                ASSERT_EQ(envelope.lower.proved.count(), exact.best);
            }
        }
        const std::int64_t room = tiny.machine.limits.find("max-blocks")->interval->hi;
        if (tiny.launch.blocks > tiny.multiprocessors * room) ++waited;
        ratios.push_back(static_cast<double>(envelope.upper.proved.count()) /
                         static_cast<double>(exact.worst));
        expect_runs_inside(tiny, tiny.policy, seed, exact);
    }

    void record(std::uint64_t cases) const {
        ASSERT_GT(ratios.size() * 4, cases * 3) << "too many launches were too large to search";
        EXPECT_GT(decided * 10, ratios.size());
        EXPECT_GT(together * 10, ratios.size()) << "hardly schedulers waited for each other";
        EXPECT_GT(waited * 10, ratios.size());
        std::vector<double> sorted = ratios;
        std::sort(sorted.begin(), sorted.end());
        testing::Test::RecordProperty("searched", std::to_string(ratios.size()));
        testing::Test::RecordProperty("decided", std::to_string(decided));
        testing::Test::RecordProperty("together", std::to_string(together));
        testing::Test::RecordProperty("met_from_below", std::to_string(met_from_below));
        testing::Test::RecordProperty("median_upper_over_exact",
                                      std::to_string(sorted[sorted.size() / 2]));
    }
};

models::WarpPolicy random_rates(tests::RandomSource& draw) {
    const std::int64_t fast = draw.whole(0, 2);
    return models::read_policy("variable-rate:fast=" + std::to_string(fast) +
                               ",every=" + std::to_string(draw.whole(2, 4)))
        .value();
}

/// Of launches that `make(fermi, draw, seed)` draws, with and without proofs.
template <class Make> void search_slotted(Make make) {
    const std::uint64_t cases = tests::from_environment("WARPBOUND_EXACT_CASES", 160) / 2;
    const std::uint64_t first = tests::from_environment("WARPBOUND_PROPERTY_SEED", 1);
    testing::Test::RecordProperty("first_seed", std::to_string(first));
    const auto fermi = models::load_architecture("fermi-gtx470");
    ASSERT_TRUE(fermi) << to_string(fermi.error());
    SlottedSums sums;
    for (std::uint64_t seed = first; seed < first + cases; ++seed) {
        tests::RandomSource draw{seed};
        TinyLaunch tiny = make(fermi.value(), draw, seed);
        tiny.policy = random_rates(draw);
        const auto exact = tiny.exact(60'000);
        if (!exact) continue;
        SCOPED_TRACE(about(seed, tiny, *exact) + ", " + models::to_string(tiny.policy));
        sums.check(tiny, seed, *exact);
        analyzer::CertificateStore certificates;
        expect_around(tiny.envelope(&certificates), *exact);
        if (testing::Test::HasFatalFailure()) return;
    }
    sums.record(cases);
}

/// What the analyzer calls decided is exact.
TEST(ExactLaunches, OfSlottedPoliciesLieInsideTheEnvelopeAndContainTheSimulatedTimes) {
    search_slotted(
        [](const models::Architecture& fermi, tests::RandomSource& draw, std::uint64_t seed) {
            TinyLaunch tiny = random_tiny_launch(fermi, draw, seed % 2 == 0);
            tiny.launch = {draw.whole(1, 3), 32 * draw.whole(1, 5)};
            set(tiny.machine.limits, "max-blocks", draw.whole(1, 3));
            return tiny;
        });
}

/// Places of a multiprocessor may stay empty.
TEST(ExactLaunches, OfSlottedPoliciesOnTwoMultiprocessorsLieInsideTheEnvelope) {
    search_slotted(
        [](const models::Architecture& fermi, tests::RandomSource& draw, std::uint64_t seed) {
            TinyLaunch tiny = random_tiny_launch(fermi, draw, seed % 3 == 0);
            set(tiny.machine.schedulers, "count", 1 + (seed % 4 == 0 ? 1 : 0));
            set(tiny.machine.schedulers, "issue-slot", draw.whole(1, 2));
            set(tiny.machine.limits, "max-blocks", draw.whole(1, 2));
            for (auto& unit : tiny.machine.units)
                if (draw.whole(0, 3) == 0) unit.scope = models::UnitScope::Core;
            tiny.launch = {draw.whole(2, 5), 32 * draw.whole(1, 2)};
            tiny.multiprocessors = 2;
            return tiny;
        });
}

/// Places at which the searches may begin are all that `srr` and `lrr` leave open.
TEST(ExactLaunches, OfRoundRobinLieInsideTheEnvelopeAndContainTheSimulatedTimes) {
    const std::uint64_t cases = tests::from_environment("WARPBOUND_EXACT_CASES", 160);
    const std::uint64_t first = tests::from_environment("WARPBOUND_PROPERTY_SEED", 1);
    RecordProperty("first_seed", std::to_string(first));
    const auto fermi = models::load_architecture("fermi-gtx470");
    ASSERT_TRUE(fermi) << to_string(fermi.error());
    std::size_t searched = 0;
    std::size_t decided = 0;
    std::size_t waited = 0;
    std::size_t by_turns = 0;
    std::size_t waited_in_turn = 0;
    std::size_t met_in_turn = 0;
    for (std::uint64_t seed = first; seed < first + cases; ++seed) {
        tests::RandomSource draw{seed};
        const bool strict = seed % 2 == 0;
        const bool together = seed % 4 == 0; // One wave, no barrier between warps.
        const std::int64_t warps = draw.whole(1, strict ? 5 : 3);
        TinyLaunch tiny = random_tiny_launch(fermi.value(), draw, !together || warps == 1);
        tiny.multiprocessors = warps == 1 ? draw.whole(1, 2) : 1;
        if (tiny.multiprocessors == 2) set(tiny.machine.schedulers, "count", 1);
        const std::int64_t most = tiny.machine.limits.find("max-blocks")->interval->hi;
        tiny.launch = {together ? draw.whole(1, most * tiny.multiprocessors)
                                : draw.whole(1, warps == 1 ? 6 : 4),
                       32 * warps};
        tiny.policy = models::read_policy(strict ? "srr" : "lrr").value();
        const auto exact = tiny.exact(60'000);
        if (!exact) continue;
        ++searched;
        SCOPED_TRACE(about(seed, tiny, *exact) + ", " + models::to_string(tiny.policy));
        const analyzer::Envelope envelope = tiny.envelope();
        expect_around(envelope, *exact);
        if (HasFatalFailure()) return;
        if (envelope.upper.proof == analyzer::Proof::ScheduleExploration) ++decided;
        if (envelope.upper.terms.size() > 0 &&
            envelope.upper.terms.front().text.find("loose round robin") != std::string::npos)
            ++by_turns;
        const bool waits = tiny.launch.blocks > most * tiny.multiprocessors;
        if (waits) ++waited;
        if (strict && waits) ++waited_in_turn;
        if (strict && warps > 1 && tiny.text.find("BAR") != std::string::npos) ++met_in_turn;
        expect_runs_inside(tiny, tiny.policy, seed, *exact);
        if (HasFatalFailure()) return;
    }
    EXPECT_GT(searched * 4, cases * 3) << "too many launches were too large to search";
    EXPECT_GT(decided * 20, searched);
    EXPECT_GT(waited * 10, searched);
    EXPECT_GT(by_turns * 50, searched) << "hardly a bound was that of turns";
    EXPECT_GT(waited_in_turn * 20, searched) << "hardly a block waited under srr";
    EXPECT_GT(met_in_turn * 20, searched) << "hardly a warp waited at a barrier under srr";
    RecordProperty("searched", std::to_string(searched));
    RecordProperty("decided", std::to_string(decided));
    RecordProperty("by_turns", std::to_string(by_turns));
    RecordProperty("waited_in_turn", std::to_string(waited_in_turn));
    RecordProperty("met_in_turn", std::to_string(met_in_turn));
}

} // namespace
} // namespace warpbound
