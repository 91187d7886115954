/// \file
/// A time limit and Ctrl-C end long work soon, with a bound that holds or with none.

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

/// A chain of diamonds, each of which ends before the next begins.
std::string chain(int diamonds, bool divergent) {
    std::string text = "!Arch sm_75\n!Kernel chain\n";
    const auto put = [&](const std::string& instruction) { text += instruction + " ?trans5;\n"; };
    put(divergent ? "S2R R0, SR_TID.X" : "MOV R0, c[0x0][0x160]");
    for (int i = 0; i < diamonds; ++i) {
        put(fmt::format("ISETP.GE.AND P0, PT, R0, 0x{:x}, PT", i + 1));
        if (divergent) put(fmt::format("BSSY B0, JOIN{}", i));
        put(fmt::format("@P0 BRA ARM{}", i));
        put("FADD R4, R4, R5");
        put(fmt::format("BRA ARRIVE{}", i));
        text += fmt::format("ARM{}:\n", i);
        put("FMUL R4, R4, R6");
        text += fmt::format("ARRIVE{}:\n", i);
        put(divergent ? "BSYNC B0" : "MOV R7, R4");
        text += fmt::format("JOIN{}:\n", i);
    }
    put("EXIT");
    return text;
}

std::vector<std::string> analyze(const std::string& file, std::vector<std::string> more = {}) {
    std::vector<std::string> arguments{"analyze",   file,       "--architecture",
                                       "turing-t4", "--launch", "1x32"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
}

class StoppedAnalysis : public testing::TestWithParam<bool> {
protected:
    Folder folder_;
};

TEST_P(StoppedAnalysis, EndsAtItsTimeLimit) {
    const std::string file = folder_.write("chain.sass", chain(6000, GetParam()));
    const auto outcome = run_warpbound(analyze(file, {"--time-limit", "0.05"}));
    expect_undecided(outcome, 0.05);
    EXPECT_THAT(outcome.out + outcome.err, HasSubstr("limit"));
}

TEST_P(StoppedAnalysis, EndsAfterAnInterrupt) {
    const std::string file = folder_.write("chain.sass", chain(6000, GetParam()));
    for (const double after : {0.1, 0.3})
        expect_undecided(run_warpbound(analyze(file), {}, {}, interrupted_after(after)), after);
}

TEST_P(StoppedAnalysis, GivesNoSmallerBoundThanWithoutALimit) {
    const std::string file = folder_.write("chain.sass", chain(300, GetParam()));
    const auto bound_of = [](const Outcome& outcome) -> std::int64_t {
        const std::size_t at = outcome.out.find("upper bound ");
        return at == std::string::npos ? INT64_MAX : std::stoll(outcome.out.substr(at + 12));
    };
    const auto whole = run_warpbound(analyze(file));
    ASSERT_EQ(whole.exit_code, 0) << whole.err;
    for (const char* limit : {"0", "0.01", "0.03", "0.1"}) {
        const auto outcome = run_warpbound(analyze(file, {"--time-limit", limit}));
        EXPECT_TRUE(outcome.exit_code == 0 || outcome.exit_code == undecided) << outcome.err;
        EXPECT_GE(bound_of(outcome), bound_of(whole)) << limit;
    }
}

/// The paths of a chain follow each other: its serialized graph grows with its length.
TEST(DivergentChain, OfFiveThousandDiamondsIsBounded) {
    const Folder folder;
    const auto outcome = run_warpbound(analyze(folder.write("chain.sass", chain(5000, true))));
    EXPECT_EQ(misbehaviour_of(outcome), "");
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr("upper bound "));
}

INSTANTIATE_TEST_SUITE_P(Chains, StoppedAnalysis, testing::Bool(),
                         [](const auto& info) { return info.param ? "Divergent" : "Uniform"; });

