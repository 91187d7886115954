#include "harness/devices/hip/generated_code.hpp"

#include "harness/suite/amd/amd_frame.hpp"

#include <fmt/format.h>

#include <string>

namespace warpbound::harness::hip {

namespace {

constexpr int address_bytes = 8;

/// A wrapping clock makes one turn at most, since the time is short.
std::string unwrapped(const AmdDialect& dialect) {
    if (dialect.has_memtime) return {};
    return fmt::format("  s_sub_u32 s14, s14, s10\n  s_and_b32 s14, s14, {:#x}\n"
                       "  s_add_u32 s14, s10, s14\n",
                       (1 << shader_cycles_bits) - 1);
}

/// Stores a pair of SGPRs behind v[0:1].
std::string store(int first, int offset) {
    return fmt::format("  v_mov_b32_e32 v2, s{}\n  v_mov_b32_e32 v3, s{}\n"
                       "  global_store_dwordx2 v[0:1], v[2:3], off offset:{}\n",
                       first, first + 1, offset);
}

} // namespace

Result<std::string> clock_rate_code(assembly::Target target, const std::string& entry) {
    const auto dialect = amd_dialect(target);
    if (!dialect) return dialect.as_failure();
    const AmdDialect& of = dialect.value();
    std::string body = "  s_load_dwordx4 s[4:7], s[2:3], 0x0\n  s_waitcnt lgkmcnt(0)\n"
                       "  s_mov_b32 s18, 0x1000000\n"; // Readings before it gives up.
    body += amd_timer_read(of, 8) + amd_clock_read(of, 10);
    body += "passing:\n  s_sub_u32 s18, s18, 1\n  s_cmp_eq_u32 s18, 0\n  s_cbranch_scc1 done\n";
    body += amd_timer_read(of, 12);
    body += "  s_sub_u32 s16, s12, s8\n  s_cmp_lt_u32 s16, s6\n  s_cbranch_scc1 passing\n";
    body += amd_clock_read(of, 14) + unwrapped(of);
    body += "  v_mov_b32_e32 v0, s4\n  v_mov_b32_e32 v1, s5\n";
    constexpr int word = 8;
    int offset = 0;
    for (const int pair : {10, 14, 8, 12})
        body += store(pair, word * offset++);
    body += amd_wait_for_all(of) + "done:\n  s_endpgm\n";
    return amd_module(of, {entry, {address_bytes, address_bytes}, 4}, body);
}

Result<std::string> empty_code(assembly::Target target, const std::string& entry) {
    const auto dialect = amd_dialect(target);
    if (!dialect) return dialect.as_failure();
    return amd_module(dialect.value(), {entry, {}, 1}, "  s_endpgm\n");
}

} // namespace warpbound::harness::hip
