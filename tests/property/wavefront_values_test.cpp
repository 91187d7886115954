/// \file
/// What follows from the registers of random wavefronts of AMD holds in their execution (S56): loop
/// bounds, what is never executed, transactions.

#include "analyzer/flow/facts_in_use.hpp"
#include "assembly/flow/control_flow_graph.hpp"
#include "models/architecture/architecture.hpp"
#include "models/facts/address_pattern.hpp"
#include "tests/support/campaign.hpp"
#include "tests/support/random_wavefront.hpp"
#include "tests/support/wavefront_run.hpp"
#include "tests/unit/assembly/amd/code.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <regex>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace warpbound {
namespace {

/// s[0:1]: the arguments; s2: the work-group; v0: the work-item.
constexpr const char* descriptor = ".amdhsa_user_sgpr_kernarg_segment_ptr 1\n"
                                   ".amdhsa_user_sgpr_count 2\n"
                                   ".amdhsa_system_vgpr_workitem_id 0\n";
constexpr std::uint64_t arguments_at = 0x7000'1000;

class RandomCode {
public:
    RandomCode(tests::RandomSource& random, const tests::WavefrontMachine& machine)
        : random_{random}, machine_{machine}, deepest_{random.whole(0, 7) == 0 ? 3 : 2} {}

    std::string text() {
        std::string out = "s_load_dword s4, s[0:1], 0x0\ns_load_dword s5, s[0:1], 0x4\n"
                          "s_load_dword s6, s[0:1], 0x8\ns_mov_b32 s7, 3\n"
                          "v_mov_b32 v1, 0\nv_mov_b32 v2, s2\nv_mov_b32 v3, s6\nv_mov_b32 v4, 5\n"
                          "v_mov_b32 v5, 0\nv_mov_b32 v6, 1\nv_mov_b32 v7, 0\n"
                          "s_waitcnt lgkmcnt(0)\n";
        for (int index = 8; index < 28; ++index)
            out += fmt::format("s_mov_b32 s{}, 0\n", index);
        return out + "s_mov_b64 vcc, 0\n" + statements(0);
    }
    [[nodiscard]] bool is_rdna() const { return tests::is_rdna(machine_); }

private:
    std::string statements(int depth) {
        std::string out;
        for (std::int64_t count = random_.whole(2, 6); count > 0; --count)
            out += statement(depth);
        return out;
    }

    std::string statement(int depth) {
        const std::int64_t kind = random_.whole(0, depth < deepest_ ? 15 : 9);
        if (kind == 10)
            return is_rdna() && random_.whole(0, 1) == 0 ? kept_lanes(depth) : lanes_off(depth);
        if (kind == 11) return both_sides(depth, false);
        if (kind == 12) return both_sides(depth, true);
        if (kind == 13) return scalar_branch(depth);
        if (kind == 14) return counted_loop(depth);
        if (kind == 15) return loop_of_lanes(depth);
        if (kind == 9) return comparison();
        if (kind == 8) return access();
        if (kind >= 6) return scalar();
        return vector();
    }

    std::string v() { return fmt::format("v{}", random_.whole(0, 7)); }
    std::string to() { return fmt::format("v{}", random_.whole(1, 7)); }
    std::string s() { return fmt::format("s{}", random_.whole(4, 7)); }
    std::string small() { return fmt::format("{}", random_.whole(0, 12)); }
    std::string any() {
        const std::int64_t kind = random_.whole(0, 4);
        return kind == 0 ? s() : kind == 1 ? small() : v();
    }
    std::string mask() {
        return random_.whole(0, 1) == 0 ? "vcc" : fmt::format("s[{}:{}]", 24, 25);
    }

