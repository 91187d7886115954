/// \file
/// Bundles of large kernels and of many runs are checked in little time and memory, and a limit
/// that is too small for a check ends it as incomplete.

#include "tests/attacks/bundles.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace warpbound {
namespace {

using testing::HasSubstr;
using tests::EvidenceFiles;
using tests::Folder;
using tests::Honest;
using tests::Json;
using tests::Outcome;
using tests::run_warpbound;

/// So many if-else statements on a uniform condition; each with its convergence barrier, or none.
std::string diamonds(int count, bool has_barriers) {
    std::string text = "!Arch sm_75\n!Kernel chain\n"
                       "  ISETP.NE.AND P0, PT, RZ, c[0x0][0x160], PT ?trans12;\n";
    for (int i = 0; i < count; ++i) {
        if (has_barriers) text += fmt::format("  BSSY B0, `(.L_join{}) ?trans2;\n", i);
        text += fmt::format("  @P0 BRA `(.L_else{0}) ?trans5;\n  FADD R5, R5, R6 ?trans5;\n"
                            "  BRA `(.L_meet{0}) ?trans5;\n.L_else{0}:\n"
                            "  FADD R7, R7, R8 ?trans5;\n.L_meet{0}:\n",
                            i);
        if (has_barriers) text += fmt::format("  BSYNC B0 ?trans5;\n.L_join{}:\n", i);
        text += "  FADD R9, R5, R7 ?trans5;\n";
    }
    return text + "  EXIT ?trans5;\n!EndKernel\n";
}

/// The same on a machine whose pipeline state differs by path, on conditions of one register.
std::string interlocked_diamonds(int count) {
    std::string text = "!Arch sm_20\n!Kernel chain\n  MOV R0, c[0x0][0x20];\n";
    for (int i = 0; i < count; ++i)
        text += fmt::format("  ISETP.GT.AND P0, PT, R0, {1}, PT; @P0 BRA LA{0}; IADD R1, R1, 1;\n"
                            "  BRA LB{0}; LA{0}: IADD R2, R2, 1; LB{0}: NOP;\n",
                            i, i % 97);
    return text + "  EXIT;\n";
}

std::string straight_line(int instructions) {
    std::string text = "!Arch sm_75\n!Kernel line\n";
    for (int i = 0; i < instructions; ++i)
        text += fmt::format("  FADD R{}, R5, R6 ?trans5;\n", 4 + i % 8);
    return text + "  EXIT ?trans5;\n!EndKernel\n";
}

void expect_checked(const std::string& listing, const std::string& launch,
                    const std::string& architecture = "turing-t4") {
    const Folder folder;
    const tests::Limits limits{.time = std::chrono::seconds{60}};
    const Outcome made =
        run_warpbound({"certify", folder.write("kernel.sass", listing), "--architecture",
                       architecture, "--launch", launch, "-o", folder.path("bundle")},
                      {}, {}, limits);
    ASSERT_EQ(made.exit_code, 0) << made.out << made.err;
    const Outcome verify = run_warpbound({"verify", folder.path("bundle")}, {}, {}, limits);
    EXPECT_EQ(tests::misbehaviour_of(verify), "");
    EXPECT_EQ(verify.exit_code, 0) << verify.out << verify.err;
}

TEST(LargeKernel, OfFiveThousandDiamondsIsChecked) {
    expect_checked(diamonds(5000, false), "1x32");
}

TEST(LargeKernel, OfFiveThousandInterlockedDiamondsIsChecked) {
    expect_checked(interlocked_diamonds(5000), "1x32", "fermi-gtx470");
}

TEST(LargeKernel, OfThreeThousandDiamondsWithBarriersIsChecked) {
    expect_checked(diamonds(3000, true), "1x32");
}

TEST(LargeKernel, OfSeveralWarpsIsChecked) {
    expect_checked(diamonds(1250, false), "2x128");
}

TEST(LargeKernel, OfTwentyThousandInstructionsIsChecked) {
    expect_checked(straight_line(20'000), "2x64");
}

TEST(LargeSamples, ThreeFilesAreReadInLessMemoryThanTheirTree) {
    EvidenceFiles files = tests::honest(Honest::Saxpy);
    const Json file = Json::parse(files.at("inputs/K1/samples-1.json").bytes);
    constexpr std::size_t large = 61'000'000;
    std::string rows;
    const std::string row = file.at("samples").at(0).dump();
    for (rows = row; rows.size() < large;)
        rows += "," + row;
    const std::string text = "{\"samples\":[" + rows + "],\"series\":" + file.at("series").dump() +
                             ",\"unit\":\"core cycles\"}";
    Json launch = Json::parse(files.at("inputs/K1/launch.json").bytes);
    launch["samples"] = Json::array();
    for (const int i : {1, 2, 3}) {
        const std::string path = fmt::format("inputs/K1/samples-{}.json", i);
        files[path] = {"samples", "inputs", text};
        launch["samples"].push_back(path);
    }
    files.at("inputs/K1/launch.json").bytes = launch.dump();
    tests::seal(files);
    // Memory counts here; a busy machine may need long.
    const tests::Limits limits{.time = std::chrono::seconds{120}};
    const Outcome verify = tests::verify_files(files, {"--time-limit", "100"}, {}, limits);
    EXPECT_EQ(tests::misbehaviour_of(verify), "") << verify.resident_bytes;
    EXPECT_EQ(verify.exit_code, 1) << verify.out << verify.err;
    EXPECT_THAT(verify.out, HasSubstr("inputs/K1/samples-1.json"));
}

TEST(SmallLimit, OfMemoryEndsAsIncomplete) {
    const Folder folder;
    const Outcome made = run_warpbound(
        {"certify", folder.write("kernel.sass", diamonds(1250, false)), "--architecture",
         "turing-t4", "--launch", "1x32", "-o", folder.path("bundle")});
    ASSERT_EQ(made.exit_code, 0) << made.out << made.err;
    for (const char* limit : {"16", "20", "24", "28", "32", "40", "48"}) {
        const Outcome verify =
            run_warpbound({"verify", folder.path("bundle"), "--memory-limit", limit});
        EXPECT_EQ(verify.exit_code, 4) << limit << verify.out << verify.err;
        EXPECT_THAT(verify.out, Not(HasSubstr("internal error"))) << limit;
    }
    const Outcome least = run_warpbound({"verify", folder.path("bundle"), "--memory-limit", "16"});
    EXPECT_THAT(least.out, HasSubstr("--memory-limit allows more"));
}

TEST(SmallLimit, OfTimeEndsAsIncomplete) {
    for (const char* limit : {"0.001", "0.01", "0.05"}) {
        const Folder folder;
        const Outcome verify =
            tests::verify_files(tests::honest(Honest::Several), {"--time-limit", limit});
        if (verify.exit_code == 0) continue; // It was fast enough.
        EXPECT_EQ(verify.exit_code, 4) << limit << verify.out << verify.err;
    }
}

TEST(ClaimedTool, IsCalledSoWhereABundleRepeatsIt) {
    auto files = tests::honest(Honest::Saxpy);
    tests::set("inputs/run.json", "/tool/version", "9.9")(files);
    tests::remake(files);
    EXPECT_THAT(files.at("report.html").bytes, HasSubstr("warpbound 9.9"));
    EXPECT_THAT(files.at("report.html").bytes, HasSubstr("(claimed by the bundle; "));
    EXPECT_THAT(files.at("report.xml").bytes,
                HasSubstr("tool-version=\"9.9\" tool-standing=\"claimed\""));
    EXPECT_THAT(files.at("tool/sbom.cdx.json").bytes, HasSubstr("claimed by the bundle"));
}

} // namespace
} // namespace warpbound
