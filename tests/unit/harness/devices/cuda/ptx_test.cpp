#include "harness/devices/cuda/scheduling_run.hpp"
#include "harness/suite/emission/ptx_semaphore.hpp"
#include "harness/suite/emission/ptx_statement.hpp"
#include "harness/suite/suites.hpp"
#include "tests/support/temporary_folder.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
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

TEST(Ptx, ListsTheInstructionsIntendedBetweenTheClockReads) {
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
    const auto stores = ptx_points_of("store-burst", {75});
    ASSERT_TRUE(stores) << to_string(stores.error());
    EXPECT_THAT(stores.value().front().ptx->text,
                HasSubstr("mad.wide.u32 %global_by_128, %lane, 128, "));
    EXPECT_TRUE(stores.value().front().ptx->from_dram);
    EXPECT_GE(stores.value().front().ptx->memory_per_warp, 31 * 128 + 4);
}

TEST(Ptx, WritesALoopThatTheCompilerDoesNotUnroll) {
    const auto points = ptx_points_of("granularity", {75});
    ASSERT_TRUE(points) << to_string(points.error());
    const auto& kernel = *points.value()[1].ptx;
    EXPECT_TRUE(kernel.loops);
    EXPECT_EQ(kernel.region.size(), 2U);
    EXPECT_THAT(kernel.text, HasSubstr("mov.u32 %left, 16;"));
    EXPECT_THAT(kernel.text, HasSubstr("  mov.u64 %first, %clock64;\nagain:\n"
                                       "  .pragma \"nounroll\";\n"
                                       "  add.rn.f32 %f8, %f8, %f3;\n"
                                       "  add.rn.f32 %f9, %f9, %f3;\n"
                                       "  sub.u32 %left, %left, 1;\n"
                                       "  setp.ne.u32 %more, %left, 0;\n"
                                       "  @%more bra again;\n"
                                       "  mov.u64 %last, %clock64;\n"));
    const Operation add{"X", OpcodeClass::IntegerAdd, -1, {}, {}, "add.u32 %r8, %r8, 1;"};
    EXPECT_TRUE(emit_ptx("k", {}, {add}, {75}, 1));
    const auto refused = emit_ptx("k", {}, {add}, {75}, 2);
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().what, HasSubstr("could be one of the loop's own"));
}

TEST(Ptx, StatesStrideAndFootprintOfAWalk) {
    const auto points = ptx_points_of("pointer-chase", {75});
    ASSERT_TRUE(points) << to_string(points.error());
    for (const auto& point : points.value()) {
        ASSERT_TRUE(point.ptx->walk) << point.name;
        EXPECT_EQ(point.ptx->walk->stride, axis_value(point.axes, "stride", 0));
        EXPECT_EQ(point.ptx->walk->footprint, axis_value(point.axes, "footprint", 0));
        EXPECT_EQ(point.ptx->memory_per_warp, point.ptx->walk->footprint);
        EXPECT_TRUE(point.ptx->from_dram);
        ASSERT_EQ(point.ptx->region.size(), 2U);
        EXPECT_EQ(point.ptx->region[1].producers, (std::vector<std::size_t>{0}));
    }
    EXPECT_FALSE(emit_ptx(
        "k", {},
        {{"X", OpcodeClass::LoadGlobal, -1, {}, {}, "ld.global.u64 %walk_by_128, [%walk_by_128];"}},
        {75}));
}

TEST(Ptx, WritesBlocksThatWaitForEachOther) {
    const auto points = ptx_points_of("resident-registers", {90});
    ASSERT_TRUE(points) << to_string(points.error());
    for (const auto& point : points.value()) {
        ASSERT_TRUE(point.launch.registers);
        EXPECT_GE(*point.launch.registers, least_semaphore_registers);
        EXPECT_TRUE(point.ptx->semaphore);
        EXPECT_THAT(point.ptx->text,
                    HasSubstr(fmt::format("\n.maxnreg {}\n", *point.launch.registers)));
    }
    EXPECT_THAT(points.value().front().ptx->text,
                HasSubstr("  red.global.add.u32 [%memory], 1;\n"
                          "waiting:\n"
                          "  mov.u64 %last, %clock64;\n"
                          "  sub.u64 %waited, %last, %first;\n"
                          "  setp.ge.u64 %other, %waited, 262144;\n"
                          "  @%other bra left;\n"
                          "  ld.volatile.global.u32 %part, [%memory];\n"
                          "  setp.lt.u32 %other, %part, %blocks;\n"
                          "  @%other bra waiting;\n"));
    EXPECT_FALSE(emit_semaphore("k", {90}, least_semaphore_registers - 1));
    EXPECT_FALSE(emit_semaphore("k", {20}, least_semaphore_registers));
}

