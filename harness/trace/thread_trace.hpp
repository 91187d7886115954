#pragma once
/// \file
/// Executions recorded by AMD's Advanced Thread Trace, as `rocprofv3 --att` decodes them: a folder
/// `ui_output_*` with `filenames.json`, `code.json` and one file per wavefront.

#include "assembly/support/result.hpp"
#include "assembly/support/source_text.hpp"

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpbound::harness::trace {

inline constexpr std::size_t thread_trace_file_limit = std::size_t{256} << 20U; ///< `Unit:` bytes.
inline constexpr std::size_t thread_trace_wave_limit = 100'000;    ///< Wavefronts of a folder.
inline constexpr std::size_t thread_trace_step_limit = 10'000'000; ///< Instructions of a folder.

/// An instruction of `code.json`.
struct ThreadTraceInstruction {
    std::string text;        ///< As AMD's disassembler prints it.
    std::string source;      ///< "kernel.cpp:12"; empty: not known.
    std::int64_t offset = 0; ///< From the first instruction of its kernel. `Unit:` bytes.
    std::size_t kernel = 0;  ///< Index into `ThreadTraceCode::kernels`.
    std::size_t row = 0;     ///< Of the array `code`.
};

/// A kernel of `code.json`.
struct ThreadTraceKernel {
    std::string name;         ///< Of its symbol.
    std::int64_t object = 0;  ///< Number of the code object.
    std::int64_t address = 0; ///< Of its first instruction in the code object.
};

struct ThreadTraceCode {
    std::string file; ///< For messages.
    std::vector<ThreadTraceKernel> kernels;
    std::vector<ThreadTraceInstruction> instructions;
    /// Index of the instruction by the line number that wavefronts refer to. Code without a kernel
    /// and numbers that several rows have are left out.
    std::map<std::int64_t, std::size_t> by_line;
};

/// What an instruction is, as the decoder numbers it.
enum class ThreadTraceCategory : std::uint8_t {
    None,
    ScalarMemory,
    Scalar,
    VectorMemory,
    Flat,
    Lds,
    Vector,
    Jump, ///< A branch that was taken.
    Next, ///< A branch that was not.
    Immediate,
    Context,
    Message,
    RayTracing
};

/// One executed instruction. It issues at `time` + `stall`.
/// `Source:` rocprofiler-sdk, trace_decoder_types.h.
struct ThreadTraceStep {
    std::int64_t time = 0; ///< When the wavefront first tries to issue it. `Unit:` cycles.
    std::int64_t duration =
        0;                  ///< Stall and issue; from gfx10 on stall and execution. `Unit:` cycles.
    std::int64_t stall = 0; ///< Cycles in which the hardware could not issue it.
    std::optional<std::size_t> instruction; ///< None: its address is not known.
    ThreadTraceCategory category = ThreadTraceCategory::None;

    [[nodiscard]] std::int64_t issue() const { return time + stall; }
};

/// One wavefront of the compute unit that was traced.
struct ThreadTraceWave {
    std::string file;       ///< "se0_sm0_sl0_wv0.json"
    std::int64_t begin = 0; ///< `Unit:` cycles.
    std::int64_t end = 0;   ///< `Unit:` cycles.
    std::vector<ThreadTraceStep> steps;
    std::string engine{};  ///< "SE0": the shader engine; empty: not named.
    std::int64_t simd = 0; ///< Of the compute unit.
    std::int64_t slot = 0; ///< Of the SIMD.
};

struct ThreadTrace {
    std::string folder;
    std::int64_t processor = 0; ///< Major number of the processor: 9 of gfx90a; 0: not known.
    ThreadTraceCode code;
    std::vector<ThreadTraceWave> waves; ///< At least one.
};

/// What `filenames.json` says.
struct ThreadTraceFiles {
    std::int64_t processor = 0;
    std::vector<std::string> waves; ///< File names in the folder.
};

/// Whether the folder has a `filenames.json`.
bool is_thread_trace(const std::filesystem::path& folder);

/// The readers of the single files. Each refuses damage with file and position.
Result<ThreadTraceFiles> read_thread_trace_files(const assembly::SourceText& source);
Result<ThreadTraceCode> read_thread_trace_code(const assembly::SourceText& source);
Result<ThreadTraceWave> read_thread_trace_wave(const assembly::SourceText& source,
                                               const ThreadTraceCode& code);

/// Reads a folder. Refuses damaged and missing files, and more than the limits above.
Result<ThreadTrace> read_thread_trace(const std::filesystem::path& folder);

} // namespace warpbound::harness::trace