    /// Two operations at once; their sources stand in different banks.
    std::string dual() {
        const std::int64_t x = 2 * random_.whole(1, 3);
        const std::int64_t y = 2 * random_.whole(0, 3) + 1;
        const std::int64_t a = random_.whole(0, 7);
        const std::int64_t b = (a + random_.whole(1, 3)) % 8;
        const std::int64_t c = random_.whole(0, 7);
        const std::int64_t d = (c + random_.whole(1, 3)) % 8;
        const std::string first = random_.whole(0, 1) == 0
                                      ? fmt::format("v_dual_mov_b32 v{}, v{}", x, a)
                                      : fmt::format("v_dual_cndmask_b32 v{}, v{}, v{}", x, a, c);
        switch (random_.whole(0, 3)) {
        case 0:
            return fmt::format("{} :: v_dual_mov_b32 v{}, v{}\n", first, y, b);
        case 1:
            return fmt::format("{} :: v_dual_lshlrev_b32 v{}, {}, v{}\n", first, y, small(), d);
        case 2:
            return fmt::format("{} :: v_dual_and_b32 v{}, v{}, v{}\n", first, y, b, d);
        default:
            return fmt::format("{} :: v_dual_add_nc_u32 v{}, v{}, v{}\n", first, y, b, d);
        }
    }

    std::string vector() {
        if (machine_.processor == std::string{"gfx1100"} && random_.whole(0, 3) == 0) return dual();
        constexpr std::array two{"v_add_u32", "v_sub_u32", "v_and_b32",     "v_or_b32", "v_xor_b32",
                                 "v_min_i32", "v_max_u32", "v_mul_u32_u24", "v_add_u32"};
        switch (random_.whole(0, 12)) {
        case 0:
            return fmt::format("v_mov_b32 {}, {}\n", to(), any());
        case 1:
            return fmt::format("v_lshlrev_b32 {}, {}, {}\n", to(), small(), v());
        case 2:
            return fmt::format("v_lshrrev_b32 {}, {}, {}\n", to(), small(), v());
        case 3:
            return fmt::format("v_lshl_or_b32 {}, {}, {}, {}\n", to(), any(), small(), v());
        case 4:
            return fmt::format("v_lshl_add_u32 {}, {}, {}, {}\n", to(), v(), small(), any());
        case 5:
            return fmt::format("v_add3_u32 {}, {}, {}, {}\n", to(), v(), v(), any());
        case 6:
            return fmt::format("v_mul_lo_u32 {}, {}, {}\n", to(), v(), any());
        case 7:
            return fmt::format("v_bfe_u32 {}, {}, {}, {}\n", to(), v(), small(),
                               random_.whole(1, 9));
        case 8:
            return fmt::format("v_cndmask_b32 {}, {}, {}, {}\n", to(), v(), v(), mask());
        case 9:
            return random_.whole(0, 1) == 0 ? "v_lshlrev_b64 v[4:5], 2, v[2:3]\n"
                                            : "v_ashrrev_i64 v[4:5], 30, v[2:3]\n";
        default:
            return fmt::format("{} {}, {}, {}\n",
                               two.at(static_cast<std::size_t>(
                                   random_.whole(0, static_cast<std::int64_t>(two.size()) - 1))),
                               to(), any(), v());
        }
    }

    std::string scalar() {
        constexpr std::array two{"s_add_i32", "s_sub_i32", "s_mul_i32", "s_lshl_b32",
                                 "s_and_b32", "s_or_b32",  "s_min_u32", "s_lshr_b32"};
        switch (random_.whole(0, 6)) {
        case 6: // A mask by its number.
            return fmt::format("s_mov_b32 s24, {}\n", small());
        case 0:
            return fmt::format("s_cmp_{}_i32 {}, {}\ns_cselect_b32 {}, {}, {}\n", relation(true),
                               s(), small(), s(), s(), small());
        case 1:
            return fmt::format("s_cmp_{}_u32 {}, {}\ns_cselect_b64 s[24:25], -1, 0\n",
                               relation(true), s(), small());
        case 2:
            return fmt::format("v_readfirstlane_b32 {}, {}\n", s(), v());
        case 3:
            return fmt::format("s_{}_b64 s[24:25], {}, {}\n",
                               random_.whole(0, 1) == 0 ? "and" : "or", mask(), mask());
        default:
            return fmt::format("{} {}, {}, {}\n",
                               two.at(static_cast<std::size_t>(
                                   random_.whole(0, static_cast<std::int64_t>(two.size()) - 1))),
                               s(), s(), small());
        }
    }