// Otherwise the compiler would choose them, and they could limit the residency.
TEST(Ptx, OfWaitingBlocksStatesRegistersWhereTheyShallNotLimit) {
    for (const char* benchmark : {"resident-warps", "resident-shared-memory"})
        for (const int sm : {30, 75, 90}) {
            const auto points = ptx_points_of(benchmark, {sm});
            ASSERT_TRUE(points) << to_string(points.error());
            for (const auto& point : points.value()) {
                EXPECT_EQ(point.launch.registers, least_semaphore_registers) << point.name;
                EXPECT_THAT(point.ptx->text, HasSubstr("\n.maxnreg 24\n")) << point.name;
            }
        }
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

/// Output of a command, and whether it succeeded.
std::pair<std::string, bool> output_of(const std::string& command) {
    std::array<char, 4096> part{};
    std::string all;
    FILE* pipe = popen((command + " 2>&1").c_str(), "r");
    if (pipe == nullptr) return {"", false};
    for (std::size_t count = 0; (count = fread(part.data(), 1, part.size(), pipe)) > 0;)
        all.append(part.data(), count);
    return {all, pclose(pipe) == 0};
}

/// The real targets that an assembler lists in its help: "sm_75", not "sm_90a".
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

/// Kernels of a module, by their entry names.
using Kernels = std::map<std::string, PtxKernel>;

/// All kernels of all benchmarks that have PTX as one module: entries are named k0, k1 and so on.
/// Points that differ only in their launch share one kernel.
std::string module_of_all(assembly::Target target, Kernels& kernels) {
    const auto header = ptx_header(target);
    std::string module = header.value();
    std::set<std::string> seen;
    for (const auto& benchmark : benchmarks()) {
        const auto points = ptx_points_of(benchmark.name, target);
        if (!points || benchmark.copies) continue;
        for (const auto& point : points.value()) {
            if (!seen.insert(point.ptx->text).second) continue;
            std::string body = point.ptx->text.substr(header.value().size());
            const std::string entry = fmt::format("k{}", kernels.size());
            body.replace(body.find(point.ptx->entry), point.ptx->entry.size(), entry);
            module += body;
            kernels[entry] = *point.ptx;
        }
    }
    // The blocks of experiments on scheduling.
    module += cuda::passing_time_ptx(target).value().substr(header.value().size());
    return module;
}

constexpr unsigned clock_code = 0x1000; ///< Not a nine-bit operation code.
constexpr unsigned nop_code = 0x118;
constexpr unsigned branch_code = 0x147;
/// Additions, comparisons and branches of the loop control: IADD3, IADD, UIADD3, ISETP, UISETP,
/// BRA.
const std::set<unsigned> loop_codes{0x010, 0x035, 0x090, 0x00c, 0x08c, branch_code};

/// The operation codes of a function's instructions, of machine code of sm_75 and later: the lowest
/// nine bits, without the bits that select the operand form.
std::vector<unsigned> operation_codes(const std::string& image, const std::string& kernel) {
    const auto at = [&](std::size_t offset, std::size_t bytes) {
        std::uint64_t value = 0;
        std::memcpy(&value, image.data() + offset, bytes);
        return static_cast<std::size_t>(value);
    };
    const std::size_t sections = at(40, 8); // ELF64
    const auto section = [&](std::size_t index) { return sections + 64 * index; };
    const std::size_t names = at(section(at(62, 2)) + 24, 8);
    // CS2R or CS2UR, of special register 0x50: SR_CLOCKLO.
    const auto read_clock = [&](std::size_t offset) {
        const std::size_t code = at(offset, 2) % 0x1000;
        return (code == 0x805 || code == 0x8cb) && at(offset + 9, 1) == 0x50;
    };
    std::vector<unsigned> codes;
    for (std::size_t i = 0; i < at(60, 2); ++i) {
        if (std::string{image.data() + names + at(section(i), 4)} != ".text." + kernel) continue;
        const std::size_t begin = at(section(i) + 24, 8);
        for (std::size_t offset = begin; offset < begin + at(section(i) + 32, 8); offset += 16)
            codes.push_back(read_clock(offset) ? clock_code
                                               : static_cast<unsigned>(at(offset, 2)) & 0x1ffU);
    }
    return codes;
}

/// Read from the code that ptxas 13.0 generates for kernels with one operation.
const std::map<unsigned, OpcodeClass> known_codes{
    {clock_code, OpcodeClass::ClockRead},  {0x009, OpcodeClass::FloatCompare},
    {0x012, OpcodeClass::Logic},           {0x017, OpcodeClass::IntegerAdd},
    {0x019, OpcodeClass::Shift},           {0x020, OpcodeClass::FloatMultiply},
    {0x021, OpcodeClass::FloatAdd},        {0x023, OpcodeClass::FloatMultiplyAdd},
    {0x024, OpcodeClass::IntegerMultiply}, {0x029, OpcodeClass::Double},
    {0x045, OpcodeClass::Conversion},      {0x048, OpcodeClass::IntegerAdd},
    {0x106, OpcodeClass::Conversion},      {0x108, OpcodeClass::SpecialFunction},
    {0x109, OpcodeClass::BitCount},        {0x11d, OpcodeClass::Barrier},
    {0x181, OpcodeClass::LoadGlobal},      {0x184, OpcodeClass::LoadShared},
    {0x186, OpcodeClass::StoreGlobal},     {0x188, OpcodeClass::StoreShared},
    {0x18e, OpcodeClass::AtomicGlobal},    {0x1a8, OpcodeClass::AtomicGlobal}};

std::string class_of(unsigned code) {
    const auto found = known_codes.find(code);
    return found == known_codes.end() ? fmt::format("0x{:03x}", code)
                                      : std::string{to_string(found->second)};
}

/// Checks the regions that ptxas generated: the same classes in the same order. Kernels with an
/// operation of another class are skipped; returns the number of checked kernels.
int expect_regions(const std::string& image, const Kernels& kernels, int sm) {
    std::set<OpcodeClass> known;
    for (const auto& [code, opcode_class] : known_codes)
        known.insert(opcode_class);
    int looked_at = 0;
    for (const auto& [entry, kernel] : kernels) {
        if (kernel.semaphore) continue; // Nothing is timed.
        std::vector<std::string> intended{"clock-read"};
        bool all_known = true;
        for (const auto& instruction : kernel.region) {
            intended.emplace_back(to_string(instruction.opcode_class));
            all_known = all_known && known.count(instruction.opcode_class) > 0;
        }
        if (!all_known) continue;
        ++looked_at;
        intended.emplace_back("clock-read");
        std::vector<std::string> built;
        std::vector<unsigned> of_loop;
        int reads = 0;
        for (const unsigned code : operation_codes(image, entry)) {
            if (kernel.loops && reads == 1 && loop_codes.count(code) > 0) {
                of_loop.push_back(code);
                continue;
            }
            const std::string one = class_of(code);
            // Targets with few double-precision units wait for them with NOPs.
            if (code == nop_code && !kernel.region.empty() &&
                kernel.region.front().opcode_class == OpcodeClass::Double)
                continue;
            if (one == "clock-read") ++reads;
            if (reads > 0) built.push_back(one);
            if (reads == 2) break;
        }
        EXPECT_EQ(built, intended) << "sm_" << sm << "\n" << kernel.text;
        if (!kernel.loops) continue;
        EXPECT_EQ(of_loop.size(), 3U) << "sm_" << sm << "\n" << kernel.text;
        EXPECT_TRUE(!of_loop.empty() && of_loop.back() == branch_code) << "sm_" << sm << "\n"
                                                                       << kernel.text;
    }
    return looked_at;
}

std::string bytes_of(const std::filesystem::path& file) {
    std::ifstream stream{file, std::ios::binary};
    return {std::istreambuf_iterator<char>{stream}, {}};
}

// The register counts of launches are those that the code uses.
TEST(Ptx, OfWaitingBlocksUsesTheRegistersThatItStates) {
    const std::string ptxas = WARPBOUND_TEST_PTXAS;
    if (ptxas.empty()) GTEST_SKIP() << "ptxas was not found when this was configured";
    const tests::TemporaryFolder folder;
    const auto source = (folder.path() / "one.ptx").string();
    const auto image = (folder.path() / "one.cubin").string();
    for (const int sm : known_targets(output_of(ptxas + " --help").first))
        for (const std::int64_t registers :
             {least_semaphore_registers, std::int64_t{25}, std::int64_t{40}, std::int64_t{63}}) {
            std::ofstream{source} << emit_semaphore("k", {sm}, registers).value().text;
            const auto [text, well] =
                output_of(fmt::format("{} -v -arch sm_{} {} -o {}", ptxas, sm, source, image));
            EXPECT_TRUE(well) << text;
            EXPECT_THAT(text, HasSubstr(fmt::format("Used {} registers", registers))) << sm;
        }
}

TEST(Ptx, IsAssembledForEveryTargetOfTheInstalledToolkit) {
    const std::string ptxas = WARPBOUND_TEST_PTXAS;
    if (ptxas.empty()) GTEST_SKIP() << "ptxas was not found when this was configured";
    const auto targets = known_targets(output_of(ptxas + " --help").first);
    ASSERT_FALSE(targets.empty());
    const tests::TemporaryFolder folder;
    const auto source = (folder.path() / "all.ptx").string();
    const auto image = (folder.path() / "all.cubin").string();
    for (const int sm : targets) {
        Kernels kernels;
        std::ofstream{source} << module_of_all({sm}, kernels);
        EXPECT_GT(kernels.size(), 100U);
        const auto [text, well] =
            output_of(fmt::format("{} -arch sm_{} {} -o {}", ptxas, sm, source, image));
        EXPECT_TRUE(well) << "sm_" << sm << "\n" << text;
        if (!well || sm < 75) continue;
        EXPECT_GT(expect_regions(bytes_of(image), kernels, sm), 100);
    }
}

} // namespace
} // namespace warpbound::harness
