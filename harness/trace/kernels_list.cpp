#include "harness/trace/kernels_list.hpp"

#include "assembly/isa/operand_reader.hpp"
#include "harness/trace/trace_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string_view>

namespace warpbound::harness::trace {

Result<std::vector<TraceCommand>> read_kernels_list(const assembly::SourceText& source) {
    Lines lines{source};
    std::vector<TraceCommand> commands;
    for (auto line = lines.next(); line; line = lines.next()) {
        const std::string_view text = assembly::trimmed(line->text());
        if (text.substr(0, 10) == "MemcpyDtoH") continue;
        if (text.substr(0, 11) == "MemcpyHtoD,") {
            // Replace commas by blanks, so that the numbers are words.
            std::string numbers{line->text()};
            std::replace(numbers.begin(), numbers.end(), ',', ' ');
            Line words{source.name, numbers, 0};
            words.next();
            const auto address =
                words.hexadecimal("address", std::numeric_limits<std::uint64_t>::max());
            const auto bytes =
                words.decimal("number of bytes", 0, std::numeric_limits<std::int64_t>::max());
            if (!address || !bytes || !words.next().text.empty())
                return line->refuse(fmt::format(
                    "'{:.60}' is no copy; expected MemcpyHtoD,<address>,<bytes>", text));
            commands.emplace_back(
                TracedCopy{address.value(), static_cast<std::uint64_t>(bytes.value())});
            continue;
        }
        if (text.substr(0, 6) != "kernel" || text.find_first_of("/\\ ") != std::string_view::npos)
            return line->refuse(fmt::format(
                "unexpected '{:.60}'; expected MemcpyHtoD,<address>,<bytes> or a file name that "
                "begins with 'kernel' and names no folder",
                text));
        commands.emplace_back(TracedLaunch{std::string{text}});
    }
    return commands;
}

} // namespace warpbound::harness::trace
