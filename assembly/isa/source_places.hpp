#pragma once
/// \file
/// Source lines of instructions as text, for messages and reports.

#include "assembly/isa/program.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace warpbound::assembly {

/// "saxpy.cu:4 inlined at saxpy.cu:14"; empty when there is no source line.
std::string source_of(const Function& function, const Instruction& instruction);
/// "0x0040", or with its source line "0x0040 (saxpy.cu:12)".
std::string place_of(const Function& function, const Instruction& instruction);
/// Lines of instructions `first` .. `last`, without where they were inlined, by file:
/// "saxpy.cu:11..14, scale.cuh:3"; empty when there are none.
std::string source_range(const Function& function, std::size_t first, std::size_t last);

/// Adds up the source lines of instructions: a range for each file, in order of occurrence.
class SourceRange {
public:
    explicit SourceRange(const Function& function) : function_{function} {}
    void add(std::size_t first, std::size_t last);
    [[nodiscard]] std::string text() const;

private:
    const Function& function_;
    std::vector<std::size_t> files_; ///< In order of occurrence.
    std::map<std::size_t, std::pair<std::int64_t, std::int64_t>> lines_;
};

} // namespace warpbound::assembly
