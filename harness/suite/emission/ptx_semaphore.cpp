#include "harness/suite/emission/ptx_semaphore.hpp"

#include "harness/suite/emission/ptx_emission.hpp"
#include "harness/suite/emission/ptx_frame.hpp"

#include <fmt/format.h>

namespace warpbound::harness {

Result<PtxKernel> emit_semaphore(const std::string& entry, assembly::Target target,
                                 std::int64_t registers) {
    auto header = ptx_header(target);
    if (!header) return header.as_failure();
    if (registers < least_semaphore_registers)
        return Failure{fmt::format("{} registers of a thread; blocks that wait for each other take "
                                   "at least {}",
                                   registers, least_semaphore_registers),
                       "PTX"};
    // More values than registers, so that the compiler uses all registers.
    constexpr std::int64_t too_many = 8;
    const std::int64_t held = registers + too_many;
    std::string body;
    const auto line = [&](std::string_view statement) { body += fmt::format("  {}\n", statement); };
    line(".reg .b64 %records, %kept, %data, %memory, %first, %last, %waited;");
    line(".reg .b64 %before, %after, %wide;");
    line(".reg .b32 %part, %blocks, %block, %thread, %threads, %lane, %warp, %sum;");
    line(".reg .pred %other, %leader;");
    line(fmt::format(".reg .b32 %held<{}>;", held));
    line("mov.u64 %before, %globaltimer;");
    line("mov.u64 %first, %clock64;");
    for (const char* parameter : {"records", "kept", "data", "memory"})
        line(fmt::format("ld.param.u64 %{0}, [{0}];", parameter));
    line("mov.u32 %blocks, %nctaid.x;");
    line("mov.u32 %block, %ctaid.x;");
    line("mov.u32 %threads, %ntid.x;");
    line("mov.u32 %thread, %tid.x;");
    line("mov.u32 %lane, %laneid;");
    for (std::int64_t i = 0; i < held; ++i)
        line(fmt::format("ld.volatile.global.u32 %held{}, [%data+{}];", i, 4 * i));
    line("setp.ne.u32 %other, %thread, 0;");
    line("@%other bra waiting;");
    line("red.global.add.u32 [%memory], 1;");
    body += "waiting:\n";
    line("mov.u64 %last, %clock64;");
    line("sub.u64 %waited, %last, %first;");
    line(fmt::format("setp.ge.u64 %other, %waited, {};", semaphore_time_out));
    line("@%other bra left;");
    line("ld.volatile.global.u32 %part, [%memory];");
    line("setp.lt.u32 %other, %part, %blocks;");
    line("@%other bra waiting;");
    body += "left:\n";
    line("mov.u64 %after, %globaltimer;");
    line("mov.u32 %sum, 0;");
    for (std::int64_t i = 0; i < held; ++i)
        line(fmt::format("mad.lo.u32 %sum, %sum, 3, %held{};", i));
    line("mad.lo.u32 %warp, %block, %threads, %thread;");
    line("mad.wide.u32 %kept, %warp, 4, %kept;");
    line("st.global.u32 [%kept], %sum;");
    // Warps are counted by block, and a block's last warp may be partly empty.
    line("add.u32 %warp, %threads, 31;");
    line("shr.u32 %warp, %warp, 5;");
    line("mul.lo.u32 %warp, %warp, %block;");
    line("shr.u32 %thread, %thread, 5;");
    line("add.u32 %warp, %warp, %thread;");
    body += ptx_record();
    auto kernel = PtxKernel{};
    kernel.entry = entry;
    kernel.semaphore = true;
    kernel.data.assign(static_cast<std::size_t>((held + 1) / 2), 0);
    kernel.memory_per_warp = sizeof(std::uint64_t);
    kernel.text =
        std::move(header).value() + ptx_entry(entry, body, fmt::format(".maxnreg {}\n", registers));
    return kernel;
}

} // namespace warpbound::harness