    std::string relation(bool scalar) {
        constexpr std::array names{"lt", "le", "eq", "ge", "gt"};
        const std::int64_t kind = random_.whole(0, 5);
        return kind == 5 ? (scalar ? "lg" : "ne") : names.at(static_cast<std::size_t>(kind));
    }

    std::string comparison() {
        return fmt::format("v_cmp_{}_{} {}, {}, {}\n", relation(false),
                           random_.whole(0, 1) == 0 ? "i32" : "u32", mask(), any(), v());
    }

    std::string access() {
        switch (random_.whole(0, 6)) {
        case 6:
            return fmt::format("ds_add_rtn_u32 {}, {}, {}\n", to(), v(), v());
        case 5:
            return fmt::format("ds_read2_b32 v[6:7], {} offset0:{} offset1:{}\n", v(),
                               random_.whole(1, 5), random_.whole(1, 70));
        case 0:
            return fmt::format("global_load_dword {}, {}, s[4:5] offset:{}\n", to(), v(),
                               4 * random_.whole(0, 9));
        case 1:
            return fmt::format("global_store_dword {}, {}, s[4:5]\n", v(), v());
        case 2:
            return fmt::format("ds_read_b32 {}, {} offset:{}\n", to(), v(),
                               4 * random_.whole(0, 9));
        case 3:
            return fmt::format("ds_write_b32 {}, {}\n", v(), v());
        default:
            return fmt::format("v_mov_b32 v3, s5\nv_add_co_u32 v2, vcc, s4, {}\n"
                               "v_addc_co_u32 v3, vcc, 0, v3, vcc\n"
                               "global_load_dword {}, v[2:3], off\n",
                               v(), to());
        }
    }

    std::string skip(const std::string& label) {
        return random_.whole(0, 1) == 0 ? "" : fmt::format("s_cbranch_execz {}\n", label);
    }

    std::string lanes_off(int depth) {
        const auto [label, saved] = names(depth);
        const std::string condition = comparison() + comparison();
        const std::string body = statements(depth + 1);
        return fmt::format("{4}s_and_saveexec_b64 {0}, {5}\n{1}{2}{3}:\ns_or_b64 exec, exec, {0}\n",
                           saved, skip(label), body, label, condition, mask());
    }

    /// As for RDNA 2 and later: V_CMPX takes the lanes away.
    std::string kept_lanes(int depth) {
        const auto [label, saved] = names(depth);
        const std::string condition =
            fmt::format("v_cmpx_{}_{} {}, {}\n", relation(false),
                        random_.whole(0, 1) == 0 ? "i32" : "u32", any(), v());
        const std::string body = statements(depth + 1);
        return fmt::format("s_mov_b64 {0}, exec\n{4}{1}{2}{3}:\ns_or_b64 exec, exec, {0}\n", saved,
                           skip(label), body, label, condition);
    }

    std::string both_sides(int depth, bool by_or) {
        const auto [label, saved] = names(depth);
        const std::string condition = comparison();
        const std::string first = statements(depth + 1);
        const std::string second = statements(depth + 1);
        const std::string other =
            by_or ? fmt::format("s_or_saveexec_b64 {0}, {0}\ns_xor_b64 exec, exec, {0}\n", saved)
                  : fmt::format("s_andn2_saveexec_b64 {0}, {0}\n", saved);
        return fmt::format("{4}s_and_saveexec_b64 {0}, vcc\ns_xor_b64 {0}, exec, {0}\n"
                           "{5}{2}{1}:\n{6}{7}{3}{1}e:\ns_or_b64 exec, exec, {0}\n",
                           saved, label, first, second, condition, skip(label), other,
                           skip(label + "e"));
    }

