#pragma once
/// \file
/// Source lines of instructions, as the line markers of `nvdisasm -g` and `-gi` name them:
/// `//## File "saxpy.cu", line 4 inlined at "saxpy.cu", line 14`.

#include "assembly/support/result.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace warpbound::assembly {

inline constexpr std::int64_t source_line_limit = 0x7fff'ffff;
inline constexpr std::size_t inlining_limit = 256; ///< Calls inlined into each other.

/// A line of a source file.
struct SourcePlace {
    std::string file; ///< As the marker names it.
    std::int64_t line = 0;

    friend bool operator==(const SourcePlace&, const SourcePlace&) = default;
};

/// A source line in one inlining context.
struct SourceFrame {
    std::size_t file = 0; ///< Index into `SourceLines::files`.
    std::int64_t line = 0;
    /// Where the code was inlined: a frame that stands before this one.
    std::optional<std::uint32_t> caller;

    friend bool operator==(const SourceFrame&, const SourceFrame&) = default;
};

/// The source lines of a function; its instructions hold indices of frames.
struct SourceLines {
    std::vector<std::string> files;
    std::vector<SourceFrame> frames;

    [[nodiscard]] const std::string& file_of(std::uint32_t frame) const {
        return files[frames[frame].file];
    }
};

/// One line marker. `line` 0: the compiler names no line for what follows.
struct SourceMarker {
    SourcePlace at;
    std::optional<SourcePlace> inlined_at;
};

/// Whether a trimmed line is meant as a line marker.
bool is_source_marker(std::string_view text);
/// Refuses a marker of no known form and a line number above `source_line_limit`.
Result<SourceMarker> read_source_marker(std::string_view text);
/// The markers before an instruction of this frame, each with its end of line; `none`: the
/// instruction has no source line.
std::string print_source_markers(const SourceLines& lines, std::optional<std::uint32_t> frame);

/// Collects the markers of a function: those without an instruction between them are one chain,
/// innermost first, where each begins at the place at which the one before it was inlined.
class SourceLineCollector {
public:
    explicit SourceLineCollector(SourceLines& lines) : lines_{lines} {}

    Result<void> marker(SourceMarker marker);
    /// The frame of the next instruction.
    std::optional<std::uint32_t> frame();

private:
    std::uint32_t frame_of(const SourcePlace& place, std::optional<std::uint32_t> caller);

    SourceLines& lines_;
    std::vector<SourceMarker> chain_;
    bool chain_is_open_ = false; ///< No instruction came since its last marker.
    std::optional<std::uint32_t> current_;
    std::map<std::string, std::size_t, std::less<>> files_;
    std::map<std::tuple<std::size_t, std::int64_t, std::int64_t>, std::uint32_t> frames_;
};

/// Name of a file for display: without its folders, unless another file of the function has the
/// same name without them.
std::string display_name(const SourceLines& lines, std::size_t file);

} // namespace warpbound::assembly
