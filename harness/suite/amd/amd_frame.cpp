#include "harness/suite/amd/amd_frame.hpp"

#include "assembly/amd/processor.hpp"
#include "harness/ptx_kernel.hpp"

#include <fmt/format.h>

#include <bit>
#include <cstddef>
#include <string_view>

namespace warpbound::harness {

namespace {

constexpr std::string_view place_gfx9 = "hwreg(HW_REG_HW_ID, 8, 8)";     // CU, SH, SE.
constexpr std::string_view place_gfx10 = "hwreg(HW_REG_HW_ID1, 10, 12)"; // WGP, SA, SE.
constexpr int gfx942 = 0x942;

std::string metadata_of(const AmdDialect& dialect, const AmdKernelFrame& frame,
                        std::int64_t parameter_bytes) {
    std::string text = fmt::format(R"(.amdgpu_metadata
---
amdhsa.version: [ 1, 2 ]
amdhsa.target: amdgcn-amd-amdhsa--{}
amdhsa.kernels:
  - .name: {}
    .symbol: {}.kd
    .kernarg_segment_size: {}
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: {}
    .sgpr_count: {}
    .vgpr_count: {}
    .max_flat_workgroup_size: 1024
    .args:
)",
                                   to_string(dialect.target), frame.entry, frame.entry,
                                   parameter_bytes, dialect.lanes, frame.sgprs, frame.vgprs);
    std::int64_t offset = 0;
    for (const int size : frame.parameter_sizes) {
        text += fmt::format("      - {{ .offset: {}, .size: {}, .value_kind: by_value }}\n", offset,
                            size);
        offset += size;
    }
    return text + "...\n.end_amdgpu_metadata\n";
}

} // namespace

Result<AmdDialect> amd_dialect(assembly::Target target) {
    const auto* const processor = assembly::amd::find_processor(target);
    if (processor == nullptr)
        return Failure{fmt::format("no code is generated for {}; there is code for {}",
                                   to_string(target), assembly::amd::list_of_processors()),
                       "AMD"};
    const bool is_rdna = processor->has_wave32;
    const bool is_gfx11 = processor->waits == assembly::amd::WaitLayout::Gfx11;
    const bool is_gfx942 = target.gfx == gfx942;
    AmdDialect of;
    of.target = target;
    of.lanes = is_rdna ? 32 : 64;
    of.has_memtime = !is_gfx11;
    of.has_store_count = processor->has_store_counter;
    of.has_accumulators = processor->has_unified_vgprs;
    of.returning = is_gfx942 ? "sc0" : "glc";
    of.device_scope = is_gfx942 ? "sc1" : is_rdna ? "glc dlc" : "glc";
    of.carry = is_rdna ? "vcc_lo" : "vcc";
    of.place = is_rdna ? place_gfx10 : place_gfx9;
    if (is_gfx942) of.die = "hwreg(HW_REG_XCC_ID)";
    if (is_gfx942) of.wait_for_special = "s_nop 0";
    if (is_gfx11) of.wait_for_special = "s_waitcnt_depctr 0xfff";
    return of;
}

std::string amd_clock_read(const AmdDialect& dialect, int first) {
    if (dialect.has_memtime)
        return fmt::format("  s_memtime s[{}:{}]\n  s_waitcnt lgkmcnt(0)\n", first, first + 1);
    return fmt::format(
        "  s_getreg_b32 s{}, hwreg(HW_REG_SHADER_CYCLES, 0, {})\n  s_mov_b32 s{}, 0\n", first,
        shader_cycles_bits, first + 1);
}

std::string amd_timer_read(const AmdDialect& dialect, int first) {
    const std::string pair = fmt::format("s[{}:{}]", first, first + 1);
    const std::string read =
        dialect.has_memtime
            ? fmt::format("s_memrealtime {}", pair)
            : fmt::format("s_sendmsg_rtn_b64 {}, sendmsg(MSG_RTN_GET_REALTIME)", pair);
    return fmt::format("  {}\n  s_waitcnt lgkmcnt(0)\n", read);
}

std::string amd_wait_for_all(const AmdDialect& dialect) {
    std::string text = "  s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)\n";
    if (dialect.has_store_count) text += "  s_waitcnt_vscnt null, 0x0\n";
    return text;
}

std::string amd_begin(const AmdDialect& dialect) {
    using namespace amd_sgprs;
    const int last_lane = dialect.lanes - 1;
    const int log_lanes = std::countr_zero(static_cast<unsigned>(dialect.lanes));
    std::string text;
    const auto line = [&](std::string_view one) { text += fmt::format("  {}\n", one); };
    // Work-items of a work-group in x, in 16 bits.
    line(fmt::format("s_load_dword s{}, s[0:1], 0x4", work_group_size));
    line(fmt::format("s_load_dwordx8 s[{}:{}], s[2:3], 0x0", records_address, records_address + 7));
    line("v_and_b32_e32 v0, 0x3ff, v0");
    line(fmt::format("v_and_b32_e32 v1, {}, v0", last_lane));
    line("v_readfirstlane_b32 s7, v0");
    line("s_waitcnt lgkmcnt(0)");
    line("s_nop 4");
    line(fmt::format("s_and_b32 s{0}, s{0}, 0xffff", work_group_size));
    // Wavefronts are counted by work-group, and the last one may be partly empty.
    line(fmt::format("s_add_u32 s{}, s{}, {}", warp_number, work_group_size, last_lane));
    line(fmt::format("s_lshr_b32 s{0}, s{0}, {1}", warp_number, log_lanes));
    line(fmt::format("s_lshr_b32 s7, s7, {}", log_lanes));
    line(fmt::format("s_mul_i32 s{0}, s{0}, s4", warp_number));
    line(fmt::format("s_add_u32 s{0}, s{0}, s7", warp_number));
    return text;
}

