/// \file
/// The loops that GPGPU-Sim 4.2 ran with its configuration SM2_GTX480 (reference simulation.md,
/// sections 2.1 and 3), on the device simulated from the facts of that configuration.

#include "assembly/isa/reader.hpp"
#include "harness/simulator/machine.hpp"
#include "models/architecture/architecture.hpp"
#include "tests/support/median.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <sstream>
#include <tuple>

namespace warpbound::harness {
namespace {

constexpr std::uint64_t seeds = 15;
constexpr double tolerance = 0.05;

/// The `i`-th operation of a loop.
std::string operation(const std::string& kernel, int i) {
    if (kernel == "ind_iadd") return fmt::format("IADD R{}, R1, R2;\n", 8 + i % 16);
    if (kernel == "dep_iadd") return "IADD R8, R8, R1;\n";
    if (kernel == "dep_imul") return "IMUL R8, R8, R1;\n";
    if (kernel == "dep_ffma") return "FFMA R8, R8, R1, R2;\n";
    if (kernel == "dep_not") return "LOP.PASS_B R8, RZ, ~R8;\n";
    if (kernel == "dep_fadd") return "FADD R8, R8, R1;\n";
    if (kernel == "dep_lds") return "LDS R8, [R8];\n";
    if (kernel == "dep_ldg_l1" || kernel == "dep_ldg_l2") return "LD R8, [R8];\n";
    return "MUFU.RCP R8, R8;\n";
}

struct Loop {
    std::string kernel;
    int operations = 64;
    int iterations = 40;
};

/// A loop of operations, an add, a compare and a branch, between 11 further instructions.
class LoopProgram {
public:
    explicit LoopProgram(const Loop& loop) {
        std::string text = "!Arch sm_20\n!Kernel loop\n"
                           "S2R R0, SR_TID.X;\nMOV R1, c[0x0][0x20];\nMOV R2, c[0x0][0x24];\n"
                           "MOV R4, c[0x0][0x28];\nMOV R8, R1;\nMOV R3, RZ;\nLOOP:\n";
        for (int i = 0; i < loop.operations; ++i)
            text += operation(loop.kernel, i);
        text += fmt::format("IADD R3, R3, 0x1;\nISETP.LT.AND P0, PT, R3, 0x{:x}, PT;\n"
                            "@P0 BRA LOOP;\nSHL R5, R0, 0x2;\nIADD R4, R4, R5;\n"
                            "IADD R6, R8, R9;\nST [R4], R6;\nEXIT;\n!EndKernel\n",
                            loop.iterations);
        program_ = assembly::read_program({loop.kernel, text}).value();
        graph_ = assembly::build_control_flow_graph(program_.functions.front()).value();
        facts_.loops.push_back({6 * 8, loop.iterations, loop.iterations, {}});
        for (const auto& instruction : program_.functions.front().instructions) {
            if (instruction.opcode_class != assembly::OpcodeClass::LoadShared &&
                instruction.opcode_class != assembly::OpcodeClass::LoadGlobal &&
                instruction.opcode_class != assembly::OpcodeClass::StoreGlobal)
                continue;
            models::MemoryFact fact;
            fact.at = instruction.address;
            fact.transactions = models::CountRange{1, 1};
            fact.conflict_degree = models::CountRange{1, 1};
            fact.level = models::MemoryLevel::L2;
            if (loop.kernel.starts_with("dep_ldg") &&
                instruction.opcode_class == assembly::OpcodeClass::LoadGlobal) {
                fact = {};
                fact.at = instruction.address;
                fact.pattern = chased(loop, facts_.memory.size());
            }
            facts_.memory.push_back(fact);
        }
    }
    [[nodiscard]] Kernel kernel(int warps) const {
        return Kernel{&program_.functions.front(), &graph_, &facts_, models::Launch{1, 32 * warps}};
    }

private:
    /// Address of the `i`-th load of a chase: one line that stays in the L1; or, cyclically, eight
    /// lines of one set of the L1, which holds four, and of different sets of the L2.
    static models::AddressPattern chased(const Loop& loop, std::uint64_t i) {
        models::AddressPattern pattern;
        if (loop.kernel == "dep_ldg_l2") pattern.base = i % 8 * 32 * 128;
        return pattern;
    }