/// One warp that iterates a loop a few hundred million times.
class LongRun : public testing::Test {
protected:
    std::vector<std::string> command(const std::string& name, std::vector<std::string> more = {}) {
        const std::string text = "!Arch sm_75\n!Kernel loop\nLOOP:\nFADD R4, R4, R5 ?trans5;\n"
                                 "@P0 BRA LOOP ?trans5;\nEXIT ?trans5;\n";
        const std::string kernel = folder_.write("loop.sass", text);
        const std::string from = "origin=\"user\" status=\"unchecked\"/>";
        const std::string facts = folder_.write(
            "loop.xml",
            fmt::format("<flow-facts kernel=\"loop\" digest=\"{}\"><loop header=\"0x0000\" "
                        "min=\"400000000\" max=\"400000000\" {}<uniform at=\"0x0010\" {}"
                        "</flow-facts>",
                        assembly::digest_of(text), from, from));
        std::vector<std::string> arguments{name,       kernel, "--flow-facts",   facts,
                                           "--launch", "1x32", "--architecture", "turing-t4"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return arguments;
    }

    Folder folder_;
};

TEST_F(LongRun, OfSimulateEndsAfterAnInterrupt) {
    expect_undecided(
        run_warpbound(command("simulate", {"--runs", "2"}), {}, {}, interrupted_after(0.5)), 0.5);
}

TEST_F(LongRun, OfAnalyzeEndsAfterAnInterruptAndKeepsTheBound) {
    const auto outcome =
        run_warpbound(command("analyze", {"--runs", "2"}), {}, {}, interrupted_after(0.5));
    expect_undecided(outcome, 0.5);
    EXPECT_THAT(outcome.out, HasSubstr("upper bound "));
    EXPECT_THAT(outcome.out, HasSubstr("stopped after 0 of 2 runs"));
}

TEST_F(LongRun, OfAnalyzeEndsAtTheTimeLimit) {
    const auto outcome = run_warpbound(command("analyze", {"--runs", "2", "--time-limit", "0.5"}));
    expect_undecided(outcome, 0.5);
    EXPECT_THAT(outcome.out, HasSubstr("upper bound "));
}

TEST_F(LongRun, OfSchedulersEndsAfterAnInterrupt) {
    expect_undecided(
        run_warpbound(command("schedulers", {"--runs", "2"}), {}, {}, interrupted_after(0.5)), 0.5);
}

TEST_F(LongRun, OfCertifyEndsAfterAnInterruptAndWritesNothing) {
    const std::string bundle = folder_.path("bundle");
    const auto outcome = run_warpbound(command("certify", {"--runs", "2", "-o", bundle}), {}, {},
                                       interrupted_after(0.5));
    expect_undecided(outcome, 0.5);
    EXPECT_THAT(outcome.err, HasSubstr("nothing was written"));
    EXPECT_FALSE(std::filesystem::exists(bundle));
}

/// One chain of diamonds on one SM; every time besides is stated.
std::string pipeline_of(const Folder& folder, int diamonds) {
    folder.write("chain.sass", chain(diamonds, true));
    return folder.write("pipelines.xml",
                        "<pipelines machine=\"turing-t4\" clock=\"1500MHz\">"
                        "<device copy-engines=\"1\" memory-interference=\"none\">"
                        "<partition name=\"all\" multiprocessors=\"1\"/></device>"
                        "<pipeline name=\"p\" period=\"1s\">"
                        "<kernel name=\"k\" partition=\"all\" file=\"chain.sass\" launch=\"1x32\" "
                        "launch-at-most=\"1us\"/></pipeline></pipelines>");
}

TEST(StoppedPipeline, WithoutTimeKeepsItsBoundsAndWritesNoEvidence) {
    const Folder folder;
    const std::string file = folder.write(
        "pipelines.xml", "<pipelines><device copy-engines=\"1\" memory-interference=\"none\">"
                         "<partition name=\"all\" multiprocessors=\"1\"/></device>"
                         "<pipeline name=\"p\" period=\"1s\" deadline=\"9ms\"><host name=\"h\" "
                         "at-most=\"1ms\"/></pipeline></pipelines>");
    const std::string bundle = folder.path("bundle");
    const auto outcome = run_warpbound(
        {"pipeline", file, "--time-limit", "0", "--evidence", bundle, "--simulate", "5"});
    expect_undecided(outcome, 0);
    EXPECT_THAT(outcome.out, HasSubstr("at most            1 ms"));
    EXPECT_THAT(outcome.err, HasSubstr("limit stopped the evidence, of which nothing was written; "
                                       "expected a larger --time-limit"));
    EXPECT_THAT(outcome.err, HasSubstr("limit stopped the simulation after 0 of 5 runs"));
    EXPECT_FALSE(std::filesystem::exists(bundle));
}

/// The limit is that of the whole command: bounds, evidence and simulated runs.
TEST(StoppedPipeline, EndsAtItsTimeLimit) {
    const Folder folder;
    const std::string file = pipeline_of(folder, 6000);
    const std::string bundle = folder.path("bundle");
    const auto outcome = run_warpbound(
        {"pipeline", file, "--time-limit", "0.5", "--evidence", bundle, "--simulate", "1000000"});
    expect_undecided(outcome, 0.5);
    EXPECT_THAT(outcome.err, HasSubstr("--time-limit"));
    EXPECT_FALSE(std::filesystem::exists(bundle));
}

TEST(StoppedPipeline, EndsAfterAnInterrupt) {
    const Folder folder;
    const std::string file = pipeline_of(folder, 100);
    const auto outcome =
        run_warpbound({"pipeline", file, "--simulate", "1000000"}, {}, {}, interrupted_after(1.5));
    expect_undecided(outcome, 1.5);
    EXPECT_THAT(outcome.out, HasSubstr("at most"));
    EXPECT_THAT(outcome.err, HasSubstr("an interrupt stopped the simulation after"));
}

/// Evidence does not depend on the time that there was for it.
TEST(StoppedPipeline, HasWholeEvidenceOrNone) {
    const Folder folder;
    const std::string file = pipeline_of(folder, 200);
    const auto claims_within = [&](const std::string& limit) {
        const std::string bundle = folder.path("bundle " + limit);
        const auto outcome =
            run_warpbound({"pipeline", file, "--time-limit", limit, "--evidence", bundle});
        EXPECT_TRUE(outcome.exit_code == 0 || outcome.exit_code == undecided) << outcome.err;
        const bool is_there = std::filesystem::exists(bundle);
        EXPECT_EQ(is_there, outcome.exit_code == 0) << limit << outcome.err;
        return is_there ? assembly::read_source(bundle + "/claims.json").value().text
                        : std::string{};
    };
    const std::string whole = claims_within("600");
    ASSERT_NE(whole, "");
    for (const char* limit : {"0.02", "0.1", "0.3", "0.6", "1"}) {
        const std::string claims = claims_within(limit);
        EXPECT_TRUE(claims.empty() || claims == whole) << limit;
    }
}

} // namespace
} // namespace warpbound::tests
