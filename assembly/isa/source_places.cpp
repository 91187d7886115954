#include "assembly/isa/source_places.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace warpbound::assembly {

std::string source_of(const Function& function, const Instruction& instruction) {
    const SourceLines& lines = function.source_lines;
    std::string out;
    for (auto at = instruction.source_frame; at; at = lines.frames[*at].caller)
        out += fmt::format("{}{}:{}", out.empty() ? "" : " inlined at ",
                           display_name(lines, lines.frames[*at].file), lines.frames[*at].line);
    return out;
}

std::string place_of(const Function& function, const Instruction& instruction) {
    const std::string source = source_of(function, instruction);
    return fmt::format("0x{:04x}{}", instruction.address,
                       source.empty() ? "" : fmt::format(" ({})", source));
}

std::string source_range(const Function& function, std::size_t first, std::size_t last) {
    SourceRange range{function};
    range.add(first, last);
    return range.text();
}

void SourceRange::add(std::size_t first, std::size_t last) {
    for (std::size_t i = first; i <= last; ++i) {
        const auto frame = function_.instructions[i].source_frame;
        if (!frame) continue;
        const auto& [file, line, caller] = function_.source_lines.frames[*frame];
        const auto [known, is_new] = lines_.try_emplace(file, line, line);
        if (is_new) files_.push_back(file);
        known->second = {std::min(known->second.first, line), std::max(known->second.second, line)};
    }
}

std::string SourceRange::text() const {
    std::string out;
    for (const std::size_t file : files_) {
        const auto [first, last] = lines_.at(file);
        out += fmt::format("{}{}:{}{}", out.empty() ? "" : ", ",
                           display_name(function_.source_lines, file), first,
                           first == last ? "" : fmt::format("..{}", last));
    }
    return out;
}

} // namespace warpbound::assembly
