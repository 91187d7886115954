#include "harness/suite/emission/ptx_frame.hpp"

#include "harness/ptx_kernel.hpp"

#include <fmt/format.h>

#include <cstddef>

namespace warpbound::harness {

std::string ptx_entry(const std::string& entry, const std::string& body,
                      const std::string& directives) {
    return fmt::format(
        ".visible .entry {}(.param .u64 records, .param .u64 kept, .param .u64 data, "
        ".param .u64 memory, .param .u32 never)\n{}{{\n{}}}\n",
        entry, directives, body);
}

std::string ptx_record() {
    std::string body;
    const auto line = [&](std::string_view statement) { body += fmt::format("  {}\n", statement); };
    line("setp.ne.u32 %leader, %lane, 0;");
    line("@%leader bra done;");
    line(fmt::format("mad.wide.u32 %records, %warp, {}, %records;", sizeof(WarpRecord)));
    const auto store = [&](std::size_t offset, std::string_view reg) {
        line(fmt::format("st.global.u64 [%records+{}], {};", offset, reg));
    };
    store(offsetof(WarpRecord, first_clock), "%first");
    store(offsetof(WarpRecord, last_clock), "%last");
    store(offsetof(WarpRecord, nanoseconds_before), "%before");
    store(offsetof(WarpRecord, nanoseconds_after), "%after");
    line("mov.u32 %part, %smid;");
    line("cvt.u64.u32 %wide, %part;");
    store(offsetof(WarpRecord, multiprocessor), "%wide");
    body += "done:\n";
    line("exit;");
    return body;
}

} // namespace warpbound::harness