    std::string scalar_branch(int depth) {
        const std::string label = names(depth).first;
        const std::string first = statements(depth + 1);
        const std::string second = statements(depth + 1);
        std::string condition =
            fmt::format("s_cmp_{}_i32 {}, {}\ns_cbranch_scc{} {}\n", relation(true), s(), small(),
                        random_.whole(0, 1), label);
        if (random_.whole(0, 2) == 0)
            condition = fmt::format("{}s_and_b64 vcc, exec, {}\ns_cbranch_vcc{} {}\n", comparison(),
                                    mask(), random_.whole(0, 1) == 0 ? "z" : "nz", label);
        else if (random_.whole(0, 3) == 0) // By a sum of the first lane.
            condition = first_of_sum() + condition;
        return fmt::format("{3}{1}s_branch {0}e\n{0}:\n{2}{0}e:\n", label, first, second,
                           condition);
    }

    /// Into each scalar, so that what is compared next is one of them.
    std::string first_of_sum() {
        const std::string sum = to();
        std::string out = fmt::format("v_add_u32 {}, {}, {}\n", sum, small(), v());
        for (int index = 4; index < 8; ++index)
            if (random_.whole(0, 1) == 0)
                out += fmt::format("v_readfirstlane_b32 s{}, {}\n", index, sum);
        return out;
    }

    std::string counted_loop(int depth) {
        const std::string label = names(depth).first;
        const std::string body = statements(depth + 1);
        const std::string end = random_.whole(0, 1) == 0 ? small() : s();
        return fmt::format("s_mov_b32 s{2}, {3}\n{0}:\n{1}s_add_i32 s{2}, s{2}, 1\n"
                           "s_cmp_lt_i32 s{2}, {4}\ns_cbranch_scc1 {0}\n",
                           label, body, 26 - depth, small(), end);
    }

    /// Each lane counts in v8.. until it has reached a number.
    std::string loop_of_lanes(int depth) {
        const auto [label, left] = names(depth);
        const std::string start = random_.whole(0, 1) == 0 ? small() : any();
        const std::string body = statements(depth + 1);
        const std::string end = random_.whole(0, 2) == 0 ? s() : small();
        return fmt::format("v_mov_b32 v{3}, {4}\ns_mov_b64 {0}, 0\n{1}:\n{2}"
                           "v_add_u32 v{3}, {6}, v{3}\nv_cmp_le_i32 vcc, {5}, v{3}\n"
                           "s_or_b64 {0}, vcc, {0}\ns_andn2_b64 exec, exec, {0}\n"
                           "s_cbranch_execnz {1}\ns_or_b64 exec, exec, {0}\n",
                           left, label, body, 8 + depth, start, end, random_.whole(1, 3));
    }

    std::pair<std::string, std::string> names(int depth) {
        return {fmt::format("L{}", ++labels_),
                fmt::format("s[{}:{}]", 8 + 4 * depth, 9 + 4 * depth)};
    }

