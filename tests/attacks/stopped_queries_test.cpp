/// \file
/// A time limit and Ctrl-C end the reading of a huge listing, and queries of the solver.

#include "assembly/support/source_text.hpp"
#include "tests/attacks/stopped_outcome.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <thread>

namespace warpbound::tests {
namespace {

using testing::HasSubstr;
using testing::Not;

/// A million instructions in a row, or loops inside each other: both take seconds to read.
class HugeListing : public testing::TestWithParam<bool> {
protected:
    std::string write() const {
        std::string text = "!Arch sm_75\n!Kernel huge\n";
        const int loops = GetParam() ? 12'000 : 0;
        for (int i = 0; i < loops; ++i)
            text += fmt::format("LOOP{}:\nFADD R4, R4, R5 ?trans5;\n", i);
        for (int i = loops; i-- > 0;)
            text += fmt::format("@P0 BRA LOOP{} ?trans5;\n", i);
        for (int i = 0; i < 1'000'000 && loops == 0; ++i)
            text += "FADD R4, R4, R5 ?trans5;\n";
        return folder_.write("huge.sass", text + "EXIT ?trans5;\n");
    }
    static std::vector<std::string> command(const std::string& name, const std::string& file,
                                            const std::vector<std::string>& more = {}) {
        std::vector<std::string> arguments{name,        file,       "--architecture",
                                           "turing-t4", "--launch", "1x32"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return arguments;
    }

    Folder folder_;
};

TEST_P(HugeListing, IsReadUntilTheTimeLimit) {
    const std::string file = write();
    for (const char* name : {"analyze", "bound", "schedulers"}) {
        const auto outcome = run_warpbound(command(name, file, {"--time-limit", "0.3"}));
        expect_undecided(outcome, 0.3);
        EXPECT_THAT(outcome.err, HasSubstr("the time limit stopped the command in this step: "));
    }
}

TEST_P(HugeListing, IsReadUntilAnInterrupt) {
    const std::string file = write();
    for (const char* name : {"analyze", "bound", "simulate"}) {
        const auto outcome = run_warpbound(command(name, file), {}, {}, interrupted_after(0.3));
        expect_undecided(outcome, 0.3);
        EXPECT_THAT(outcome.err, HasSubstr("an interrupt stopped the command in this step: "));
    }
    const std::string bundle = folder_.path("bundle");
    expect_undecided(
        run_warpbound(command("certify", file, {"-o", bundle}), {}, {}, interrupted_after(0.3)),
        0.3);
    EXPECT_FALSE(std::filesystem::exists(bundle));
}

INSTANTIATE_TEST_SUITE_P(Shapes, HugeListing, testing::Bool(), [](const auto& info) {
    return info.param ? "NestedLoops" : "StraightLine";
});

/// Branches on arguments of the kernel, and a linear fact over those that are taken, which makes
/// the path problem a knapsack: the solver needs long for it, and the longer the more there are.
class SolverQuery : public testing::Test {
protected:
    std::vector<std::string> command(const std::string& name, int branches, const char* relation,
                                     std::vector<std::string> more = {}) const {
        std::string text = "!Arch sm_75\n!Kernel knapsack\n";
        std::string terms;
        std::int64_t address = 0;
        std::int64_t sum = 0;
        std::uint64_t drawn = 12345;
        const auto draw = [&drawn](std::uint64_t most) { // a generator with known period
            drawn = drawn * 6364136223846793005U + 1442695040888963407U;
            return static_cast<std::int64_t>((drawn >> 33U) % most);
        };
        const auto put = [&](const std::string& instruction) {
            text += instruction + " ?trans5;\n";
            address += 16;
        };
        for (int i = 0; i < branches; ++i) {
            put(fmt::format("MOV R0, c[0x0][0x{:x}]", 0x160 + 8 * i));
            put("ISETP.GE.AND P0, PT, R0, 0x1, PT");
            put(fmt::format("@P0 BRA TAKEN{}", i));
            put("FADD R4, R4, R5");
            put(fmt::format("BRA JOIN{}", i));
            text += fmt::format("TAKEN{}:\n", i);
            const std::int64_t weight = 1'000'000 + draw(1'000'000);
            terms += fmt::format("<term coefficient=\"{}\" block=\"0x{:04x}\"/>", weight, address);
            if (draw(2) == 1) sum += weight;
            for (std::int64_t length = 8 + draw(32); length > 0; --length)
                put("FMUL R4, R4, R6");
            text += fmt::format("JOIN{}:\n", i);
            put("MOV R7, R4");
        }
        put("EXIT");
        const std::string kernel = folder_.write("knapsack.sass", text);
        const std::string facts = folder_.write(
            "knapsack.xml",
            fmt::format("<flow-facts kernel=\"knapsack\" digest=\"{}\"><constraint relation=\"{}\" "
                        "constant=\"{}\">{}</constraint></flow-facts>",
                        assembly::digest_of(text), relation, sum, terms));
        std::vector<std::string> arguments{name,       kernel, "--flow-facts",   facts,
                                           "--launch", "1x32", "--architecture", "turing-t4"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return arguments;
    }

    Folder folder_;
};

TEST_F(SolverQuery, OfAnalyzeEndsAtTheTimeLimitWithABound) {
    const auto outcome = run_warpbound(command("analyze", 20, "equal", {"--time-limit", "1"}));
    expect_undecided(outcome, 1);
    EXPECT_THAT(outcome.out, HasSubstr("upper bound "));
    EXPECT_THAT(outcome.out, HasSubstr("a limit stopped the search for a tighter upper bound"));
}

TEST_F(SolverQuery, OfAnalyzeEndsAfterAnInterruptWithABound) {
    const auto outcome = run_warpbound(command("analyze", 20, "equal", {"--time-limit", "100"}), {},
                                       {}, interrupted_after(1));
    expect_undecided(outcome, 1);
    EXPECT_THAT(outcome.out, HasSubstr("upper bound "));
    EXPECT_THAT(outcome.out, HasSubstr("a limit stopped the search for a tighter upper bound"));
}

TEST_F(SolverQuery, OfCertifyEndsAfterAnInterruptAndWritesNothing) {
    const std::string bundle = folder_.path("bundle");
    const auto outcome = run_warpbound(command("certify", 20, "equal", {"-o", bundle}), {}, {},
                                       interrupted_after(1));
    expect_undecided(outcome, 1);
    EXPECT_THAT(outcome.err, HasSubstr("an interrupt stopped the command"));
    EXPECT_FALSE(std::filesystem::exists(bundle));
}

TEST_F(SolverQuery, OfVerifyEndsAfterAnInterruptWithTheStepsSoFar) {
    const std::string bundle = folder_.path("bundle");
    const auto made = run_warpbound(command("certify", 20, "at-most", {"-o", bundle}));
    ASSERT_EQ(made.exit_code, 0) << made.err;
    const auto outcome = run_warpbound({"verify", bundle}, {}, {}, interrupted_after(0.5));
    expect_undecided(outcome, 0.5);
    EXPECT_THAT(outcome.out, HasSubstr("digests"));
    EXPECT_THAT(outcome.out, HasSubstr("interrupted before it was finished"));
}

} // namespace
} // namespace warpbound::tests
