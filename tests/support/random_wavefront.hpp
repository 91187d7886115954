#pragma once
/// \file
/// Random wavefronts of AMD, machines and facts for them.

#include "assembly/flow/control_flow_graph.hpp"
#include "models/architecture/architecture.hpp"
#include "models/facts/flow_facts.hpp"
#include "tests/support/campaign.hpp"
#include "tests/support/made_values.hpp"

#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <regex>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace warpbound::tests {

/// Statements of a wavefront: instructions, lanes switched off by EXEC, scalar branches, loops of
/// both kinds.
class RandomWavefront {
public:
    explicit RandomWavefront(RandomSource& random, bool has_barriers)
        : random_{random}, has_barriers_{has_barriers} {}

    std::string text() { return statements(0); }
    std::string straight_line() {
        std::string out;
        for (std::int64_t count = random_.whole(3, 16); count > 0; --count)
            out += instruction();
        return out;
    }

private:
    std::string statements(int depth) {
        std::string out;
        for (std::int64_t count = random_.whole(1, 4); count > 0; --count)
            out += statement(depth);
        return out;
    }

    std::string statement(int depth) {
        const std::int64_t kind = random_.whole(0, depth < 2 ? 12 : 6);
        if (kind == 12) return loop_of_two_entries(depth);
        if (kind == 7) return lanes_off(depth);
        if (kind == 8) return both_sides(depth);
        if (kind == 9) return scalar_branch(depth);
        if (kind == 10) return counted_loop(depth);
        if (kind == 11) return loop_of_lanes(depth);
        if (kind == 6 && depth == 0 && has_barriers_) return "s_barrier\n";
        return instruction();
    }

    std::string instruction() {
        constexpr std::array forms{
            "v_add_f32 v{0}, v{1}, v{2}\n",
            "v_mul_lo_u32 v{0}, v{1}, v{2}\n",
            "v_fma_f32 v{0}, v{1}, v{2}, v{0}\n",
            "v_rcp_f32 v{0}, v{1}\n",
            "v_cmp_gt_u32 vcc, v{1}, v{2}\n",
            "s_add_u32 s20, s21, s22\n",
            "s_load_dword s21, s[0:1], 0x0\n",
            "ds_read_b32 v{0}, v{1}\n",
            "ds_write_b32 v{1}, v{2}\n",
            "global_load_dword v{0}, v[2:3], off\n",
            "global_load_dwordx4 v[4:7], v[2:3], off\n",
            "global_store_dword v[2:3], v{1}, off\n",
            "ds_add_u32 v{1}, v{2}\n",
            "ds_add_rtn_u32 v{0}, v{1}, v{2}\n",
            "global_atomic_add v[2:3], v{1}, off\n",
            "global_atomic_add v{0}, v[2:3], v{1}, off glc\n",
        };
        const std::int64_t kind = random_.whole(0, static_cast<std::int64_t>(forms.size()) + 4);
        if (kind >= static_cast<std::int64_t>(forms.size())) return wait();
        return fmt::format(fmt::runtime(forms[static_cast<std::size_t>(kind)]), reg(), reg(),
                           reg());
    }

    std::string wait() {
        const std::int64_t most = random_.whole(0, 3);
        switch (random_.whole(0, 7)) {
        case 7:
            return fmt::format("s_sleep {}\n", most);
        case 5:
            return fmt::format("s_waitcnt vmcnt({}) lgkmcnt({})\n", most, random_.whole(1, 3));
        case 6:
            return "buffer_wbl2\n";
        case 0:
            return fmt::format("s_nop {}\n", most);
        case 1:
            return fmt::format("s_waitcnt lgkmcnt({})\n", most);
        case 2:
            return fmt::format("s_waitcnt vmcnt({}) lgkmcnt(0)\n", most);
        default:
            return fmt::format("s_waitcnt vmcnt({})\n", most);
        }
    }

