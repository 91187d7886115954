#include "harness/suite/amd/amd_semaphore.hpp"

#include "harness/suite/amd/amd_frame.hpp"
#include "harness/suite/amd/amd_registers.hpp"
#include "harness/suite/emission/ptx_semaphore.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <string>

namespace warpbound::harness {

namespace {

constexpr int grid_size = 28; ///< SGPR: work-items of the launch.
constexpr int counted = 29;   ///< SGPR: work-items of the blocks that have begun.

/// The first work-item of each block adds one to the word that v[2:3] points to.
std::string count_block(const AmdDialect& dialect) {
    constexpr int small_wavefront = 32;
    const bool small = dialect.lanes == small_wavefront;
    return fmt::format("  v_mov_b32_e32 v4, 1\n  v_cmp_eq_u32_e32 {0}, 0, v0\n"
                       "  {1} {2}, {0}\n  global_atomic_add v[2:3], v4, off\n  {3} {4}, {2}\n",
                       dialect.carry, small ? "s_and_saveexec_b32" : "s_and_saveexec_b64",
                       small ? "s26" : "s[26:27]", small ? "s_mov_b32" : "s_mov_b64",
                       small ? "exec_lo" : "exec");
}

/// Ends when all blocks have been counted, or when the time is over.
std::string wait_for_blocks(const AmdDialect& dialect) {
    using namespace amd_sgprs;
    std::string text = "waiting:\n" + amd_clock_read(dialect, last_clock);
    text += amd_unwrap(dialect);
    text += fmt::format("  s_sub_u32 s{0}, s{1}, s{2}\n  s_cmp_ge_u32 s{0}, {3}\n"
                        "  s_cbranch_scc1 left\n",
                        counted, last_clock, first_clock, semaphore_time_out);
    text += fmt::format("  global_load_dword v5, v[2:3], off {}\n  s_waitcnt vmcnt(0)\n"
                        "  v_readfirstlane_b32 s{}, v5\n  s_nop 4\n",
                        dialect.device_scope, counted);
    return text + fmt::format("  s_mul_i32 s{0}, s{0}, s{1}\n  s_cmp_lt_u32 s{0}, s{2}\n"
                              "  s_cbranch_scc1 waiting\nleft:\n",
                              counted, work_group_size, grid_size);
}

} // namespace

Result<PtxKernel> emit_amd_semaphore(const std::string& entry, assembly::Target target,
                                     std::int64_t registers) {
    const auto dialect = amd_dialect(target);
    if (!dialect) return dialect.as_failure();
    if (registers < least_semaphore_registers || registers > most_vgprs)
        return Failure{
            fmt::format("{} registers of a lane; blocks that wait for each other take {} "
                        "to {}",
                        registers, least_semaphore_registers, most_vgprs),
            "AMD"};
    if (!dialect.value().has_memtime)
        return Failure{fmt::format("the clocks of {} wrap, so those of several blocks are not "
                                   "compared",
                                   to_string(target)),
                       "AMD"};
    using namespace amd_sgprs;
    const AmdDialect& of = dialect.value();
    std::string body = amd_timer_read(of, time_before) + amd_clock_read(of, first_clock);
    body += fmt::format("  s_load_dword s{}, s[0:1], 0xc\n", grid_size);
    body += amd_begin(of);
    body += fmt::format("  v_mov_b32_e32 v2, s{}\n  v_mov_b32_e32 v3, s{}\n", memory_address,
                        memory_address + 1);
    body += count_block(of) + wait_for_blocks(of);
    body += amd_timer_read(of, time_after) + amd_end(of);
    constexpr int address_bytes = 8;
    PtxKernel kernel;
    kernel.entry = entry;
    kernel.semaphore = true;
    kernel.memory_per_warp = sizeof(std::uint64_t);
    kernel.text = amd_module(
        of, {entry, {address_bytes, address_bytes, address_bytes, address_bytes, 4}, registers},
        body);
    return kernel;
}

} // namespace warpbound::harness
