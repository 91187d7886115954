/// \file
/// lower bound <= every simulated time <= upper bound, over random accesses through small random
/// caches, of one warp and of several.

#include "analyzer/analyze.hpp"
#include "analyzer/evidence/path_certificates.hpp"
#include "harness/simulator/machine.hpp"
#include "tests/support/bottleneck_accesses.hpp"
#include "tests/support/campaign.hpp"
#include "tests/support/every_policy.hpp"
#include "tests/support/mixed_accesses.hpp"
#include "tests/support/random_source.hpp"
#include "tests/support/strided_accesses.hpp"
#include "tests/support/verified_sum.hpp"
#include "tests/unit/harness/simulator/machines.hpp"
#include "tests/unit/harness/simulator/programs.hpp"
#include "tests/unit/harness/simulator/random_accesses.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <string>
#include <string_view>
#include <vector>

namespace warpbound {
namespace {

using harness::simulator::test::RandomAccesses;

const std::vector<std::string> policies = tests::conserving_policies();

/// One warp, several warps, or several warps in more than one wave on one SM or two.
void choose_launch(RandomAccesses& made, std::uint64_t seed) {
    if (seed % 3 == 0) made.launch = {1, 32};
    harness::simulator::test::set(made.machine.geometry, "multiprocessors", 2);
    if (seed % 3 == 1) harness::simulator::test::set(made.machine.limits, "max-blocks", 1);
}

/// Of the worst and best times of each case.
struct Ratios {
    std::vector<double> upper;
    std::vector<double> lower;
    std::vector<double> certified; ///< Upper bound of which evidence is kept.
    std::vector<double> traffic;   ///< Bytes at the DRAM.
    int by_addresses = 0;          ///< Cases whose evidence rests on addresses.
    int only_schedules = 0;        ///< Lower bounds by the only schedule in strict turns.
};

using harness::simulator::Event;

/// Bytes that the event moves at the L2 and at the DRAM: of look-ups and fills of the L2 their
/// sectors, of a transfer of the DRAM a whole line.
void count_bytes(const Event& event, const models::Architecture& machine,
                 models::PerMemory<std::int64_t>& moved) {
    const auto size = [&](const char* memory, const char* name) {
        return machine.memory(memory)->find(name)->interval->hi;
    };
    if (const auto* const look_up = std::get_if<harness::simulator::LineAccessed>(&event)) {
        if (look_up->level != harness::simulator::CacheLevel::L2) return;
        const auto sectors = std::popcount(look_up->hit | look_up->merged | look_up->missed);
        moved[0] += sectors * size("l2", "sector");
    }
    if (const auto* const fill = std::get_if<harness::simulator::LineFilled>(&event)) {
        if (fill->level != harness::simulator::CacheLevel::L2) return;
        moved[0] += std::popcount(fill->sectors) * size("l2", "sector");
    }
    if (std::holds_alternative<harness::simulator::DramServed>(event))
        moved[1] += size("l2", "line");
}

/// One cycle beyond the bound, in a term that no certificate is of. False: there is none.
bool move_claim(analyzer::SideResult& side, std::int64_t cycles) {
    const auto term = std::ranges::find_if(
        side.terms, [](const auto& each) { return each.certificate.empty() && each.count == 1; });
    if (term == side.terms.end()) return false;
    term->cycles += cycles;
    side.proved = models::Cycles{side.proved.count() + cycles};
    return true;
}

/// Whether the verifier accepts a bound on either side that is one cycle tighter.
bool accepts_moved_claims(const analyzer::Request& request, const analyzer::Analysis& analysis,
                          const analyzer::CertificateStore& certificates) {
    for (const bool upper : {true, false}) {
        analyzer::Analysis moved = analysis;
        auto& sides = moved.execution_time;
        const auto& lower = sides.lower.terms; // Bounds by a port are not checked here.
        if (!upper && !lower.empty() &&
            lower.front().certificate.starts_with("execution-time-lower-port-"))
            continue;
        if (move_claim(upper ? sides.upper : sides.lower, upper ? -1 : 1) &&
            tests::rejection_of_sum(request, moved, certificates).empty())
            return true;
    }
    return false;
}

/// Text of a failure, empty when all times lie inside.
std::string check_case(const RandomAccesses& made, std::uint64_t seed, std::string_view policy_text,
                       std::int64_t multiprocessors, Ratios& ratios) {
    const auto policy = models::read_policy(policy_text).value();
    analyzer::Request request;
    request.function = &made.program.function;
    request.graph = &made.program.graph;
    request.architecture = &made.machine;
    request.facts = &made.program.facts;
    request.launch = made.launch;
    request.multiprocessors = multiprocessors;
    request.policy = policy;
    const std::string about = "seed " + std::to_string(seed) + ", launch " +
                              models::to_string(made.launch) + ", " + models::to_string(policy);
    const auto analysis = analyzer::analyze(request);
    if (!analysis) return "not analyzed: " + to_string(analysis.error()) + ", " + about;
    const auto bounds = analysis.value().execution_time.bounds();
    analyzer::CertificateStore certificates;
    request.certificates = &certificates;
    const auto proved = analyzer::analyze(request);
    if (!proved) return "no evidence: " + to_string(proved.error()) + ", " + about;
    const auto certified = proved.value().execution_time.bounds();
    if (const std::string rejected = tests::rejection_of_sum(request, proved.value(), certificates);
        !rejected.empty())
        return "the verifier: " + rejected + ", " + about;
    if (accepts_moved_claims(request, proved.value(), certificates))
        return "the verifier accepts one cycle less, or more from below, " + about;
    if (proved.value().execution_time.upper.queueing) ++ratios.by_addresses;
    if (certified != bounds)
        return "evidence of [" + std::to_string(certified.lower().count()) + ", " +
               std::to_string(certified.upper().count()) + "], bounds are [" +
               std::to_string(bounds.lower().count()) + ", " +
               std::to_string(bounds.upper().count()) + "], " + about;
    const auto& lower_terms = analysis.value().execution_time.lower.terms;
    if (!lower_terms.empty() && lower_terms.front().text.starts_with("all warps of a scheduler"))
        ++ratios.only_schedules;
    request.certificates = nullptr;
    const auto traffic = analyzer::bound_traffic(request);
    if (!traffic) return "no traffic: " + to_string(traffic.error()) + ", " + about;
    const harness::Kernel kernel{request.function, request.graph, request.facts, made.launch};
    const auto machine =
        harness::simulator::Machine::prepare(made.machine, kernel, policy, multiprocessors);
    if (!machine) return "not simulated: " + to_string(machine.error()) + ", " + about;
    std::int64_t best = INT64_MAX;
    std::int64_t worst = 0;
    std::uint64_t run = seed * 7919;
    for (const auto draw : {harness::Draw::Uniform, harness::Draw::Extremes, harness::Draw::AllLow,
                            harness::Draw::AllHigh, harness::Draw::Adversarial}) {
        models::PerMemory<std::int64_t> moved{};
        const auto seen = machine.value()->run({++run, draw, {}}, [&](const Event& event) {
            count_bytes(event, made.machine, moved);
        });
        if (!seen) return "run refused: " + to_string(seen.error()) + ", " + about;
        for (std::size_t memory = 0; memory < moved.size(); ++memory)
            if (moved.at(memory) > traffic.value().at(memory))
                return std::to_string(moved.at(memory)) + " bytes above " +
                       std::to_string(traffic.value().at(memory)) + " at the " +
                       std::string{models::shared_memories.at(memory)} + ", " + about;
        ratios.traffic.push_back(static_cast<double>(traffic.value().at(1)) /
                                 static_cast<double>(std::max<std::int64_t>(1, moved.at(1))));
        const std::int64_t time = seen.value().execution_time.count();
        best = std::min(best, time);
        worst = std::max(worst, time);
        if (!bounds.contains(seen.value().execution_time) ||
            !certified.contains(seen.value().execution_time))
            return "simulated " + std::to_string(time) + " outside [" +
                   std::to_string(bounds.lower().count()) + ", " +
                   std::to_string(std::min(bounds.upper(), certified.upper()).count()) + "], " +
                   about + ", draw " + std::string{harness::to_string(draw)};
    }
    const auto over_worst = [&](models::Cycles bound) {
        return static_cast<double>(bound.count()) / static_cast<double>(worst);
    };
    ratios.upper.push_back(over_worst(bounds.upper()));
    ratios.certified.push_back(over_worst(certified.upper()));
    ratios.lower.push_back(static_cast<double>(bounds.lower().count()) / static_cast<double>(best));
    return {};
}

double middle_of(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

/// `ratios`: of one warp and of several.
template <class Make>
void check_all(Make make, std::array<Ratios, 2>& ratios, std::uint64_t otherwise = 300) {
    const std::uint64_t cases = tests::from_environment("WARPBOUND_PROPERTY_CASES", otherwise);
    const std::uint64_t first = tests::from_environment("WARPBOUND_PROPERTY_SEED", 20261122);
    testing::Test::RecordProperty("first_seed", std::to_string(first));
    for (std::uint64_t seed = first; seed < first + cases; ++seed) {
        const std::size_t several = seed % 3 == 0 ? 0 : 1;
        RandomAccesses made = make(seed);
        choose_launch(made, seed);
        const std::string failure = check_case(made, seed, policies[seed % policies.size()],
                                               seed % 5 == 1 ? 2 : 1, ratios[several]);
        ASSERT_TRUE(failure.empty()) << failure;
    }
    for (const std::size_t several : {std::size_t{0}, std::size_t{1}}) {
        const std::string of = several == 0 ? "_of_one_warp" : "_of_several_warps";
        const auto record = [&](const std::string& what, double value) {
            testing::Test::RecordProperty(what + of, std::to_string(value));
        };
        record("median_upper_ratio", middle_of(ratios[several].upper));
        record("largest_upper_ratio", *std::ranges::max_element(ratios[several].upper));
        record("median_certified_ratio", middle_of(ratios[several].certified));
        record("least_certified_ratio", *std::ranges::min_element(ratios[several].certified));
        record("median_lower_ratio", middle_of(ratios[several].lower));
        record("evidence_by_addresses", ratios[several].by_addresses);
        record("median_traffic_ratio", middle_of(ratios[several].traffic));
    }
}

TEST(Caches, NoSimulatedTimeOfRandomAccessesLeavesItsEnvelope) {
    std::array<Ratios, 2> ratios;
    check_all(harness::simulator::test::random_accesses, ratios);
    if (HasFatalFailure()) return;
    EXPECT_LT(middle_of(ratios[0].upper), 6.0);
    EXPECT_LT(middle_of(ratios[1].upper), 6.5);
}

TEST(Caches, NoSimulatedTimeOfOrderlyAccessesLeavesItsEnvelope) {
    std::array<Ratios, 2> ratios;
    check_all(tests::strided_accesses, ratios);
    if (HasFatalFailure()) return;
    EXPECT_LT(middle_of(ratios[0].upper), 4.0);
    EXPECT_LT(middle_of(ratios[1].upper), 6.0);
    EXPECT_GT(middle_of(ratios[0].lower), 0.4);
    EXPECT_GT(middle_of(ratios[1].lower), 0.25);
}

// Few entries and places, one or two slow servers, barriers: everybody waits for everything.
TEST(Caches, NoSimulatedTimeOfScarceAccessesLeavesItsEnvelope) {
    std::array<Ratios, 2> ratios;
    check_all(tests::mixed_accesses, ratios);
    if (HasFatalFailure()) return;
    EXPECT_LT(middle_of(ratios[1].upper), 6.5);
}

/// What takes nearly all of the time decides the bound, which may then not be far above it.
TEST(Caches, NoSimulatedTimeOfOneCrowdedResourceLeavesItsEnvelope) {
    for (const auto crowded : tests::all_bottlenecks) {
        SCOPED_TRACE(to_string(crowded));
        std::array<Ratios, 2> ratios;
        check_all([&](std::uint64_t seed) { return tests::bottleneck_accesses(crowded, seed); },
                  ratios, 200);
        if (HasFatalFailure()) return;
        const double least = *std::ranges::min_element(ratios[1].upper);
        testing::Test::RecordProperty("least_upper_ratio_" + std::string{to_string(crowded)},
                                      std::to_string(least));
        // There are two links, or a link and a channel.
        const bool both =
            crowded == tests::Bottleneck::Link || crowded == tests::Bottleneck::ChannelAndLink;
        EXPECT_LT(least, both ? 2.0 : 1.5);
        // Of the link and of places in entries half of the time may pass elsewhere.
        const bool halved =
            crowded == tests::Bottleneck::Link || crowded == tests::Bottleneck::MshrMerges;
        const double middle = middle_of(ratios[1].upper);
        testing::Test::RecordProperty("middle_upper_ratio_" + std::string{to_string(crowded)},
                                      std::to_string(middle));
        // Rows that one bank opens count as if no other one worked meanwhile.
        const double most = crowded == tests::Bottleneck::Banks            ? 4.25
                            : crowded == tests::Bottleneck::ChannelAndLink ? 3.25
                            : halved                                       ? 2.75
                                                                           : 2.2;
        EXPECT_LT(middle, most);
    }
}

/// Warps that load one of a few lines, which the L1 keeps; an entry takes few of them.
RandomAccesses merging_accesses(std::uint64_t seed) {
    tests::RandomSource choose{seed * 17};
    RandomAccesses made = tests::bottleneck_accesses(tests::Bottleneck::MshrMerges, seed);
    auto& pattern = made.program.set_pattern(1);
    const auto some_lines = [&] { return 128 * static_cast<std::uint64_t>(choose.whole(0, 3)); };
    pattern.footprint = std::uint64_t{128} << static_cast<unsigned>(choose.whole(1, 3));
    pattern.thread_stride = 4;
    pattern.warp_stride = 128 + some_lines();
    pattern.block_stride = some_lines();
    pattern.iteration_stride = some_lines();
    // Few turns: the time of a warp is then no longer than that of the waits.
    auto& loop = made.program.facts.loops.front();
    loop.min = loop.max = choose.whole(1, 2);
    harness::simulator::test::set_memory(made.machine, "l1", "sets", 1);
    harness::simulator::test::set_memory(made.machine, "l1", "ways", 16);
    harness::simulator::test::set_memory(made.machine, "l1", "mshr-merges", choose.whole(2, 4));
    harness::simulator::test::set_memory(made.machine, "l2", "slices", 1);
    harness::simulator::test::set_memory(made.machine, "interconnect", "service", 1);
    harness::simulator::test::set_memory(made.machine, "interconnect", "latency", 20);
    return made;
}

TEST(Caches, NoSimulatedTimeOfManyMergesLeavesItsEnvelope) {
    std::array<Ratios, 2> ratios;
    check_all(merging_accesses, ratios, 200);
    if (HasFatalFailure()) return;
    EXPECT_LT(middle_of(ratios[1].upper), 4.0);
}

// Stores go the way of loads up to the slices, and what they left may have to go on to DRAM.
TEST(Caches, NoSimulatedTimeOfManyStoresLeavesItsEnvelope) {
    for (const auto crowded : tests::all_store_bottlenecks) {
        SCOPED_TRACE(to_string(crowded));
        std::array<Ratios, 2> ratios;
        check_all([&](std::uint64_t seed) { return tests::bottleneck_stores(crowded, seed); },
                  ratios, 200);
        if (HasFatalFailure()) return;
        const double middle = middle_of(ratios[1].upper);
        testing::Test::RecordProperty("middle_upper_ratio_" + std::string{to_string(crowded)},
                                      std::to_string(middle));
        EXPECT_LT(middle, 2.0);
    }
    for (const auto crowded : tests::all_bottlenecks) {
        SCOPED_TRACE(to_string(crowded));
        std::array<Ratios, 2> ratios;
        check_all(
            [&](std::uint64_t seed) { return tests::bottleneck_accesses(crowded, seed, true); },
            ratios, 100);
        if (HasFatalFailure()) return;
    }
}

/// Kinds of launches under policies that are not work-conserving, and what came of them.
struct Seen {
    std::array<Ratios, 3> ratios; ///< In one wave, in several, with barriers.
    std::uint64_t one_scheduler = 0;
};

/// Several warps whose slots or turns are short or long, on one scheduler or several.
void check_in_order_of_the_policy(const std::string& policy_of, Seen& seen) {
    const std::uint64_t cases = tests::from_environment("WARPBOUND_PROPERTY_CASES", 300);
    const std::uint64_t first = tests::from_environment("WARPBOUND_PROPERTY_SEED", 20261122);
    testing::Test::RecordProperty("first_seed", std::to_string(first));
    for (std::uint64_t seed = first; seed < first + cases; ++seed) {
        tests::RandomSource choose{seed * 31};
        RandomAccesses made = tests::mixed_accesses(seed);
        const std::int64_t schedulers = choose.whole(1, 3);
        harness::simulator::test::set(made.machine.schedulers, "count", schedulers);
        const std::int64_t slot = choose.whole(1, 5);
        harness::simulator::test::set(
            made.machine.schedulers, "issue-slot",
            {choose.whole(0, 3) == 0 ? choose.whole(1, slot) : slot, slot});
        const bool waves = choose.whole(0, 2) == 0;
        if (waves)
            harness::simulator::test::set(made.machine.limits, "max-blocks", choose.whole(1, 2));
        std::string policy = policy_of;
        const std::int64_t multiprocessors = choose.whole(1, 2);
        harness::simulator::test::set(made.machine.geometry, "multiprocessors", multiprocessors);
        if (policy == "two-level") policy += ":active=" + std::to_string(choose.whole(1, 3));
        if (policy == "variable-rate")
            policy += ":fast=" + std::to_string(choose.whole(0, 2)) +
                      ",every=" + std::to_string(choose.whole(2, 5));
        const auto& code = made.program.function.instructions;
        const bool meets = std::ranges::any_of(code, [](const auto& instruction) {
            return instruction.opcode_class == assembly::OpcodeClass::Barrier;
        });
        const std::string failure = check_case(made, seed, policy, multiprocessors,
                                               seen.ratios[meets   ? 2
                                                           : waves ? 1
                                                                   : 0]);
        ASSERT_TRUE(failure.empty()) << failure;
        if (schedulers == 1) ++seen.one_scheduler;
    }
    constexpr std::array kinds{"_in_one_wave", "_in_several_waves", "_with_barriers"};
    for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
        const Ratios& ratios = seen.ratios[kind];
        const auto record = [&](const char* what, double value) {
            testing::Test::RecordProperty(std::string{what} + kinds[kind], std::to_string(value));
        };
        ASSERT_GT(ratios.upper.size() * 10, cases) << kinds[kind];
        record("launches", static_cast<double>(ratios.upper.size()));
        record("median_upper_ratio", middle_of(ratios.upper));
        record("least_upper_ratio", *std::ranges::min_element(ratios.upper));
        record("median_certified_ratio", middle_of(ratios.certified));
        record("least_certified_ratio", *std::ranges::min_element(ratios.certified));
        record("median_lower_ratio", middle_of(ratios.lower));
        record("largest_lower_ratio", *std::ranges::max_element(ratios.lower));
        record("only_schedules", ratios.only_schedules);
    }
    EXPECT_GT(seen.one_scheduler * 5, cases);
}

TEST(Caches, NoSimulatedTimeInSlotsLeavesItsEnvelope) {
    Seen seen;
    check_in_order_of_the_policy("variable-rate", seen);
    if (HasFatalFailure()) return;
    for (const Ratios& ratios : seen.ratios)
        EXPECT_LT(middle_of(ratios.upper), 6.0);
}

TEST(Caches, NoSimulatedTimeInStrictTurnsLeavesItsEnvelope) {
    Seen seen;
    check_in_order_of_the_policy("srr", seen);
    if (HasFatalFailure()) return;
    for (const Ratios& ratios : seen.ratios)
        EXPECT_LT(middle_of(ratios.upper), 8.0);
}

/// One path: loads whose lines are their own or those of others, and what waits for them.
RandomAccesses accesses_on_one_path(std::uint64_t seed) {
    namespace programs = harness::simulator::test;
    tests::RandomSource choose{seed * 37};
    RandomAccesses made = tests::slot_aligned_accesses(seed);
    std::vector<assembly::Instruction> code{programs::add(1, 0, 0)};
    int last = 1;
    for (auto left = choose.whole(4, 20); left > 0; --left) {
        const int to = static_cast<int>(10 + left);
        const int from = choose.whole(0, 1) == 0 ? last : 1;
        code.push_back(choose.whole(0, 2) == 0 ? programs::load_global(to, 0)
                                               : programs::add(to, from, from));
        last = to;
    }
    code.push_back(programs::exit());
    made.program = programs::program_of({code});
    for (const std::size_t load : made.program.global_accesses()) {
        auto& pattern = made.program.set_pattern(load);
        pattern.thread_stride = 4 * static_cast<std::uint64_t>(choose.whole(0, 4));
        pattern.warp_stride = 512 * static_cast<std::uint64_t>(choose.whole(0, 2));
        pattern.base = 0x10000 * static_cast<std::uint64_t>(choose.whole(0, 3));
    }
    programs::set_memory(made.machine, "dram", "latency", choose.whole(20, 2000));
    return made;
}

// The bound from below is the time of the only schedule.
TEST(Caches, NoSimulatedTimeOfTheOnlyScheduleLeavesItsEnvelope) {
    const std::uint64_t cases = tests::from_environment("WARPBOUND_PROPERTY_CASES", 300);
    const std::uint64_t first = tests::from_environment("WARPBOUND_PROPERTY_SEED", 20261122);
    Ratios ratios;
    for (std::uint64_t seed = first; seed < first + cases; ++seed) {
        const RandomAccesses made = accesses_on_one_path(seed);
        const std::string failure = check_case(made, seed, "srr", 1, ratios);
        ASSERT_TRUE(failure.empty()) << failure;
    }
    testing::Test::RecordProperty("only_schedules", ratios.only_schedules);
    EXPECT_GT(ratios.only_schedules * 10, static_cast<int>(cases));
}

TEST(Caches, NoSimulatedTimeWithASmallActiveSetLeavesItsEnvelope) {
    Seen seen;
    check_in_order_of_the_policy("two-level", seen);
    if (HasFatalFailure()) return;
    for (const Ratios& ratios : seen.ratios)
        EXPECT_LT(middle_of(ratios.upper), 6.0);
}

// Little is served: what warps lose is the rest of the round in which their data come.
TEST(Caches, NoSimulatedTimeOfDataBetweenSlotsLeavesItsEnvelope) {
    const std::uint64_t cases = tests::from_environment("WARPBOUND_PROPERTY_CASES", 300) / 10;
    const std::uint64_t first = tests::from_environment("WARPBOUND_PROPERTY_SEED", 20261122);
    testing::Test::RecordProperty("first_seed", std::to_string(first));
    Ratios ratios;
    for (std::uint64_t seed = first; seed < first + cases; ++seed) {
        const std::string failure = check_case(tests::slot_aligned_accesses(seed), seed,
                                               "variable-rate:fast=0,every=2", 1, ratios);
        ASSERT_TRUE(failure.empty()) << failure;
    }
    testing::Test::RecordProperty("least_upper_ratio",
                                  std::to_string(*std::ranges::min_element(ratios.upper)));
    EXPECT_LT(middle_of(ratios.upper), 2.0);
}

} // namespace
} // namespace warpbound