std::string amd_address_of_warp(int to, int base, std::int64_t bytes) {
    return fmt::format("  s_mul_i32 s{0}, s{2}, {3}\n  s_mul_hi_u32 s{1}, s{2}, {3}\n"
                       "  s_add_u32 s{0}, s{0}, s{4}\n  s_addc_u32 s{1}, s{1}, s{5}\n",
                       to, to + 1, amd_sgprs::warp_number, bytes, base, base + 1);
}

std::string amd_unwrap(const AmdDialect& dialect) {
    using namespace amd_sgprs;
    if (dialect.has_memtime) return {};
    return fmt::format("  s_sub_u32 s{0}, s{0}, s{1}\n  s_and_b32 s{0}, s{0}, {2:#x}\n"
                       "  s_add_u32 s{0}, s{1}, s{0}\n",
                       last_clock, first_clock, (1U << shader_cycles_bits) - 1);
}

std::string amd_end(const AmdDialect& dialect) {
    using namespace amd_sgprs;
    std::string text;
    const auto line = [&](std::string_view one) { text += fmt::format("  {}\n", one); };
    line(fmt::format("s_getreg_b32 s{}, {}", place, dialect.place));
    if (!dialect.die.empty()) {
        constexpr int place_bits = 8;
        line(fmt::format("s_getreg_b32 s{}, {}", scratch, dialect.die));
        line(fmt::format("s_lshl_b32 s{0}, s{0}, {1}", scratch, place_bits));
        line(fmt::format("s_or_b32 s{0}, s{0}, s{1}", place, scratch));
    }
    line(fmt::format("s_mov_b32 s{}, 0", place + 1));
    text += amd_address_of_warp(scratch, records_address, sizeof(WarpRecord));
    constexpr int small_wavefront = 32;
    line(dialect.lanes == small_wavefront ? "s_mov_b32 exec_lo, 1" : "s_mov_b64 exec, 1");
    line(fmt::format("v_mov_b32_e32 v2, s{}", scratch));
    line(fmt::format("v_mov_b32_e32 v3, s{}", scratch + 1));
    const auto store = [&](std::size_t offset, int pair) {
        line(fmt::format("v_mov_b32_e32 v4, s{}", pair));
        line(fmt::format("v_mov_b32_e32 v5, s{}", pair + 1));
        line(fmt::format("global_store_dwordx2 v[2:3], v[4:5], off offset:{}", offset));
    };
    store(offsetof(WarpRecord, first_clock), first_clock);
    store(offsetof(WarpRecord, last_clock), last_clock);
    store(offsetof(WarpRecord, nanoseconds_before), time_before);
    store(offsetof(WarpRecord, nanoseconds_after), time_after);
    store(offsetof(WarpRecord, multiprocessor), place);
    text += amd_wait_for_all(dialect);
    line("s_endpgm");
    return text;
}

std::string amd_module(const AmdDialect& dialect, const AmdKernelFrame& frame,
                       std::string_view body) {
    std::int64_t parameter_bytes = 0;
    for (const int size : frame.parameter_sizes)
        parameter_bytes += size;
    constexpr std::int64_t granularity = 4; // Of `accum_offset`.
    std::string directives;
    if (dialect.has_accumulators)
        directives += fmt::format("  .amdhsa_accum_offset {}\n",
                                  (frame.vgprs + granularity - 1) / granularity * granularity);
    constexpr int small_wavefront = 32;
    if (dialect.lanes == small_wavefront) directives += "  .amdhsa_wavefront_size32 1\n";
    return fmt::format(
        R"(.amdgcn_target "amdgcn-amd-amdhsa--{0}"
.text
.globl {1}
.p2align 8
.type {1},@function
{1}:
{2}.size {1}, .-{1}
.section .rodata,"a",@progbits
.p2align 6
.amdhsa_kernel {1}
  .amdhsa_user_sgpr_dispatch_ptr 1
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_kernarg_size {3}
  .amdhsa_next_free_vgpr {4}
  .amdhsa_next_free_sgpr {5}
{6}.end_amdhsa_kernel
{7})",
        to_string(dialect.target), frame.entry, body, parameter_bytes, frame.vgprs, frame.sgprs,
        directives, metadata_of(dialect, frame, parameter_bytes));
}

} // namespace warpbound::harness
