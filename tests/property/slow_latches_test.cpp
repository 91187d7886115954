/// \file
/// Measured and execution times of straight-line kernels on machines whose fixed-latency units are
/// busy longer than the reads of an instruction last (S33, lemma 3).

#include "analyzer/analyze.hpp"
#include "harness/device.hpp"
#include "harness/simulator/machine.hpp"
#include "tests/support/campaign.hpp"
#include "tests/support/made_values.hpp"
#include "tests/support/random_kernel.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

namespace warpbound {
namespace {

struct SlowLatchVerdict {
    std::string failure;
    bool is_met = false; ///< A measured time is the upper bound.
};

/// Three units of fixed latency; two of them are busy for up to 12 cycles.
models::Architecture with_slow_units(models::Architecture machine, tests::RandomSource& random) {
    machine.units.push_back({"slow", models::UnitScope::Partition});
    machine.units.push_back({"slower", models::UnitScope::Partition});
    const auto put = [&](const char* opcode_class, std::int64_t initiation) {
        for (const auto& [name, value] : {std::pair{"initiation", initiation}, {"latency", 4}})
            tests::put_value(machine, fmt::format("classes/{}/{}", opcode_class, name),
                             {value, value, value});
    };
    put("float-multiply-add", 1);
    put("clock-read", 1);
    put("integer-multiply", random.whole(1, 12));
    put("shift", random.whole(1, 12));
    for (auto& [opcode_class, timing] : machine.classes) {
        if (opcode_class == assembly::OpcodeClass::IntegerMultiply) timing.unit = "slow";
        if (opcode_class == assembly::OpcodeClass::Shift) timing.unit = "slower";
    }
    for (const auto& [name, value] : {std::pair{"banks", random.whole(1, 2)},
                                      {"read-ports", 1},
                                      {"read-window", random.whole(1, 3)},
                                      {"reuse-slots", 0}})
        tests::put_value(machine, fmt::format("register-file/{}", name), {value, value, value});
    tests::put_value(machine, "schedulers/count", {1, 1, 1});
    return machine;
}

std::string kernel_text(tests::RandomSource& random) {
    constexpr std::array forms{"FFMA R{}, R2, R{}, R6 ?trans1;", "IMAD R{}, R2, R{}, R6 ?trans1;",
                               "SHF.L.U32 R{}, R2, R{}, R6 ?trans1;"};
    const std::int64_t instructions = random.whole(4, 12);
    const std::int64_t first = random.whole(0, instructions - 2);
    const std::int64_t last = random.whole(first + 1, instructions - 1);
    std::string text = "!Arch sm_90\n!Kernel slow\n";
    for (std::int64_t i = 0; i < instructions; ++i) {
        text += fmt::format(fmt::runtime(forms[static_cast<std::size_t>(random.whole(0, 2))]),
                            20 + 2 * i, random.whole(0, 2) == 0 ? 5 : 4) +
                "\n";
        if (i == first) text += "CS2R.32 R16, SR_CLOCKLO ?trans1;\n";
        if (i == last) text += "CS2R.32 R18, SR_CLOCKLO ?trans1;\n";
    }
    return text + "EXIT ?trans1;\n!EndKernel\n";
}

SlowLatchVerdict check_case(std::uint64_t seed, const tests::DescribedMachine& described) {
    if (described.sm < 75) return {}; // Without read ports.
    tests::RandomSource random{seed};
    const models::Architecture machine = with_slow_units(described.architecture, random);
    SlowLatchVerdict verdict;
    tests::RandomKernel kernel;
    kernel.text = kernel_text(random);
    const auto fail = [&](const std::string& what) {
        verdict.failure = fmt::format("{}\nseed {}\n{}", what, seed, kernel.text);
        return verdict;
    };
    const auto made = tests::read(kernel);
    if (!made) return fail("not read: " + to_string(made.error()));
    analyzer::Request request;
    request.function = made.value()->function;
    request.graph = &made.value()->graph;
    request.architecture = &machine;
    request.facts = &made.value()->facts;
    request.launch = {1, 32 * (random.whole(0, 1) == 0 ? 1 : random.whole(2, 4))};
    const auto analysis = analyzer::analyze(request);
    if (!analysis) return fail("not analyzed: " + to_string(analysis.error()));
    const auto execution = analysis.value().execution_time.bounds();
    const auto& measured = analysis.value().measured_time;
    const harness::Kernel launched{request.function, request.graph, request.facts, request.launch};
    const auto simulator =
        harness::simulator::Machine::prepare(machine, launched, request.policy, 1);
    if (!simulator) return fail("not simulated: " + to_string(simulator.error()));
    for (const auto draw : {harness::Draw::Uniform, harness::Draw::AllHigh}) {
        const auto run = simulator.value()->run({seed, draw, {}});
        if (!run) return fail("run refused: " + to_string(run.error()));
        const auto time = run.value().execution_time;
        if (!execution.contains(time))
            return fail(fmt::format("simulated {} outside {} to {}", time.count(),
                                    execution.lower().count(), execution.upper().count()));
        if (!measured) continue;
        for (const auto& warp : run.value().warps) {
            const auto region = warp.region();
            if (!region) return fail("a warp without clock reads");
            if (!measured->bounds().contains(*region))
                return fail(fmt::format("measured {} outside {} to {}", region->count(),
                                        measured->bounds().lower().count(),
                                        measured->bounds().upper().count()));
            if (*region == measured->bounds().upper()) verdict.is_met = true;
        }
    }
    return verdict;
}

TEST(SlowLatches, NoMeasuredTimeLeavesItsEnvelope) {
    std::uint64_t met = 0;
    const std::uint64_t cases = tests::run_campaign(check_case, [&](const auto& verdict) {
        if (verdict.is_met) ++met;
    });
    EXPECT_GT(met * 5, cases);
}

} // namespace
} // namespace warpbound