    std::string lanes_off(int depth) {
        const auto [label, saved] = names(depth);
        const std::string skip =
            random_.whole(0, 1) == 0 ? "" : fmt::format("s_cbranch_execz {}\n", label);
        const std::string body = statements(depth + 1);
        return fmt::format("s_and_saveexec_b64 {0}, vcc\n{1}{2}{3}:\ns_or_b64 exec, exec, {0}\n",
                           saved, skip, body, label);
    }

    std::string both_sides(int depth) {
        const auto [label, saved] = names(depth);
        const std::string first = statements(depth + 1);
        const std::string second = statements(depth + 1);
        return fmt::format("s_and_saveexec_b64 {0}, vcc\ns_xor_b64 {0}, exec, {0}\n"
                           "s_cbranch_execz {1}\n{2}{1}:\ns_andn2_saveexec_b64 {0}, {0}\n"
                           "s_cbranch_execz {1}e\n{3}{1}e:\ns_or_b64 exec, exec, {0}\n",
                           saved, label, first, second);
    }

    std::string scalar_branch(int depth) {
        const std::string label = names(depth).first;
        const std::string first = statements(depth + 1);
        const std::string second = statements(depth + 1);
        return fmt::format("s_cmp_lt_u32 s21, s22\ns_cbranch_scc1 {0}\n{1}s_branch {0}e\n"
                           "{0}:\n{2}{0}e:\n",
                           label, first, second);
    }

    std::string counted_loop(int depth) {
        const std::string label = names(depth).first;
        const std::string body = statements(depth + 1);
        return fmt::format("{0}:\n{1}s_add_u32 s{2}, s{2}, 1\ns_cmp_lt_u32 s{2}, 9\n"
                           "s_cbranch_scc1 {0}\n",
                           label, body, 24 + depth);
    }

    std::string loop_of_two_entries(int depth) {
        const std::string label = names(depth).first;
        const std::string first = statements(depth + 1);
        const std::string second = statements(depth + 1);
        return fmt::format("s_cmp_lt_u32 s21, s22\ns_cbranch_scc1 {0}m\n{0}:\n{1}{0}m:\n{2}"
                           "s_add_u32 s{3}, s21, s{3}\ns_cmp_lt_u32 s{3}, s22\n"
                           "s_cbranch_scc1 {0}\n",
                           label, first, second, 24 + depth);
    }

    std::string loop_of_lanes(int depth) {
        const auto [label, left] = names(depth);
        const std::string body = statements(depth + 1);
        // Of v14 and v15 nothing is known, so that nothing follows that contradicts what is stated.
        return fmt::format("s_mov_b64 {0}, 0\n{1}:\n{2}v_cmp_gt_u32 vcc, v14, v15\n"
                           "s_or_b64 {0}, vcc, {0}\n"
                           "s_andn2_b64 exec, exec, {0}\ns_cbranch_execnz {1}\n"
                           "s_or_b64 exec, exec, {0}\n",
                           left, label, body);
    }

    std::int64_t reg() { return random_.whole(8, 13); }

    /// A label, and registers for a mask that nothing outside uses.
    std::pair<std::string, std::string> names(int depth) {
        return {fmt::format("L{}", ++labels_),
                fmt::format("s[{}:{}]", 8 + 2 * depth, 9 + 2 * depth)};
    }

    RandomSource& random_;
    bool has_barriers_;
    int labels_ = 0;
};

