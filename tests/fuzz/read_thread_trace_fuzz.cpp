/// \file
/// Reads arbitrary bytes as each of the files of a thread trace.
#include "harness/trace/thread_trace.hpp"

#include <cstdint>
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace warpbound;
    const assembly::SourceText source{"fuzz", {reinterpret_cast<const char*>(data), size}};
    const auto files = harness::trace::read_thread_trace_files(source);
    if (files && files.value().waves.empty()) std::abort();
    const auto code = harness::trace::read_thread_trace_code(source);
    if (code)
        for (const auto& [line, index] : code.value().by_line)
            if (index >= code.value().instructions.size()) std::abort();
    harness::trace::ThreadTraceCode known;
    known.kernels.push_back({"kernel", 1, 0});
    known.instructions.push_back({"s_nop 0", "", 0, 0, 1});
    known.by_line[1] = 0;
    const auto wave = harness::trace::read_thread_trace_wave(source, known);
    if (!wave) return 0;
    for (const auto& step : wave.value().steps)
        if (step.duration < 0 || (step.instruction && *step.instruction != 0)) std::abort();
    return 0;
}