    assembly::Program program_;
    assembly::ControlFlowGraph graph_;
    models::FlowFacts facts_;
};

/// Execution times with seeds 1, 2, ..
std::vector<std::int64_t> times_of(const Kernel& kernel, const std::string& policy) {
    const auto machine =
        simulator::Machine::prepare(models::load_architecture("gtx480-gpgpusim").value(), kernel,
                                    models::read_policy(policy).value());
    EXPECT_TRUE(machine) << to_string(machine.error());
    std::vector<std::int64_t> times;
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        RunOptions options;
        options.seed = seed;
        times.push_back(machine.value()->run(options).value().execution_time.count());
    }
    return times;
}

std::vector<std::int64_t> times_of(const Loop& loop, const std::string& policy, int warps) {
    return times_of(LoopProgram{loop}.kernel(warps), policy);
}

/// Warp instructions per cycle between 8 and 40 iterations, per seed.
std::vector<double> marginal_ipc(const std::string& kernel, const std::string& policy, int warps) {
    const auto few = times_of({kernel, 64, 8}, policy, warps);
    const auto many = times_of({kernel, 64, 40}, policy, warps);
    std::vector<double> ipc;
    for (std::size_t run = 0; run < few.size(); ++run)
        ipc.push_back(67.0 * 32 * warps / static_cast<double>(many[run] - few[run]));
    std::sort(ipc.begin(), ipc.end());
    return ipc;
}

struct Row {
    const char* kernel;
    const char* policy;
    std::map<int, double> ipc; ///< Marginal, by warps.
};

/// simulation.md section 3.
const std::vector<Row>& published() {
    static const std::vector<Row> rows{
        {"dep_iadd", "lrr", {{1, 0.103}, {2, 0.206}, {4, 0.410}, {8, 0.818}, {16, 1.547}}},
        {"dep_iadd", "gto", {{1, 0.103}, {2, 0.206}, {4, 0.411}, {8, 0.819}, {16, 1.461}}},
        {"dep_iadd",
         "two-level:active=6",
         {{1, 0.103}, {2, 0.206}, {4, 0.410}, {8, 0.818}, {16, 0.816}}},
        {"ind_iadd", "lrr", {{1, 0.573}, {2, 0.893}, {4, 1.628}, {8, 1.803}, {16, 1.872}}},
        {"ind_iadd", "gto", {{1, 0.573}, {2, 0.893}, {4, 1.462}, {8, 1.517}, {16, 1.545}}},
        {"ind_iadd",
         "two-level:active=6",
         {{1, 0.573}, {2, 0.893}, {4, 1.620}, {8, 1.785}, {16, 1.813}}},
        {"dep_ffma", "lrr", {{1, 0.094}, {2, 0.187}, {8, 0.745}}},
        {"dep_ffma", "gto", {{1, 0.094}, {2, 0.187}, {8, 0.747}}},
        {"dep_ffma", "two-level:active=6", {{1, 0.094}, {2, 0.187}, {8, 0.747}}},
        {"dep_rcp", "lrr", {{1, 0.074}, {2, 0.130}, {8, 0.131}}},
        {"dep_rcp", "gto", {{1, 0.074}, {2, 0.130}, {8, 0.131}}},
        {"dep_rcp", "two-level:active=6", {{1, 0.074}, {2, 0.130}, {8, 0.131}}},
    };
    return rows;
}

std::string table_of_loops() {
    std::string table =
        "| kernel | policy | warps | GPGPU-Sim | here: median | least | most | difference |\n"
        "|---|---|---|---|---|---|---|---|\n";
    for (const Row& row : published())
        for (const auto& [warps, theirs] : row.ipc) {
            const auto ours = marginal_ipc(row.kernel, row.policy, warps);
            const double middle = tests::median_of(ours);
            EXPECT_NEAR(middle / theirs, 1.0, tolerance)
                << row.kernel << " " << row.policy << " with " << warps << " warps";
            table +=
                fmt::format("| {} | {} | {} | {:.3f} | {:.3f} | {:.3f} | {:.3f} | {:+.1f} % |\n",
                            row.kernel, row.policy, warps, theirs, middle, ours.front(),
                            ours.back(), 100 * (middle / theirs - 1));
        }
    return table;
}

std::string page() {
    std::ifstream file{WARPBOUND_DOCS "/gtx480-gpgpusim.md"};
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

// The page shows what this test measures; the failure prints a table that differs.
TEST(Gtx480Gpgpusim, HasTheMarginalThroughputOfTheSimulatorOfThatConfiguration) {
    EXPECT_THAT(page(), testing::HasSubstr(table_of_loops()));
}

/// Cycles that one more dependent operation costs a warp in isolation.
double cycles_per_operation(const std::string& kernel) {
    const auto shorter = times_of({kernel, 16, 40}, "lrr", 1);
    const auto longer = times_of({kernel, 64, 40}, "lrr", 1);
    const auto short_start = times_of({kernel, 16, 8}, "lrr", 1);
    const auto long_start = times_of({kernel, 64, 8}, "lrr", 1);
    return static_cast<double>(longer[0] - long_start[0] - shorter[0] + short_start[0]) / (48 * 32);
}

// simulation.md section 2.1; max and div have no opcode class of their own here.
TEST(Gtx480Gpgpusim, HasTheDependentLatenciesOfThatConfiguration) {
    const std::map<std::string, double> published_cycles{
        {"dep_not", 7},  {"dep_iadd", 10}, {"dep_fadd", 10},   {"dep_ffma", 11},
        {"dep_rcp", 14}, {"dep_lds", 32},  {"dep_ldg_l1", 40}, {"dep_ldg_l2", 143}};
    for (const auto& [kernel, cycles] : published_cycles)
        EXPECT_DOUBLE_EQ(cycles_per_operation(kernel), cycles) << kernel;
}

struct RawPoint {
    const char* kernel;
    int operations;
    int iterations;
    std::int64_t cycles;
};

/// simulation.md section 2.1, one warp.
const std::vector<RawPoint>& raw_points() {
    static const std::vector<RawPoint> points{
        {"dep_iadd", 16, 8, 2381},   {"dep_iadd", 16, 40, 7885},  {"dep_iadd", 64, 8, 6983},
        {"dep_iadd", 64, 40, 27847}, {"dep_ffma", 16, 8, 2500},   {"dep_ffma", 16, 40, 8484},
        {"dep_ffma", 64, 8, 7484},   {"dep_ffma", 64, 40, 30364}, {"dep_rcp", 16, 8, 2857},
        {"dep_rcp", 16, 40, 10281},  {"dep_rcp", 64, 8, 8986},    {"dep_rcp", 64, 40, 37914},
        {"dep_lds", 16, 8, 5072},    {"dep_lds", 16, 40, 21456},  {"dep_lds", 64, 8, 18056},
        {"dep_lds", 64, 40, 83592}};
    return points;
}

std::string table_of_raw_points() {
    std::string table = "| kernel | operations | iterations | GPGPU-Sim | here | missing |\n"
                        "|---|---|---|---|---|---|\n";
    for (const RawPoint& point : raw_points()) {
        const auto ours = times_of({point.kernel, point.operations, point.iterations}, "gto", 1)[0];
        // The start and the end of the kernel that the facts do not cover; see the page.
        EXPECT_GE(point.cycles - ours, 190) << point.kernel << ' ' << point.operations;
        EXPECT_LE(point.cycles - ours, 205) << point.kernel << ' ' << point.operations;
        table += fmt::format("| {} | {} | {} | {} | {} | {} |\n", point.kernel, point.operations,
                             point.iterations, point.cycles, ours, point.cycles - ours);
    }
    return table;
}

TEST(Gtx480Gpgpusim, MissesOnlyTheStartAndTheEndOfTheRawPoints) {
    EXPECT_THAT(page(), testing::HasSubstr(table_of_raw_points()));
}

/// Thread instructions per cycle of straight MAD-ADD code, in which each instruction needs the MAD
/// before it: a cold line of the instruction cache every 16 instructions. 16 warps, mean of the
/// seeds.
double straight_ipc(const std::string& policy) {
    constexpr int pairs = 512;
    std::string text = "!Arch sm_20\n!Kernel straight\n";
    for (int i = 0; i < pairs; ++i)
        text += "FFMA R8, R8, R1, R2;\nFADD R9, R8, R1;\n";
    const auto program = assembly::read_program({"straight", text + "EXIT;\n!EndKernel\n"}).value();
    const auto graph = assembly::build_control_flow_graph(program.functions.front()).value();
    const models::FlowFacts facts;
    double cycles = 0;
    for (const std::int64_t time : times_of(
             Kernel{&program.functions.front(), &graph, &facts, models::Launch{1, 512}}, policy))
        cycles += static_cast<double>(time) / seeds;
    return 16 * 32 * (2 * pairs + 1) / cycles;
}

// Voudouris 2014, Table 18: an arithmetic kernel with instruction-cache misses every 16
// instructions. Its warps, blocks and active set are not known, so only the order can be compared.
TEST(Gtx480Gpgpusim, OrdersSchedulersLikeTable18OfVoudouris) {
    const std::map<std::string, double> thesis{{"gto", 15.7},
                                               {"variable-rate:fast=0,every=2,conserving", 15.5},
                                               {"lrr", 14.6},
                                               {"two-level:active=6", 13.4}};
    std::map<std::string, double> ours;
    for (const auto& [policy, ipc] : thesis)
        ours[policy] = straight_ipc(policy);
    EXPECT_GE(ours["gto"], ours["variable-rate:fast=0,every=2,conserving"]);
    EXPECT_GT(ours["variable-rate:fast=0,every=2,conserving"], 1.02 * ours["lrr"]);
    EXPECT_GT(ours["lrr"], ours["two-level:active=6"]);
    std::string table = "| policy | Table 18 | of lrr | here | of lrr |\n|---|---|---|---|---|\n";
    for (const auto& [policy, ipc] : thesis)
        table += fmt::format("| {} | {:.1f} | {:.3f} | {:.1f} | {:.3f} |\n", policy, ipc,
                             ipc / thesis.at("lrr"), ours[policy], ours[policy] / ours["lrr"]);
    EXPECT_THAT(page(), testing::HasSubstr(table));
}

} // namespace
} // namespace warpbound::harness
