#pragma once
/// \file
/// Recorded traces as the tracer stores them: packed as a whole (`.traceg.xz`), or warp by warp
/// (`.tracez` of Accel-Sim 2.0).

#include "harness/trace/trace_bytes.hpp"

#include <cstddef>
#include <filesystem>
#include <string>

namespace warpbound::harness::trace {

/// Most text that a packed trace may hold in memory. Unit: bytes.
inline constexpr std::size_t unpacked_limit = std::size_t{1} << 30U;

/// The name of a trace or of a list of traces: `.traceg`, `.tracez`, `.traceg.xz`, `.traceg.gz`,
/// `kernelslist*.g`.
bool is_trace_name(const std::filesystem::path& file);

/// The text of a `.tracez` file as the tool traceDsm of Accel-Sim writes it: the header, then each
/// block with its warps. Refuses what lies outside the file, frames that are damaged, and other
/// numbers of parts, instructions or lines than announced, naming block and warp; and text beyond
/// `limit`.
/// Source: accel-sim-framework, util/tracer_nvbit/tracer_tool/tracez_format.h, and its writer
/// traces-processing/post-traces-processing.cpp.
Result<std::string> text_of_tracez(const assembly::SourceText& file, std::size_t limit);

/// A trace file of any of these forms; a plain one is not read into memory. Refuses what holds
/// more than `limit` bytes when it is unpacked.
Result<TraceBytes> open_trace(const std::filesystem::path& file,
                              std::size_t limit = unpacked_limit);
/// Likewise as text, of at most `assembly::source_size_limit` bytes.
Result<assembly::SourceText> read_trace_text(const std::filesystem::path& file);

} // namespace warpbound::harness::trace
