/// \file
/// Policies that do not conserve work (time slots, strict turns) on machines with read ports and
/// instruction caches: bounds of random kernels and launches against simulated runs.

#include "analyzer/analyze.hpp"
#include "analyzer/evidence/path_certificates.hpp"
#include "assembly/isa/function_effects.hpp"
#include "harness/device.hpp"
#include "harness/simulator/machine.hpp"
#include "tests/support/bottleneck_accesses.hpp"
#include "tests/support/campaign.hpp"
#include "tests/support/made_values.hpp"
#include "tests/support/mixed_accesses.hpp"
#include "tests/support/random_kernel.hpp"
#include "tests/support/small_instruction_caches.hpp"
#include "tests/support/strided_accesses.hpp"
#include "tests/unit/harness/simulator/machines.hpp"
#include "tests/unit/harness/simulator/programs.hpp"
#include "tests/unit/harness/simulator/random_accesses.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <vector>

namespace warpbound {
namespace {

using harness::simulator::test::set;

constexpr std::array draws{harness::Draw::Uniform, harness::Draw::Extremes, harness::Draw::AllLow,
                           harness::Draw::AllHigh, harness::Draw::Adversarial};

/// Which of the two a machine has.
struct FrontEnd {
    bool read_ports = true;
    bool instruction_caches = true;
};

void add_read_ports(models::Architecture& machine, tests::RandomSource& random) {
    const bool is_modern = random.whole(0, 1) == 0;
    const auto pick = [&](std::int64_t modern, std::int64_t lo, std::int64_t hi) {
        return is_modern ? modern : random.whole(lo, hi);
    };
    set(machine.register_file, "banks", pick(2, 1, 3));
    set(machine.register_file, "read-ports", 1);
    set(machine.register_file, "read-window", pick(3, 1, 4));
    set(machine.register_file, "reuse-slots", pick(3, 0, 3));
    for (auto& [opcode_class, timing] : machine.classes)
        if (opcode_class <= assembly::OpcodeClass::FloatCompare)
            set(timing.values, "initiation", random.whole(0, 2) == 0 ? random.whole(2, 3) : 1);
}

/// Many instructions that read several registers of a bank and wait for nothing else.
void make_dense(assembly::Function& function, tests::RandomSource& random) {
    const bool one_bank = random.whole(0, 1) == 0;
    for (assembly::Instruction& instruction : function.instructions) {
        if (instruction.control_flow != assembly::ControlFlow::None) continue;
        if (instruction.control && random.whole(0, 9) > 0) instruction.control->stall = 1;
        if (instruction.control && random.whole(0, 3) > 0) instruction.control->wait_mask = 0;
        if (instruction.mnemonic == "FADD" || instruction.mnemonic == "FMUL") {
            instruction.mnemonic = "FFMA";
            instruction.opcode_class = assembly::OpcodeClass::FloatMultiplyAdd;
            instruction.operands.push_back(instruction.operands[1]);
        }
        for (std::size_t i = 1; i < instruction.operands.size(); ++i) {
            auto* reg = std::get_if<assembly::RegisterOperand>(&instruction.operands[i]);
            if (reg == nullptr || reg->file != assembly::RegisterFile::General || !reg->index)
                continue;
            if (one_bank || random.whole(0, 2) > 0) *reg->index &= ~1;
            if (random.whole(0, 3) == 0) reg->suffixes.emplace_back("reuse");
        }
    }
    assembly::set_effects(function);
}

models::WarpPolicy policy_of(bool in_turns, tests::RandomSource& random) {
    const std::string text =
        in_turns ? "srr"
                 : "variable-rate:fast=" + std::to_string(random.whole(0, 2)) +
                       ",every=" + std::to_string(random.whole(2, random.whole(2, 7)));
    return models::read_policy(text).value();
}

struct Verdict {
    std::string failure;
    bool refused = false;
    bool waves = false;
    bool meets = false; ///< Its warps wait for each other at barriers.
    double upper = 0;   ///< Upper bound over the longest run.
    double certified = 0;
    double lower = 0;                       ///< Lower bound over the shortest run.
    std::int64_t slack = 0;                 ///< Certified upper bound less the longest run.
    std::vector<analyzer::BoundTerm> terms; ///< Of the certified upper bound.
};

/// Runs a launch and holds it against its bounds, with certificates and without.
void hold(analyzer::Request request, std::uint64_t seed, const std::string& about,
          bool may_be_refused, Verdict& verdict) {
    const auto fail = [&](const std::string& what) {
        verdict.failure = what + ", seed " + std::to_string(seed) + ", launch " +
                          models::to_string(request.launch) + " on " +
                          std::to_string(request.multiprocessors) + ", " +
                          models::to_string(request.policy) + "\n" + about +
                          models::write_architecture(*request.architecture);
    };
    const auto analysis = analyzer::analyze(request);
    if (!analysis) {
        verdict.refused = true;
        if (!may_be_refused) fail("not analyzed: " + to_string(analysis.error()));
        return;
    }
    const auto bounds = analysis.value().execution_time.bounds();
    analyzer::CertificateStore certificates;
    request.certificates = &certificates;
    const auto proved = analyzer::analyze(request);
    if (!proved) return fail("no evidence: " + to_string(proved.error()));
    const auto certified = proved.value().execution_time.bounds();
    verdict.terms = proved.value().execution_time.upper.terms;
    const auto lower = std::max(bounds.lower(), certified.lower());
    const auto upper = std::min(bounds.upper(), certified.upper());
    const harness::Kernel launched{request.function, request.graph, request.facts, request.launch};
    const auto machine = harness::simulator::Machine::prepare(
        *request.architecture, launched, request.policy, request.multiprocessors);
    if (!machine) return fail("not simulated: " + to_string(machine.error()));
    std::uint64_t run = seed * 7919;
    std::int64_t best = INT64_MAX;
    std::int64_t worst = 0;
    for (const auto draw : draws) {
        const auto seen = machine.value()->run({++run, draw, {}});
        if (!seen) {
            if (may_be_refused) continue;
            return fail("run refused: " + to_string(seen.error()));
        }
        const models::Cycles time = seen.value().execution_time;
        best = std::min(best, time.count());
        worst = std::max(worst, time.count());
        if (time < lower || upper < time)
            return fail("simulated " + std::to_string(time.count()) + " outside [" +
                        std::to_string(lower.count()) + ", " + std::to_string(upper.count()) +
                        "] (with certificates [" + std::to_string(certified.lower().count()) +
                        ", " + std::to_string(certified.upper().count()) + "]), run seed " +
                        std::to_string(run) + ", draw " + std::string{harness::to_string(draw)});
    }
    if (worst == 0) return;
    const auto ratio = [](std::int64_t a, std::int64_t b) {
        return static_cast<double>(a) / static_cast<double>(b);
    };
    verdict.upper = ratio(bounds.upper().count(), worst);
    verdict.certified = ratio(certified.upper().count(), worst);
    verdict.lower = ratio(bounds.lower().count(), best);
    verdict.slack = certified.upper().count() - worst;
}

Verdict check_kernel(std::uint64_t seed, const tests::DescribedMachine& described, bool in_turns,
                     FrontEnd front_end) {
    tests::RandomSource random{seed};
    models::Architecture architecture = described.architecture;
    Verdict verdict;
    const bool is_crowded = seed / 4 % 2 == 0;
    tests::RandomKernelOptions options;
    options.sm = described.sm;
    options.statements = 3 + static_cast<int>(seed % 12) + (is_crowded ? 10 : 0);
    options.depth = static_cast<int>(seed % 3);
    options.max_iterations = 4;
    options.clock_reads = false;
    options.memory = seed % 5 == 3;
    options.further_facts = seed % 7 == 0;
    options.divergence = seed % 6 == 1;
    options.barriers = seed % 3 == 1;
    verdict.meets = options.barriers;
    const tests::RandomKernel kernel = tests::random_kernel(seed, options);
    auto loaded = tests::read(kernel);
    if (!loaded) {
        verdict.failure = "not read: " + to_string(loaded.error());
        return verdict;
    }
    tests::ReadKernel& made = *loaded.value();
    if (front_end.read_ports) {
        add_read_ports(architecture, random);
        if (seed / 8 % 4 > 0) make_dense(made.program.functions.front(), random);
    }
    if (front_end.instruction_caches)
        tests::add_instruction_caches(
            architecture, *made.function,
            [&](std::int64_t most) { return random.whole(0, most - 1); }, false);
    const std::int64_t slot = seed / 3 % 4 == 0 ? random.whole(2, 3) : 1;
    set(architecture.schedulers, "issue-slot",
        {random.whole(0, 3) == 0 ? random.whole(1, slot) : slot, slot});
    if (is_crowded) set(architecture.schedulers, "count", random.whole(1, 2));
    const std::int64_t places = random.whole(1, 4);
    set(architecture.limits, "max-blocks", places);
    set(architecture.blocks, "replacement", {3, 9});
    set(architecture.blocks, "start", {5, seed % 11 == 0 ? 2000 : 20});
    const std::int64_t by_room = random.whole(0, 1);
    tests::put_value(architecture, "blocks/most-room", {by_room, by_room, by_room});
    analyzer::Request request;
    request.function = made.function;
    request.graph = &made.graph;
    request.architecture = &architecture;
    request.facts = &made.facts;
    request.multiprocessors = random.whole(0, 2) == 0 ? random.whole(2, 3) : 1;
    request.launch = {random.whole(1, 3 * places * request.multiprocessors),
                      32 * random.whole(1, is_crowded ? 4 : 8)};
    verdict.waves = request.launch.blocks > places * request.multiprocessors;
    request.policy = policy_of(in_turns, random);
    hold(request, seed, kernel.text + models::write_flow_facts(kernel.facts),
         made.has_further_facts() || options.divergence, verdict);
    return verdict;
}

double middle_of(std::vector<double>& values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

/// `needed`: terms without which some run takes longer than the bound.
void check_kernels(bool in_turns, FrontEnd front_end, const std::vector<std::string>& needed) {
    std::vector<double> upper;
    std::vector<double> certified;
    std::vector<double> lower;
    std::uint64_t refused = 0;
    std::uint64_t waves = 0;
    std::uint64_t meets = 0;
    std::map<std::string, std::uint64_t> missed; ///< Runs above the bound without the term.
    std::map<std::string, std::uint64_t> terms;
    const std::uint64_t cases = tests::run_campaign(
        [&](std::uint64_t seed, const tests::DescribedMachine& machine) {
            return check_kernel(seed, machine, in_turns, front_end);
        },
        [&](const Verdict& verdict) {
            if (verdict.refused) ++refused;
            if (verdict.upper == 0) return;
            upper.push_back(verdict.upper);
            certified.push_back(verdict.certified);
            lower.push_back(verdict.lower);
            if (verdict.waves) ++waves;
            if (verdict.meets) ++meets;
            for (const analyzer::BoundTerm& term : verdict.terms) {
                ++terms[term.text];
                if (term.count * term.cycles > verdict.slack) ++missed[term.text];
            }
        });
    ASSERT_FALSE(upper.empty());
    testing::Test::RecordProperty("refused", std::to_string(refused));
    testing::Test::RecordProperty("median_upper_ratio", std::to_string(middle_of(upper)));
    testing::Test::RecordProperty("least_upper_ratio",
                                  std::to_string(*std::ranges::min_element(upper)));
    testing::Test::RecordProperty("median_certified_ratio", std::to_string(middle_of(certified)));
    testing::Test::RecordProperty("median_lower_ratio", std::to_string(middle_of(lower)));
    for (const auto& [text, count] : terms)
        testing::Test::RecordProperty("needed of " + std::to_string(count) + " " + text,
                                      std::to_string(missed[text]));
    EXPECT_LT(refused * 4, cases + 20);
    EXPECT_GT(waves * 5, cases);
    EXPECT_GT(meets * 5, cases);
    EXPECT_LT(middle_of(upper), 6.0);
    for (const std::string& text : needed) {
        EXPECT_GT(terms[text] * 50, cases) << text;
        if (cases < 2000) continue;
        EXPECT_GT(missed[text], 0U) << "no run needs: " << text;
    }
}

TEST(TimeSlots, BehindReadPortsHoldAllRuns) {
    check_kernels(
        false, {.instruction_caches = false},
        {"slots in which register reads of a warp hold the stages in front of the units"});
}

TEST(TimeSlots, BehindInstructionCachesHoldAllRuns) {
    check_kernels(false, {.read_ports = false},
                  {"instruction fetch: misses of a scheduler's L0, one after the other",
                   "instruction fetch: misses of the L1, one after the other"});
}

TEST(TimeSlots, BehindBothHoldAllRuns) {
    check_kernels(false, {}, {});
}

TEST(StrictTurns, BehindReadPortsHoldAllRuns) {
    check_kernels(true, {.instruction_caches = false},
                  {"port occupancy of a warp beyond its issue slots"});
}

TEST(StrictTurns, BehindInstructionCachesHoldAllRuns) {
    check_kernels(true, {.read_ports = false},
                  {"instruction fetch: misses of a scheduler's L0, one after the other"});
}

TEST(StrictTurns, BehindBothHoldAllRuns) {
    check_kernels(true, {}, {});
}

using harness::simulator::test::RandomAccesses;

RandomAccesses accesses_of(std::uint64_t seed) {
    constexpr std::size_t crowded = std::size(tests::all_bottlenecks);
    switch (seed % 4) {
    case 0:
        return harness::simulator::test::random_accesses(seed);
    case 1:
        return tests::strided_accesses(seed);
    case 2:
        return tests::mixed_accesses(seed);
    default:
        return tests::bottleneck_accesses(tests::all_bottlenecks[seed / 4 % crowded], seed);
    }
}

/// Data, lines and registers wait at caches and ports of their own.
void check_accesses(bool in_turns) {
    const std::uint64_t cases = tests::from_environment("WARPBOUND_PROPERTY_CASES", 300);
    const std::uint64_t first = tests::from_environment("WARPBOUND_PROPERTY_SEED", 20261125);
    for (std::uint64_t seed = first; seed < first + cases; ++seed) {
        tests::RandomSource random{seed};
        RandomAccesses made = accesses_of(seed);
        set(made.machine.geometry, "multiprocessors", 2);
        set(made.machine.schedulers, "count", random.whole(1, 3));
        if (random.whole(0, 2) == 0) set(made.machine.limits, "max-blocks", random.whole(1, 2));
        if (random.whole(0, 2) > 0) add_read_ports(made.machine, random);
        if (random.whole(0, 2) > 0)
            tests::add_instruction_caches(
                made.machine, made.program.function,
                [&](std::int64_t most) { return random.whole(0, most - 1); }, false);
        analyzer::Request request;
        request.function = &made.program.function;
        request.graph = &made.program.graph;
        request.architecture = &made.machine;
        request.facts = &made.program.facts;
        request.launch = made.launch;
        request.multiprocessors = random.whole(1, 2);
        request.policy = policy_of(in_turns, random);
        Verdict verdict;
        hold(request, seed, "", false, verdict);
        ASSERT_TRUE(verdict.failure.empty()) << verdict.failure;
    }
}

TEST(TimeSlots, WithAccessesThroughCachesHoldAllRuns) {
    check_accesses(false);
}

TEST(StrictTurns, WithAccessesThroughCachesHoldAllRuns) {
    check_accesses(true);
}

} // namespace
} // namespace warpbound
