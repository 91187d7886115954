#include "harness/suite/benchmark.hpp"
#include "harness/suite/ptx_statement.hpp"
#include "tests/support/temporary_folder.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <set>

namespace warpbound::harness {
namespace {

using assembly::OpcodeClass;
using testing::HasSubstr;

std::vector<std::string> names(const std::vector<PtxRegister>& registers) {
    std::vector<std::string> all;
    for (const auto& reg : registers)
        all.push_back(reg.name());
    return all;
}

TEST(PtxStatement, FindsWhatIsReadAndWritten) {
    const auto add = effects_of_ptx("add.rn.f32 %f9, %f8, %f3;");
    EXPECT_EQ(names(add.reads), (std::vector<std::string>{"%f8", "%f3"}));
    EXPECT_EQ(names(add.writes), (std::vector<std::string>{"%f9"}));
    const auto store = effects_of_ptx("@%p2 st.global.v2.f32 [%global_by_8+128], {%f5, %f6};");
    EXPECT_EQ(names(store.reads), (std::vector<std::string>{"%p2", "%global_by_8", "%f5", "%f6"}));
    EXPECT_TRUE(store.writes.empty());
    EXPECT_EQ(store.largest_offset, 128);
    const auto load = effects_of_ptx("ld.global.v2.u32 {%r8, %r9}, [%global_by_8];");
    EXPECT_EQ(names(load.writes), (std::vector<std::string>{"%r8", "%r9"}));
    const auto two = effects_of_ptx("cvt.rn.f32.s32 %f8, %r8; mov.b32 %r8, %f8;");
    EXPECT_EQ(names(two.reads), (std::vector<std::string>{"%r8"}));
    EXPECT_EQ(names(two.writes), (std::vector<std::string>{"%f8", "%r8"}));
    EXPECT_TRUE(effects_of_ptx("mov.u64 %last, %clock64;").reads.empty());
    EXPECT_TRUE(effects_of_ptx("bar.sync 0;").reads.empty());
}

TEST(Ptx, SaysWhatShallStandBetweenTheClockReads) {
    const auto points = ptx_points_of("dependent-mad-add", {75});
    ASSERT_TRUE(points) << to_string(points.error());
    const auto& region = points.value().front().ptx->region;
    ASSERT_EQ(region.size(), 2);
    EXPECT_EQ(region[0].opcode_class, OpcodeClass::FloatMultiplyAdd);
    EXPECT_TRUE(region[0].producers.empty());
    EXPECT_EQ(region[1].opcode_class, OpcodeClass::FloatAdd);
    EXPECT_EQ(region[1].producers, (std::vector<std::size_t>{0}));
}

TEST(Ptx, KeepsResultsAndReadsTheClockAroundTheRegion) {
    const auto points = ptx_points_of("dependent-add", {75});
    ASSERT_TRUE(points);
    const std::string& text = points.value()[1].ptx->text;
    const auto first = text.find("mov.u64 %first, %clock64;");
    const auto one = text.find("add.rn.f32 %f8, %f8, %f3;");
    const auto two = text.find("add.rn.f32 %f9, %f8, %f3;");
    const auto last = text.find("mov.u64 %last, %clock64;");
    const auto kept = text.find("mov.b32 %part, %f9;", last);
    EXPECT_LT(first, one);
    EXPECT_LT(one, two);
    EXPECT_LT(two, last);
    EXPECT_NE(kept, std::string::npos);
}

TEST(Ptx, GivesEachLaneTheAddressThatThePatternSays) {
    const auto points = ptx_points_of("bank-conflict", {75});
    ASSERT_TRUE(points) << to_string(points.error());
    const auto& point = points.value().back(); // Stride 128.
    EXPECT_THAT(point.ptx->text, HasSubstr("mad.lo.u32 %shared_by_128, %lane, 512, "));
    EXPECT_GE(point.ptx->shared_bytes, 31 * 512 + 4);
    const auto loads = ptx_points_of("global-load", {75});
    ASSERT_TRUE(loads);
    EXPECT_TRUE(loads.value().front().ptx->from_dram);
    EXPECT_GE(loads.value().back().ptx->memory_per_warp, 15 * 128 + 32 * 4);
}

TEST(Ptx, RefusesWhatHasNoneByName) {
    const auto points = ptx_points_of("switched-off", {75});
    ASSERT_FALSE(points);
    EXPECT_THAT(to_string(points.error()), HasSubstr("switched-off/n=8: '@!PT IADD"));
    EXPECT_THAT(to_string(points.error()), HasSubstr("has no PTX"));
    const auto fermi = ptx_points_of("dependent-add", {20});
    ASSERT_FALSE(fermi);
    EXPECT_THAT(fermi.error().what, HasSubstr("sm_20 has no timer of nanoseconds"));
    EXPECT_FALSE(
        emit_ptx("k", {}, {{"X", OpcodeClass::Nop, -1, {}, {}, "mov.u32 %r8, %odd7;"}}, {75}));
    EXPECT_FALSE(ptx_points_of("no-such", {75}));
}

/// Output of a command, and whether it ended well.
std::pair<std::string, bool> output_of(const std::string& command) {
    std::array<char, 4096> part{};
    std::string all;
    FILE* pipe = popen((command + " 2>&1").c_str(), "r");
    if (pipe == nullptr) return {"", false};
    for (std::size_t count = 0; (count = fread(part.data(), 1, part.size(), pipe)) > 0;)
        all.append(part.data(), count);
    return {all, pclose(pipe) == 0};
}

/// The real targets that an assembler knows, by its help: "sm_75", not "sm_90a".
std::set<int> known_targets(const std::string& help) {
    std::set<int> targets;
    for (std::size_t at = help.find("'sm_"); at != std::string::npos;
         at = help.find("'sm_", at + 1)) {
        const std::string name = help.substr(at + 4, help.find('\'', at + 1) - at - 4);
        if (name.find_first_not_of("0123456789") == std::string::npos)
            targets.insert(std::stoi(name));
    }
    return targets;
}

/// All points of all benchmarks that have PTX as one module: entries are named k0, k1 and so on.
std::string module_of_all(assembly::Target target, int& entries) {
    const auto header = ptx_header(target);
    std::string module = header.value();
    for (const auto& benchmark : benchmarks()) {
        const auto points = ptx_points_of(benchmark.name, target);
        if (!points) continue;
        for (const auto& point : points.value()) {
            std::string body = point.ptx->text.substr(header.value().size());
            const std::string name = point.ptx->entry + "(";
            body.replace(body.find(name), name.size(), fmt::format("k{}(", entries++));
            module += body;
        }
    }
    return module;
}

TEST(Ptx, IsAssembledForEveryTargetOfTheInstalledToolkit) {
    const std::string ptxas = WARPBOUND_TEST_PTXAS;
    if (ptxas.empty()) GTEST_SKIP() << "ptxas was not found when this was configured";
    const auto targets = known_targets(output_of(ptxas + " --help").first);
    ASSERT_FALSE(targets.empty());
    const tests::TemporaryFolder folder;
    for (const int sm : targets) {
        int entries = 0;
        const auto file = folder.path() / fmt::format("all-{}.ptx", sm);
        std::ofstream{file} << module_of_all({sm}, entries);
        EXPECT_GT(entries, 100);
        const auto [text, well] = output_of(
            fmt::format("{} -arch sm_{} {} -o {}.cubin", ptxas, sm, file.string(), file.string()));
        EXPECT_TRUE(well) << "sm_" << sm << "\n" << text;
    }
}

} // namespace
} // namespace warpbound::harness