/// The text of a wavefront of gfx90a as one of `lanes` on RDNA 1 to 3: masks are one register where
/// lanes are 32, and some waits are for stores or for parts of the
/// pipeline.
inline std::string for_rdna(std::string text, int lanes) {
    text = std::regex_replace(text, std::regex{"buffer_wbl2"}, "buffer_gl0_inv");
    text = std::regex_replace(text, std::regex{"s_nop ([12])"}, "s_waitcnt_vscnt null, $1");
    text = std::regex_replace(text, std::regex{"s_nop 3"}, "s_waitcnt_vscnt null, 0");
    text = std::regex_replace(text, std::regex{"s_nop 0"}, "s_waitcnt_depctr 0xfff");
    text = std::regex_replace(text, std::regex{"s_sleep 3"}, "s_waitcnt_depctr 0xffe3");
    text = std::regex_replace(text, std::regex{"s_sleep 0"}, "s_waitcnt_depctr 0xefff");
    if (lanes == 64) return text;
    text = std::regex_replace(text, std::regex{"_b64"}, "_b32");
    text = std::regex_replace(text, std::regex{R"(s\[([1-9][0-9]*):[0-9]+\])"}, "s$1");
    return std::regex_replace(text, std::regex{R"(\b(exec|vcc)\b)"}, "$1_lo");
}

/// Shorter memory times, so that more than they decide.
inline void vary(models::Architecture& machine, RandomSource& random) {
    const auto put = [&](const char* path, std::int64_t most) {
        const std::int64_t lo = random.whole(1, most);
        put_value(machine, path, {lo, std::nullopt, lo + random.whole(0, most)});
    };
    for (const char* const path :
         {"memories/l1/latency", "memories/l2/latency", "memories/dram/latency"})
        put(path, 200);
    for (const char* const path : {"classes/load-constant/latency", "classes/load-shared/latency",
                                   "classes/store-shared/latency", "classes/memory-fence/latency",
                                   "classes/store-global/latency", "classes/atomic-shared/latency",
                                   "classes/atomic-global/latency", "write-buffer/drain"})
        put(path, 60);
    for (const char* const path :
         {"classes/load-global/initiation", "classes/memory-fence/initiation",
          "classes/load-shared/initiation", "classes/load-shared/pass-cost",
          "classes/atomic-shared/initiation", "classes/atomic-shared/pass-cost",
          "classes/atomic-global/initiation", "classes/atomic-global/pass-cost",
          "memories/l2/atomic", "classes/float-add/latency"})
        put(path, 12);
}

/// Facts for every loop, with random bounds.
inline models::FlowFacts facts_of(const assembly::ControlFlowGraph& graph, RandomSource& random) {
    models::FlowFacts facts;
    std::set<std::int64_t> headers; // Copies of a loop have one fact.
    for (const assembly::Loop& loop : graph.loops) {
        const std::int64_t header = graph.blocks[loop.header].address;
        if (!headers.insert(header).second) continue;
        const std::int64_t min = random.whole(1, 3);
        facts.loops.push_back({header, min, min + random.whole(0, 2), {}});
    }
    return facts;
}

/// A described machine of AMD, and the processor and lanes of its code.
struct WavefrontMachine {
    const char* processor;
    int lanes;
    const char* description;
};
inline constexpr std::array wavefront_machines{WavefrontMachine{"gfx90a", 64, "cdna2-mi210"},
                                               WavefrontMachine{"gfx1030", 32, "rdna2-6900xt"},
                                               WavefrontMachine{"gfx1030", 64, "rdna2-6900xt-w64"},
                                               WavefrontMachine{"gfx1100", 32, "rdna3-7900xtx"}};
inline bool is_rdna(const WavefrontMachine& machine) {
    return std::string_view{machine.processor}.starts_with("gfx1");
}
/// The text of a wavefront of gfx90a as one of the machine, and what its descriptor needs.
inline std::string text_for(const WavefrontMachine& machine, std::string text) {
    return is_rdna(machine) ? for_rdna(std::move(text), machine.lanes) : text;
}
inline std::string directives_for(const WavefrontMachine& machine) {
    if (!is_rdna(machine)) return {};
    return fmt::format(".amdhsa_wavefront_size32 {}\n", machine.lanes == 32 ? 1 : 0);
}
inline std::string name_of(const WavefrontMachine& machine) {
    return fmt::format("{}With{}Lanes", machine.processor, machine.lanes);
}

} // namespace warpbound::tests