    tests::RandomSource& random_;
    tests::WavefrontMachine machine_;
    int deepest_;
    int labels_ = 0;
};

/// The same on RDNA, with masks in one register where lanes are 32.
std::string with_names_of_rdna(std::string text, int lanes) {
    for (const auto& [older, newer] : {std::pair{"v_add_u32", "v_add_nc_u32"},
                                       {"v_sub_u32", "v_sub_nc_u32"},
                                       {"v_addc_co_u32", "v_add_co_ci_u32"}})
        text = std::regex_replace(text, std::regex{older}, newer);
    if (lanes == 64) return text;
    text = std::regex_replace(text, std::regex{R"((s_\w+)_b64)"}, "$1_b32");
    text = std::regex_replace(text, std::regex{R"(s\[(8|12|16|20|24):[0-9]+\])"}, "s$1");
    return std::regex_replace(text, std::regex{R"(\b(exec|vcc)\b)"}, "$1_lo");
}

std::uint32_t mixed(std::uint64_t number) {
    number = (number ^ number >> 31U) * 0x9e3779b97f4a7c15ULL;
    number = (number ^ number >> 29U) * 0xbf58476d1ce4e5b9ULL;
    return static_cast<std::uint32_t>(number >> 32U);
}

struct Counts {
    std::uint64_t runs = 0;
    std::uint64_t loops = 0;
    std::uint64_t accesses = 0;
};

/// One random kernel in all wavefronts of one block. Returns what is wrong.
std::string check_case(std::uint64_t seed, const tests::WavefrontMachine& wanted,
                       const models::Architecture& machine, Counts& counts) {
    tests::RandomSource random{seed};
    std::string text = RandomCode{random, wanted}.text();
    std::string directives = descriptor;
    if (is_rdna(wanted)) {
        text = with_names_of_rdna(std::move(text), wanted.lanes);
        directives += fmt::format(".amdhsa_wavefront_size32 {}\n", wanted.lanes == 32 ? 1 : 0);
    }
    const auto lanes = static_cast<std::size_t>(wanted.lanes);
    const auto line = static_cast<std::uint64_t>(machine.memory("l1")->find("line")->interval->hi);
    const auto fail = [&](const std::string& what) {
        return fmt::format("{}\nseed {}\n{}", what, seed, text);
    };
    const auto function = assembly::amd::function_of(wanted.processor, text, directives);
    if (!function) return fail("not read: " + to_string(function.error()));
    const auto graph = assembly::build_control_flow_graph(function.value());
    if (!graph) return fail("no graph: " + to_string(graph.error()));
    models::Launch launch{random.whole(1, 9), random.whole(1, 200)};
    const std::array<std::uint32_t, 3> arguments{
        static_cast<std::uint32_t>(random.whole(0, 100'000)) * 4U,
        static_cast<std::uint32_t>(random.whole(0, 20)),
        static_cast<std::uint32_t>(random.whole(0, 20))};
    for (std::size_t word = 0; word < arguments.size(); ++word)
        if (random.whole(0, 1) == 0)
            launch.arguments[static_cast<std::int64_t>(4 * word)] = {arguments.at(word), 32};
    const auto facts = analyzer::facts_in_use(function.value(), graph.value(), machine, launch, {});
    if (!facts) return fail("facts: " + to_string(facts.error()));
    std::map<std::size_t, models::LoopFact> loops; // By the header's first instruction.
    for (const auto& loop : facts.value().loops)
        loops.emplace(*function.value().index_of(loop.header), loop);
    std::map<std::size_t, const assembly::Loop*> headed;
    for (const auto& loop : graph.value().loops)
        headed.emplace(graph.value().blocks[loop.header].first, &loop);
    const auto group = static_cast<std::uint32_t>(random.whole(0, launch.blocks - 1));
    std::string wrong;
    for (std::int64_t first = 0; first < launch.threads && wrong.empty(); first += wanted.lanes) {
        tests::WavefrontState start;
        for (std::size_t i = 0; i < start.vector.size(); ++i)
            for (std::size_t lane = 0; lane < lanes; ++lane)
                start.vector.at(i).at(lane) = mixed(seed + 64 * i + lane);
        for (std::size_t lane = 0; lane < lanes; ++lane)
            start.vector[0].at(lane) =
                static_cast<std::uint32_t>(first) + static_cast<std::uint32_t>(lane);
        start.scalar[0] = static_cast<std::uint32_t>(arguments_at);
        start.scalar[2] = group;
        const std::uint64_t exec =
            models::all_lanes(std::min<std::int64_t>(launch.threads - first, wanted.lanes));
        start.scalar[126] = static_cast<std::uint32_t>(exec);
        start.scalar[127] = static_cast<std::uint32_t>(exec >> 32U);
        const auto word = [&](std::uint64_t address) {
            const std::uint64_t argument = (address - arguments_at) / 4;
            if (argument < arguments.size()) return arguments.at(argument);
            const std::uint32_t value = mixed(address ^ seed);
            return value % 3 == 0 ? value : value % 16;
        };
        const auto access = [&](std::size_t index, const tests::WavefrontRun::Addresses& all,
                                std::uint64_t active) {
            if (active == 0) return;
            const auto& instruction = function.value().instructions[index];
            const bool is_atomic = instruction.opcode_class == assembly::OpcodeClass::AtomicShared;
            for (const auto& fact : facts.value().memory) {
                if (fact.at != instruction.address) continue;
                std::int64_t passes = 0;
                for (const auto& addresses : all) {
                    const models::LaneAddresses accessed{addresses, active, 4};
                    passes += fact.transactions ? models::line_passes(accessed, line)
                              : is_atomic       ? models::shared_atomic_passes(accessed, 32, 4)
                                                : models::bank_passes(accessed, 32, 4);
                }
                const auto range = fact.transactions ? fact.transactions : fact.conflict_degree;
                ++counts.accesses;
                if (passes < range->min || passes > range->max)
                    wrong = fmt::format("0x{:x}: {} passes, {}..{} derived", fact.at, passes,
                                        range->min, range->max);
            }
        };
        std::map<std::size_t, std::int64_t> iterations; // Of loops that are entered.
        std::optional<std::size_t> before;
        const auto leave = [&](std::size_t header) {
            const auto found = loops.find(header);
            if (found == loops.end()) return;
            ++counts.loops;
            const std::int64_t count = iterations[header];
            if (count < found->second.min || count > found->second.max)
                wrong =
                    fmt::format("loop 0x{:x}: {} iterations, {}..{} derived", found->second.header,
                                count, found->second.min, found->second.max);
        };
        const auto block_of = [&](std::size_t index) {
            for (std::size_t block = 0; block < graph.value().blocks.size(); ++block)
                if (graph.value().blocks[block].first <= index &&
                    index <= graph.value().blocks[block].last)
                    return block;
            return graph.value().blocks.size();
        };
        const auto is_in = [&](const assembly::Loop& loop, std::size_t index) {
            return std::ranges::count(loop.blocks, block_of(index)) != 0;
        };
        tests::WavefrontRun run{function.value(), start, word, access};
        const bool ends = run.run([&](std::size_t index) {
            if (facts.value().is_never(function.value().instructions[index].address))
                wrong =
                    fmt::format("0x{:x} is executed", function.value().instructions[index].address);
            for (const auto& [header, loop] : headed) {
                if (before && is_in(*loop, *before) && !is_in(*loop, index)) {
                    leave(header);
                    iterations.erase(header);
                }
                if (header == index) {
                    if (!before || !is_in(*loop, *before)) iterations[header] = 0;
                    ++iterations[header];
                    if (const auto found = loops.find(header);
                        found != loops.end() && iterations[header] > found->second.max)
                        wrong = fmt::format("loop 0x{:x} beyond {}", found->second.header,
                                            found->second.max);
                }
            }
            before = index;
        });
        counts.runs += ends ? 1U : 0U;
    }
    return wrong.empty() ? wrong : fail(wrong);
}

class WavefrontValues : public testing::TestWithParam<tests::WavefrontMachine> {};

TEST_P(WavefrontValues, HoldInEveryExecution) {
    const auto machine = models::load_architecture(GetParam().description);
    ASSERT_TRUE(machine) << to_string(machine.error());
    const auto cases = tests::from_environment("WARPBOUND_PROPERTY_CASES", 20);
    const auto first = tests::from_environment("WARPBOUND_PROPERTY_SEED", 20261129);
    Counts counts;
    for (std::uint64_t seed = first; seed < first + cases && !HasFailure(); ++seed)
        EXPECT_EQ(check_case(seed, GetParam(), machine.value(), counts), "");
    EXPECT_GT(counts.runs, cases / 2);
    EXPECT_GT(counts.loops, cases / 4);
    EXPECT_GT(counts.accesses, cases / 4);
}

INSTANTIATE_TEST_SUITE_P(OfAmd, WavefrontValues, testing::ValuesIn(tests::wavefront_machines),
                         [](const auto& info) { return name_of(info.param); });

} // namespace
} // namespace warpbound
